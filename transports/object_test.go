package transports

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// FuzzObject compares the reading of objects with that of the standard library, and
// writes them again.
func FuzzObject(f *testing.F) {
	for _, text := range []string{
		`{}`, ` { "a" : 1 , "b":[1, {"c":"}\"]"}], "":null}`, `{"a\u0041":"\ud83d\ude00\\"}`, `[]`, `{"a":1}x`, `{"a":{"b":{}},"a":2}`, "{\"\xff\":\"\xff\"}",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		o, err := parseObject(text)
		var want map[string]json.RawMessage
		wantErr := json.Unmarshal(text, &want)
		if wantErr == nil && want == nil {
			wantErr = errNoObject // null
		}
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: %v, and the standard library says %v", text, err, wantErr)
		}
		got := map[string]json.RawMessage{}
		for _, m := range o {
			got[m.key] = m.value
		}
		if diff := cmp.Diff(len(want), len(got)); err == nil && diff != "" {
			t.Fatalf("%q: %s", text, diff)
		}
		for key, value := range want {
			if !bytes.Equal(value, got[key]) {
				t.Fatalf("%q: %q is %s, not %s", text, key, got[key], value)
			}
			for i, e := range elements(value) {
				var all []json.RawMessage
				if json.Unmarshal(value, &all) != nil || !bytes.Equal(e, all[i]) {
					t.Fatalf("%q: element %d is %s", value, i, e)
				}
			}
		}
		if err == nil && utf8Keys(o) {
			again, err := parseObject(o.raw())
			if err != nil || cmp.Diff(o, again, cmp.AllowUnexported(member{})) != "" {
				t.Fatalf("%q is written as %q: %v", text, o.raw(), err)
			}
		}
	})
}

// utf8Keys reports whether no key was changed when it was read.
func utf8Keys(o object) bool {
	for _, m := range o {
		if bytes.ContainsRune([]byte(m.key), '\ufffd') {
			return false
		}
	}
	return true
}
