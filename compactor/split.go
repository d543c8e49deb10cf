package compactor

import (
	"strings"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
)

// unitsOf parts a preview into units.
func unitsOf(v *envelope.Large, failed bool) []unit {
	s := splitter{large: v, scores: scores(v, failed), units: make([]unit, 0, 1+strings.Count(v.Preview, "\n"))}
	s.cuts, s.scattered, _ = apart(v.Cuts)
	for _, segment := range v.Segments() {
		s.segment(segment)
	}
	return s.units
}

// splitter parts segments into units.
type splitter struct {
	large     *envelope.Large
	cuts      []*pb.Cut         // that are still to come
	scattered []scatter         // up to where they are read
	scores    []preview.Segment // of the lines that are still to come; none where segments have them
	at        int               // how much of the preview is parted
	units     []unit
}

// scatter is a scattered cut whose line_bytes are read line by line.
type scatter struct {
	*pb.Cut
	read int // of line_bytes
}

// next reads the line_bytes of the next shown lines, as far as they are of the cut's range.
func (s *scatter) next(first, last uint64) []uint64 {
	first, last = max(first, s.GetFirstLine()), min(last, s.GetLastLine())
	if last < first {
		return nil
	}
	rest := s.GetLineBytes()[s.read:]
	n := min(last-first+1, uint64(len(rest)))
	s.read += int(n)
	return rest[:n]
}

// segment parts a segment.
func (s *splitter) segment(of *pb.Segment) {
	text := s.large.Preview[s.at : s.at+int(of.GetPreviewBytes())]
	t := s.tiling(of, text)
	from := s.at
	for i := 0; i < len(t.lines); {
		j := i + 1
		for !t.ends(j) {
			j++
		}
		u := unit{
			first: of.GetFirstLine() + uint64(i), last: of.GetFirstLine() + uint64(j) - 1, start: uint64(t.starts[i]), end: uint64(t.starts[j]),
			from: from, reason: of.GetReason(), score: of.GetScore(), clean: t.widths[i] != unknown,
		}
		if j == len(t.lines) { // also where the lines of the segment are not told apart
			u.last = of.GetLastLine()
		}
		for ; i < j; i++ {
			from += len(t.lines[i])
		}
		u.to = from
		s.score(&u)
		u.rank, u.tokens = rank(u.reason, u.score), cost(s.large.Preview[u.from:u.to])
		s.units = append(s.units, u)
	}
	s.at += len(text)
}

// score gives a unit the score of the line that has the highest rank of its lines, where
// segments have no scores.
func (s *splitter) score(u *unit) {
	for ; len(s.scores) > 0 && s.scores[0].ByteStart < int64(u.to); s.scores = s.scores[1:] {
		reason, score := pb.KeepReason(s.scores[0].Reason), uint32(s.scores[0].Score)
		if u.reason == 0 || rank(reason, score) > rank(u.reason, u.score) {
			u.reason, u.score = reason, score
		}
	}
}

// tiling is the lines of a segment, and where they begin in the payload.
type tiling struct {
	lines  []string
	starts []int64 // of each line and, as the last, where the segment ends; unknown where it is not known
	widths []int64 // of each line in the payload; unknown where the ledger does not say it
}

const unknown = -1

// ends reports whether a unit can end before line i.
func (t *tiling) ends(i int) bool { return t.starts[i] != unknown || i == len(t.lines) }

// tiling finds the lines of a segment. Where a line begins follows from the lengths of
// those beside it and from what cuts leave out of them, up to one with characters that
// stand for others.
func (s *splitter) tiling(of *pb.Segment, text string) tiling {
	start, end := int64(of.GetByteStart()), int64(of.GetByteEnd())
	lines := linesOf(text, of.GetLastLine()-of.GetFirstLine()+1)
	t := tiling{lines: lines, starts: make([]int64, len(lines)+1), widths: make([]int64, len(lines))}
	for i, line := range lines {
		t.starts[i], t.widths[i] = unknown, int64(len(line))
	}
	t.starts[0], t.starts[len(lines)] = start, end
	for i := range s.scattered {
		c := &s.scattered[i]
		skipped := max(of.GetFirstLine(), c.GetFirstLine()) - of.GetFirstLine()
		for j, n := range c.next(of.GetFirstLine(), of.GetLastLine()) {
			t.add(skipped+uint64(j), n)
		}
	}
	for ; len(s.cuts) > 0 && s.cuts[0].GetByteStart() < of.GetByteEnd(); s.cuts = s.cuts[1:] {
		if c := s.cuts[0]; c.GetKind() == pb.CutKind_CUT_KIND_LONG_LINE && c.GetFirstLine() >= of.GetFirstLine() {
			left, _ := envelope.LeftOut(c)
			t.add(c.GetFirstLine()-of.GetFirstLine(), left)
		}
	}
	for i, line := range lines {
		if !s.exact(line) {
			t.widths[i] = unknown
		}
	}
	if len(lines) == 0 || !t.measure() {
		return tiling{lines: []string{text}, starts: []int64{start, end}, widths: []int64{unknown}}
	}
	return t
}

// add adds bytes of the payload that a line does not show.
func (t *tiling) add(line, bytes uint64) {
	if line < uint64(len(t.widths)) {
		t.widths[line] += int64(bytes)
	}
}

// measure finds the starts that follow from the widths. It reports false where they
// contradict what is known.
func (t *tiling) measure() bool {
	for i, width := range t.widths {
		if t.starts[i] == unknown || width == unknown {
			continue
		}
		if next := t.starts[i] + width; t.starts[i+1] == unknown {
			t.starts[i+1] = next
		} else if t.starts[i+1] != next {
			return false
		}
	}
	for i := len(t.widths) - 1; i >= 0; i-- {
		if t.starts[i] == unknown && t.starts[i+1] != unknown && t.widths[i] != unknown {
			t.starts[i] = t.starts[i+1] - t.widths[i]
		}
	}
	last := t.starts[0]
	for _, at := range t.starts {
		if at != unknown && at < last {
			return false
		}
		last = max(last, at)
	}
	return true
}

// exact reports whether a line has none of the characters that stand for others.
func (s *splitter) exact(line string) bool {
	source := s.large.Source
	return (source.GetReplacedBytes() == 0 || !strings.Contains(line, "\ufffd")) &&
		(source.GetEscapedBytes() == 0 || !strings.ContainsFunc(line, func(r rune) bool { return r >= '\u2400' && r <= '\u2426' }))
}

// linesOf parts a text into a number of lines; nil if it has another number.
func linesOf(text string, n uint64) []string {
	if n > uint64(len(text)+1) {
		return nil
	}
	lines := make([]string, 0, n)
	for line := range strings.Lines(text) {
		lines = append(lines, line)
	}
	if uint64(len(lines)) == n-1 && (text == "" || strings.HasSuffix(text, "\n")) {
		lines = append(lines, "") // nothing of the last one is shown
	}
	if uint64(len(lines)) != n {
		return nil
	}
	return lines
}
