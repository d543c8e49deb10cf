package envelope_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

func TestJSONDefects(t *testing.T) {
	const none, syntax, cut, deep, twice, encoding = pb.JsonDefect_JSON_DEFECT_UNSPECIFIED, pb.JsonDefect_JSON_DEFECT_SYNTAX, pb.JsonDefect_JSON_DEFECT_CUT_OFF,
		pb.JsonDefect_JSON_DEFECT_TOO_DEEP, pb.JsonDefect_JSON_DEFECT_DUPLICATE_KEY, pb.JsonDefect_JSON_DEFECT_ENCODING
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for text, want := range map[string]pb.JsonDefect{
		`{}`: none, ` [1, "a\"]", {"b":null}] `: none, `5`: none, nested(64): none, `{"a":{"a":1},"b":[{"a":1},{"a":2}]}`: none, `["a","a"]`: none, `{"a":"b","b":"a"}`: none,
		nested(65): deep, `"` + nested(65) + `"`: none, `"\"` + nested(65): cut, // brackets inside of a string count for nothing
		`{"a":1,"a":2}`: twice, `[{"b":[{"a":1,"a":2}]}]`: twice, `{"a":1,"b":{},"a":2}`: twice, `{"a":1,"b":[],"a":2}`: twice, `{"a":"x","a":2}`: twice,
		`{"a":`: cut, `[1,`: cut, `"ab`: cut, `tru`: cut, `-`: cut, ``: cut, `{`: cut, `12e`: cut,
		`{a}`: syntax, `[1 2]`: syntax, `tru `: syntax, `{} {}`: syntax, `'a'`: syntax, `tru}`: syntax,
		"\"\xff\"": encoding,
	} {
		if got := envelope.JSONDefect([]byte(text)); got != want {
			t.Errorf("%.80s: %v, want %v", text, got, want)
		}
	}
}

// A text has no defect if and only if it is JSON, as far as its keys and depth are right.
func TestTextWithoutDefectIsJSON(t *testing.T) {
	pieces := []string{`{`, `}`, `[`, `]`, `,`, `:`, `"a"`, `"b\""`, `1`, `null`, ` `, `"`}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, "pieces"), "")
		defect := envelope.JSONDefect([]byte(text))
		switch defect {
		case pb.JsonDefect_JSON_DEFECT_UNSPECIFIED, pb.JsonDefect_JSON_DEFECT_DUPLICATE_KEY:
			if !json.Valid([]byte(text)) {
				t.Fatalf("%s has %v", text, defect)
			}
		default:
			if json.Valid([]byte(text)) {
				t.Fatalf("%s has %v", text, defect)
			}
		}
	})
}

// Of details that are too large the members that fit are kept, and an object without any
// is not kept as an empty one.
func TestBoundDetailsKeepsMembersThatFit(t *testing.T) {
	long := strings.Repeat("x", envelope.MaxDetails)
	for _, c := range []struct {
		text, want string
		whole      bool
	}{
		{`{"a":1}`, `{"a":1}`, true},
		{`[1, 2]`, `[1,2]`, true},
		{`{"a":1,"b":"` + long + `","c":3}`, `{"a":1,"c":3}`, false},
		{`{"b":"` + long + `","c":{"d":[1]}}`, `{"c":{"d":[1]}}`, false},
		{`{"b":"` + long + `"}`, ``, false},
		{`["` + long + `"]`, ``, false},
		{`no JSON`, ``, false},
		{`"` + long[:envelope.MaxDetails-2] + `"`, `"` + long[:envelope.MaxDetails-2] + `"`, true},
		{`"` + long[:envelope.MaxDetails-1] + `"`, ``, false},
	} {
		if got, whole := envelope.BoundDetails([]byte(c.text)); got != c.want || whole != c.whole {
			t.Errorf("%.40s: %.60s, %v", c.text, got, whole)
		}
	}
}
