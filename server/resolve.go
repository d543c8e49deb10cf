package server

import (
	"context"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
)

// canonicalSource is a message that has a canonical result: as a message, as the RFC's JSON or, in some, by its call
// alone.
type canonicalSource interface {
	proto.Message
	GetCanonical() *pb.CanonicalToolResult
	GetCanonicalJson() string
	GetFamily() string
}

// The fields of a canonicalSource.
const (
	canonicalField = "canonical"
	jsonField      = "canonical_json"
	familyField    = "family"
	callField      = "call"
)

// inRequest returns the canonical result that a message has, and the name of the field that it is in. The result is
// for envelope.ValidateCanonical to check, by that field. It returns nil when the message has none.
func (s *service) inRequest(src canonicalSource) (r *pb.CanonicalToolResult, field string, err error) {
	if r := src.GetCanonical(); r != nil {
		return r, canonicalField, nil
	}
	m := src.ProtoReflect()
	if !m.Has(m.Descriptor().Fields().ByName(jsonField)) {
		return nil, canonicalField, nil
	}
	check := envelope.NewChecker("")
	if name := src.GetFamily(); name != "" && s.registry.ByName(name) == nil && name != s.registry.ErrorFamily().Name {
		check.Fail(familyField, pb.ErrorReason_ERROR_REASON_FAMILY_UNKNOWN, "is no family that this server has")
		return nil, jsonField, check.Err()
	}
	r, err = envelope.FromJSON([]byte(src.GetCanonicalJson()), src.GetFamily())
	if err != nil {
		return nil, jsonField, apierror.PrefixField(jsonField, err)
	}
	return r, jsonField, nil
}

// onRecord returns the latest result on record of a call. A caller that is confined to a session finds its own alone.
func (s *service) onRecord(ctx context.Context, session, call string) (*pb.CanonicalToolResult, error) {
	session, err := identity.Confine(ctx, session)
	if err != nil {
		return nil, err
	}
	if s.audit == nil {
		return nil, apierror.ErrAuditDisabled
	}
	list, _, err := s.audit.Log.List(ctx, auditlog.Query{
		Session: session, Call: call, Kinds: []pb.AuditKind{pb.AuditKind_AUDIT_KIND_PROJECTION}, Limit: 1,
	})
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, auditlog.ErrUnknown
	}
	record, err := s.audit.Log.Get(ctx, list[0].GetSequence()) // a list is without results
	return record.GetCanonical(), err
}
