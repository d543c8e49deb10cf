package shape

import (
	"slices"

	"github.com/toolresult/toolresult/preview/focus"
)

// Text in which no line says that something is wrong: what a program prints that succeeds, a
// configuration, a data file. By its words no line matters more than another, but for results and
// what is known of the program. So its two ends are shown, and between them the blocks that have
// what the reader looks for.

// isQuiet reports whether no line of a ranked text says that something is wrong.
func isQuiet(list []Ranked) bool {
	return !slices.ContainsFunc(list, func(r Ranked) bool { return r.Score >= leastLoud && r.saysMore() })
}

// leastLoud is the least score of a line that says that something may be wrong.
const leastLoud = 40

// saysMore reports whether a line matters by its own words, and not as a result.
func (r *Ranked) saysMore() bool {
	return r.Reason > KeepContext && r.Reason != KeepSummary && r.Reason != KeepProfile
}

// rankQuiet orders the lines of a quiet text: results, lines that have what the reader looks for,
// and then those nearest to either end. Lines that repeat one before them come last, and those at
// the end first.
func rankQuiet(list []Ranked, lines int64, terms *focus.Terms) {
	var scores []int
	if terms != nil {
		scores = terms.Scores(focus.Within, len(list), func(i int) []byte { return list[i].look().bare })
	}
	for i := range list {
		r := &list[i]
		distance := lines - r.Number
		if r.Score >= 0 {
			distance = min(distance, r.Number)
		}
		r.worth = leastWorth - 1 - points(min(distance, mostDistance))
		switch {
		case r.Reason == KeepSummary || r.Reason == KeepProfile:
			r.worth = quietResult + points(r.Score)
		case scores != nil && scores[i] > 0:
			r.worth = points(scores[i])
		case r.Reason == KeepContext && r.Score >= leastLoud: // it belongs to a result
			r.worth = points(r.Score)
		}
	}
	belowResults(list)
}

// mostBelow is how many lines below a result belong to it, if they are indented deeper.
const mostBelow = 3

// belowResults ranks the first lines below a result with it: it introduces them.
func belowResults(list []Ranked) {
	for i := range list {
		if r := &list[i]; r.worth < quietResult || r.Score < 0 {
			continue
		}
		for k := i + 1; k < len(list) && k <= i+mostBelow && follows(list, k) && list[k].look().indent > list[i].look().indent && !list[k].look().blank; k++ {
			list[k].worth = max(list[k].worth, list[i].worth-1)
		}
	}
}

// mostDistance bounds the distance from an end that counts.
const mostDistance = 1 << 24

// quietResult is the worth of a result, above all that a line has of a focus.
const quietResult = 1 << 24
