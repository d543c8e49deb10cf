package pipeline

import (
	"context"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/identity"
)

// CanonicalSource is a message that has a canonical result: as a message, as the RFC's JSON or, in some, by its call alone.
type CanonicalSource interface {
	proto.Message
	GetCanonical() *pb.CanonicalToolResult
	GetCanonicalJson() string
	GetFamily() string
}

// Fields of a CanonicalSource.
const (
	CanonicalField = "canonical"
	JSONField      = "canonical_json"
	familyField    = "family"
	callField      = "call"
)

// ReadCanonical returns the canonical result that a message has, and the name of the field that it is in; nil when the
// message has none. The result is for envelope.ValidateCanonical to check, by that field. One of a family that is not known is
// a text.
func ReadCanonical(registry *families.Registry, src CanonicalSource) (r *pb.CanonicalToolResult, field string, err error) {
	if r := src.GetCanonical(); r != nil {
		return registry.ResultAsText(r), CanonicalField, nil
	}
	m := src.ProtoReflect()
	if !m.Has(m.Descriptor().Fields().ByName(JSONField)) {
		return nil, CanonicalField, nil
	}
	if name := src.GetFamily(); name != "" && !families.IsName(name) {
		check := envelope.NewChecker("")
		check.Fail(familyField, pb.ErrorReason_ERROR_REASON_FAMILY_UNKNOWN, "is no name of a family")
		return nil, JSONField, check.Err()
	}
	r, err = registry.ResultFromJSON([]byte(src.GetCanonicalJson()), src.GetFamily())
	if err != nil {
		return nil, JSONField, apierror.PrefixField(JSONField, err)
	}
	return r, JSONField, nil
}

// onRecord returns the latest result on record of a call. A caller that is confined to a session finds its own alone.
func (p *Pipeline) onRecord(ctx context.Context, session, call string) (*pb.CanonicalToolResult, error) {
	session, err := identity.Confine(ctx, session)
	if err != nil {
		return nil, err
	}
	if p.Recorder == nil {
		return nil, apierror.ErrAuditDisabled
	}
	list, _, err := p.Recorder.Log.List(ctx, auditlog.Query{
		Session: session, Call: call, Kinds: []pb.AuditKind{pb.AuditKind_AUDIT_KIND_PROJECTION}, Limit: 1,
	})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, auditlog.ErrUnknown
	}
	record, err := p.Recorder.Log.Get(ctx, list[0].GetSequence()) // a list is without results
	return record.GetCanonical(), err
}
