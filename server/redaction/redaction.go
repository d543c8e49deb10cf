// Package redaction replaces the secrets of an output before anything else is made of it: previews, artifacts, records and
// errors never have them. Secrets are the values that runtimes registered, and texts that the patterns of package redact find.
//
// A [Pass] goes through all texts of one output. Payloads that were received as streams or files were redacted on their way
// (server/ingest) with the options of the same pass, so both ways give the same bytes. Names (of sessions, calls, tools) are
// not redacted, because runtimes find things by them: one that has a registered value is rejected.
//
// The package finds no secrets by itself (package redact does), and stores nothing: payloads as the tool wrote them are handed
// to the caller, for the audit log.
package redaction

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/ingest"
)

// Pass replaces the secrets of one output. It is the one place where that is done, before anything else is made of the output.
// Not safe for concurrent use.
type Pass struct {
	Options   redact.Options
	found     counts     // in all of the output, streams included
	Originals []original // payloads as the tool wrote them, where something was replaced

	clean map[*byte][]byte    // inline payloads without secrets, by their first byte
	seen  map[string]struct{} // texts of results without secrets
	shown map[string]struct{} // what looks like a secret, and is shown; nil: nothing
}

// NewPass returns a pass over one output.
func NewPass(o redact.Options) *Pass {
	return &Pass{Options: o, found: counts{}, clean: map[*byte][]byte{}, seen: map[string]struct{}{}}
}

// Replaced returns how often secrets were replaced in all of the output, by kind.
func (r *Pass) Replaced() []*pb.Redaction { return r.found.list() }

// original is a payload as the tool wrote it.
type original struct {
	Field string // its path in the output, as records name it
	Blob  artifactstore.Blob
}

// counts are the numbers of replaced secrets by kind: the name of a rule, or that of a registered value.
type counts map[string]int64

// add adds the counts of one text.
func (c counts) add(found []redact.Count) {
	for _, f := range found {
		c[f.Kind] += f.Matches
	}
}

// Bounds of the kinds that are counted for one output or payload. What a tool wrote may have secrets of more.
const (
	maxKinds   = 64
	otherKinds = "others"
)

// list returns the counts as the contract has them, sorted by kind. Beyond maxKinds, those of the fewest secrets are one.
func (c counts) list() (list []*pb.Redaction) {
	kinds := slices.Sorted(maps.Keys(c))
	if len(kinds) > maxKinds {
		slices.SortStableFunc(kinds, func(a, b string) int { return cmp.Compare(c[b], c[a]) })
		few := counts{otherKinds: 0}
		for i, kind := range kinds {
			if i < maxKinds-1 && kind != otherKinds {
				few[kind] = c[kind]
			} else {
				few[otherKinds] += c[kind]
			}
		}
		return few.list()
	}
	for _, kind := range kinds {
		list = append(list, &pb.Redaction{Kind: kind, Count: uint64(c[kind])})
	}
	return list
}

// Resolve returns a pass over an output of a family: the values that are registered for its session and, unless the policy says
// otherwise, the patterns. A nil patterns is that of a server that redacts registered values alone. Only file_read may turn
// patterns off, since an agent that edits a file must see its bytes.
func (s *Secrets) Resolve(patterns *redact.Patterns, p *pb.RedactionPolicy, session, family string) (*Pass, error) {
	check := envelope.NewChecker("policy.redaction")
	r := NewPass(redact.Options{Patterns: patterns})
	switch p.GetPatterns() {
	case pb.PatternRedaction_PATTERN_REDACTION_UNSPECIFIED:
	case pb.PatternRedaction_PATTERN_REDACTION_OFF:
		if r.Options.Patterns = nil; family != "file_read" {
			check.Fail("patterns", pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "may be off for the family file_read alone")
		}
	default:
		check.Fail("patterns", pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN, "is no choice that this server knows")
	}
	check.Length("require_set", p.GetRequireSet(), MaxSetID)
	if err := check.Err(); err != nil {
		return nil, err
	}
	var err error
	r.Options.Values, err = s.Values(session, p.GetRequireSet())
	return r, err
}

// CheckName rejects a name that has a registered value. Names are not redacted, since runtimes find things by them, and
// patterns are not applied to them, since a text that looks like a secret may be an id.
func (r *Pass) CheckName(check envelope.Checker, field, name string) {
	if r.Options.Values == nil || name == "" {
		return
	}
	if _, found := redact.Text(redact.Options{Values: r.Options.Values}, []byte(name)); len(found) > 0 {
		check.Fail(field, pb.ErrorReason_ERROR_REASON_NAME_INVALID, "has a registered value")
	}
}

// CheckCall checks the names of a call. check is at the message that has the call.
func (r *Pass) CheckCall(check envelope.Checker, call *pb.CallReference) {
	r.CheckName(check, "call.session_id", call.GetSessionId())
	r.CheckName(check, "call.call_id", call.GetCallId())
	r.CheckName(check, "call.agent_id", call.GetAgentId())
}

// CheckNames checks all names of a request: those of the call, of the tool, of streams, files and models.
func (r *Pass) CheckNames(req *pb.ProjectRequest, family *families.Family) error {
	if r.Options.Values == nil {
		return nil
	}
	check := envelope.NewChecker("")
	r.CheckCall(check, req.GetCall())
	r.CheckName(check, "request_id", req.GetRequestId())
	r.CheckName(check, "policy.render.model", req.GetPolicy().GetRender().GetModel())
	r.CheckName(check, "policy.focus_session", req.GetPolicy().GetFocusSession())
	r.CheckName(check, "output.tool_name", req.GetOutput().GetToolName())
	for key := range req.GetAudit().GetTrust() {
		r.CheckName(check, "audit.trust", key)
	}
	payload := func(path string, p *pb.Payload) {
		r.CheckName(check, path+".stream", p.GetStream())
		r.CheckName(check, path+".file.path", p.GetFile().GetPath())
		for _, known := range p.GetRedactions() {
			r.CheckName(check, path+".redactions", known.GetKind())
		}
	}
	envelope.VisitPayloads("output", req.GetOutput().ProtoReflect(), payload)
	envelope.VisitCustomPayloads(req.GetOutput(), family.Type, payload)
	return check.Err()
}

// Redact returns a complete output without its secrets: out itself if it has none, and a copy otherwise. Payloads of streams
// were redacted on their way; what was found there is added to their redactions. It first goes through the output to look, and
// only copies one that has something to replace: most outputs have nothing. It ends with ctx, the error of which is its only one.
func (r *Pass) Redact(ctx context.Context, out *pb.CompleteToolOutput, family *families.Family, streams map[string]ingest.Payload) (*pb.CompleteToolOutput, error) {
	w := &redactingWalk{Pass: r, ctx: ctx, streams: streams, whole: family.Whole}
	if w.Redact(out, family); !w.dirty && w.err == nil {
		return out, nil
	}
	if w.err == nil {
		w.replace, out = true, proto.CloneOf(out)
		w.Redact(out, family)
	}
	if w.err != nil {
		return nil, w.err
	}
	return out, nil
}

// RedactDetails returns the details of a runtime without secrets, as a copy; nil for nil.
func (r *Pass) RedactDetails(d *pb.AuditDetails) *pb.AuditDetails {
	if d == nil {
		return nil
	}
	w := &redactingWalk{Pass: r, ctx: context.Background(), replace: true} // details are small
	d = proto.CloneOf(d)
	w.message("audit", d.ProtoReflect())
	return d
}

// RedactFocus returns what an agent looks for without secrets, also where the output may show what
// looks like one. It counts nothing: the focus is no part of the output.
func (r *Pass) RedactFocus(patterns *redact.Patterns, focus string) string {
	if focus == "" {
		return ""
	}
	w := &redactingWalk{ctx: context.Background(), Pass: NewPass(redact.Options{Values: r.Options.Values, Patterns: patterns})}
	clean, _ := w.field([]byte(focus))
	return string(clean)
}

// WithoutUnknown returns a message without the fields that only a newer program knows: they cannot be redacted. It returns m
// itself if there are none, and copies only the messages on the way to one. Lists and maps of messages are not searched.
func WithoutUnknown[M proto.Message](m M) M {
	var strip func(protoreflect.Message) protoreflect.Message
	strip = func(r protoreflect.Message) protoreflect.Message {
		clean := r
		edit := func() {
			if clean == r {
				clean = proto.Clone(r.Interface()).ProtoReflect()
			}
		}
		if len(r.GetUnknown()) > 0 {
			edit()
			clean.SetUnknown(nil)
		}
		r.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
			if f.Message() == nil || f.IsList() || f.IsMap() {
				return true
			}
			if inner := strip(v.Message()); inner != v.Message() {
				edit()
				clean.Set(f, protoreflect.ValueOfMessage(inner))
			}
			return true
		})
		return clean
	}
	if !m.ProtoReflect().IsValid() {
		return m
	}
	return strip(m.ProtoReflect()).Interface().(M)
}
