package linerule_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview/linerule"
)

// mustRules compiles rules.
func mustRules(t *testing.T, keep, fold, summary []string) *linerule.Rules {
	t.Helper()
	r, err := linerule.New(keep, fold, summary)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// texts are two: one is known by one line or by two signs, the other by a line that begins like it.
func texts(t *testing.T) *linerule.Texts {
	t.Helper()
	list, err := linerule.NewTexts([]linerule.Text{
		{Signs: mustRules(t, []string{`^sign one`, `^sign two`}, nil, []string{`^Plan: \d+ to`}), Rules: mustRules(t, nil, []string{`^Refreshing `}, []string{`^Plan: `})},
		{Signs: mustRules(t, nil, nil, []string{`^Plan: \d+ tonight`})},
		{},
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestTextsAreKnown(t *testing.T) {
	for text, want := range map[string][]int{
		"": nil, "a\nb": nil, "Plan: 3 to add": {0}, "\x1b[1mPlan: 3 to\x1b[0m add": {0}, "12:00:01 Plan: 3 to add": {0}, "Plan: 3 tonight": {0, 1},
		"sign one\nsign one": nil, "sign one\nother\nsign two": {0}, "sign three": nil, "a Plan: 3 to add": nil,
	} {
		if got := texts(t).Known(slices.Values(bytesOf(text))); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// bytesOf returns the lines of a text.
func bytesOf(text string) (list [][]byte) {
	for line := range strings.SplitSeq(text, "\n") {
		list = append(list, []byte(line))
	}
	return list
}

// Rules of a known text are added to those of the command, and the stronger verdict counts.
func TestRulesForAKnownText(t *testing.T) {
	own := mustRules(t, nil, []string{`^make: `, `^Plan: `}, nil).Among(texts(t))
	lines := slices.Values(bytesOf("x\nPlan: 3 to add"))
	r := own.ForText(lines)
	for line, want := range map[string]linerule.Verdict{
		"make: x": linerule.Fold, "Refreshing x": linerule.Fold, "Plan: 3 to add": linerule.Summary, "x": linerule.None,
	} {
		if got := r.Classify([]byte(line)); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
	if !r.KnowsText() || r.Kept([]byte("Plan: 3 to add")) != linerule.Summary || r.Next([]byte("a Plan: "), 0) < 0 {
		t.Error("what the text keeps is not found")
	}
	if r := own.ForText(slices.Values(bytesOf("x"))); r.KnowsText() || r.Classify([]byte("Refreshing x")) != linerule.None {
		t.Error("a text that is not known has rules")
	}
	if r := (*linerule.Rules)(nil).Among(texts(t)).ForText(slices.Values(bytesOf("x"))); r != nil {
		t.Errorf("nothing is known, and the rules are %v", r)
	}
	if r := (*linerule.Rules)(nil).ForText(lines); r != nil {
		t.Errorf("nil rules become %v", r)
	}
}

// A search finds what Next finds, however the rules of several texts take turns.
func TestSearchFindsWhatNextFinds(t *testing.T) {
	keep := func(patterns ...string) *linerule.Rules { return mustRules(t, patterns, nil, nil) }
	texts, err := linerule.NewTexts([]linerule.Text{
		{Signs: mustRules(t, nil, nil, []string{`^alpha begins`}), Rules: keep(`alpha \d+`)}, {Signs: mustRules(t, nil, nil, []string{`^beta begins`}), Rules: keep(`beta end`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	text := "alpha begins\nbeta begins\n" + strings.Repeat("alpha 7\nown 8\nnothing\n", 50) + "beta end\nalpha 9\n"
	r := keep(`own \d`).Among(texts).ForText(slices.Values(bytesOf(text)))
	search, hits := r.Search(), 0
	for at := search.Next([]byte(text), 0); at >= 0; at = search.Next([]byte(text), at+1) {
		hits++
		if want := r.Next([]byte(text), at); want != at {
			t.Fatalf("found at %d, and Next finds %d", at, want)
		}
	}
	if hits < 101 {
		t.Errorf("%d hits", hits)
	}
	var none *linerule.Rules
	if empty := none.Search(); empty.Next([]byte(text), 0) >= 0 {
		t.Error("nil rules find something")
	}
}
