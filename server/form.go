package server

import (
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// checkForm checks the form that a request names.
func checkForm(check envelope.Checker, form pb.CanonicalForm) {
	if _, known := pb.CanonicalForm_name[int32(form)]; !known {
		check.Fail("canonical_form", pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN, "is no form that this server knows")
	}
}

// formed returns a canonical result in the form that a request names: as the message, as the RFC's JSON without white
// space, or both. It changes nothing of the result, so that a record may have it too.
func formed(form pb.CanonicalForm, r *pb.CanonicalToolResult) (message *pb.CanonicalToolResult, json string, err error) {
	switch form {
	case pb.CanonicalForm_CANONICAL_FORM_JSON:
	case pb.CanonicalForm_CANONICAL_FORM_BOTH:
		message = r
	default:
		return r, "", nil
	}
	text, err := envelope.ToCompactJSON(r)
	return message, string(text), err
}

// form brings an answer to the form that its request names. It comes after everything else that reads the answer: the
// record of it has the message whatever is asked for.
func (s *service) form(form pb.CanonicalForm, resp *pb.ProjectResponse) (err error) {
	r := resp.GetCanonical()
	resp.Family = s.registry.NameOf(r)
	resp.Canonical, resp.CanonicalJson, err = formed(form, r)
	return err
}
