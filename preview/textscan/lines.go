package textscan

import (
	"unsafe"

	"bytes"
	"slices"
)

// Line is one line of a payload. Its text is the last state of the line: bytes
// that a carriage return overwrote are not kept. Of a text longer than the
// window only the two ends are kept. The fields account for every byte of the
// line: Start, TextAt, Text and Skipped, EndBytes, End follow each other.
type Line struct {
	Number     int64  // from 1; 0 where the place in a window gives it
	Start, End int64  // range in the payload, with the line end
	TextAt     int64  // offset in the payload of the text's first byte
	Text       []byte // without line end and the carriage returns before it
	Split      int    // bytes of text before the skipped ones; len(text) when none
	Skipped    int64  // bytes of the text that were not kept
	Updates    int64  // states that the tool overwrote
	Newline    bool   // whether the line has a line end
}

// EndBytes returns the number of bytes of the line after its text: carriage
// returns and the newline.
func (l *Line) EndBytes() int64 {
	return l.End - l.TextAt - int64(len(l.Text)) - l.Skipped
}

// LineBuilder assembles one line. It reads the line as a terminal does: bytes after
// a carriage return overwrite those before it. Of a text longer than a window only
// its two ends are kept, so that a line of any length takes bounded memory. The
// zero LineBuilder is a line that begins at offset 0. It is not safe for concurrent
// use.
type LineBuilder struct {
	start   int64
	textAt  int64
	buf     []byte
	skipped int64
	updates int64
	length  int64 // bytes of the line so far
	pending bool  // a carriage return was seen; the next byte overwrites
}

// Clone returns a copy of the line that shares no bytes with it.
func (c *LineBuilder) Clone() LineBuilder {
	now := *c
	now.buf = slices.Clone(c.buf)
	return now
}

// WriteLiteral takes bytes of a line of a file, which hold no newline: a carriage
// return is a character of it and overwrites nothing.
func (c *LineBuilder) WriteLiteral(p []byte, window int) {
	c.add(p, window)
	c.length += int64(len(p))
}

// Skip counts n bytes of the text that the caller does not have. They lie between
// the bytes written before and those to come.
func (c *LineBuilder) Skip(n int64) {
	c.skipped, c.length = n, c.length+n
}

// Text returns the text of the line so far, without skipped bytes. It is valid until
// the next call of Begin or a write.
func (c *LineBuilder) Text() []byte { return c.buf }

// Offset returns where the line begins in the payload.
func (c *LineBuilder) Offset() int64 { return c.start }

// Empty reports whether no byte of the line was written yet.
func (c *LineBuilder) Empty() bool { return c.length == 0 }

// Begin starts the next line at an offset of the payload.
func (c *LineBuilder) Begin(offset int64) {
	*c = LineBuilder{start: offset, textAt: offset, buf: c.buf[:0]}
}

// Write takes bytes of the line, which hold no newline. A window is the number
// of bytes that Finish keeps; the builder holds at most twice as many.
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

// add appends to the text. Once the text is longer than two windows, only its
// first and last half windows are kept. Appending up to two windows before
// dropping makes the cost of dropping linear in the bytes written.
func (c *LineBuilder) add(p []byte, window int) {
	if len(c.buf)+len(p) <= 2*window {
		c.buf = append(c.buf, p...)
		return
	}
	half := window / 2
	if space := half - len(c.buf); space > 0 {
		c.buf = append(c.buf, p[:space]...)
		p = p[space:]
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

// Finish describes the line, which ends at offset end of the payload. The
// returned Line has no text: it is in Text until the next line begins.
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

// CarriageReturns counts the carriage returns of one line. The zero value has
// none.
type CarriageReturns struct{ first, count int64 } // first: offset in the line

// Add counts those in the next bytes of the line, which begin at offset at of
// it.
func (r *CarriageReturns) Add(p []byte, at int64) {
	if i := bytes.IndexByte(p, '\r'); i >= 0 {
		if r.count == 0 {
			r.first = at + int64(i)
		}
		r.count += int64(bytes.Count(p, []byte{'\r'}))
	}
}

// Overwrite reports whether any is not at the end of a line of length bytes:
// then a terminal shows something else than the bytes.
func (r *CarriageReturns) Overwrite(length int64) bool {
	return r.count > 0 && r.first+r.count < length
}

// LineStore keeps lines and their texts in two slices, so that a line costs no
// allocation. Lines are dropped from the front only. The zero value is empty.
type LineStore struct {
	lends bool   // lines have texts of their own, and buf is empty
	kept  []Line // with those that were evicted and not compacted yet
	ends  []int  // end of each line's text in buf
	buf   []byte
	first int // lines before it were evicted
	size  int // bytes of text of the lines from first on
}

// Lend prepares an empty store for texts that PushLent does not copy, and makes capacity for lines. Memory of before is used
// again.
func (s *LineStore) Lend(lines int) {
	s.Reset()
	s.lends = true
	s.kept, s.ends = slices.Grow(s.kept, lines), slices.Grow(s.ends, lines)
}

// lineBytes is the size of a Line, in bytes.
const lineBytes = int(unsafe.Sizeof(Line{}))

// Memory returns how much memory the store takes, in bytes.
func (s *LineStore) Memory() int { return cap(s.kept)*lineBytes + cap(s.ends)*8 + cap(s.buf) }

// Clone returns a copy that shares no text: texts move when a store makes
// capacity.
func (s *LineStore) Clone() LineStore {
	c := *s
	c.kept, c.ends, c.buf = slices.Clone(s.kept), slices.Clone(s.ends), slices.Clone(s.buf)
	return c
}

// TextBytes returns the size of all texts.
func (s *LineStore) TextBytes() int { return s.size }

// Len returns the number of lines.
func (s *LineStore) Len() int { return len(s.kept) - s.first }

// Reset drops all lines and keeps the capacity.
func (s *LineStore) Reset() {
	*s = LineStore{lends: s.lends, kept: s.kept[:0], ends: s.ends[:0], buf: s.buf[:0]}
}

// Push appends a line and copies its text.
func (s *LineStore) Push(l Line, text []byte) {
	if s.lends {
		s.PushLent(l, slices.Clone(text))
		return
	}
	s.buf = append(s.buf, text...)
	s.kept = append(s.kept, l)
	s.ends = append(s.ends, len(s.buf))
	s.size += len(text)
}

// PushLent appends a line whose text does not change. The store was prepared by Lend.
func (s *LineStore) PushLent(l Line, text []byte) {
	l.Text = text
	s.kept = append(s.kept, l)
	end := len(text)
	if n := len(s.ends); n > 0 {
		end += s.ends[n-1]
	}
	s.ends = append(s.ends, end)
	s.size += len(text)
}

// begin returns where the text of line i starts in buf, or would if the texts were there.
func (s *LineStore) begin(i int) int {
	if i == 0 {
		return 0
	}
	return s.ends[i-1]
}

// Evict drops lines from the front that are not needed to fill a window of
// bytes, or that are more than maxLines. The last line always stays.
func (s *LineStore) Evict(window, maxLines int) { s.EvictTo(window, maxLines, nil) }

// EvictTo is Evict, and passes each line that it drops to dropped, with its
// text, which is valid during the call. Nil drops them silently.
func (s *LineStore) EvictTo(window, maxLines int, dropped func(Line)) {
	for s.first < len(s.kept)-1 {
		n := s.ends[s.first] - s.begin(s.first)
		if s.size-n < window && len(s.kept)-s.first <= maxLines {
			break
		}
		if dropped != nil {
			l := s.kept[s.first]
			if !s.lends {
				l.Text = s.buf[s.begin(s.first):s.ends[s.first]]
			}
			dropped(l)
		}
		s.size -= n
		s.first++
	}
	if s.first > 2*maxLines || s.begin(s.first) > 4*window {
		s.compact()
	}
}

// compact moves the lines to the front of the slices. By then more was evicted
// than is left, in lines or in bytes, so evictions share its cost.
func (s *LineStore) compact() {
	from := s.begin(s.first)
	if !s.lends {
		s.buf = append(s.buf[:0], s.buf[from:]...)
	}
	s.kept = append(s.kept[:0], s.kept[s.first:]...)
	s.ends = append(s.ends[:0], s.ends[s.first:]...)
	for i := range s.ends {
		s.ends[i] -= from
	}
	s.first = 0
}

// Lines returns the lines with their texts. Both are valid until the next call
// of another method.
func (s *LineStore) Lines() []Line {
	if s.lends {
		return s.kept[s.first:]
	}
	for i := s.first; i < len(s.kept); i++ {
		s.kept[i].Text = s.buf[s.begin(i):s.ends[i]]
	}
	return s.kept[s.first:]
}
