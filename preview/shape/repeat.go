package shape

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/toolresult/toolresult/preview/textscan"
)

// Bounds of what counts as repeated.
const (
	longestPeriod = 8  // lines that come again and again, in turn
	leastRepeats  = 3  // least number of omitted lines: a marker costs about two
	longRun       = 32 // lines of a run, from which on a line that ends it matters
)

// Run is a run of lines that are like those just before it, in turn.
type Run struct {
	Like        int64 // number of the first line that they are like
	First, Last int64 // numbers of the lines of the run
	End         int64 // where the last one ends in the payload
}

// IsLong reports whether a run is so long that a line that ends it matters.
func (r Run) IsLong() bool { return r.Last-r.First+1 >= longRun }

// odd is what the lines of a list are beside long runs of equal lines, by index.
type odd []oddity

// oddity is what a line is beside long runs.
type oddity uint8

const (
	usual   oddity = iota
	speaker        // it speaks for a long run
	ending         // it ends one, and no line before it that is the same does
)

// oddLines finds the lines that end long runs of equal lines, and those that speak
// for such runs.
func oddLines(list []Ranked, runs []Run) odd {
	var odds odd
	seen, at := map[uint64]bool{}, 0
	for _, run := range runs {
		if !run.IsLong() {
			continue
		}
		if odds == nil {
			odds = make(odd, len(list))
		}
		for ; at < len(list) && list[at].Number < run.First; at++ {
			if list[at].Number >= run.Like && odds[at] == usual {
				odds[at] = speaker
			}
		}
		for at < len(list) && list[at].Number <= run.Last {
			at++
		}
		if at == len(list) || list[at].Number != run.Last+1 {
			continue
		}
		if l := list[at].look(); !l.blank && !seen[l.exact] {
			seen[l.exact], odds[at] = true, ending
		}
	}
	return odds
}

// ends reports whether a line ends a long run.
func (o odd) ends(i int) bool { return o != nil && o[i] == ending }

// raise gives the lines that end long runs at least a worth, and those that speak
// for the runs a little less. Where it is decided what went wrong, they come after
// all that is near to that, with the budget that is left.
func (o odd) raise(list []Ranked, decided bool) {
	least := points(leastWorth)
	if decided {
		least = farWorth + 2
	}
	for i, what := range o {
		if r := &list[i]; what != usual && r.Score >= 0 {
			r.worth = max(r.worth, least+points(what)-points(ending))
		}
	}
}

// place is raise for lines that are chosen by their scores.
func (o odd) place(list []Ranked) {
	for i, what := range o {
		if what != usual {
			list[i].raise(scoreOdd-int(ending-what), KeepContext)
		}
	}
}

// repeats finds the runs of lines that are the same as those just before, or
// differ only in words that change from one line to the next. It lowers their
// scores, so that one line speaks for all: equal lines are never shown, and
// others only where budget is left. A message that comes a thousand times thus
// costs one line and one mark. A line that ends a long run of equal lines is like
// none.
func repeats(list []Ranked, odds odd) (runs []Run) {
	shapes := make([]uint64, len(list))
	for i := range list {
		shapes[i] = repeatHash(&list[i])
	}
	for i := 1; i < len(list); i++ {
		n, period := longestRun(list, shapes, odds, i)
		if n < leastRepeats {
			continue
		}
		for k := i; k < i+n; k++ {
			if first := &list[i-period+(k-i)%period]; !first.Folded && !list[k].Folded {
				first.raise(list[k].Score, first.Reason) // it speaks for the others
			}
			same := bytes.Equal(list[k].look().behind, list[k-period].look().behind)
			switch {
			case list[k].Folded:
			case same:
				list[k].Score, list[k].Reason = NeverShown, 0
			case k < i+n-period: // the last ones say how far it went
				list[k].Score, list[k].Reason = scoreLike, 0
			}
		}
		last := &list[i+n-1]
		runs = append(runs, Run{list[i-period].Number, list[i].Number, last.Number, last.Line.End})
		i += n
	}
	return runs
}

// equalLines takes their scores from the lines of runs of equal lines, and
// returns the runs of which a line that speaks for them is in the list.
func equalLines(list []Ranked, runs []Run) (spoken []Run) {
	at := 0
	for _, run := range runs {
		for at < len(list) && list[at].Number < run.Like {
			at++
		}
		turn, first := int(run.First-run.Like), at
		if first+turn > len(list) || list[first].Number != run.Like || list[first+turn-1].Number != run.First-1 {
			continue
		}
		spoken = append(spoken, run)
		for at = first + turn; at < len(list) && list[at].Number <= run.Last; at++ {
			r, speaker := &list[at], &list[first+int(list[at].Number-run.First)%turn]
			if !r.Folded {
				speaker.raise(r.Score, r.Reason)
				r.Score, r.Reason = NeverShown, 0
			}
		}
	}
	return spoken
}

// mergeRuns returns the runs of two lists in the order of the payload. Where two
// begin at one line, it is the longer one.
func mergeRuns(a, b []Run) []Run {
	runs := slices.Concat(a, b)
	slices.SortStableFunc(runs, func(x, y Run) int { return cmp.Or(cmp.Compare(x.First, y.First), cmp.Compare(y.Last, x.Last)) })
	return slices.CompactFunc(runs, func(x, y Run) bool { return x.First == y.First })
}

// longestRun returns how many lines from index i on repeat the lines before it,
// and their period in lines. Lines that are not neighbours in the payload end a
// run.
func longestRun(list []Ranked, shapes []uint64, odds odd, i int) (n, period int) {
	for p := 1; p <= min(longestPeriod, i); p++ {
		if list[i-p].Number != list[i].Number-int64(p) || odds.ends(i-p) {
			return n, period
		}
		k := i
		for k < len(list) && shapes[k] == shapes[k-p] && !odds.ends(k) && list[k].Number == list[i].Number+int64(k-i) {
			k++
		}
		if run := k - i; run >= 2*p && run > n {
			n, period = run, p
		}
	}
	return n, period
}

// isData reports whether a line is made of numbers alone. No such line speaks
// for another: each is a measurement.
func isData(text []byte) bool {
	digits := false
	for _, c := range text {
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 {
			return false
		}
		digits = digits || c >= '0' && c <= '9'
	}
	return digits
}

// repeatHash is equal for lines of which one speaks for all. Errors and
// warnings may differ in words that are numbers, and other lines that matter by
// themselves in their times only: two places with the same error are two
// errors. Lines of numbers must be equal, and so must lines that are redrawn,
// of which the last is shown.
func repeatHash(r *Ranked) uint64 {
	if r.Reason == KeepError || r.Reason == KeepWarning {
		return hashWithoutNumbers(r.look().behind)
	}
	if r.Reason > KeepContext || textscan.LinesUp(r.Line.Text) > 0 || isData(r.look().behind) {
		return r.look().exact
	}
	return r.look().coarse
}
