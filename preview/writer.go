package preview

import (
	"bytes"
	"slices"
)

// sniffBytes is how much of a payload's start decides whether it is binary.
const sniffBytes = 8 << 10

// minWindow keeps line handling sane for tiny budgets, in bytes.
const minWindow = 4 << 10

// bytesPerToken is the window kept for a token of budget. Text of tools has
// about three bytes a token; the rest is room for colours that are removed.
const bytesPerToken = 4

// Writer takes a payload in writes of any size and keeps its first and its last
// lines. Memory is bounded by a small multiple of the window, whatever the
// size of the payload and of its lines. The result does not depend on how the
// bytes were split. A Writer is not safe for concurrent use.
type Writer struct {
	window   int // bytes of text kept at either end
	maxLines int // lines kept at either end
	literal  bool
	head     lineStore
	tail     lineStore
	headFull bool
	cur      current
	sniff    []byte
	binary   bool  // known from the sniff: nothing will be shown
	offset   int64 // bytes taken so far
	lines    int64 // lines ended so far
}

// NewWriter returns a Writer whose windows are enough for previews of up to
// maxTokens tokens.
func NewWriter(maxTokens int) *Writer {
	window := max(minWindow, maxTokens*bytesPerToken)
	return &Writer{window: window, maxLines: max(16, maxTokens+1)}
}

// grow prepares for a payload of n bytes, to save allocations.
func (w *Writer) grow(n int) {
	w.head.grow(min(n, w.window), w.maxLines)
	if n > w.window {
		w.tail.grow(min(n-w.window, 2*w.window), w.maxLines)
	}
	w.sniff = slices.Grow(w.sniff, min(n, sniffBytes))
}

// Write takes the next bytes of the payload. It never fails and keeps no
// reference to p.
func (w *Writer) Write(p []byte) (int, error) {
	n := len(p)
	if room := sniffBytes - len(w.sniff); room > 0 {
		w.sniff = append(w.sniff, p[:min(room, n)]...)
		w.binary = len(w.sniff) == sniffBytes && isBinary(w.sniff)
	}
	if w.binary {
		w.count(p)
		return n, nil
	}
	for len(p) > 0 && !w.headFull {
		p = p[w.line(p):]
	}
	p = p[w.skip(p):]
	for len(p) > 0 {
		p = p[w.line(p):]
	}
	return n, nil
}

// count takes bytes of a payload of which nothing will be shown.
func (w *Writer) count(p []byte) {
	w.lines += int64(bytes.Count(p, newline))
	if end := bytes.LastIndexByte(p, '\n') + 1; end > 0 {
		w.cur.begin(w.offset + int64(end))
	}
	w.offset += int64(len(p))
}

// skip passes over bytes at the start of p whose lines can no longer be among
// the last ones, because p itself holds enough complete lines after them. It is
// what makes the middle of a large payload cost one newline count.
func (w *Writer) skip(p []byte) int {
	need := w.window + w.maxLines
	if len(p) <= need {
		return 0
	}
	complete := p[:bytes.LastIndexByte(p, '\n')+1]
	if len(complete) <= need {
		return 0
	}
	from := bytes.LastIndexByte(complete[:len(complete)-need], '\n') + 1
	for from > 0 { // lines may be so short that fewer bytes are enough
		later := bytes.LastIndexByte(complete[:from+(len(complete)-from)/2], '\n') + 1
		if later == from || bytes.Count(complete[later:], newline) <= w.maxLines {
			break
		}
		from = later
	}
	if from == 0 || bytes.IndexByte(complete[from:], '\r') >= 0 {
		return 0 // a carriage return may shorten lines: look at each of them
	}
	w.lines += int64(bytes.Count(p[:from], newline))
	w.offset += int64(from)
	w.tail.reset()
	w.cur.begin(w.offset)
	return from
}

var newline = []byte{'\n'}

// line takes the bytes of p up to and including the next line end.
func (w *Writer) line(p []byte) int {
	end := bytes.IndexByte(p, '\n')
	ended := end >= 0
	if !ended {
		end = len(p)
	} else if w.cur.length == 0 && w.usual(p[:end]) {
		return end + 1
	}
	if w.literal {
		w.cur.add(p[:end], w.window)
		w.cur.length += int64(end)
	} else {
		w.cur.write(p[:end], w.window)
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
	w.keep(line{start: start, end: end, textAt: start, split: len(text), newline: true}, text)
	return true
}

// endLine ends the current line.
func (w *Writer) endLine() {
	w.keep(w.cur.finish(w.window, w.offset), w.cur.buf)
}

// keep moves a line into a window.
func (w *Writer) keep(l line, text []byte) {
	w.lines++
	if !w.headFull {
		w.head.push(l, text)
		w.headFull = w.head.size >= w.window || len(w.head.lines) >= w.maxLines
	} else {
		w.tail.push(l, text)
		w.tail.evict(w.window, w.maxLines)
	}
	w.cur.begin(w.offset)
}

// Snapshot returns what Finish would, had the payload ended here. The Writer goes
// on; its cost is a copy of the windows.
func (w *Writer) Snapshot() *Excerpt {
	now := *w
	now.head, now.tail = w.head.clone(), w.tail.clone()
	now.cur.buf = slices.Clone(w.cur.buf)
	return now.Finish()
}

// Finish ends the payload and returns what was kept. The Writer must not be
// used afterwards.
func (w *Writer) Finish() *Excerpt {
	if w.offset > w.cur.start {
		w.endLine() // a last line without a line end
	}
	return &Excerpt{
		head:   w.head.live(),
		tail:   w.tail.live(),
		kept:   w.head.size + len(w.head.lines) + w.tail.size + len(w.tail.lines),
		bytes:  w.offset,
		lines:  w.lines,
		binary: isBinary(w.sniff),
	}
}
