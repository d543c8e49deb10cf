package linerule_test

import (
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview/linerule"
)

// Kept sees a line as its tool wrote it, and speaks of lines to keep alone.
func TestKeptReadsLinesAsWritten(t *testing.T) {
	r := newRules(t, []string{`^warning: `}, []string{`^noise`}, []string{`^total: \d+$`})
	for line, want := range map[string]linerule.Verdict{
		"warning: x":                linerule.Keep,
		"\x1b[33mwarning: x\x1b[0m": linerule.Keep,
		"total: 3":                  linerule.Summary,
		"total: 3   ":               linerule.Summary,
		"total: 3\x1b[0m  ":         linerule.Summary,
		"total: many":               linerule.None,
		"noise":                     linerule.None,
		"noise of warning: x":       linerule.None,
		"":                          linerule.None,
	} {
		if got := r.Kept([]byte(line)); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
	if (*linerule.Rules)(nil).Kept([]byte("warning: x")) != linerule.None || (*linerule.Rules)(nil).Next([]byte("warning: x"), 0) != -1 {
		t.Error("no rules keep a line")
	}
}

func TestNextFindsLiteralsInAnyCase(t *testing.T) {
	r := newRules(t, []string{`(?i)deprecated`, `^error: `}, nil, nil)
	text := []byte("a line\nDEPRECATED call\nError: no\n")
	first := r.Next(text, 0)
	second := r.Next(text, first+1)
	if !strings.HasPrefix(string(text[first:]), "DEPRECATED") || !strings.HasPrefix(string(text[second:]), "Error: ") || r.Next(text, second+1) != -1 {
		t.Errorf("found at %d and %d", first, second)
	}
	if fold := newRules(t, nil, []string{`^x`}, nil); fold.Next(text, 0) != -1 || fold.Literals() != nil {
		t.Error("rules that keep nothing have something to search for")
	}
}

func TestVerdictsHaveWords(t *testing.T) {
	for v, want := range map[linerule.Verdict]string{linerule.None: "none", linerule.Fold: "fold", linerule.Keep: "keep", linerule.Summary: "summary"} {
		if v.String() != want {
			t.Errorf("%d is %q", v, v)
		}
	}
}
