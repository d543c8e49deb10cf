package preview

import (
	"bytes"
	"slices"
)

// line is one kept line. Its text is the last state of the line: what was
// there before a carriage return is not kept. Of a text longer than the window
// only the beginning and the end are kept.
type line struct {
	number     int64  // from 1; 0 where the place in a window says it
	start, end int64  // range in the payload, with the line end
	textAt     int64  // offset in the payload of the text's first byte
	text       []byte // without line end and the carriage returns before it
	split      int    // bytes of text before the skipped ones; len(text) when none
	skipped    int64  // bytes of the text that were not kept
	updates    int64  // states that the tool overwrote
	newline    bool   // whether the line has a line end
}

// lineEnd is the number of bytes of the line after its text: carriage returns
// and the newline.
func (l *line) lineEnd() int64 {
	return l.end - l.textAt - int64(len(l.text)) - l.skipped
}

// current is the line that is being written.
type current struct {
	start   int64
	textAt  int64
	buf     []byte
	skipped int64
	updates int64
	length  int64 // bytes of the line so far
	pending bool  // a carriage return was seen; the next byte overwrites
}

func (c *current) begin(offset int64) {
	*c = current{start: offset, textAt: offset, buf: c.buf[:0]}
}

// write takes bytes of the line, which hold no newline.
func (c *current) write(p []byte, window int) {
	for len(p) > 0 {
		if p[0] == '\r' {
			c.pending = true
			c.length++
			p = p[1:]
			continue
		}
		if c.pending {
			c.overwrite()
		}
		n := bytes.IndexByte(p, '\r')
		if n < 0 {
			n = len(p)
		}
		c.add(p[:n], window)
		c.length += int64(n)
		p = p[n:]
	}
}

// overwrite starts the next state of the line: the tool went back to column 1.
func (c *current) overwrite() {
	if len(c.buf) > 0 {
		c.updates++
	}
	c.textAt = c.start + c.length
	c.buf, c.skipped, c.pending = c.buf[:0], 0, false
}

// add appends to the text. Once it is longer than two windows, only its first
// and its last half window are kept.
func (c *current) add(p []byte, window int) {
	if len(c.buf)+len(p) <= 2*window {
		c.buf = append(c.buf, p...)
		return
	}
	half := window / 2
	if room := half - len(c.buf); room > 0 {
		c.buf = append(c.buf, p[:room]...)
		p = p[room:]
	}
	if len(p) >= half {
		c.skipped += int64(len(c.buf) - half + len(p) - half)
		c.buf = append(c.buf[:half], p[len(p)-half:]...)
		return
	}
	c.keepEnds(half, half-len(p))
	c.buf = append(c.buf, p...)
}

// keepEnds keeps the first and the last bytes of the text.
func (c *current) keepEnds(first, last int) {
	drop := len(c.buf) - first - last
	if drop <= 0 {
		return
	}
	c.skipped += int64(drop)
	c.buf = append(c.buf[:first], c.buf[first+drop:]...)
}

// finish describes the line that ends at offset end. Its text is c.buf.
func (c *current) finish(window int, end int64) line {
	if len(c.buf) > window || c.skipped > 0 {
		c.keepEnds(window/2, window/2)
	}
	l := line{
		start: c.start, end: end, textAt: c.textAt,
		split: len(c.buf), skipped: c.skipped, updates: c.updates,
		newline: end > c.start+c.length,
	}
	if c.skipped > 0 {
		l.split = window / 2
	}
	return l
}

// lineStore keeps lines and their texts in two slices, so that a line costs no
// allocation of its own.
type lineStore struct {
	lines []line
	ends  []int // end of each line's text in buf
	buf   []byte
	first int // lines before it were evicted
	size  int // bytes of text of the lines from first on
}

// grow makes room for n bytes of usual lines.
func (s *lineStore) grow(n, maxLines int) {
	const usualLine = 48
	lines := min(n/usualLine, maxLines) + 1
	s.buf, s.lines, s.ends = slices.Grow(s.buf, n), slices.Grow(s.lines, lines), slices.Grow(s.ends, lines)
}

// clone copies what is alive. Texts of lines are not shared: they move when a
// store makes room.
func (s *lineStore) clone() lineStore {
	c := *s
	c.lines, c.ends, c.buf = slices.Clone(s.lines), slices.Clone(s.ends), slices.Clone(s.buf)
	return c
}

func (s *lineStore) reset() {
	*s = lineStore{lines: s.lines[:0], ends: s.ends[:0], buf: s.buf[:0]}
}

func (s *lineStore) push(l line, text []byte) {
	s.buf = append(s.buf, text...)
	s.lines = append(s.lines, l)
	s.ends = append(s.ends, len(s.buf))
	s.size += len(text)
}

// begin is where the text of line i starts in buf.
func (s *lineStore) begin(i int) int {
	if i == 0 {
		return 0
	}
	return s.ends[i-1]
}

// evict drops lines from the front that are not needed to fill a window with
// the lines behind them.
func (s *lineStore) evict(window, maxLines int) {
	for s.first < len(s.lines)-1 {
		n := s.ends[s.first] - s.begin(s.first)
		if s.size-n < window && len(s.lines)-s.first <= maxLines {
			break
		}
		s.size -= n
		s.first++
	}
	if s.first > 2*maxLines || s.begin(s.first) > 4*window {
		s.compact()
	}
}

// compact moves what is alive to the front. More was evicted by then than is
// alive, in lines or in bytes, so that its cost is shared by the evictions.
func (s *lineStore) compact() {
	from := s.begin(s.first)
	s.buf = append(s.buf[:0], s.buf[from:]...)
	s.lines = append(s.lines[:0], s.lines[s.first:]...)
	s.ends = append(s.ends[:0], s.ends[s.first:]...)
	for i := range s.ends {
		s.ends[i] -= from
	}
	s.first = 0
}

// live returns the lines with their texts.
func (s *lineStore) live() []line {
	for i := s.first; i < len(s.lines); i++ {
		s.lines[i].text = s.buf[s.begin(i):s.ends[i]]
	}
	return s.lines[s.first:]
}
