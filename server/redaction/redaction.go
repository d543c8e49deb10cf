// Package redaction replaces the secrets of an output before anything else is made of it: previews, artifacts, records and
// errors never have them. Secrets are the values that runtimes registered, and what the patterns of package redact find.
package redaction

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/ingest"
)

// Pass replaces the secrets of one output. It is the one place where that is
// done, before anything else is made of the output: what comes after it, previews,
// artifacts, records and errors, never has the secrets to begin with.
type Pass struct {
	Options   redact.Options
	found     counts     // in all of the output
	Originals []original // payloads as the tool wrote them, where something was replaced
}

// NewPass returns a pass over one output.
func NewPass(o redact.Options) *Pass { return &Pass{Options: o, found: counts{}} }

// Replaced returns how often secrets were replaced in all of the output, by kind.
func (r *Pass) Replaced() []*pb.Redaction { return r.found.list() }

// original is a payload before it was redacted.
type original struct {
	Field string // where it is in the output
	Blob  artifactstore.Blob
}

// counts are how often secrets were replaced, by kind.
type counts map[string]int64

func (c counts) add(found []redact.Count) {
	for _, f := range found {
		c[f.Kind] += f.Matches
	}
}

// list is sorted by kind.
func (c counts) list() (list []*pb.Redaction) {
	for _, kind := range slices.Sorted(maps.Keys(c)) {
		list = append(list, &pb.Redaction{Kind: kind, Count: uint64(c[kind])})
	}
	return list
}

// Resolve returns the redaction of an output of a family: the values that are registered for its session and, unless the
// policy says otherwise, the patterns.
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

// CheckName refuses a name that has a registered value. Names are for runtimes, which find
// things by them: they are not redacted, and what looks like a secret may be an id.
func (r *Pass) CheckName(check envelope.Checker, field, name string) {
	if r.Options.Values == nil || name == "" {
		return
	}
	if _, found := redact.Text(redact.Options{Values: r.Options.Values}, []byte(name)); len(found) > 0 {
		check.Fail(field, pb.ErrorReason_ERROR_REASON_NAME_INVALID, "has a registered value")
	}
}

// CheckCall checks the names of a call.
func (r *Pass) CheckCall(check envelope.Checker, call *pb.CallReference) {
	r.CheckName(check, "call.session_id", call.GetSessionId())
	r.CheckName(check, "call.call_id", call.GetCallId())
	r.CheckName(check, "call.agent_id", call.GetAgentId())
}

// CheckNames checks all names of a request.
func (r *Pass) CheckNames(req *pb.ProjectRequest, family *families.Family) error {
	if r.Options.Values == nil {
		return nil
	}
	check := envelope.NewChecker("")
	r.CheckCall(check, req.GetCall())
	r.CheckName(check, "request_id", req.GetRequestId())
	r.CheckName(check, "policy.render.model", req.GetPolicy().GetRender().GetModel())
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

// Redact returns a complete output without its secrets: out itself if it has none. What
// came as streams was redacted as it came; its payloads are told what was found there.
func (r *Pass) Redact(out *pb.CompleteToolOutput, family *families.Family, streams map[string]ingest.Payload) *pb.CompleteToolOutput {
	w := &redactingWalk{Pass: r, streams: streams, whole: family.Whole}
	if w.Redact(out, family); !w.dirty {
		return out
	}
	w.replace, out = true, proto.CloneOf(out)
	w.Redact(out, family)
	return out
}

// RedactDetails are those of a runtime without secrets.
func (r *Pass) RedactDetails(d *pb.AuditDetails) *pb.AuditDetails {
	if d == nil {
		return nil
	}
	w := &redactingWalk{Pass: r, replace: true}
	d = proto.CloneOf(d)
	w.message("audit", d.ProtoReflect())
	return d
}

// redactingWalk goes through the texts of a message: first to see whether there is
// anything to replace, and then, if there is, through a copy to replace it.
type redactingWalk struct {
	*Pass
	streams map[string]ingest.Payload
	whole   bool // payloads are read whole, as JSON may be
	replace bool
	dirty   bool
}

func (w *redactingWalk) Redact(out *pb.CompleteToolOutput, family *families.Family) {
	if custom := out.GetCustom(); custom != nil && family.Type != nil {
		w.custom(custom, family.Type)
	}
	w.message("output", out.ProtoReflect())
}

// custom goes through the message of a family that an operator brought. One that is not
// right is for its projector to refuse.
func (w *redactingWalk) custom(out *pb.CustomOutput, t *envelope.Type) {
	check := envelope.NewChecker("")
	m := t.Read(check, out)
	if check.Err() != nil {
		return
	}
	inside := &redactingWalk{Pass: w.Pass, streams: w.streams, whole: w.whole, replace: w.replace}
	inside.message(envelope.CustomMessagePath, m)
	if w.dirty = w.dirty || inside.dirty; !w.replace || !inside.dirty {
		return
	}
	if encoded, err := (proto.MarshalOptions{Deterministic: true}).Marshal(m.Interface()); err == nil {
		out.Encoding = &pb.CustomOutput_Message{Message: encoded}
	}
}

// names are fields that have a pattern of their own. They are checked and not redacted.
var names = map[protoreflect.FullName]bool{
	"toolresult.v1.CompleteToolOutput.tool_name": true,
}

const (
	payloadMessage = protoreflect.FullName("toolresult.v1.Payload")
	customMessage  = protoreflect.FullName("toolresult.v1.CustomOutput")
)

// message goes through the fields of a message. Those that only a newer program knows
// cannot be read here, and so they are not kept.
func (w *redactingWalk) message(path string, m protoreflect.Message) {
	if len(m.GetUnknown()) > 0 {
		if w.dirty = true; w.replace {
			m.SetUnknown(nil)
		}
	}
	switch m.Descriptor().FullName() {
	case payloadMessage:
		w.payload(path, m)
		return
	case customMessage:
		return
	}
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		if names[f.FullName()] {
			return true
		}
		at := path + "." + string(f.Name())
		switch {
		case f.IsMap():
			v.Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
				w.value(at, f.MapValue(), v, func(v protoreflect.Value) { m.Mutable(f).Map().Set(k, v) })
				return true
			})
		case f.IsList():
			for i := range v.List().Len() {
				w.value(fmt.Sprintf("%s[%d]", at, i), f, v.List().Get(i), func(v protoreflect.Value) { m.Mutable(f).List().Set(i, v) })
			}
		default:
			w.value(at, f, v, func(v protoreflect.Value) { m.Set(f, v) })
		}
		return true
	})
}

// WithoutUnknown is a message without what only a newer program knows, which cannot be redacted.
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

// value goes through one value of a field.
func (w *redactingWalk) value(at string, f protoreflect.FieldDescriptor, v protoreflect.Value, set func(protoreflect.Value)) {
	switch f.Kind() {
	case protoreflect.MessageKind:
		w.message(at, v.Message())
	case protoreflect.StringKind:
		if text, ok := w.field([]byte(v.String())); ok && w.replace {
			set(protoreflect.ValueOfString(string(text)))
		}
	case protoreflect.BytesKind:
		if text, ok := w.field(v.Bytes()); ok && w.replace {
			set(protoreflect.ValueOfBytes(text))
		}
	}
}

// field redacts the text of a field that has a bound: it never becomes longer.
func (w *redactingWalk) field(text []byte) ([]byte, bool) {
	redacted, found := w.text(w.Options, text)
	if len(redacted) > len(text) {
		same := w.Options
		same.SameLength = true
		redacted, found = w.text(same, text)
	}
	w.note(found)
	return redacted, len(found) > 0
}

func (w *redactingWalk) note(found []redact.Count) {
	w.dirty = w.dirty || len(found) > 0
	if w.replace {
		w.found.add(found)
	}
}

// payload redacts a payload, also one of a message that an operator brought.
func (w *redactingWalk) payload(path string, m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	inline := fields.ByName("inline")
	if !m.Has(inline) {
		if s, ok := w.streams[projectors.Key(envelope.AsPayload(m))]; ok {
			w.note(s.Found)
			w.tell(m, s.Found)
			if w.replace && s.Original != nil {
				w.Originals = append(w.Originals, original{path, s.Original})
				moveLoss(m, s.Original.Size(), s.Blob.Size())
			}
		}
		return
	}
	text := m.Get(inline).Bytes()
	redact := redact.Text // as a stream of the same bytes
	if w.whole || strings.HasSuffix(path, ".details") {
		redact = w.text
	}
	redacted, found := redact(w.Options, text)
	if w.note(found); len(found) == 0 || !w.replace {
		return
	}
	w.Originals = append(w.Originals, original{path, artifactstore.BytesBlob(text)})
	m.Set(inline, protoreflect.ValueOfBytes(redacted))
	w.tell(m, found)
	moveLoss(m, int64(len(text)), int64(len(redacted)))
}

// moveLoss keeps the place of a loss at the source inside of a payload that became shorter. A place that was outside
// of the payload before stays there, for its projector to refuse.
func moveLoss(m protoreflect.Message, before, after int64) {
	field := m.Descriptor().Fields().ByName("source_loss")
	if !m.Has(field) {
		return
	}
	loss := m.Mutable(field).Message()
	at := loss.Descriptor().Fields().ByName("at_byte")
	if place := loss.Get(at).Uint(); place <= uint64(before) && place > uint64(after) {
		loss.Set(at, protoreflect.ValueOfUint64(uint64(after)))
	}
}

// tell adds what was found in a payload to what the runtime had replaced in it.
func (w *redactingWalk) tell(m protoreflect.Message, found []redact.Count) {
	if !w.replace || len(found) == 0 {
		return
	}
	all := counts{}
	for _, r := range envelope.AsPayload(m).GetRedactions() {
		all[r.GetKind()] += int64(r.GetCount())
	}
	all.add(found)
	told := &pb.Payload{Redactions: all.list()}
	field := m.Descriptor().Fields().ByName("redactions")
	m.Clear(field)
	if p, ok := m.Interface().(*pb.Payload); ok {
		p.Redactions = told.GetRedactions()
		return
	}
	if encoded, err := proto.Marshal(told); err == nil {
		_ = proto.UnmarshalOptions{Merge: true}.Unmarshal(encoded, m.Interface()) // the same fields
	}
}

// text redacts a text. One that is JSON stays JSON, and has no secret that only shows
// when its strings are read.
func (r *Pass) text(o redact.Options, text []byte) ([]byte, []redact.Count) {
	redacted, found := redact.Text(o, text)
	if !looksLikeJSON(text) || !json.Valid(text) {
		return redacted, found
	}
	if len(found) > 0 && !json.Valid(redacted) {
		redacted, found = redactScalars(o, text)
	}
	again, inside := r.redactStrings(o, redacted)
	if len(inside) == 0 {
		return redacted, found
	}
	all := counts{}
	all.add(found)
	all.add(inside)
	return again, countsOf(all)
}

// redactStrings redacts the strings of a valid JSON text as they read: what is escaped in
// them, such as the colours of a terminal, may stand inside of a secret.
func (r *Pass) redactStrings(o redact.Options, text []byte) ([]byte, []redact.Count) {
	if bytes.IndexByte(text, '\\') < 0 {
		return text, nil
	}
	found, out := counts{}, make([]byte, 0, len(text))
	for len(text) > 0 {
		n := scalar(text)
		part := text[:n]
		if part[0] == '"' && bytes.IndexByte(part, '\\') >= 0 {
			part = r.redactString(o, part, found)
		}
		out, text = append(out, part...), text[n:]
	}
	if len(found) == 0 {
		return out, nil
	}
	return out, countsOf(found)
}

// redactString redacts one string of JSON.
func (r *Pass) redactString(o redact.Options, quoted []byte, found counts) []byte {
	var s string
	if json.Unmarshal(quoted, &s) != nil {
		return quoted
	}
	plain, here := r.text(o, []byte(s)) // which may be JSON too
	if len(here) == 0 {
		return quoted
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(string(plain)) != nil {
		return quoted
	}
	found.add(here)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func countsOf(c counts) []redact.Count {
	list := make([]redact.Count, 0, len(c))
	for _, f := range c.list() {
		list = append(list, redact.Count{Kind: f.GetKind(), Matches: int64(f.GetCount())})
	}
	return list
}

func looksLikeJSON(text []byte) bool {
	t := bytes.TrimLeft(text, " \t\r\n")
	return len(t) > 0 && (t[0] == '{' || t[0] == '[')
}

// redactScalars redacts every scalar of a JSON text by itself: a number that is a secret
// becomes a string. What reaches over several of them is not found then, and no secret of
// a JSON text does.
func redactScalars(o redact.Options, text []byte) ([]byte, []redact.Count) {
	found, out := counts{}, make([]byte, 0, len(text))
	for len(text) > 0 {
		n := scalar(text)
		part, here := redact.Text(o, text[:n])
		if len(here) > 0 && !json.Valid(part) && text[0] != '"' {
			part = append(append([]byte{'"'}, part...), '"')
		}
		if found.add(here); len(here) > 0 && !json.Valid(part) { // whatever it is, it is not shown
			part = []byte(`"[redacted]"`)
		}
		out, text = append(out, part...), text[n:]
	}
	return out, countsOf(found)
}

// scalar is how many bytes the next part of a valid JSON text has: a string, a number or a
// word, or what is between them.
func scalar(text []byte) int {
	if text[0] == '"' {
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case '"':
				return i + 1
			}
		}
		return len(text)
	}
	between := bytes.IndexByte([]byte(" \t\r\n{}[],:"), text[0]) >= 0
	for i, c := range text {
		if c == '"' || (bytes.IndexByte([]byte(" \t\r\n{}[],:"), c) >= 0) != between {
			return i
		}
	}
	return len(text)
}
