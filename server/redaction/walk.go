package redaction

import (
	"context"
	"fmt"
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

// redactingWalk goes through the texts of a message by reflection, so that a field that is added to the contract is redacted
// without a change here. It runs twice: first to look for something to replace, and then, if there is something, through a
// copy to replace it.
type redactingWalk struct {
	*Pass
	ctx     context.Context           // of the call
	err     error                     // why it has ended; nothing more is looked at then, and the message is of no use
	streams map[string]ingest.Payload // of the call, by projectors.Key
	whole   bool                      // payloads are read whole, as JSON may be
	replace bool                      // the message is a copy, and may be changed
	dirty   bool                      // there is something to replace
}

// Redact goes through a complete output.
func (w *redactingWalk) Redact(out *pb.CompleteToolOutput, family *families.Family) {
	if custom := out.GetCustom(); custom != nil && family.Type != nil {
		w.custom(custom, family.Type)
	}
	w.message("output", out.ProtoReflect())
}

// custom goes through the message of a custom family, which is encoded inside of the output. One that cannot be read is left for
// its projector to reject; nothing else is made of it.
func (w *redactingWalk) custom(out *pb.CustomOutput, t *envelope.Type) {
	check := envelope.NewChecker("")
	m := t.Read(check, out) // from its bytes or its JSON
	if check.Err() != nil {
		return
	}
	inside := &redactingWalk{Pass: w.Pass, ctx: w.ctx, streams: w.streams, whole: w.whole, replace: w.replace}
	inside.message(envelope.CustomMessagePath, m)
	w.err = inside.err
	if w.dirty = w.dirty || inside.dirty; !w.replace || !inside.dirty {
		return
	}
	if encoded, err := (proto.MarshalOptions{Deterministic: true}).Marshal(m.Interface()); err == nil {
		out.Encoding = &pb.CustomOutput_Message{Message: encoded}
	}
}

// names are fields with the name of something. They are checked by CheckNames, and not redacted.
var names = map[protoreflect.FullName]bool{
	"toolresult.v1.CompleteToolOutput.tool_name":  true,
	"toolresult.v1.CanonicalToolResult.tool_name": true,
	"toolresult.v1.ArtifactReference.path":        true,
}

// Messages that are not redacted field by field.
const (
	payloadMessage = protoreflect.FullName("toolresult.v1.Payload")
	customMessage  = protoreflect.FullName("toolresult.v1.CustomOutput")
)

// message goes through the fields of a message. Fields that only a newer program knows cannot be read here, so they are
// removed.
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
	case customMessage: // custom has gone through it
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
				// Keys are not redacted here: CheckNames rejects those that are names of a request.
				w.value(at, f.MapValue(), v, func(v protoreflect.Value) { m.Mutable(f).Map().Set(k, v) })
				return w.err == nil
			})
		case f.IsList():
			for i := 0; i < v.List().Len() && w.err == nil; i++ {
				w.value(fmt.Sprintf("%s[%d]", at, i), f, v.List().Get(i), func(v protoreflect.Value) { m.Mutable(f).List().Set(i, v) })
			}
		default:
			w.value(at, f, v, func(v protoreflect.Value) { m.Set(f, v) })
		}
		return w.err == nil
	})
}

// value goes through one value of a field: a message, a text, or bytes. set is called with the redacted value, and only in the
// second run. Numbers and enums cannot have a secret that anything could find.
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

// field redacts the text of a field. Fields have bounds, which were checked before, so the text never becomes longer: where a
// placeholder would make it, the secret is masked by as many bytes as it has.
func (w *redactingWalk) field(text []byte) ([]byte, bool) {
	redacted, found, err := redact.Whole(w.ctx, w.Options, text)
	if err == nil && len(redacted) > len(text) {
		same := w.Options
		same.SameLength = true
		redacted, found, err = redact.Whole(w.ctx, same, text)
	}
	if err != nil {
		w.err = err
		return nil, false
	}
	w.note(found)
	return redacted, len(found) > 0
}

// note adds the secrets of one text. They are counted once, in the second run.
func (w *redactingWalk) note(found []redact.Count) {
	w.dirty = w.dirty || len(found) > 0
	if w.replace {
		w.found.add(found)
	}
}

// payload redacts a payload, also one inside of a custom message. Inline bytes are redacted as a stream of the same bytes would
// be, so that both ways give equal results; JSON that its projector reads whole stays JSON.
func (w *redactingWalk) payload(path string, m protoreflect.Message) {
	fields := m.Descriptor().Fields()
	inline := fields.ByName("inline")
	if !m.Has(inline) { // a stream or a file: its bytes were redacted on their way
		if s, ok := w.streams[projectors.Key(envelope.AsPayload(m))]; ok {
			w.note(s.Found)
			w.addRedactions(m, s.Found)
			if w.replace && s.Original != nil {
				w.Originals = append(w.Originals, original{path, s.Original})
				moveLoss(m, s.Original.Size(), s.Blob.Size())
			}
		}
		return
	}
	text := m.Get(inline).Bytes()
	apply := redact.TextWithin // as a stream of the same bytes
	if w.whole || strings.HasSuffix(path, ".details") {
		apply = redact.Whole
	}
	redacted, found, err := apply(w.ctx, w.Options, text)
	if err != nil {
		w.err = err
		return
	}
	if w.note(found); len(found) == 0 {
		w.isClean(text)
		return
	}
	if !w.replace {
		return
	}
	w.isClean(redacted)
	w.Originals = append(w.Originals, original{path, artifactstore.BytesBlob(text)})
	m.Set(inline, protoreflect.ValueOfBytes(redacted))
	w.addRedactions(m, found)
	moveLoss(m, int64(len(text)), int64(len(redacted)))
}

// moveLoss keeps the place of a loss at the source inside of a payload that became shorter. A place that was outside of the
// payload before stays there, for its projector to reject.
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

// addRedactions adds the secrets that were found in a payload to those that the runtime had replaced in it before.
func (w *redactingWalk) addRedactions(m protoreflect.Message, found []redact.Count) {
	if !w.replace || len(found) == 0 {
		return
	}
	all := counts{}
	for _, r := range envelope.AsPayload(m).GetRedactions() {
		all[r.GetKind()] += int64(r.GetCount())
	}
	all.add(found)
	sum := &pb.Payload{Redactions: all.list()}
	field := m.Descriptor().Fields().ByName("redactions")
	m.Clear(field)
	if p, ok := m.Interface().(*pb.Payload); ok {
		p.Redactions = sum.GetRedactions()
		return
	}
	if encoded, err := proto.Marshal(sum); err == nil {
		_ = proto.UnmarshalOptions{Merge: true}.Unmarshal(encoded, m.Interface()) // the same fields
	}
}
