package envelope

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/jsonspan"
)

// JSON text in a field is checked before it is stored, because what reads it later
// (SDKs, jq, a provider) may not agree with this decoder on text that is not plain:
// keys that appear twice (RFC 8259, section 4: the result is unpredictable), deep
// nesting (section 9: a parser may set a limit), bytes that are not UTF-8 (section
// 8.1). Details of errors are bounded here, too, member by member.

// maxDepth bounds the nesting of JSON text in a field, in brackets: far above what
// tools write, and far below the 10,000 levels at which encoding/json gives up.
const maxDepth = 64

// JSON checks that a field holds one JSON value: UTF-8, at most 64 levels deep,
// without duplicate keys. Time is linear in its size.
func (c Checker) JSON(field string, text []byte) { c.json(field, text, maxDepth) }

func (c Checker) json(field string, text []byte, deepest int) {
	switch jsonDefect(text, deepest) {
	case pb.JsonDefect_JSON_DEFECT_UNSPECIFIED:
	case pb.JsonDefect_JSON_DEFECT_TOO_DEEP:
		c.Fail(field, pb.ErrorReason_ERROR_REASON_JSON_TOO_DEEP, "is nested more than %d deep", deepest)
	case pb.JsonDefect_JSON_DEFECT_DUPLICATE_KEY:
		c.Fail(field, pb.ErrorReason_ERROR_REASON_JSON_DUPLICATE_KEY, "an object has a key twice")
	default:
		c.Fail(field, pb.ErrorReason_ERROR_REASON_JSON_INVALID, "is no JSON text")
	}
}

// JSONDefect returns the reason why a text is not one JSON value (RFC 8259) in UTF-8,
// at most 64 levels deep and without duplicate keys, or JSON_DEFECT_UNSPECIFIED when
// it is one. Time is linear in its size.
func JSONDefect(text []byte) pb.JsonDefect { return jsonDefect(text, maxDepth) }

func jsonDefect(text []byte, deepest int) pb.JsonDefect {
	switch {
	case nestingDepth(text) > deepest:
		return pb.JsonDefect_JSON_DEFECT_TOO_DEEP
	case !utf8.Valid(text):
		return pb.JsonDefect_JSON_DEFECT_ENCODING
	case !json.Valid(text):
		return syntaxDefect(text)
	case jsonspan.RepeatsName(text):
		return pb.JsonDefect_JSON_DEFECT_DUPLICATE_KEY
	}
	return pb.JsonDefect_JSON_DEFECT_UNSPECIFIED
}

// syntaxDefect distinguishes text that ends too early from other text that is no JSON.
func syntaxDefect(text []byte) pb.JsonDefect {
	var value json.RawMessage
	err := json.Unmarshal(text, &value)
	syntax, ok := errors.AsType[*json.SyntaxError](err)
	if !ok || syntax.Offset < int64(len(text)) {
		return pb.JsonDefect_JSON_DEFECT_SYNTAX
	}
	// Inside of a word or a number the decoder misses what a space at the end is not.
	inside := strings.HasPrefix(syntax.Error(), "invalid character ' '") && !bytes.HasSuffix(text, []byte(" "))
	if inside || strings.HasPrefix(syntax.Error(), "unexpected end") {
		return pb.JsonDefect_JSON_DEFECT_CUT_OFF
	}
	return pb.JsonDefect_JSON_DEFECT_SYNTAX
}

// nestingDepth returns the deepest nesting of brackets outside of strings. It needs no
// valid JSON, so it protects the decoder, which recurses.
func nestingDepth(text []byte) int {
	now, deepest, inString := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			now++
			deepest = max(deepest, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return deepest
}

// BoundDetails returns valid error details as compact JSON of at most MaxDetails
// bytes, and whether nothing is missing. A larger object keeps the members that fit,
// in order; another large value gives "". Numbers and strings keep their spelling.
func BoundDetails(text []byte) (bounded string, whole bool) {
	var compact bytes.Buffer
	if json.Compact(&compact, text) != nil {
		return "", false
	}
	if compact.Len() <= MaxDetails {
		return compact.String(), true
	}
	return fittingMembers(compact.Bytes()), false
}

// fittingMembers returns a compact object with the members that fit, in order; "" if
// none does, because an empty object would say that there were none.
func fittingMembers(object []byte) string {
	dec := json.NewDecoder(bytes.NewReader(object))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return ""
	}
	kept := []byte{'{'}
	for dec.More() {
		from := dec.InputOffset()
		var value json.RawMessage
		if _, err := dec.Token(); err != nil {
			return ""
		}
		if err := dec.Decode(&value); err != nil {
			return ""
		}
		member := bytes.TrimLeft(object[from:dec.InputOffset()], ",")
		if len(kept)+len(member)+2 > MaxDetails {
			continue
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(kept, member...)
	}
	if len(kept) == 1 { // no member fits; an empty object would say that there are none
		return ""
	}
	return fmt.Sprintf("%s}", kept)
}
