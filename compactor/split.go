package compactor

import (
	"strings"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
)

// splitUnits splits a preview into units, in order. Lines with equal bytes in preview
// and payload become units of their own; the ledger states no place for others, which
// are joined with their neighbours.
func splitUnits(v *envelope.Large, suspect bool) []unit {
	s := splitter{large: v, scores: lineScores(v, suspect), units: make([]unit, 0, 1+strings.Count(v.Preview, "\n"))}
	s.cuts, s.scattered, _ = splitCuts(v.Cuts)
	if len(v.Source.GetSegments()) == 0 {
		s.introduced = introductions(v.Preview)
	}
	for _, segment := range v.Segments() {
		s.addSegment(segment)
	}
	return s.units
}

// introducedScore is the score of a line that introduces a name, in a preview without
// recorded scores: above the ends of a log but for its last lines, and below a warning.
const introducedScore = 60

// splitter splits the segments of a preview into units.
type splitter struct {
	large     *envelope.Large
	cuts      []*pb.Cut         // not yet reached
	scattered []scatter         // each with its own reading position
	scores    []preview.Segment // of the lines not yet reached; none where segments have scores
	at        int               // offset in the preview that is reached
	units     []unit

	introduced map[int]bool // by offset in the preview: lines that introduce a name
}

// scatter reads the line_bytes of a scattered cut line by line.
type scatter struct {
	*pb.Cut
	read int // number of line_bytes already read
}

// next returns the line_bytes of the lines first to last, as far as they are in the
// range of the cut.
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

// addSegment splits a segment into units. A unit ends where the place of the next line
// in the payload is known.
func (s *splitter) addSegment(segment *pb.Segment) {
	text := s.large.Preview[s.at : s.at+int(segment.GetPreviewBytes())]
	t := s.tiling(segment, text)
	from := s.at
	for i := 0; i < len(t.lines); {
		j := i + 1
		for !t.ends(j) {
			j++
		}
		u := unit{
			first: segment.GetFirstLine() + uint64(i), last: segment.GetFirstLine() + uint64(j) - 1, start: uint64(t.starts[i]), end: uint64(t.starts[j]),
			from: from, reason: segment.GetReason(), score: segment.GetScore(), clean: t.widths[i] != unknown,
		}
		if j == len(t.lines) { // the lines of the segment may not be separated
			u.last = segment.GetLastLine()
		}
		introduces := false
		for ; i < j; i++ {
			introduces = introduces || s.introduced[from]
			from += len(t.lines[i])
		}
		u.to = from
		s.setScore(&u)
		if introduces && u.score < introducedScore {
			u.reason, u.score = pb.KeepReason_KEEP_REASON_STRUCTURE, introducedScore
		}
		u.rank, u.tokens = rank(u.reason, u.score), cost(s.large.Preview[u.from:u.to])
		s.units = append(s.units, u)
	}
	s.at += len(text)
}

// setScore gives a unit the score of its line with the highest rank. Segments with
// scores of their own keep them.
func (s *splitter) setScore(u *unit) {
	for ; len(s.scores) > 0 && s.scores[0].ByteStart < int64(u.to); s.scores = s.scores[1:] {
		reason, score := pb.KeepReason(s.scores[0].Reason), uint32(s.scores[0].Score)
		if u.reason == 0 || rank(reason, score) > rank(u.reason, u.score) {
			u.reason, u.score = reason, score
		}
	}
}

// tiling holds the lines of a segment and their places in the payload.
type tiling struct {
	lines  []string
	starts []int64 // of each line and, last, the end of the segment; or unknown
	widths []int64 // of each line in the payload, in bytes; or unknown
}

// unknown is a place or a width that the ledger does not state.
const unknown = -1

// ends reports whether a unit can end before line i.
func (t *tiling) ends(i int) bool { return t.starts[i] != unknown || i == len(t.lines) }

// tiling finds the lines of a segment and their places. The width of a line follows
// from its text and from the cuts inside it; a line with characters that replace
// others has an unknown width. Places follow from widths, from both ends of the
// segment.
func (s *splitter) tiling(segment *pb.Segment, text string) tiling {
	start, end := int64(segment.GetByteStart()), int64(segment.GetByteEnd())
	lines := splitLines(text, segment.GetLastLine()-segment.GetFirstLine()+1)
	t := tiling{lines: lines, starts: make([]int64, len(lines)+1), widths: make([]int64, len(lines))}
	for i, line := range lines {
		t.starts[i], t.widths[i] = unknown, int64(len(line))
	}
	t.starts[0], t.starts[len(lines)] = start, end
	for i := range s.scattered {
		c := &s.scattered[i]
		skipped := max(segment.GetFirstLine(), c.GetFirstLine()) - segment.GetFirstLine()
		for j, n := range c.next(segment.GetFirstLine(), segment.GetLastLine()) {
			t.add(skipped+uint64(j), n)
		}
	}
	for ; len(s.cuts) > 0 && s.cuts[0].GetByteStart() < segment.GetByteEnd(); s.cuts = s.cuts[1:] {
		if c := s.cuts[0]; c.GetKind() == pb.CutKind_CUT_KIND_LONG_LINE && c.GetFirstLine() >= segment.GetFirstLine() {
			left, _ := envelope.Omitted(c)
			t.add(c.GetFirstLine()-segment.GetFirstLine(), left)
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

// measure computes the places that follow from the widths. It reports false when they
// differ from the ledger.
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

// exact reports whether a line has none of the characters that replace others: U+FFFD
// and the symbols of control characters.
func (s *splitter) exact(line string) bool {
	source := s.large.Source
	return (source.GetReplacedBytes() == 0 || !strings.Contains(line, "\ufffd")) &&
		(source.GetEscapedBytes() == 0 || !strings.ContainsFunc(line, func(r rune) bool { return r >= '\u2400' && r <= '\u2426' }))
}

// splitLines splits a text into n lines; nil if it has another number of lines.
func splitLines(text string, n uint64) []string {
	if n > uint64(len(text)+1) {
		return nil
	}
	lines := make([]string, 0, n)
	for line := range strings.Lines(text) {
		lines = append(lines, line)
	}
	if uint64(len(lines)) == n-1 && (text == "" || strings.HasSuffix(text, "\n")) {
		lines = append(lines, "") // the last line shows nothing
	}
	if uint64(len(lines)) != n {
		return nil
	}
	return lines
}
