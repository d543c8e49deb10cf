package shape

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/textscan"
)

// plainLines returns lines that say nothing that matters, with numbers from 1.
func plainLines(n int) []Ranked {
	list := make([]Ranked, n)
	for i := range list {
		list[i] = Ranked{Line: &textscan.Line{Text: fmt.Appendf(nil, "step %d of the work", i)}, Number: int64(i) + 1}
	}
	return list
}

// The first lines and the last ones have the scores of their places, and one that was drawn over has them only there.
func TestEndsHaveTheScoresOfTheirPlaces(t *testing.T) {
	list := plainLines(200)
	list[137].Score, list[138].Score, list[21].Score, list[22].Score = scoreLike, scoreLike, scoreLike, scoreLike
	rankEnds(list, 200)
	for number, want := range map[int]int{
		1: 64, 2: 63, 3: 40, 4: 38, 21: 4, 22: 2, 23: scoreLike, 24: 0, 100: 0, 138: scoreLike, 139: 1, 140: 2,
		194: 56, 195: 67, 196: 68, 197: 69, 198: 88, 199: 89, 200: 90,
	} {
		if got := list[number-1].Score; got != want {
			t.Errorf("line %d has score %d, want %d", number, got, want)
		}
	}
}

// Noise is folded unless it matters, is beside a line that does, or is at the end.
func TestFoldingSparesWhatIsBesideAFind(t *testing.T) {
	list := plainLines(20)
	for i := range list {
		list[i].Folded = true
	}
	set := func(number, score int, reason Reason, folded bool) {
		list[number-1].Score, list[number-1].Reason, list[number-1].Folded = score, reason, folded
	}
	set(1, salience.MustKeep, KeepError, false)
	set(6, salience.MustKeep-1, KeepError, false)
	set(10, salience.MustKeep, KeepContext, false)
	set(13, salience.MustKeep, KeepError, true)
	set(16, salience.MustKeep-1, KeepError, true)
	list[4-1].loud = true
	foldNoise(list, 20)
	var kept []int
	for i := range list {
		if list[i].Score != NeverShown {
			kept = append(kept, i+1)
		}
	}
	if want := []int{1, 2, 4, 6, 10, 12, 13, 14, 18, 19, 20}; !slices.Equal(kept, want) {
		t.Errorf("lines %v are kept, want %v", kept, want)
	}
}

// A share and a number of lines are enough at their bounds.
func TestMostlyHoldsAtItsBounds(t *testing.T) {
	isA := func(text []byte) bool { return text[0] == 'a' }
	for _, c := range []struct {
		lines          string
		percent, least int
		want           bool
	}{{"a b", 50, 1, true}, {"a b b", 50, 1, false}, {"a b", 51, 1, false}, {"a b", 50, 2, false}, {"a a b b", 50, 2, true}} {
		s := sample{lines: bytes.Fields([]byte(c.lines))}
		if got := s.mostly(c.percent, c.least, isA); got != c.want {
			t.Errorf("of %q mostly a (%d %%, %d lines): %v", c.lines, c.percent, c.least, got)
		}
	}
}
