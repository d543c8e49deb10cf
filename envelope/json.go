package envelope

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/jsonspan"
)

// Marshal returns the deterministic bytes of a canonical result: equal results give
// equal bytes in every process of the same build. Fields of a newer contract are kept.
func Marshal(r *pb.CanonicalToolResult) ([]byte, error) {
	return proto.MarshalOptions{Deterministic: true}.Marshal(r)
}

// ToJSON returns the RFC's JSON of a canonical result, indented by two spaces. Members
// are in the order of the contract; "result" and "error" are always there, null when
// absent; enums are names, integers exact, and error details the JSON value that they
// are.
func ToJSON(r *pb.CanonicalToolResult) ([]byte, error) {
	var out bytes.Buffer
	if err := json.Indent(&out, compactJSON(r), "", "  "); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// ToCompactJSON returns the same JSON as ToJSON without white space between values.
func ToCompactJSON(r *pb.CanonicalToolResult) ([]byte, error) {
	text := compactJSON(r)
	out := bytes.NewBuffer(make([]byte, 0, len(text)))
	if err := json.Compact(out, text); err != nil { // details may have white space of their own
		return nil, err
	}
	return out.Bytes(), nil
}

// compactJSON returns the JSON of a canonical result, compact except for the JSON that
// the result itself holds.
func compactJSON(r *pb.CanonicalToolResult) []byte {
	var w writer
	w.open('{')
	w.member("tool_name").quoted(r.GetToolName())
	w.member("status").quoted(enumName(r.GetStatus().Descriptor(), r.GetStatus().Number()))
	w.member("summary_text").quoted(r.GetSummaryText())
	w.member("result")
	switch _, payload := Payload(r); {
	case r.GetCustom() != nil:
		w.raw(r.GetCustom().GetPayloadJson())
	case payload != nil:
		w.message(payload)
	default:
		w.raw("null")
	}
	w.member("error")
	if e := r.GetError(); e != nil {
		w.toolError(e)
	} else {
		w.raw("null")
	}
	w.close('}')
	return w.buf
}

// writer appends compact JSON. encoding/json cannot be used for messages: it knows
// neither the order of the contract nor its names of enums.
type writer struct {
	buf   []byte
	comma bool // a value precedes: the next one needs a comma
}

func (w *writer) open(c byte) {
	w.buf = append(w.buf, c)
	w.comma = false
}

func (w *writer) close(c byte) {
	w.buf = append(w.buf, c)
	w.comma = true
}

func (w *writer) next() {
	if w.comma {
		w.buf = append(w.buf, ',')
	}
	w.comma = true
}

func (w *writer) member(name string) *writer {
	w.next()
	w.quoted(name)
	w.buf = append(w.buf, ':')
	return w
}

func (w *writer) raw(text string) { w.buf = append(w.buf, text...) }

// quoted writes a JSON string without the escapes that only HTML needs.
func (w *writer) quoted(s string) { w.buf = append(w.buf, jsonspan.Quote(s)...) }

// toolError writes an error, with its details as a JSON value. RFC "error".
func (w *writer) toolError(e *pb.ToolError) {
	w.open('{')
	w.member("kind").quoted(e.GetKind())
	w.member("message").quoted(e.GetMessage())
	if e.DetailsJson != nil {
		w.member("details").raw(e.GetDetailsJson())
	}
	if e.RecoveryHint != nil {
		w.member("recovery_hint").quoted(e.GetRecoveryHint())
	}
	retryable := "null" // not known
	if e.Retryable != nil {
		retryable = strconv.FormatBool(e.GetRetryable())
	}
	w.member("retryable").raw(retryable)
	w.fields(e.ProtoReflect(), func(f protoreflect.FieldDescriptor) bool { return f.Number() > lastRFCField })
	w.close('}')
}

// lastRFCField is the last field of an error that the RFC has. Later fields follow in
// the order of the contract.
const lastRFCField protoreflect.FieldNumber = 5

// message writes the fields that a message has, and null for an absent field whose
// sibling asks for it (option null_beside).
func (w *writer) message(m protoreflect.Message) {
	if e, ok := m.Interface().(*pb.ToolError); ok {
		w.toolError(e)
		return
	}
	w.open('{')
	w.fields(m, func(protoreflect.FieldDescriptor) bool { return true })
	w.close('}')
}

// fields writes the fields of a message that are wanted.
func (w *writer) fields(m protoreflect.Message, wanted func(protoreflect.FieldDescriptor) bool) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		switch {
		case !wanted(f):
		case m.Has(f) && f.IsList():
			w.member(string(f.Name())).list(f, m.Get(f).List())
		case m.Has(f):
			w.member(string(f.Name())).value(f, m.Get(f))
		case nullBeside(m, f):
			w.member(string(f.Name())).raw("null")
		}
	}
}

// nullBeside reports whether an absent field is written as null, because the sibling
// that its option names is there.
func nullBeside(m protoreflect.Message, f protoreflect.FieldDescriptor) bool {
	name, _ := proto.GetExtension(f.Options(), pb.E_NullBeside).(string)
	if name == "" {
		return false
	}
	sibling := m.Descriptor().Fields().ByName(protoreflect.Name(name))
	return sibling != nil && m.Has(sibling)
}

// list writes the elements of a list, those of an empty one as [].
func (w *writer) list(f protoreflect.FieldDescriptor, list protoreflect.List) {
	w.open('[')
	for i := range list.Len() {
		w.next()
		w.value(f, list.Get(i))
	}
	w.close(']')
}

// value writes one value of a field. Integers of 64 bits are numbers, as in the RFC's
// examples, and not strings, as protojson writes them.
func (w *writer) value(f protoreflect.FieldDescriptor, v protoreflect.Value) {
	switch f.Kind() {
	case protoreflect.MessageKind:
		w.message(v.Message())
	case protoreflect.EnumKind:
		w.enum(f.Enum(), v.Enum())
	case protoreflect.StringKind:
		w.quoted(v.String())
	default: // bool and integers; CheckSchema lets nothing else in
		w.raw(v.String())
	}
}

// enum writes a value by its name, or as its number when this build does not know it.
func (w *writer) enum(d protoreflect.EnumDescriptor, n protoreflect.EnumNumber) {
	if name := enumName(d, n); name != "" {
		w.quoted(name)
		return
	}
	w.raw(strconv.Itoa(int(n)))
}

// enumName returns the name of a value in lower case and without the prefix of its
// enum: "timed_out" for COMMAND_DISPOSITION_TIMED_OUT. It is empty for a value that
// this build does not know.
func enumName(d protoreflect.EnumDescriptor, n protoreflect.EnumNumber) string {
	v := d.Values().ByNumber(n)
	if v == nil {
		return ""
	}
	return strings.ToLower(strings.TrimPrefix(string(v.Name()), enumPrefix(d)))
}

// enumPrefix returns the prefix that the lint of the contract demands of every value:
// "COMMAND_DISPOSITION_" for CommandDisposition.
func enumPrefix(d protoreflect.EnumDescriptor) string {
	var b strings.Builder
	for i, r := range string(d.Name()) {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToUpper(b.String()) + "_"
}

// ListText returns a list as its artifact holds it: one JSON value in the RFC's form
// on each line.
func ListText(f protoreflect.FieldDescriptor, list protoreflect.List) []byte {
	var w writer
	for i := range list.Len() {
		w.comma = false
		w.value(f, list.Get(i))
		w.raw("\n")
	}
	return w.buf
}
