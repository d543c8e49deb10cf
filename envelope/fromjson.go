package envelope

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// The decoder reads JSON by the descriptors of the contract. It does not use
// protojson, because the RFC's JSON differs from it: enums have short names, integers
// of 64 bits are numbers, details of errors are JSON values, and the payload of a
// family has no member that names it. Every defect is a Violation with the path of its
// member.

// FromJSON reads a canonical result from the RFC's JSON, as ToJSON writes it. That
// JSON does not name the family of "result": family is the name of its case in the
// contract, or the type of a custom family. With an empty family the only family that
// has all members of "result" is taken. The family of an error is ignored.
//
// It returns an *InvalidError for other text. The Field of a violation is a member of
// the text, or empty for the text as a whole. FromJSON does not validate the result:
// see ValidateCanonical.
func FromJSON(text []byte, family string) (*pb.CanonicalToolResult, error) {
	c := NewChecker("")
	c.json("", text, maxDepth+detailsDepth)
	if err := c.Err(); err != nil {
		return nil, err
	}
	d := decoder{c}
	members, ok := d.object("", text)
	r := &pb.CanonicalToolResult{}
	if ok {
		d.envelope(r, members, family)
	}
	if err := c.Err(); err != nil {
		return nil, err
	}
	return r, nil
}

// detailsDepth is the deepest nesting of error details inside a result: result, items,
// element and error of an item of a batch. Details of any legal depth can be read
// again.
const detailsDepth = 8

// decoder reads JSON into messages by their descriptors, and collects violations.
type decoder struct{ Checker }

func (d decoder) invalid(path, format string, args ...any) {
	d.Fail(path, pb.ErrorReason_ERROR_REASON_JSON_INVALID, format, args...)
}

// object reads the members of a JSON object, without decoding them.
func (d decoder) object(path string, text []byte) (map[string]json.RawMessage, bool) {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil || members == nil {
		d.invalid(path, "is no JSON object")
		return nil, false
	}
	return members, true
}

func isNull(text []byte) bool { return string(bytes.TrimSpace(text)) == "null" }

// envelope reads the five members of the RFC.
func (d decoder) envelope(r *pb.CanonicalToolResult, members map[string]json.RawMessage, family string) {
	m := r.ProtoReflect()
	for _, name := range slices.Sorted(maps.Keys(members)) {
		text := members[name]
		switch name {
		case "tool_name", "status", "summary_text":
			d.field(m, m.Descriptor().Fields().ByName(protoreflect.Name(name)), name, text)
		case "result":
			if !isNull(text) {
				d.result(m, text, family)
			}
		case "error":
			if !isNull(text) {
				r.Error = &pb.ToolError{}
				d.toolError(r.GetError(), name, text)
			}
		default:
			d.invalid(name, "is no member of the envelope")
		}
	}
}

// result reads the payload of a family into the result oneof.
func (d decoder) result(m protoreflect.Message, text []byte, family string) {
	members, ok := d.object("result", text)
	if !ok {
		return
	}
	if strings.Contains(family, ".") { // a custom family is named by its type
		var compact bytes.Buffer
		_ = json.Compact(&compact, text) // it is an object
		custom := &pb.CustomResult{Type: family, PayloadJson: compact.String()}
		m.Set(resultOneof(m.Descriptor()).Fields().ByName(CustomCase), protoreflect.ValueOfMessage(custom.ProtoReflect()))
		return
	}
	var fits []protoreflect.FieldDescriptor
	_, all := OneofFields()
	for _, f := range all {
		if f.Name() == CustomCase {
			continue // its payload is not in the message, but is the message
		}
		if family == string(f.Name()) || family == "" && hasAll(f.Message(), members) {
			fits = append(fits, f)
		}
	}
	switch {
	case len(fits) > 1:
		d.Fail("result", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is of %d families: name one of %s", len(fits), familyNames(fits))
		return
	case len(fits) == 0:
		d.invalid(resultMember, ofNoFamily+": name one of %s", familyNames(all))
		return
	}
	d.message(m.Mutable(fits[0]).Message(), "result", members)
}

// IsOfNoFamily reports whether all that is wrong with the text of a result, as FromJSON says, is that its payload is of a
// family that is not known.
func IsOfNoFamily(err error) bool {
	invalid, ok := errors.AsType[*InvalidError](err)
	return ok && len(invalid.Violations) == 1 && invalid.Violations[0].Field == resultMember &&
		strings.HasPrefix(invalid.Violations[0].Message, ofNoFamily)
}

// resultMember is the member of the RFC's JSON with the payload of a family.
const resultMember = "result"

// ofNoFamily begins the message of a payload of a family that is not known.
const ofNoFamily = "is of no family"

func familyNames(fields []protoreflect.FieldDescriptor) string {
	var names []string
	for _, f := range fields {
		if f.Name() != CustomCase {
			names = append(names, string(f.Name()))
		}
	}
	return strings.Join(names, ", ")
}

// hasAll reports whether a message has a field for every member.
func hasAll(d protoreflect.MessageDescriptor, members map[string]json.RawMessage) bool {
	for name := range members {
		if d.Fields().ByName(protoreflect.Name(name)) == nil {
			return false
		}
	}
	return true
}

// message reads members into the fields of a message. A null member is an absent
// field.
func (d decoder) message(m protoreflect.Message, path string, members map[string]json.RawMessage) {
	for _, name := range slices.Sorted(maps.Keys(members)) {
		at, text := join(path, name), members[name]
		f := m.Descriptor().Fields().ByName(protoreflect.Name(name))
		switch {
		case f == nil:
			d.invalid(at, "is no field of %s", m.Descriptor().Name())
		case isNull(text):
		case f.IsList():
			d.list(m, f, at, text)
		default:
			d.field(m, f, at, text)
		}
	}
}

func (d decoder) list(m protoreflect.Message, f protoreflect.FieldDescriptor, path string, text []byte) {
	var items []json.RawMessage
	if json.Unmarshal(text, &items) != nil {
		d.invalid(path, "is no JSON array")
		return
	}
	list := m.Mutable(f).List()
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", path, i)
		if f.Message() != nil {
			d.into(list.AppendMutable().Message(), at, item)
		} else if v, ok := d.scalar(f, at, item); ok {
			list.Append(v)
		}
	}
}

func (d decoder) field(m protoreflect.Message, f protoreflect.FieldDescriptor, path string, text []byte) {
	if f.Message() != nil {
		d.into(m.Mutable(f).Message(), path, text)
	} else if v, ok := d.scalar(f, path, text); ok {
		m.Set(f, v)
	}
}

// into reads a JSON object into a message, whose type may ask for a form of its own.
func (d decoder) into(m protoreflect.Message, path string, text []byte) {
	if e, ok := m.Interface().(*pb.ToolError); ok {
		d.toolError(e, path, text)
	} else if members, ok := d.object(path, text); ok {
		d.message(m, path, members)
	}
}

// toolError reads an error, whose details are any JSON value.
func (d decoder) toolError(e *pb.ToolError, path string, text []byte) {
	members, ok := d.object(path, text)
	if !ok {
		return
	}
	if details, ok := members["details"]; ok && !isNull(details) {
		var compact bytes.Buffer
		_ = json.Compact(&compact, details) // it was valid inside of the whole
		e.DetailsJson = new(compact.String())
	}
	delete(members, "details")
	d.message(e.ProtoReflect(), path, members)
}

// scalar reads a string, a bool, an enum's name or number, or an integer. Integers are
// read from their digits and never pass through a float.
func (d decoder) scalar(f protoreflect.FieldDescriptor, path string, text []byte) (protoreflect.Value, bool) {
	digits := string(bytes.TrimSpace(text))
	var v protoreflect.Value
	var err error
	switch f.Kind() {
	case protoreflect.StringKind:
		var s string
		if err = json.Unmarshal(text, &s); err == nil && HasHalfPair(text) {
			err = errHalfPair
		}
		v = protoreflect.ValueOfString(s)
	case protoreflect.BoolKind:
		var b bool
		err = json.Unmarshal(text, &b)
		v = protoreflect.ValueOfBool(b)
	case protoreflect.EnumKind:
		var n int64
		n, err = enumNumber(f.Enum(), text)
		v = protoreflect.ValueOfEnum(protoreflect.EnumNumber(n))
	case protoreflect.Int32Kind, protoreflect.Sint32Kind, protoreflect.Sfixed32Kind:
		var n int64
		n, err = strconv.ParseInt(digits, 10, 32)
		v = protoreflect.ValueOfInt32(int32(n))
	case protoreflect.Int64Kind, protoreflect.Sint64Kind, protoreflect.Sfixed64Kind:
		var n int64
		n, err = strconv.ParseInt(digits, 10, 64)
		v = protoreflect.ValueOfInt64(n)
	case protoreflect.Uint32Kind, protoreflect.Fixed32Kind:
		var n uint64
		n, err = strconv.ParseUint(digits, 10, 32)
		v = protoreflect.ValueOfUint32(uint32(n))
	case protoreflect.Uint64Kind, protoreflect.Fixed64Kind:
		var n uint64
		n, err = strconv.ParseUint(digits, 10, 64)
		v = protoreflect.ValueOfUint64(n)
	default:
		err = fmt.Errorf("kind %s", f.Kind())
	}
	if err != nil {
		d.invalid(path, "is no %s", f.Kind())
		return v, false
	}
	return v, true
}

// errHalfPair is the error of a string that no field can hold.
var errHalfPair = errors.New("half of a surrogate pair")

// HasHalfPair reports whether JSON text has half of a surrogate pair as an escape, such as "\ud800", which no text can hold.
// encoding/json makes U+FFFD of it.
func HasHalfPair(text []byte) bool {
	for at := 0; at < len(text); at++ {
		if text[at] != '\\' {
			continue
		}
		unit, next := surrogateAt(text, at), surrogateAt(text, at+6)
		switch {
		case unit == 0:
			at++ // what is escaped may be a backslash
		case utf16.DecodeRune(unit, next) == utf8.RuneError:
			return true
		default:
			at += 11
		}
	}
	return false
}

// surrogateAt returns the surrogate whose escape is at a place in a text; 0 for anything else.
func surrogateAt(text []byte, at int) rune {
	if at+6 > len(text) || text[at] != '\\' || text[at+1] != 'u' {
		return 0
	}
	unit, err := strconv.ParseUint(string(text[at+2:at+6]), 16, 16)
	if err != nil || !utf16.IsSurrogate(rune(unit)) {
		return 0
	}
	return rune(unit)
}

// enumNumber reads the value of an enum by its name or number.
func enumNumber(e protoreflect.EnumDescriptor, text []byte) (int64, error) {
	var name string
	if json.Unmarshal(text, &name) != nil {
		return strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 32)
	}
	for i := range e.Values().Len() {
		if n := e.Values().Get(i).Number(); enumName(e, n) == name {
			return int64(n), nil
		}
	}
	return 0, fmt.Errorf("no value %s", name)
}
