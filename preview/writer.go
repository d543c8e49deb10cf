package preview

import (
	"bytes"
	"slices"

	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/preview/records"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
)

// The Writer reads a payload of any size in constant memory. Bytes of the head
// become lines at once. Behind it, the newest bytes stay unread, because they
// may be the tail and seldom are: when more bytes come, all but the last of
// them are passed over at the cost of counting their newlines, which the caller
// has done already.

var newline = []byte{'\n'}

// minWindow is the least window, in bytes, so that tiny budgets still see whole
// lines.
const minWindow = 4 << 10

// The window of a payload whose structure is in its middle: so much of it is
// kept from its start that small ones have all their lines.
const (
	structureBytes = 1 << 20
	structureLines = 32 << 10
)

// mostLines is how many lines are kept at either end, however large the budget is: a line takes some 150 bytes beside its text.
const mostLines = 64 << 10

// bytesPerToken is the least window for a token of budget. Output of tools has about
// three bytes a token; the rest is for colours that are removed.
const bytesPerToken = 4

// The window of a small budget is larger, so that the lines around a finding are in
// it, and those that are worth more than their neighbors.
const (
	moreBytesPerToken = 16
	mostMore          = 128 << 10 // bytes of such a window
)

// windowOf returns the window for previews of up to some tokens, in bytes.
func windowOf(tokens int) int {
	return max(minWindow, tokens*bytesPerToken, min(tokens*moreBytesPerToken, mostMore))
}

// Writer takes a payload in writes of any size and keeps its first and its last
// lines, and between them those that matter. Memory is bounded by a small
// multiple of the window, whatever the size of the payload and of its lines.
// The result does not depend on how the bytes were split. A Writer is not safe
// for concurrent use.
type Writer struct {
	window   int // bytes of text kept at either end
	maxLines int // lines kept at either end
	literal  bool
	asText   bool // whatever it is
	head     textscan.LineStore
	tail     textscan.LineStore
	headFull bool
	headSize int       // bytes of text kept of the start: more than the window where its structure goes on
	headMost int       // lines
	seen     seenShape // of the payload without a hint, once the head decides it
	cur      textscan.LineBuilder
	sniff    []byte
	binary   bool  // known from the sniff: nothing will be shown
	whole    bool  // the payload is all that will come
	offset   int64 // bytes taken so far, without those below
	lines    int64 // lines ended so far

	finds          finder // what matters behind the head
	unread         []byte // the newest bytes; no line was made of them yet
	unreadNewlines int
	memory         *memory         // of a whole payload; nil for others
	sampler        records.Sampler // of a list of records, unless the payload is whole
	late           []byte          // of a whole payload: what Finish passes to finds
	parts          [][]byte        // a place for those of one call
}

// NewWriter returns a Writer with windows for previews of up to maxTokens
// tokens.
func NewWriter(maxTokens int) *Writer {
	window := windowOf(maxTokens)
	most := min(max(16, maxTokens+1), mostLines)
	return &Writer{window: window, maxLines: most, headSize: window, headMost: most}
}

// Watch lets the Writer also look for the lines that rules keep, wherever they
// are. Nil rules keep none. Call it before the first Write.
func (w *Writer) Watch(rules *linerule.Rules) { w.finds.rules = rules }

// usualLine is the estimated length of a line, in bytes, with its end.
const usualLine = 48

// grow prepares for a payload of n bytes in one write, which does not change while the excerpt is in use.
func (w *Writer) grow(n int) {
	w.whole = true
	w.memory, _ = memories.Get().(*memory)
	w.head, w.tail = w.memory.head, w.memory.tail
	w.head.Lend(min(min(n, w.window)/usualLine, w.maxLines) + 1)
	if n > w.window {
		w.tail.Lend(min(min(n-w.window, 2*w.window)/usualLine, w.maxLines) + 1)
	} else {
		w.tail.Lend(0)
	}
	w.sniff = slices.Grow(w.sniff, min(n, textscan.SniffBytes))
}

// Write takes the next bytes of the payload. It never fails and keeps no
// reference to p.
func (w *Writer) Write(p []byte) (int, error) {
	w.WriteParts([][]byte{p}, bytes.Count(p, newline))
	return len(p), nil
}

// WriteParts takes bytes in several parts that have newlines many newlines
// together, which the caller has counted. It keeps no reference to them.
func (w *Writer) WriteParts(parts [][]byte, newlines int) {
	for i := range parts {
		if !w.whole && !w.literal {
			_, _ = w.sampler.Write(parts[i]) // it never fails
		}
	}
	for ; len(parts) > 0 && w.begins(); parts = parts[1:] {
		if newlines > 0 {
			newlines -= bytes.Count(parts[0], newline)
		}
		w.begin(parts[0])
	}
	switch {
	case len(parts) == 0:
	case w.binary:
		w.count(parts, newlines)
	default:
		w.middle(parts, newlines)
	}
}

// begins reports whether the head is not full, or the sniff is not complete.
func (w *Writer) begins() bool {
	return !w.binary && (!w.headFull || len(w.sniff) < textscan.SniffBytes)
}

// begin takes bytes of the beginning.
func (w *Writer) begin(p []byte) {
	if space := textscan.SniffBytes - len(w.sniff); space > 0 {
		w.sniff = append(w.sniff, p[:min(space, len(p))]...)
		w.binary = len(w.sniff) == textscan.SniffBytes && !w.asText && textscan.IsBinary(w.sniff)
	}
	if w.binary {
		w.read()
		w.count([][]byte{p}, bytes.Count(p, newline))
		return
	}
	for len(p) > 0 && !w.headFull {
		p = p[w.line(p):]
	}
	if len(p) > 0 {
		w.middle([][]byte{p}, bytes.Count(p, newline))
	}
}

// count takes bytes of a payload of which nothing will be shown.
func (w *Writer) count(parts [][]byte, newlines int) {
	if newlines > 0 {
		w.lines += int64(newlines)
		w.cur.Begin(w.offset + int64(textscan.LineStart(parts, textscan.Size(parts))))
	}
	w.offset += int64(textscan.Size(parts))
}

// leastUnread is how many bytes may stay unread however small the window is.
const leastUnread = 32 << 10

// middle takes bytes after the head. Most of them are passed over.
func (w *Writer) middle(parts [][]byte, newlines int) {
	w.finds.begin(w)
	for _, p := range parts {
		if w.whole {
			w.late = p // there is no other, and Finish knows where the tail begins
		} else {
			w.finds.write(p)
		}
	}
	all := append(append(w.parts[:0], w.unread), parts...)
	newlines += w.unreadNewlines
	total, enough := textscan.Size(all), 2*w.enough()
	from := 0
	if newlines > 0 && total > enough {
		from = w.tailStart(all)
	}
	late := 0
	if from > 0 {
		for p := range textscan.Between(all, from, total) {
			late += bytes.Count(p, newline)
		}
		w.pass(from, newlines-late)
	} else {
		late = newlines
	}
	if total-from <= max(enough, leastUnread) && !w.whole {
		unread := w.unread[:0] // which may be where its own beginning moves to
		for p := range textscan.Between(all, from, total) {
			unread = append(unread, p...)
		}
		w.unread, w.unreadNewlines = unread, late
	} else {
		for p := range textscan.Between(all, from, total) {
			w.readLines(p)
		}
		w.unread, w.unreadNewlines = w.unread[:0], 0
	}
	clear(all)
	w.parts = all[:0]
}

// pass passes over bytes up to the end of a line.
func (w *Writer) pass(n, newlines int) {
	w.lines += int64(newlines)
	w.offset += int64(n)
	w.tail.Reset()
	w.cur.Begin(w.offset)
}

// read makes lines of the unread bytes.
func (w *Writer) read() {
	unread := w.unread
	w.unread, w.unreadNewlines = w.unread[:0], 0
	w.readLines(unread)
}

// readLines makes lines of bytes.
func (w *Writer) readLines(p []byte) {
	for len(p) > 0 {
		p = p[w.line(p):]
	}
}

// enough returns how many bytes of complete lines fill the tail, whatever their
// lengths are. A line end is one byte or two.
func (w *Writer) enough() int { return w.window + 2*w.maxLines }

// tailStart returns the start of a line after which there are enough complete
// lines for no earlier one to be among the last; 0 when there is none.
func (w *Writer) tailStart(parts [][]byte) int {
	complete := textscan.LineStart(parts, textscan.Size(parts))
	from := textscan.LineStart(parts, complete-w.enough())
	for from > 0 { // lines may be so short that fewer bytes are enough
		later, lines := textscan.LineStart(parts, from+(complete-from)/2), 0
		for p := range textscan.Between(parts, later, complete) {
			lines += bytes.Count(p, newline)
		}
		if later == from || lines <= w.maxLines {
			break
		}
		from = later
	}
	for p := range textscan.Between(parts, from, complete) {
		if bytes.IndexByte(p, '\r') >= 0 && bytes.Count(p, []byte{'\r'}) != bytes.Count(p, []byte("\r\n")) {
			return 0 // a carriage return may shorten lines: look at each of them
		}
	}
	return from
}

// line takes the bytes of p up to and including the next line end.
func (w *Writer) line(p []byte) int {
	end := bytes.IndexByte(p, '\n')
	ended := end >= 0
	if !ended {
		end = len(p)
	} else if w.cur.Empty() && w.usual(p[:end]) {
		return end + 1
	}
	if w.literal {
		w.cur.WriteLiteral(p[:end], w.window)
	} else {
		w.cur.Write(p[:end], w.window)
	}
	taken := end
	if ended {
		taken++
		w.offset += int64(taken)
		w.endLine()
		return taken
	}
	w.offset += int64(taken)
	return taken
}

// usual takes a whole line that needs no care: not long, and without a carriage
// return but at its end. It reports false, and takes nothing, for others.
func (w *Writer) usual(text []byte) bool {
	start, end := w.offset, w.offset+int64(len(text))+1
	for len(text) > 0 && text[len(text)-1] == '\r' {
		text = text[:len(text)-1]
	}
	if len(text) > w.window || !w.literal && bytes.IndexByte(text, '\r') >= 0 {
		return false
	}
	w.offset = end
	w.keep(textscan.Line{Start: start, End: end, TextAt: start, Split: len(text), Newline: true}, text, w.whole)
	return true
}

// endLine ends the current line.
func (w *Writer) endLine() {
	w.keep(w.cur.Finish(w.window, w.offset), w.cur.Text(), false)
}

// keep moves a line into a window. Its text lasts if it does not change.
func (w *Writer) keep(l textscan.Line, text []byte, lasts bool) {
	w.lines++
	if !w.headFull {
		if l.Skipped == 0 {
			w.finds.watch.see(text, l.End)
			if !lasts {
				w.finds.watch.hold()
			}
		} else {
			w.finds.watch.skip(l.End)
		}
		push(&w.head, l, text, lasts)
		w.headFull = w.head.TextBytes() >= w.headSize || w.head.Len() >= w.headMost
		if w.headFull && w.headSize == w.window {
			w.detect()
		}
	} else {
		push(&w.tail, l, text, lasts)
		w.tail.Evict(w.window, w.maxLines)
	}
	w.cur.Begin(w.offset)
}

// push appends a line to a window.
func push(s *textscan.LineStore, l textscan.Line, text []byte, lasts bool) {
	if lasts {
		s.PushLent(l, text)
	} else {
		s.Push(l, text)
	}
}

// detect finds out what shape the payload has, by the window of its start. Where structure goes on in its middle, more of the
// start is kept.
func (w *Writer) detect() {
	first := w.head.Lines()
	seen := shape.Detect(first, shape.None)
	if shape.Decides(first) {
		w.seen = seenShape{known: true, shape: seen}
	}
	if seen.HasMiddle() {
		w.headSize, w.headMost, w.headFull = max(w.window, structureBytes)+1, max(w.maxLines, structureLines), false
	}
}

// Memory returns how much memory the windows and what was found between them take, in bytes.
func (w *Writer) Memory() int {
	n := w.head.Memory() + w.tail.Memory() + cap(w.unread) + cap(w.finds.carry) + cap(w.finds.recent) + w.finds.watch.memory() + w.sampler.Memory()
	for i := range w.finds.bands {
		n += w.finds.bands[i].first.Memory() + w.finds.bands[i].last.Memory()
	}
	return n
}

// Snapshot returns the excerpt of a payload that ends here, or with some more
// bytes. The Writer goes on without those bytes. The cost is a copy of the
// windows.
func (w *Writer) Snapshot(end ...byte) *Excerpt {
	w.read()
	now := *w
	now.head, now.tail = w.head.Clone(), w.tail.Clone()
	now.cur, now.sniff = w.cur.Clone(), slices.Clone(w.sniff)
	now.unread, now.parts = nil, nil
	now.finds, now.sampler = w.finds.clone(), *w.sampler.Clone()
	if len(end) > 0 {
		_, _ = now.Write(end) // it never fails
	}
	return now.Finish()
}

// Finish ends the payload and returns its excerpt. The Writer must not be used
// afterwards.
func (w *Writer) Finish() *Excerpt {
	w.read()
	if w.offset > w.cur.Offset() {
		w.endLine() // a last line without a line end
	}
	head, tail := int64(w.head.Len()), w.lines-int64(w.tail.Len())
	if len(w.late) > 0 {
		w.finds.upTo(head, tail, w.late, w.memory)
	}
	m := w.memory
	if m == nil { // the excerpt keeps none of it but the lines
		m = new(memory)
	}
	m.head, m.tail = w.head, w.tail
	return &Excerpt{
		memory: w.memory, sampler: &w.sampler,
		head:  w.head.Lines(),
		tail:  w.tail.Lines(),
		kept:  w.head.TextBytes() + w.head.Len() + w.tail.TextBytes() + w.tail.Len(),
		bytes: w.offset,
		lines: w.lines, literal: w.literal, seen: w.seen,
		binary: !w.asText && textscan.IsBinary(w.sniff),
		equals: w.finds.watch.finish(),
		found:  w.finds.finish(head, tail, m),
	}
}
