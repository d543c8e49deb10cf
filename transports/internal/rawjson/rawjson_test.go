package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/internal/jsonspan"
)

// FuzzObject compares the reading of objects with that of the standard library, and writes them again.
func FuzzObject(f *testing.F) {
	for _, text := range []string{
		`{}`, ` { "a" : 1 , "b":[1, {"c":"}\"]"}], "":null}`, `{"a\u0041":"\ud83d\ude00\\"}`, `[]`, `{"a":1}x`, `{"a":{"b":{}},"a":2}`, "{\"\xff\":\"\xff\"}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		o, err := Parse(text)
		var want map[string]json.RawMessage
		wantErr := json.Unmarshal(text, &want)
		if wantErr == nil && want == nil {
			wantErr = ErrNotObject // null
		}
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: %v, and the standard library says %v", text, err, wantErr)
		}
		got := map[string]json.RawMessage{}
		for _, m := range o {
			got[m.Key] = m.Value
		}
		if diff := cmp.Diff(len(want), len(got)); err == nil && diff != "" {
			t.Fatalf("%q: %s", text, diff)
		}
		for key, value := range want {
			if !bytes.Equal(value, got[key]) {
				t.Fatalf("%q: %q is %s, not %s", text, key, got[key], value)
			}
			for i, e := range slices.Collect(jsonspan.Elements(value)) {
				var all []json.RawMessage
				if json.Unmarshal(value, &all) != nil || !bytes.Equal(e, all[i]) {
					t.Fatalf("%q: element %d is %s", value, i, e)
				}
			}
		}
		if err == nil && utf8Keys(o) {
			again, err := Parse(o.Raw())
			if err != nil || cmp.Diff(o, again, cmp.AllowUnexported(Member{})) != "" {
				t.Fatalf("%q is written as %q: %v", text, o.Raw(), err)
			}
		}
	})
}

// utf8Keys reports whether no key was changed when it was read.
func utf8Keys(o Object) bool {
	for _, m := range o {
		if bytes.ContainsRune([]byte(m.Key), '\ufffd') {
			return false
		}
	}
	return true
}

func TestGetTakesNullForAbsent(t *testing.T) {
	t.Parallel()
	o, err := Parse([]byte(` { "a" : null , "b" : "x\u00e9\n", "c" : [1, {"d": {}}, "s"], "e" : {"f": 1} } `))
	if err != nil {
		t.Fatal(err)
	}
	if o.Get("a") != nil || o.Get("z") != nil || string(o.Get("e")) != `{"f": 1}` {
		t.Errorf("members are %q", o)
	}
	if o.Text("b") != "x\u00e9\n" || o.Text("c") != "" || o.Text("z") != "" {
		t.Errorf("texts are %q, %q, %q", o.Text("b"), o.Text("c"), o.Text("z"))
	}
	if o.Child("b") != nil || string(o.Child("e").Get("f")) != "1" {
		t.Errorf("children are %q, %q", o.Child("b"), o.Child("e"))
	}
	if list := o.Children("c"); len(list) != 3 || list[0] != nil || list[1].Child("d") == nil || list[2] != nil {
		t.Errorf("elements are %q", list)
	}
}

// A change makes a new object: the one that was read may be shared.
func TestWithCopies(t *testing.T) {
	t.Parallel()
	o := Object{}.WithText("a", "<b>").With("n", Number(7))
	changed := o.WithObject("a", Object{}).WithList("z", []Object{o, nil})
	if got := string(o.Raw()); got != `{"a":"<b>","n":7}` {
		t.Errorf("the original is %s", got)
	}
	if got := string(changed.Raw()); got != `{"a":{},"n":7,"z":[{"a":"<b>","n":7},{}]}` {
		t.Errorf("the copy is %s", got)
	}
	if got := string(changed.Without("a").Raw()); got != `{"n":7,"z":[{"a":"<b>","n":7},{}]}` || changed.Get("a") == nil {
		t.Errorf("without a member it is %s", got)
	}
}

func TestValuesOfOtherTypes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " ", "7", `"a"`, "[", "null", "x"} {
		if o, err := Parse([]byte(text)); !errors.Is(err, ErrNotObject) {
			t.Errorf("%q is read as %q, %v", text, o, err)
		}
		if IsObject(text) {
			t.Errorf("%q is said to be an object", text)
		}
	}
	for _, text := range []string{"", "  ", "7", "{}"} {
		if s := String(json.RawMessage(text)); s != "" {
			t.Errorf("%q is read as the string %q", text, s)
		}
	}
	for text, want := range map[string]string{" { \"a\" : [ 1 ] } ": `{"a":[1]}`, "not json ": "not json ", "": ""} {
		if got := string(Compact(text)); got != want {
			t.Errorf("%q is compacted to %q", text, got)
		}
	}
}

func TestStringsAreDecoded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``: "", `"`: "", `""`: "", `"a"`: "a", `"\n"`: "\n", `"a\nb"`: "a\nb", `"\u00e9"`: "é", "\"\xff\"": "\ufffd", `1`: "", `null`: "", `12`: "", `["a"]`: "",
	} {
		if got := String([]byte(text)); got != want {
			t.Errorf("%s is %q, want %q", text, got, want)
		}
	}
}

// The elements that are counted are those of the decoded value, down to a depth.
func TestCountElements(t *testing.T) {
	t.Parallel()
	var count func(v any, depth int) int
	count = func(v any, depth int) (n int) {
		if depth == 0 {
			return 0
		}
		switch v := v.(type) {
		case []any:
			n = len(v)
			for _, e := range v {
				n += count(e, depth-1)
			}
		case map[string]any:
			for _, e := range v {
				n += count(e, depth-1)
			}
		}
		return n
	}
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		leaf := rapid.Custom(func(t *rapid.T) any {
			return rapid.SampledFrom([]any{nil, true, 1.5, "", `],[{"\`, "x"}).Draw(t, "leaf")
		})
		if depth == 0 {
			return leaf
		}
		list := rapid.Custom(func(t *rapid.T) any { return rapid.SliceOfN(value(depth-1), 0, 4).Draw(t, "list") })
		object := rapid.Custom(func(t *rapid.T) any {
			return rapid.MapOfN(rapid.SampledFrom([]string{"a", "]", `"`, ""}), value(depth-1), 0, 3).Draw(t, "object")
		})
		return rapid.OneOf(leaf, list, object)
	}
	rapid.Check(t, func(t *rapid.T) {
		v := value(5).Draw(t, "value")
		text, err := json.MarshalIndent(v, "", rapid.SampledFrom([]string{"", " "}).Draw(t, "indent"))
		if err != nil {
			t.Fatal(err)
		}
		for depth := range 7 {
			if got, want := CountElements(text, depth), count(v, depth); got != want {
				t.Fatalf("%s has %d elements down to %d, want %d", text, got, depth, want)
			}
		}
	})
	deep := strings.Repeat("[", 100) + "1,2" + strings.Repeat("]", 100)
	if got := CountElements([]byte(deep), 60); got != 60 {
		t.Errorf("100 arrays in one another have %d elements down to 60", got)
	}
}
