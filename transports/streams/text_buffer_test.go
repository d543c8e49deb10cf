package streams

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// Text that is cut into JSON strings anywhere, also inside of an escaped pair of surrogates, is joined as it was.
func TestTextBufferJoinsWhatWasCut(t *testing.T) {
	t.Parallel()
	for want, parts := range map[string][]string{
		"a\b\f\n\r\t/\\\"é":   {`"a\b\f\n"`, `"\r\t\/\\\"\u00e9"`},
		"😀x":                  {`"\ud83d"`, `"\ude00x"`},
		"😀":                   {"\"\xf0\x9f\"", "\"\x98\x80\""},
		"\ufffd\ufffd\ufffda": {`"\ud83da"`},
		`{"a":1}null7`:        {`{"a":1}`, `null`, `7`, `""`},
		"u":                   {`"\u"`},
	} {
		var b textBuffer
		for _, p := range parts {
			b.appendJSON(json.RawMessage(p))
		}
		if got := b.String(); got != want {
			t.Errorf("%q are joined to %q, not %q", parts, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.String().Draw(t, "text")
		quoted, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var b textBuffer
		b.appendJSON(quoted)
		if b.String() != want || !b.valid() || b.empty() != (want == "") {
			t.Fatalf("%q is read as %q", want, b.String())
		}
	})
}

// A single surrogate is no character, so a call with one is not complete.
func TestTextBufferKnowsHalfCharacters(t *testing.T) {
	t.Parallel()
	var b textBuffer
	b.appendJSON(json.RawMessage(`"\ud83d"`))
	if b.valid() {
		t.Error("half of a character is valid")
	}
	b.appendJSON(json.RawMessage(`"\ude00"`))
	if !b.valid() || b.String() != "😀" {
		t.Errorf("two halves are %q", b.String())
	}
}
