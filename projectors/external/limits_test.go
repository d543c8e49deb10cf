package external

import (
	"errors"
	"strings"
	"testing"
)

// run is base64 of n characters that look random.
func run(n int) string { return strings.Repeat("Gz09", n/4+1)[:n] }

// A run is lifted from the shortest length on that pays, wherever it is.
func TestRunsAreLiftedFromTheShortestOn(t *testing.T) {
	t.Parallel()
	mark := func(mediaType string, content []byte) (string, error) { return "<" + mediaType + ">", nil }
	for text, want := range map[string]string{
		run(MinBase64): "<>", run(MinBase64 - 1): run(MinBase64 - 1), "x " + run(MinBase64): "x <>", run(MinBase64-1) + " y": run(MinBase64-1) + " y", run(MinBase64-1) + "! " + run(MinBase64): run(MinBase64-1) + "! <>",
		run(MinBase64) + "GQ==": "<>", run(MinBase64) + "GQ===": "<>=", run(MinBase64+3) + "= y": "<> y",
		"data:;base64," + run(MinBase64): "<>", "data:base64," + run(MinBase64): "data:base64,<>", "data;base64," + run(MinBase64): "data;base64,<>", "a/b;base64," + run(MinBase64): "a/b;base64,<>",
		"data:a/b;base64," + strings.Repeat("A", MinBase64): "<a/b>", strings.Repeat("A", MinBase64): strings.Repeat("A", MinBase64),
		"data:" + strings.Repeat("p", 256-13) + ";base64," + run(MinBase64): "<" + strings.Repeat("p", 256-13) + ">", "data:" + strings.Repeat("p", 256-12) + ";base64," + run(MinBase64): "data:" + strings.Repeat("p", 256-12) + ";base64,<>",
	} {
		if got, err := LiftBase64(text, MinBase64, mark); err != nil || got != want {
			t.Errorf("%.40q of %d bytes: %.60q, %v; want %.60q", text, len(text), got, err, want)
		}
	}
}

// Strings from the shortest length on are rewritten. A text that is no JSON is an error.
func TestStringsAreRewrittenFromTheShortestOn(t *testing.T) {
	t.Parallel()
	short := func(string) (string, error) { return "s", nil }
	for text, want := range map[string]string{
		`"` + strings.Repeat("x", MinBase64-1) + `"`: `"s"`, `"` + strings.Repeat("x", MinBase64-2) + `"`: `"` + strings.Repeat("x", MinBase64-2) + `"`, `""`: `""`, `[]`: `[]`,
	} {
		if got, err := RewriteStrings([]byte(text), short); err != nil || string(got) != want {
			t.Errorf("%.20s of %d bytes: %.20s, %v", text, len(text), got, err)
		}
	}
	if _, err := RewriteStrings([]byte(`"`+strings.Repeat("x", MinBase64)+`\q"`), short); err == nil {
		t.Error("an escape that JSON has not is taken")
	}
	broken := errors.New("broken")
	if _, err := RewriteStrings([]byte(`"`+run(MinBase64)+`"`), func(string) (string, error) { return "", broken }); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}
