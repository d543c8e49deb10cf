package envelope

import pb "github.com/toolresult/toolresult/gen/toolresult/v1"

// CheckForm checks the canonical form that a request names in its field canonical_form.
func CheckForm(check Checker, form pb.CanonicalForm) {
	if _, known := pb.CanonicalForm_name[int32(form)]; !known {
		check.Fail("canonical_form", pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN, "is no form that this server knows")
	}
}

// InForm returns a canonical result in the form that a request names: as the message, as the RFC's JSON without white
// space, or both. It does not change the result, so that a record may have it too.
func InForm(form pb.CanonicalForm, r *pb.CanonicalToolResult) (message *pb.CanonicalToolResult, json string, err error) {
	switch form {
	case pb.CanonicalForm_CANONICAL_FORM_JSON:
	case pb.CanonicalForm_CANONICAL_FORM_BOTH:
		message = r
	default:
		return r, "", nil
	}
	text, err := ToCompactJSON(r)
	return message, string(text), err
}
