package preview

import (
	"bytes"
	"github.com/toolresult/toolresult/preview/records"
	"iter"
	"strings"
	"sync"
	"unsafe"

	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/tokens"
)

// Excerpt is the kept part of a payload. It caches the shape and the ranking
// that were asked for last, and so is not safe for concurrent use.
type Excerpt struct {
	form       bool             // it is a readable form, whose lines begin with no time of a log
	sampler    *records.Sampler // of a payload received in parts; nil for others
	plain      string           // the payload, if it may fit whole and is its own visible form
	maxTokens  int
	rules      *linerule.Rules // of the program of a plain payload
	head, tail []textscan.Line
	found      []textscan.Line // between the two, in order: what matters, and what belongs to it
	equals     equals          // lines that are equal to those before them
	counted    bool            // those of a plain payload
	bytes      int64
	lines      int64
	literal    bool // of a file, not of a terminal
	kept       int  // bytes of text of the lines that were kept, and their ends
	binary     bool
	seen       seenShape
	signs      *shape.LogSigns // of the kept lines; nil: they were not counted
	asked      *linerule.Rules // of the hints that were asked for last
	extended   *linerule.Rules // the same, with those of the texts that the payload is known as
	verdicts   *ruleVerdicts   // of the rules that were asked last; nil: none were
	ranking    *ranking
	memory     *memory // that Release gives back; nil: none
}

// memory is what an excerpt of a payload in memory consists of. It is used again for other payloads.
type memory struct {
	head, tail textscan.LineStore
	bands      [bands]struct{ first, last textscan.LineStore }
	kept       []*textscan.Line // of all bands
	found      []textscan.Line
	list       []shape.Ranked
}

var memories = sync.Pool{New: func() any { return new(memory) }}

// mostMemory is how many lines a memory has at most that is used again.
const mostMemory = 8 << 10

// Release gives the memory of an excerpt back, for excerpts to come. Neither it nor anything of it may be used afterwards,
// but for the previews that were selected. It is for callers with many payloads; others leave that to the garbage
// collector.
func (e *Excerpt) Release() {
	m := e.memory
	*e = Excerpt{}
	if m != nil && cap(m.list) <= mostMemory && m.head.Len()+m.tail.Len() <= mostMemory && cap(m.found) <= mostMemory {
		memories.Put(m)
	}
}

// FromBytes returns the excerpt of a payload in memory, the same as writing it
// to a Writer. The payload must not change while the excerpt is in use.
func FromBytes(payload []byte, maxTokens int) *Excerpt { return FromCommand(payload, maxTokens, nil) }

// FromCommand is FromBytes for the output of a program with rules; nil rules
// mean none.
func FromCommand(payload []byte, maxTokens int, rules *linerule.Rules) *Excerpt {
	w := NewWriter(maxTokens)
	w.Watch(rules)
	lines := countLines(payload) // where nearly all are empty, there may be more than a Writer keeps
	if len(payload) <= w.window && lines <= int64(w.headMost+w.maxLines) && textscan.Clean(payload, '\n') {
		return &Excerpt{plain: asString(payload), maxTokens: maxTokens, rules: rules, bytes: int64(len(payload)), lines: lines}
	}
	w.grow(len(payload))
	_, _ = w.Write(payload) // it never fails
	return w.Finish()
}

// FromFile is FromBytes for text that was not written to a terminal: a carriage
// return that does not end a line is a character of it, and overwrites nothing.
func FromFile(payload []byte, maxTokens int) *Excerpt {
	if bytes.Count(payload, []byte{'\r'}) == bytes.Count(payload, []byte("\r\n")) {
		return FromBytes(payload, maxTokens)
	}
	w := NewWriter(maxTokens)
	w.literal = true
	w.grow(len(payload))
	_, _ = w.Write(payload) // it never fails
	return w.Finish()
}

// countLines returns the number of lines; a last one without a newline counts.
func countLines(payload []byte) int64 {
	n := int64(bytes.Count(payload, newline))
	if len(payload) > 0 && payload[len(payload)-1] != '\n' {
		n++
	}
	return n
}

// whole returns the preview of a plain payload that fits.
func (e *Excerpt) whole() *Preview {
	return &Preview{
		Text: strings.Clone(e.plain), Segments: Split(e.plain), Bytes: e.bytes, Lines: e.lines, Encoding: EncodingUTF8,
	}
}

// byLines reads a plain payload by its lines, once it is known not to fit.
func (e *Excerpt) byLines() {
	w := NewWriter(e.maxTokens)
	w.Watch(e.rules)
	w.grow(len(e.plain))
	_, _ = w.Write(asBytes(e.plain)) // it never fails
	verdicts, asked, extended := e.verdicts, e.asked, e.extended
	*e = *w.Finish()
	e.asked, e.extended = asked, extended
	if e.complete() {
		e.verdicts = verdicts
	}
}

// mostShort is how many lines Whole keeps at either end although several of them may be one token, as blank lines are.
const mostShort = 8 << 10

// Whole returns an excerpt of all lines of the payload, if a budget pays for all of
// them; otherwise nil. The payload must not change while the excerpt is in use.
func (e *Excerpt) Whole(payload []byte, b Budget, c tokens.Counter, rules *linerule.Rules) *Excerpt {
	if e.binary {
		return nil
	}
	begin := payload[:min(len(payload), probeBytes*b.Tokens)] // of most texts it says that they do not fit
	if textscan.Clean(begin, '\n') && c.Count(asString(begin))-1 > b.Tokens {
		return nil
	}
	whole := e
	if e.plain == "" && !e.complete() {
		w := NewWriter(max(len(payload)/bytesPerToken, min(int(e.lines), mostShort)) + 1)
		w.literal = e.literal
		w.Watch(rules)
		w.grow(len(payload))
		_, _ = w.Write(payload) // it never fails
		whole = w.Finish()
	}
	if whole.plain != "" {
		if b.fits(whole.plain, int(whole.lines), c) {
			return whole
		}
		return nil
	}
	s := selection{excerpt: whole, budget: b, counter: c}
	if !whole.complete() || whole.kept/farTooLong > b.Tokens {
		return nil
	}
	if _, ok := s.limited(int(whole.longest())); !ok {
		return nil
	}
	return whole
}

// Bytes returns the size of the payload.
func (e *Excerpt) Bytes() int64 { return e.bytes }

// Lines returns the number of lines of the payload; a last one without a
// newline counts.
func (e *Excerpt) Lines() int64 { return e.lines }

// HasAll reports whether no line of the payload is left out. A binary payload has none.
func (e *Excerpt) HasAll() bool { return e.plain != "" || e.binary || e.complete() }

// complete reports whether every line was kept.
func (e *Excerpt) complete() bool { return int64(len(e.head)+len(e.tail)) == e.lines }

// available returns the number of kept lines.
func (e *Excerpt) available() int {
	if e.plain != "" {
		return int(e.lines)
	}
	return len(e.head) + len(e.found) + len(e.tail)
}

// each iterates over the kept lines of a payload that is not plain, in order,
// with their numbers.
func (e *Excerpt) each() iter.Seq2[int64, *textscan.Line] {
	return func(yield func(int64, *textscan.Line) bool) {
		for i := range e.head {
			if !yield(int64(i)+1, &e.head[i]) {
				return
			}
		}
		for i := range e.found {
			if !yield(e.found[i].Number, &e.found[i]) {
				return
			}
		}
		for i := range e.tail {
			if !yield(e.lines-int64(len(e.tail))+int64(i)+1, &e.tail[i]) {
				return
			}
		}
	}
}

// at returns line number n, from 1, or nil if it is not in one of the windows.
func (e *Excerpt) at(n int64) *textscan.Line {
	if n >= 1 && n <= int64(len(e.head)) {
		return &e.head[n-1]
	}
	if i := n - 1 - (e.lines - int64(len(e.tail))); i >= 0 && n <= e.lines {
		return &e.tail[i]
	}
	return nil
}

// longest returns the length of the longest line in the windows.
func (e *Excerpt) longest() int64 {
	var longest int64
	for _, lines := range [][]textscan.Line{e.head, e.tail} {
		for i := range lines {
			longest = max(longest, int64(len(lines[i].Text))+lines[i].Skipped)
		}
	}
	return longest
}

// asBytes lends s to a callee that changes nothing and keeps nothing.
func asBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }

// asString lends b to a counter as a string without a copy; counters keep
// nothing.
func asString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
