package textscan

import (
	"bytes"
	"slices"
)

// line is one kept line. Its text is the last state of the line: what was
// there before a carriage return is not kept. Of a text longer than the window
// only the beginning and the end are kept.
type Line struct {
	Number     int64  // from 1; 0 where the place in a window says it
	Start, End int64  // range in the payload, with the line end
	TextAt     int64  // offset in the payload of the text's first byte
	Text       []byte // without line end and the carriage returns before it
	Split      int    // bytes of text before the skipped ones; len(text) when none
	Skipped    int64  // bytes of the text that were not kept
	Updates    int64  // states that the tool overwrote
	Newline    bool   // whether the line has a line end
}

// lineEnd is the number of bytes of the line after its text: carriage returns
// and the newline.
func (l *Line) EndBytes() int64 {
	return l.End - l.TextAt - int64(len(l.Text)) - l.Skipped
}

// current is the line that is being written.
type LineBuilder struct {
	start   int64
	textAt  int64
	buf     []byte
	skipped int64
	updates int64
	length  int64 // bytes of the line so far
	pending bool  // a carriage return was seen; the next byte overwrites
}

// clone copies the line; its text is not shared.
func (c *LineBuilder) Clone() LineBuilder {
	now := *c
	now.buf = slices.Clone(c.buf)
	return now
}

// appendLiteral takes bytes of a line that no terminal shows: a carriage return
// is a character of it.
func (c *LineBuilder) WriteLiteral(p []byte, window int) {
	c.add(p, window)
	c.length += int64(len(p))
}

// skip counts bytes of the text that are not given, between those before and
// those to come.
func (c *LineBuilder) Skip(n int64) {
	c.skipped, c.length = n, c.length+n
}

// text is the text of the line so far, without what was skipped. It is valid
// until the next call.
func (c *LineBuilder) Text() []byte { return c.buf }

// begins is the offset of the line in the payload.
func (c *LineBuilder) Offset() int64 { return c.start }

// empty reports whether no byte of the line was taken yet.
func (c *LineBuilder) Empty() bool { return c.length == 0 }

func (c *LineBuilder) Begin(offset int64) {
	*c = LineBuilder{start: offset, textAt: offset, buf: c.buf[:0]}
}

// write takes bytes of the line, which hold no newline.
func (c *LineBuilder) Write(p []byte, window int) {
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
func (c *LineBuilder) overwrite() {
	if len(c.buf) > 0 {
		c.updates++
	}
	c.textAt = c.start + c.length
	c.buf, c.skipped, c.pending = c.buf[:0], 0, false
}

// add appends to the text. Once it is longer than two windows, only its first
// and its last half window are kept.
func (c *LineBuilder) add(p []byte, window int) {
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
func (c *LineBuilder) keepEnds(first, last int) {
	drop := len(c.buf) - first - last
	if drop <= 0 {
		return
	}
	c.skipped += int64(drop)
	c.buf = append(c.buf[:first], c.buf[first+drop:]...)
}

// finish describes the line that ends at offset end. Its text is c.buf.
func (c *LineBuilder) Finish(window int, end int64) Line {
	if len(c.buf) > window || c.skipped > 0 {
		c.keepEnds(window/2, window/2)
	}
	l := Line{
		Start: c.start, End: end, TextAt: c.textAt,
		Split: len(c.buf), Skipped: c.skipped, Updates: c.updates,
		Newline: end > c.start+c.length,
	}
	if c.skipped > 0 {
		l.Split = window / 2
	}
	return l
}

// carriageReturns are the carriage returns of a line.
type CarriageReturns struct{ first, count int64 } // where the first one is, and how many there are

// in counts those of the next bytes of a line, which are at an offset of it.
func (r *CarriageReturns) Add(p []byte, at int64) {
	if i := bytes.IndexByte(p, '\r'); i >= 0 {
		if r.count == 0 {
			r.first = at + int64(i)
		}
		r.count += int64(bytes.Count(p, []byte{'\r'}))
	}
}

// overwrite reports whether one of them is not at the end of a line of so many
// bytes.
func (r *CarriageReturns) Overwrite(length int64) bool {
	return r.count > 0 && r.first+r.count < length
}

// lineStore keeps lines and their texts in two slices, so that a line costs no
// allocation of its own.
type LineStore struct {
	kept  []Line
	ends  []int // end of each line's text in buf
	buf   []byte
	first int // lines before it were evicted
	size  int // bytes of text of the lines from first on
}

// grow makes room for n bytes of usual lines.
func (s *LineStore) Grow(n, maxLines int) {
	const usualLine = 48
	lines := min(n/usualLine, maxLines) + 1
	s.buf, s.kept, s.ends = slices.Grow(s.buf, n), slices.Grow(s.kept, lines), slices.Grow(s.ends, lines)
}

// clone copies what is alive. Texts of lines are not shared: they move when a
// store makes room.
func (s *LineStore) Clone() LineStore {
	c := *s
	c.kept, c.ends, c.buf = slices.Clone(s.kept), slices.Clone(s.ends), slices.Clone(s.buf)
	return c
}

// textBytes is the size of the texts of the lines.
func (s *LineStore) TextBytes() int { return s.size }

// count is the number of lines.
func (s *LineStore) Len() int { return len(s.kept) - s.first }

func (s *LineStore) Reset() {
	*s = LineStore{kept: s.kept[:0], ends: s.ends[:0], buf: s.buf[:0]}
}

func (s *LineStore) Push(l Line, text []byte) {
	s.buf = append(s.buf, text...)
	s.kept = append(s.kept, l)
	s.ends = append(s.ends, len(s.buf))
	s.size += len(text)
}

// begin is where the text of line i starts in buf.
func (s *LineStore) begin(i int) int {
	if i == 0 {
		return 0
	}
	return s.ends[i-1]
}

// evict drops lines from the front that are not needed to fill a window with
// the lines behind them.
func (s *LineStore) Evict(window, maxLines int) {
	for s.first < len(s.kept)-1 {
		n := s.ends[s.first] - s.begin(s.first)
		if s.size-n < window && len(s.kept)-s.first <= maxLines {
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
func (s *LineStore) compact() {
	from := s.begin(s.first)
	s.buf = append(s.buf[:0], s.buf[from:]...)
	s.kept = append(s.kept[:0], s.kept[s.first:]...)
	s.ends = append(s.ends[:0], s.ends[s.first:]...)
	for i := range s.ends {
		s.ends[i] -= from
	}
	s.first = 0
}

// live returns the lines with their texts.
func (s *LineStore) Lines() []Line {
	for i := s.first; i < len(s.kept); i++ {
		s.kept[i].Text = s.buf[s.begin(i):s.ends[i]]
	}
	return s.kept[s.first:]
}
