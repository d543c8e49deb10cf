package shape

import (
	"bytes"

	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Bounds of what counts as repeated.
const (
	longestPeriod = 4 // lines that come again and again, in turn
	leastRepeats  = 3 // least number of omitted lines: a marker costs about two
)

// Run is a run of lines that are like those just before it, in turn.
type Run struct {
	Like        int64 // number of the first line that they are like
	First, Last int64 // numbers of the lines of the run
	End         int64 // where the last one ends in the payload
}

// repeats finds the runs of lines that are the same as those just before, or
// differ only in words that change from one line to the next. It lowers their
// scores, so that one line speaks for all: equal lines are never shown, and
// others only where budget is left. A message that comes a thousand times thus
// costs one line and one mark.
func repeats(list []Ranked) (runs []Run) {
	shapes := make([]uint64, len(list))
	for i := range list {
		shapes[i] = repeatHash(&list[i])
	}
	for i := 1; i < len(list); i++ {
		n, period := longestRun(list, shapes, i)
		if n < leastRepeats {
			continue
		}
		for k := i; k < i+n; k++ {
			if first := &list[i-period+(k-i)%period]; !first.Folded && !list[k].Folded {
				first.raise(list[k].Score, first.Reason) // it speaks for the others
			}
			same := bytes.Equal(list[k].Line.Text, list[k-period].Line.Text)
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

// longestRun returns how many lines from index i on repeat the lines before it,
// and their period in lines. Lines that are not neighbours in the payload end a
// run.
func longestRun(list []Ranked, shapes []uint64, i int) (n, period int) {
	for p := 1; p <= min(longestPeriod, i); p++ {
		if list[i-p].Number != list[i].Number-int64(p) {
			return n, period
		}
		k := i
		for k < len(list) && shapes[k] == shapes[k-p] && list[k].Number == list[i].Number+int64(k-i) {
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
		return hashWithoutNumbers(r.Line.Text)
	}
	if r.Reason > KeepContext || textscan.LinesUp(r.Line.Text) > 0 || isData(r.Line.Text) {
		return hashExact(r.Line.Text[salience.TimeLength(r.Line.Text):])
	}
	return Fingerprint(r.Line.Text, true)
}
