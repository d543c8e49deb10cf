package external_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors/external"
)

func TestReadResult(t *testing.T) {
	const shape = pb.JsonDefect_JSON_DEFECT_SHAPE
	for _, c := range []struct {
		name, text string
		want       external.Result
		defect     pb.JsonDefect
	}{
		{"nothing", `{}`, external.Result{}, 0},
		{"nulls", `{"content":null,"structuredContent": null ,"isError":null,"x":null}`, external.Result{}, 0},
		{"everything", `{"content":[{"type":"text","text":"a"},7],"structuredContent":{"a":1},"isError":true,"_meta":{}}`, external.Result{
			Content: json.RawMessage(`[{"type":"text","text":"a"},7]`), Structured: json.RawMessage(`{"a":1}`), IsError: true, More: []string{"_meta"},
		}, 0},
		{"null", `null`, external.Result{}, shape},
		{"array", `[]`, external.Result{}, shape},
		{"content that is no array", `{"content":{}}`, external.Result{}, shape},
		{"isError that is no bool", `{"content":[],"isError":"yes"}`, external.Result{}, shape},
		{"names are exact", `{"Content":[],"iserror":true}`, external.Result{More: []string{"Content", "iserror"}}, 0},
	} {
		got, defect := external.ReadResult([]byte(c.text))
		if diff := cmp.Diff(c.want, got); diff != "" || defect != c.defect {
			t.Errorf("%s: %v\n%s", c.name, defect, diff)
		}
	}
}

func TestBlockMembers(t *testing.T) {
	b := external.Block(`{"type":"text","n":5,"null":null}`)
	for name, want := range map[string]string{"type": "text", "n": "", "null": "", "missing": ""} {
		if got, ok := b.Text(name); got != want || ok != (want != "") {
			t.Errorf("%s is %q, %v", name, got, ok)
		}
	}
	if b.HasOther("type", "n", "null", "missing") || !b.HasOther("type", "n") || external.Block(nil).HasOther() {
		t.Error("other members are not found")
	}
}

func TestOnlyMember(t *testing.T) {
	for text, want := range map[string]string{`{"a":[1]}`: `[1]`, `{}`: "", `{"a":1,"b":2}`: "", `[1]`: "", `5`: "", ``: ""} {
		if got := external.OnlyMember([]byte(text)); string(got) != want {
			t.Errorf("%s has %s, want %s", text, got, want)
		}
	}
	if !external.EqualsString([]byte(`"a\n"`), "a\n") || external.EqualsString([]byte(`5`), "5") || external.EqualsString(nil, "") {
		t.Error("strings are not compared")
	}
	if !external.IsContainer(" {") || !external.IsContainer("\n[1]") || external.IsContainer("5") || external.IsContainer("") {
		t.Error("containers are not recognised")
	}
}

// A text equals a value with its members in any order, but not with a number that is
// written in another way.
func TestValueEquals(t *testing.T) {
	v := external.NewValue([]byte(`{"b":[1.0,"x"],"a":null}`))
	for text, want := range map[string]bool{
		` {"a":null,"b":[1.0,"x"]} `: true, `{"a":null,"b":[1,"x"]}`: false, `{"a":null,"b":["x",1.0]}`: false, `{"a":null}`: false,
		`{"a":null,"a":null,"b":[1.0,"x"]}`: false, `{`: false, ``: false, strings.Repeat("[", 100) + strings.Repeat("]", 100): false,
	} {
		if v.Equals(text) != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
	if external.NewValue(nil).Equals("null") {
		t.Error("nothing equals null")
	}
}

// Base64 in either alphabet is decoded, if encoding its bytes gives it back.
func TestDecodeBase64(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		content := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "content")
		e := rapid.SampledFrom([]*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding}).Draw(t, "encoding")
		got, ok := external.DecodeBase64(e.EncodeToString(content))
		if !ok || string(got) != string(content) {
			t.Fatalf("%v, %v", got, ok)
		}
	})
	for text, want := range map[string]bool{"QUI=": true, "QUI=\r\n": true, "QU\nI=": true, "QUI": true, "QUJ": false, "QU==I": false, "QUI==": false, "QUJD=": false, "Q": false, "+_AA": false, "": true} {
		if _, ok := external.DecodeBase64(text); ok != want {
			t.Errorf("%q: %v", text, ok)
		}
	}
}

// photo returns base64 of n bytes that no text looks like.
func photo(n int) ([]byte, string) {
	content := make([]byte, n)
	for i := range content {
		content[i] = byte(i*i*31 + i>>3)
	}
	return content, base64.StdEncoding.EncodeToString(content)
}

func TestLiftBase64(t *testing.T) {
	content, run := photo(900)
	placeholder := func(mediaType string, b []byte) (string, error) {
		return fmt.Sprintf("<%s %d %v>", mediaType, len(b), string(b) == string(content)), nil
	}
	_, short := photo(600)
	for _, c := range []struct{ name, text, want string }{
		{"no base64", "a b c", "a b c"},
		{"a run", "x " + run + " y", "x < 900 true> y"},
		{"two runs", run + " and " + run, "< 900 true> and < 900 true>"},
		{"a data URI", `src="data:image/png;base64,` + run + `"`, `src="<image/png 900 true>"`},
		{"parameters", "data:text/plain;charset=x;base64," + run, "<text/plain 900 true>"},
		{"no data URI", "data:image/png," + run, "data:image/png,< 900 true>"},
		{"a broken data URI", "data: image/png;base64," + run, "data: image/png;base64,< 900 true>"},
		{"short", short, short},
		{"hexadecimal digits", strings.Repeat("0123456789abcdef", 100), strings.Repeat("0123456789abcdef", 100)},
		{"a rule", strings.Repeat("-", 2000), strings.Repeat("-", 2000)},
		{"not canonical", run[:len(run)-2] + "J", run[:len(run)-2] + "J"},
	} {
		if got, err := external.LiftBase64(c.text, external.MinBase64, placeholder); err != nil || got != c.want {
			t.Errorf("%s: %.200q, %v; want %.200q", c.name, got, err, c.want)
		}
	}
	broken := errors.New("broken")
	if got, err := external.LiftBase64("x "+run, external.MinBase64, func(string, []byte) (string, error) { return "", broken }); !errors.Is(err, broken) || got != "" {
		t.Errorf("%q, %v", got, err)
	}
}

// Long string values are rewritten, and all other bytes of the JSON stay.
func TestRewriteStrings(t *testing.T) {
	long := strings.Repeat("x", 2000)
	mark := func(s string) (string, error) { return fmt.Sprintf("<%d>", len(s)), nil }
	for _, c := range []struct{ name, text, want string }{
		{"short strings", ` {"a" : "b\"c"} `, ` {"a" : "b\"c"} `},
		{"a value", `{"a": "` + long + `", "n": 1.0}`, `{"a": "<2000>", "n": 1.0}`},
		{"a name", `{"` + long + `" : 1}`, `{"` + long + `" : 1}`},
		{"escapes", `["` + long + `\"\\", 1e9]`, `["<2002>", 1e9]`},
		{"several", `["` + long + `","` + long + `"]`, `["<2000>","<2000>"]`},
		{"scalar", `"` + long + `"`, `"<2000>"`},
	} {
		if got, err := external.RewriteStrings([]byte(c.text), mark); err != nil || string(got) != c.want {
			t.Errorf("%s: %.100s, %v", c.name, got, err)
		}
	}
	same := func(s string) (string, error) { return s, nil }
	if got, err := external.RewriteStrings([]byte(`["\u0078`+long+`"]`), same); err != nil || string(got) != `["\u0078`+long+`"]` {
		t.Errorf("a string that is not changed is written anew: %.40s, %v", got, err)
	}
	if got, err := external.RewriteStrings([]byte(`["<`+long+`"]`), func(string) (string, error) { return "<&>", nil }); err != nil || string(got) != `["<&>"]` {
		t.Errorf("%s, %v", got, err)
	}
	broken := errors.New("broken")
	if _, err := external.RewriteStrings([]byte(`["`+long+`"]`), func(string) (string, error) { return "", broken }); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
}

func ExampleReadResult() {
	r, defect := external.ReadResult([]byte(`{"content":[{"type":"text","text":"22 degrees"}],"isError":false}`))
	for b := range r.Blocks() {
		text, ok := b.Text("text")
		fmt.Println(text, ok, r.IsError, defect)
	}
	// Output: 22 degrees true false JSON_DEFECT_UNSPECIFIED
}
