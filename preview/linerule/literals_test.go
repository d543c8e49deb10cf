package linerule

import (
	"regexp/syntax"
	"slices"
	"strings"
	"testing"
)

// branches is an alternation of n expressions, of which no two begin alike.
func branches(n int, format string) string {
	var list []string
	for _, c := range "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"[:n] {
		list = append(list, strings.ReplaceAll(format, "%c", string(c)))
	}
	return strings.Join(list, "|")
}

// The texts that an expression needs are followed up to bounds: behind them nothing is known, and nothing wrong.
func TestRequiredTextsAreFollowedToTheirBounds(t *testing.T) {
	for _, c := range []struct {
		source       string
		exact, holds int
		first        string // of the texts
	}{
		{`[a-d]`, 4, 0, "a"}, {`[a-e]`, 0, 0, ""}, {"[\x7e-\x7f]", 2, 0, "\x7e"}, {`[\x7f-\x80]`, 0, 0, ""}, {`[^\x00-\x{10FFFF}]`, 0, 0, ""},
		{`[a-d][e-h]`, 16, 0, "ae"}, {`[a-d][e-h][ij]`, 0, 0, ""}, {`[a-d][e-h][ij]word`, 0, 2, "iword"}, {`[ab]word[c-f][g-i]word`, 0, 8, "awordc"},
		{branches(16, "%cx"), 16, 0, "ax"}, {branches(17, "%cx"), 0, 0, ""}, {branches(17, "%cword"), 0, 17, "aword"},
		{branches(32, "%cword.*"), 0, 32, "aword"}, {branches(33, "%cword.*"), 0, 0, ""},
		{`error.*|warning.*`, 0, 2, "error"}, {`error.*|w.*`, 0, 0, ""}, {`w.*|error.*`, 0, 0, ""}, {`w.*|error`, 0, 0, ""}, {`error|wa`, 2, 0, "error"},
		{`a bc`, 1, 0, "a bc"}, {`a bc.*`, 0, 1, "a bc"}, {`a  b.*`, 0, 0, ""}, {`abc.*`, 0, 0, ""}, {`abcd.*`, 0, 1, "abcd"},
		{`word.*longer.*`, 0, 1, "longer"}, {`longer.*word.*`, 0, 1, "longer"}, {`(?:word|text).*area`, 0, 1, "area"}, {`area.*(?:word|text).*`, 0, 1, "area"}, {`area.*text.*`, 0, 1, "area"},
		{`(?:wordy|text).*[a-z]`, 0, 2, "wordy"}, {`(?:text|wordy).*words`, 0, 1, "words"}, {`(?:word)+`, 0, 1, "word"}, {`(?:word)*`, 0, 0, ""}, {`(?:word)?`, 2, 0, "word"}, {`(?:wo.*rd)?`, 0, 0, ""},
		{`(word)`, 1, 0, "word"}, {`wordétexts`, 0, 1, "texts"}, {`wordsétext`, 0, 1, "words"}, {`é`, 0, 0, ""}, {`(?i)WORD`, 1, 0, "word"}, {`(?i)WOÉRDS`, 0, 0, ""}, {`(?i)WOÉRDSX`, 0, 1, "rdsx"}, {`^\bword\B$`, 1, 0, "word"},
	} {
		tree, err := syntax.Parse(c.source, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		n := required(tree.Simplify())
		if len(n.exact) != c.exact || len(n.holds) != c.holds || c.first != "" && slices.Concat(n.exact, n.holds)[0] != c.first {
			t.Errorf("%.60s: %d exact, holds one of %d: %.60q", c.source, len(n.exact), len(n.holds), slices.Concat(n.exact, n.holds))
		}
	}
}

// A search replaces the expression only where it asks for everything that the expression does.
func TestSearchReplacesExpressionOnlyIfItIsAll(t *testing.T) {
	for _, c := range []struct {
		source string
		prefix int
		all    bool
	}{
		{`^word`, 1, true}, {`^(?:word|text) x`, 2, true}, {`^word$`, 1, false}, {`^word\b`, 1, false}, {`^(?:word\b| text)x`, 0, false}, {`^[a-d][e-h]`, 16, true}, {`^[a-d][e-h][ij]`, 16, false},
		{`^word.*`, 1, false}, {`^.*word`, 0, false}, {`word`, 0, true}, {`word$`, 0, false}, {`(?i)word`, 0, false}, {`(?i)^word`, 0, false}, {`wordétext`, 0, false}, {`(?m)^word`, 0, false}, {`^x?word`, 2, true}, {`^` + branches(16, "%c"), 0, false},
	} {
		p, err := newPattern(c.source, Fold)
		if err != nil {
			t.Errorf("%s: %v", c.source, err)
			continue
		}
		if len(p.prefix) != c.prefix || (p.expr == nil) != c.all {
			t.Errorf("%s: %d prefixes %.60q, without the expression: %v", c.source, len(p.prefix), p.prefix, p.expr == nil)
		}
	}
}

func TestPatternsMayBeAsLongAsAllowed(t *testing.T) {
	for n, want := range map[int]bool{MaxPatternBytes: true, MaxPatternBytes + 1: false} {
		if _, err := newPattern(strings.Repeat("x", n), Keep); (err == nil) != want {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	for n, want := range map[int]bool{MaxPatterns: true, MaxPatterns + 1: false} {
		if _, err := New(nil, slices.Repeat([]string{"x"}, n), nil); (err == nil) != want {
			t.Errorf("%d patterns: %v", n, err)
		}
	}
	for n, want := range map[string]bool{"998": true, "999": false} { // with a beginning and an end, maxInstructions
		if _, err := newPattern("x{1000}x{"+n+"}", Fold); (err == nil) != want {
			t.Errorf("%s more characters: %v", n, err)
		}
	}
}
