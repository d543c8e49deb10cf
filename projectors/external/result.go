package external

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/jsonspan"
)

// Result is the result of an MCP tool, as slices of its text. Source: Model Context Protocol,
// revision 2025-06-18, "CallToolResult".
type Result struct {
	Content    json.RawMessage // an array of blocks; nil when there is none
	Structured json.RawMessage // nil when there is none
	IsError    bool
	More       []string // names of members that are never shown, such as _meta, in order
}

// Blocks returns the content blocks.
func (r *Result) Blocks() iter.Seq[Block] {
	return func(yield func(Block) bool) {
		for e := range jsonspan.Elements(r.Content) {
			if !yield(Block(e)) {
				return
			}
		}
	}
}

// HasOneBlock reports whether the content is one block.
func (r *Result) HasOneBlock() bool {
	n := 0
	for range jsonspan.Elements(r.Content) {
		if n++; n > 1 {
			break
		}
	}
	return n == 1
}

// Block is the JSON text of a content block. One that is no object has no members.
type Block []byte

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
	if jsonspan.Kind(text) != '{' {
		return r, shape
	}
	for quoted, value := range jsonspan.Members(text) {
		name, _ := jsonspan.String(quoted)
		kind := jsonspan.Kind(value)
		switch {
		case kind == 'n': // null counts as a missing member
		case name == "content":
			if kind != '[' {
				return Result{}, shape
			}
			r.Content = value
		case name == "structuredContent":
			r.Structured = value
		case name == "isError":
			if kind != 't' && kind != 'f' {
				return Result{}, shape
			}
			r.IsError = kind == 't'
		default:
			r.More = append(r.More, name)
		}
	}
	slices.Sort(r.More)
	return r, pb.JsonDefect_JSON_DEFECT_UNSPECIFIED
}

// Member returns the value of a member; nil for a member that is missing.
func (b Block) Member(name string) json.RawMessage {
	for quoted, value := range jsonspan.Members(b) {
		if s, _ := jsonspan.String(quoted); s == name {
			return value
		}
	}
	return nil
}

// Text returns a member that is a string. It reports false for a member that is
// missing, null or of another type.
func (b Block) Text(name string) (string, bool) { return jsonspan.String(b.Member(name)) }

// HasOther reports whether the block has members beside the named ones.
func (b Block) HasOther(names ...string) bool {
	for quoted := range jsonspan.Members(b) {
		if s, _ := jsonspan.String(quoted); !slices.Contains(names, s) {
			return true
		}
	}
	return false
}

// OnlyMember returns the value of an object with exactly one member, and nil for
// anything else. Servers wrap a value that is no object in such an object.
func OnlyMember(text []byte) (only json.RawMessage) {
	n := 0
	for _, value := range jsonspan.Members(text) {
		if n++; n > 1 {
			return nil
		}
		only = value
	}
	return only
}

// EqualsString reports whether a JSON value is a string with the given text.
func EqualsString(value []byte, text string) bool {
	s, ok := jsonspan.String(value)
	return ok && withHalves(value, s) == text
}

// AreElements reports whether texts are the elements of a JSON array, one after the other: servers give
// each row of a list as a text beside the list itself.
func AreElements(array []byte, texts []string) bool {
	n := 0
	for element := range jsonspan.Elements(array) {
		if n == len(texts) || !EqualsString(element, texts[n]) && !NewValue(element).Equals(texts[n]) {
			return false
		}
		n++
	}
	return n > 0 && n == len(texts)
}

// IsContainer reports whether text, if it is JSON, is an object or an array. Among
// several texts a scalar may equal structured data by chance.
func IsContainer(text string) bool {
	text = strings.TrimSpace(text)
	return strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
}

// Value is a JSON value that texts are compared with, however many there are.
type Value struct {
	text   []byte
	weight int // of the text; 0 before it is needed
}

// NewValue returns the Value of valid JSON text. Nothing equals that of nil.
func NewValue(text []byte) *Value { return &Value{text: text} }

// Equals reports whether text is JSON with the same value. Members of objects may be in any order; numbers are compared as
// they are written. All comparisons together take time linear in the texts: only a text of the same weight is compared, and
// with the value without its white space.
func (v *Value) Equals(text string) bool {
	if v.text == nil || envelope.JSONDefect([]byte(text)) != pb.JsonDefect_JSON_DEFECT_UNSPECIFIED {
		return false
	}
	if v.weight == 0 {
		var compact bytes.Buffer
		_ = json.Compact(&compact, v.text) // it is valid
		v.text, v.weight = compact.Bytes(), jsonspan.Weight(compact.Bytes())
	}
	return jsonspan.Weight([]byte(text)) == v.weight && jsonspan.Equal([]byte(text), v.text)
}
