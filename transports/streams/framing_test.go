package streams

import (
	"slices"
	"testing"
)

// Framing follows the standard of server-sent events and takes JSON in lines and arrays, with any ends of lines.
func TestFramingCutsBodiesIntoEvents(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		"data: {\"a\":1}\n\ndata:{}\r\n\r\ndata: 2\r\r":          {`{"a":1}`, "{}", "2"},
		"\ufeffevent: x\n: comment\ndata: {\ndata: }\nid: 1\n\n": {"{\n}"},
		"data\n\ndata:\n\n\n\ndata: 1\n\n":                       {"1"},
		"data: {}":                                               {"{}"},
		"data: [DONE]":                                           {"[DONE]"},
		"data: {\"cut":                                           nil,
		" \n[{\"a\":\"}\\\"]\"},\n{\"b\":[{}]}]":                 {`{"a":"}\"]"}`, `{"b":[{}]}`},
		"{}\n{}\n{\"cut":                                         {"{}", "{}"},
		" \r\n":                                                  nil,
	} {
		for _, size := range []int{1, 2, len(body)} {
			var got []string
			f := framing{emit: func(event []byte) { got = append(got, string(event)) }}
			for chunk := range slices.Chunk([]byte(body), size) {
				f.write(chunk)
			}
			f.close()
			if !slices.Equal(got, want) {
				t.Errorf("%q in chunks of %d is cut into %q, not %q", body, size, got, want)
			}
		}
	}
}
