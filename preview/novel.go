package preview

import (
	"bytes"
	"math/bits"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/preview/shape"
)

// A line may matter that no rule knows: the one that is different among a million
// that are alike. A watch looks at every line once. It records runs of equal
// lines, of which one speaks for all, and reports lines that look like none
// before, as long as those are few: where every other line is new, to be new means
// nothing. A line that ends a long run of equal lines is new, whatever it looks like.

// Bounds of a watch.
const (
	longestTurn = 8       // lines that come again and again, in turn
	leastRun    = 3       // lines that repeat earlier ones: a mark costs about two
	mostRuns    = 512     // runs that are kept, the longest ones
	novelPlaces = 1 << 12 // looks that are remembered
	novelWarm   = 4096    // lines before it is known whether new lines are few
	novelShare  = 8       // one line in this many may be new
	novelBegin  = 24      // bytes of a line that make its look, from its first letter on
	novelEnd    = 16      // and before its end
	mostWatched = 4 << 10 // bytes of a line that is looked at
	mostBreaks  = 256     // lines that end long runs that are remembered
)

// watch looks at the lines of a payload in their order.
type watch struct {
	number int64               // lines so far
	end    int64               // of the last one, in the payload
	recent [longestTurn][]byte // the last ones, by their number; those of the text that is looked at are not copied
	kept   [longestTurn][]byte // places for copies
	run    shape.Run           // that goes on
	turn   int                 // its lines in turn; 0 without a run
	begin  int64               // where it begins in the payload
	blank  bool                // its lines are empty
	broken int                 // lines in turn of the long run that the last line has ended; 0: it has ended none
	runs   []shape.Run
	equal  int64 // bytes of all runs so far

	shortest int64 // lines of a run that is too short where there are too many

	looks      []uint32 // by hash; 0: none
	breaks     []uint32 // the same of lines that ended long runs
	novel      int64    // lines that looked new
	since      int64    // lines after the last one that did
	tooVarious bool     // to be new means nothing
}

// see takes the next line, without its line end, that ends at an offset. It
// returns how novel the line is: 0 for one that looks like another, and
// otherwise more for each doubling of the lines before it that did. The text must
// not change before hold.
func (w *watch) see(text []byte, end int64) (novelty uint8) {
	if len(text) > mostWatched {
		w.skip(end)
		return 0
	}
	if text == nil { // in recent that is no line
		text = []byte{}
	} else if n := len(text); n > 0 && text[n-1] == '\r' {
		text = text[:n-1]
	}
	w.number++
	if w.turn > 0 && w.isLine(w.number-int64(w.turn), text) {
		w.run.Last, w.run.End = w.number, end
	} else {
		novelty = w.breakOf(text)
		w.endRun()
		w.beginRun(text, end)
	}
	w.recent[w.number%longestTurn], w.end = text, end
	w.since++
	if w.turn > 0 || w.tooVarious || len(text) == 0 {
		return novelty
	}
	return max(novelty, w.look(text))
}

// breakOf reports how novel a line is that ends the run: the more, the longer the
// run is. One that is the same as a line that ended a run before is not.
func (w *watch) breakOf(text []byte) (novelty uint8) {
	w.broken = 0
	if w.turn == 0 || w.blank || len(text) == 0 || !w.run.IsLong() {
		return 0
	}
	h := hashOf(text)
	if w.breaks == nil {
		w.breaks = make([]uint32, mostBreaks)
	}
	if place := &w.breaks[h%mostBreaks]; *place != h {
		*place, w.broken = h, w.turn
		return uint8(bits.Len64(uint64(length(w.run))))
	}
	return 0
}

// hashOf returns a hash of a line; never 0.
func hashOf(text []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range text {
		h = (h ^ uint32(c)) * 16777619
	}
	return h | 1
}

// isLine reports whether one of the last lines is the same as a text.
func (w *watch) isLine(number int64, text []byte) bool {
	line := w.recent[number%longestTurn]
	return line != nil && bytes.Equal(line, text)
}

// hold copies the last lines, but for those that are copies.
func (w *watch) hold() {
	for i, text := range w.recent {
		if text != nil && (len(text) == 0 || len(w.kept[i]) == 0 || &text[0] != &w.kept[i][0]) {
			w.kept[i] = append(slices.Grow(w.kept[i][:0], 1), text...) // an empty line is one, too
			w.recent[i] = w.kept[i]
		}
	}
}

// skip passes over a line that is too long to look at. It is in no run.
func (w *watch) skip(end int64) {
	w.endRun()
	w.number, w.end, w.broken = w.number+1, end, 0
	w.recent[w.number%longestTurn] = nil
}

// leastLeap is the least number of bytes that are compared at once.
const leastLeap = 256

// leap takes lines that go on with the run, from an offset of a text, if the
// lines that they repeat are just before them. It returns their bytes.
func (w *watch) leap(text []byte, at int, base int64) int {
	begin := at // of the lines in turn, with their line ends as they were written
	for range w.turn {
		if begin == 0 {
			return 0
		}
		begin = bytes.LastIndexByte(text[:begin-1], '\n') + 1
		if at-begin > leastLeap {
			return 0
		}
	}
	period := at - begin
	n := 0
	for ; len(text)-at-n >= leastLeap && bytes.Equal(text[at+n:at+n+leastLeap], text[at+n-period:at+n-period+leastLeap]); n += leastLeap {
	}
	turns := n / period
	if n = turns * period; n == 0 {
		return 0
	}
	last := w.recent
	for k := range int64(longestTurn) { // the number of a line says where it is
		last[(w.number+int64(turns*w.turn)-k)%longestTurn] = w.recent[(w.number-k%int64(w.turn))%longestTurn]
	}
	w.recent, w.number, w.since = last, w.number+int64(turns*w.turn), w.since+int64(turns*w.turn)
	w.end = base + int64(at+n)
	w.run.Last, w.run.End = w.number, w.end
	return n
}

// beginRun begins a run where a line is one of the last ones.
func (w *watch) beginRun(text []byte, end int64) {
	for turn := 1; turn <= longestTurn && int64(turn) < w.number; turn++ {
		if w.isLine(w.number-int64(turn), text) {
			w.turn, w.begin, w.blank = turn, w.end, turn == 1 && len(text) == 0
			w.run = shape.Run{Like: w.number - int64(turn), First: w.number, Last: w.number, End: end}
			return
		}
	}
}

// endRun records the run that goes on, if it is long enough. Where there are too
// many, the shortest one is dropped.
func (w *watch) endRun() {
	if w.turn == 0 {
		return
	}
	run, turn := w.run, w.turn
	w.run, w.turn = shape.Run{}, 0
	if length(run) < max(leastRun, int64(turn)) || w.blank {
		return
	}
	w.equal += run.End - w.begin
	if len(w.runs) < mostRuns {
		w.runs = append(w.runs, run)
		return
	}
	if length(run) <= w.shortest {
		return
	}
	at := 0
	for i := range w.runs {
		if length(w.runs[i]) < length(w.runs[at]) {
			at = i
		}
	}
	if w.shortest = length(w.runs[at]); length(run) > w.shortest {
		w.runs = append(slices.Delete(w.runs, at, at+1), run)
	}
}

// length returns the number of lines of a run.
func length(r shape.Run) int64 { return r.Last - r.First + 1 }

// look reports how novel a line looks, and remembers it.
func (w *watch) look(text []byte) uint8 {
	h := lookOf(text)
	if w.looks == nil {
		w.looks = make([]uint32, novelPlaces)
	}
	place := &w.looks[h%novelPlaces]
	if *place == h {
		return 0
	}
	*place = h
	w.novel++
	if w.number >= novelWarm && w.novel*novelShare > w.number {
		w.tooVarious, w.looks = true, nil
	}
	novelty := uint8(bits.Len64(uint64(w.since)))
	w.since = 0
	return novelty
}

// lookOf returns a hash of the two ends of a line, behind its time and without
// digits; never 0.
func lookOf(text []byte) uint32 {
	for len(text) > novelEnd && text[0] < 'A' {
		text = text[1:]
	}
	h := uint32(2166136261)
	for _, c := range text[:min(len(text), novelBegin)] {
		if c-'0' > 9 {
			h = (h ^ uint32(c)) * 16777619
		}
	}
	for _, c := range text[max(min(len(text), novelBegin), len(text)-novelEnd):] {
		if c-'0' > 9 {
			h = (h ^ uint32(c)) * 16777619
		}
	}
	return h | 1
}

// equals is the runs of equal lines of a payload.
type equals struct {
	runs  []shape.Run // in the order of the payload
	bytes int64       // of all of them
}

// finish returns the runs.
func (w *watch) finish() equals {
	w.endRun()
	return equals{w.runs, w.equal}
}

// equalLines returns the runs of equal lines of a text.
func equalLines(text string) equals {
	var w watch
	w.tooVarious = true
	for line := range strings.Lines(text) {
		w.see(asBytes(strings.TrimSuffix(line, "\n")), w.end+int64(len(line)))
	}
	return w.finish()
}

// memory returns how much memory it takes, in bytes.
func (w *watch) memory() int {
	n := cap(w.looks)*4 + cap(w.breaks)*4 + cap(w.runs)*32
	for _, text := range w.kept {
		n += cap(text)
	}
	return n
}

// clone copies the watch for a snapshot.
func (w *watch) clone() watch {
	c := *w
	c.kept = [longestTurn][]byte{}
	c.hold()
	c.runs, c.looks, c.breaks = slices.Clone(w.runs), slices.Clone(w.looks), slices.Clone(w.breaks)
	return c
}
