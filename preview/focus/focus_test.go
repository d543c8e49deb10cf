package focus_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview/focus"
)

// scores returns the scores of lines for a focus.
func scores(text string, lines ...string) []int {
	return focus.Parse(text).Scores(focus.Among, len(lines), func(i int) []byte { return []byte(lines[i]) })
}

func ExampleTerms_Scores() {
	lines := []string{
		"src/http/server.go", "src/http/client.go", "src/json/encoder.go", "src/json/decoder.go", "src/retry_policy.go",
		"src/metrics.go", "src/trace.go", "src/log.go",
	}
	best := slices.Index(scores("The client ignores the retry policy", lines...), slices.Max(scores("The client ignores the retry policy", lines...)))
	fmt.Println(lines[best])
	// Output: src/retry_policy.go
}

// A word that no language writes alike is found in every way that programs write it.
func TestPartsOfIdentifiers(t *testing.T) {
	t.Parallel()
	for _, written := range []string{"parseHeader", "ParseHeader", "parse_header", "PARSE_HEADER", "x.parse.header()", "lib/parse/header.rs", "parseHTTPHeader", "2parse3header"} {
		lines := slices.Repeat([]string{"other words of a line"}, 20)
		lines[12] = written
		got := scores("why does parse fail on a header?", lines...)
		if best := slices.Index(got, slices.Max(got)); best != 12 || got[12] == 0 {
			t.Errorf("%q: line %d is the best, %v", written, best, got)
		}
	}
}

// A word that most lines have says less than one that few have, and one word alone says nothing.
func TestRareWordsCount(t *testing.T) {
	t.Parallel()
	lines := slices.Repeat([]string{"test of alpha"}, 30)
	lines[3], lines[20], lines[27] = "beta gamma", "test beta", "zeta"
	got := scores("test alpha beta gamma zeta", lines...)
	if got[3] == 0 || got[3] <= got[20] || got[27] != 0 || got[10] != 0 {
		t.Errorf("%v", got)
	}
}

// Nothing is looked for in a focus of words that say nothing.
func TestNoTerms(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "   \n\t", "the of and it is", "?!-- // ..", "a b c"} {
		if focus.Parse(text) != nil {
			t.Errorf("%q has terms", text)
		}
	}
}

// Scores are never negative, of any bytes, and do not depend on what was scored before.
func TestScoresOfAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		piece := rapid.SampledFrom([]string{"alpha", "Beta", "_", "12", "é", "\xff", " ", "/", ".", "gammaDelta", "HTTPServer", strings.Repeat("x", 100)})
		text := func(label string) string { return strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, label), "") }
		terms := focus.Parse(text("focus"))
		if terms == nil {
			return
		}
		lines := make([]string, rapid.IntRange(0, 20).Draw(t, "lines"))
		for i := range lines {
			lines[i] = text("line")
		}
		line := func(i int) []byte { return []byte(lines[i]) }
		got := terms.Scores(focus.Among, len(lines), line)
		if again := terms.Scores(focus.Among, len(lines), line); !slices.Equal(got, again) || len(got) != len(lines) {
			t.Fatalf("%v, and then %v", got, again)
		}
		if len(got) > 0 && slices.Min(got) < 0 {
			t.Fatalf("%v", got)
		}
	})
}

// First keeps all lines, and those to keep before all.
func TestFirst(t *testing.T) {
	t.Parallel()
	lines := slices.Repeat([]string{"nothing of it"}, 10)
	lines[7] = "gamma_ray burst"
	order := []int32{4, 2, 0, 1, 3, 5, 6, 7, 8, 9}
	line := func(i int) []byte { return []byte(lines[i]) }
	got := focus.Parse("a gamma_ray burst").First(order, len(lines), line, func(i int32) bool { return i == 4 })
	if got[0] != 4 || got[1] != 7 {
		t.Errorf("%v", got)
	}
	if slices.Sort(got); !slices.Equal(got, []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}) {
		t.Errorf("%v", got)
	}
	var none *focus.Terms
	if got := none.First(order, len(lines), line, nil); !slices.Equal(got, order) {
		t.Errorf("%v", got)
	}
}

// A session's focus of the greatest size leaves space for that of the call behind it.
func TestFocusOfSessionAndCall(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("session ", 8<<10/8) + "\n" + strings.Repeat("words of a call ", 8<<10/16-1) + "retry_policy"
	lines := slices.Repeat([]string{"other words"}, 20)
	lines[4] = "set the retry_policy"
	if got := scores(text, lines...); got[4] == 0 {
		t.Errorf("%v", got)
	}
}

func FuzzScores(f *testing.F) {
	f.Add("find the parser of headers", "parse_header(x)\nother\n")
	f.Fuzz(func(t *testing.T, text, output string) {
		terms := focus.Parse(text)
		if terms == nil {
			return
		}
		lines := strings.Split(output, "\n")
		for _, score := range terms.Scores(focus.Among, len(lines), func(i int) []byte { return []byte(lines[i]) }) {
			if score < 0 {
				t.Fatal(score)
			}
		}
	})
}
