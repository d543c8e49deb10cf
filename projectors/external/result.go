package external

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Result is the result of an MCP tool. Source: Model Context Protocol,
// revision 2025-06-18, "CallToolResult".
type Result struct {
	Content    []Block
	Structured json.RawMessage // nil when there is none
	IsError    bool
	More       []string // names of members that are never shown, such as _meta, in order
}

// Block holds the members of a content block by their exact names.
type Block map[string]json.RawMessage

// The types of content blocks.
const (
	TypeText     = "text"
	TypeImage    = "image"
	TypeAudio    = "audio"
	TypeResource = "resource"
	TypeLink     = "resource_link"
)

// ReadResult reads a result from valid JSON text. For JSON that is no result it
// returns JSON_DEFECT_SHAPE. A block that is no object has no members.
func ReadResult(text []byte) (r Result, defect pb.JsonDefect) {
	const shape = pb.JsonDefect_JSON_DEFECT_SHAPE
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil || members == nil {
		return r, shape
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value := members[name]
		switch {
		case isNull(value):
		case name == "content":
			var blocks []json.RawMessage
			if json.Unmarshal(value, &blocks) != nil {
				return Result{}, shape
			}
			for _, b := range blocks {
				var block Block
				_ = json.Unmarshal(b, &block) // a block that is no object stays empty
				r.Content = append(r.Content, block)
			}
		case name == "structuredContent":
			r.Structured = value
		case name == "isError":
			if json.Unmarshal(value, &r.IsError) != nil {
				return Result{}, shape
			}
		default:
			r.More = append(r.More, name)
		}
	}
	return r, pb.JsonDefect_JSON_DEFECT_UNSPECIFIED
}

// isNull reports whether a JSON value is null, which counts as a missing member.
func isNull(text []byte) bool { return string(bytes.TrimSpace(text)) == "null" }

// Text returns a member that is a string. It reports false for a member that is
// missing, null or of another type.
func (b Block) Text(name string) (string, bool) {
	var value *string
	if json.Unmarshal(b[name], &value) != nil || value == nil {
		return "", false
	}
	return *value, true
}

// HasOther reports whether the block has members beside the named ones.
func (b Block) HasOther(names ...string) bool {
	n := 0
	for _, name := range names {
		if _, ok := b[name]; ok {
			n++
		}
	}
	return len(b) > n
}

// OnlyMember returns the value of an object with exactly one member, and nil for
// anything else. Servers wrap a value that is no object in such an object.
func OnlyMember(text []byte) json.RawMessage {
	var members map[string]json.RawMessage
	if json.Unmarshal(text, &members) != nil || len(members) != 1 {
		return nil
	}
	for _, value := range members {
		return value
	}
	return nil
}

// EqualsString reports whether a JSON value is a string with the given text.
func EqualsString(value []byte, text string) bool {
	s, ok := Block{"": value}.Text("")
	return ok && s == text
}

// IsContainer reports whether text, if it is JSON, is an object or an array. Among
// several texts a scalar may equal structured data by chance.
func IsContainer(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
}

// Value is a JSON value that texts are compared with. It is decoded at most once,
// however many texts there are.
type Value struct {
	text    []byte
	value   any
	decoded bool
}

// NewValue returns the Value of valid JSON text. Nothing equals that of nil.
func NewValue(text []byte) *Value { return &Value{text: text} }

// Equals reports whether text is JSON with the same value. Members of objects may
// be in any order; numbers are compared as they are written.
func (v *Value) Equals(text string) bool {
	if v.text == nil {
		return false
	}
	if envelope.JSONDefect([]byte(text)) != pb.JsonDefect_JSON_DEFECT_UNSPECIFIED {
		return false
	}
	if !v.decoded {
		v.value, v.decoded = decode(v.text), true
	}
	return reflect.DeepEqual(decode([]byte(text)), v.value)
}

// decode returns the value of valid JSON text, with numbers as they are written.
func decode(text []byte) (value any) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	_ = dec.Decode(&value) // the text is valid
	return value
}
