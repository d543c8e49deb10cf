package redact

import (
	"bytes"
	"math"
	"slices"
)

// A stream decides its bytes from left to right. Positions before next are
// decided, bytes before emitted are out; between them are spans that may still
// grow, and bytes that a span found later may begin with. Parts of a write are
// looked at in place where possible: only pending bytes are copied together with
// the first bytes of the next part.

// Distances, in bytes.
const (
	// lookBack is how many bytes before a position a finder may look at, and
	// behindMost how many of these a span that is found there may begin before.
	lookBack   = 96
	behindMost = 64
	// joined is the length of the start of a part that is copied behind pending bytes. It is
	// more than any finder looks ahead, so the rest of the part can be looked at
	// in place.
	joined = 32 << 10
	// settled is the length from which on a span keeps its kind.
	settled = 4 << 10
)

// view is a piece of the stream.
type view struct {
	b    []byte
	base int64 // position of b[0]
	end  bool  // nothing follows
}

// finder finds spans.
type finder interface {
	// find decides the positions from s.next to stop, or as many as it can with
	// the bytes of v, and moves s.next behind them. Spans go to s.add.
	find(s *stream, v view, stop int64)
	// mayBegin is true for a byte that a span found later may begin with, if only
	// such bytes are between.
	mayBegin(c byte) bool
	// clone returns a finder in the same state.
	clone() finder
	// isPrompt reports whether undecided bytes can be shown though more may come.
	isPrompt(b []byte) bool
	// begun reports whether the undecided bytes are the beginning of a secret.
	begun(s *stream) bool
	// mayRelease reports whether such a beginning may be shown after some time.
	mayRelease() bool
}

// span is a range that is redacted.
type span struct {
	from, to int64
	kind     int
	rank     int        // of kinds that overlap, the higher one stays
	more     *[256]bool // bytes that belong to the span if they follow
	assigned bool       // it is an assigned value
	written  int64      // up to where the placeholder is written; only of a long one
}

// stream replaces the spans that its finder finds.
type stream struct {
	finder finder
	kinds  *kinds
	same   bool

	next      int64  // first position that is not decided
	emitted   int64  // first position that is neither in out nor redacted
	total     int64  // end of what was written
	spans     []span // sorted, apart, not emitted
	pending   []byte // the stream from pendingAt to total
	pendingAt int64
	spare     []byte // becomes pending
	lent      []byte // becomes spare with the next call: until then, out may alias it
	out       [][]byte
	outEnd    int64 // where the text at the end of out ends, -1 after a placeholder
	outView   *byte // the first byte of its view
	open      int64 // text from here on is masked: more may come
	counts    []Count
}

// newStream returns a stream at its beginning.
func newStream(f finder, k *kinds, same bool) *stream {
	return &stream{finder: f, kinds: k, same: same, outEnd: -1, open: openNowhere}
}

// openNowhere is the value of open in a stream that masks no text.
const openNowhere = math.MaxInt64

// begin ends the life of slices that were returned before.
func (s *stream) begin() {
	s.out, s.outEnd = s.out[:0], -1
	if s.lent != nil {
		s.spare, s.lent = s.lent, nil
	}
}

// write looks at the next part.
func (s *stream) write(part []byte, last bool) {
	if len(part) == 0 && !last {
		return
	}
	n := len(part)
	if len(s.pending) == 0 && s.total == 0 {
		n = 0
	} else if n > joined {
		n = joined
	}
	begin := s.total
	s.total += int64(len(part))
	if n == len(part) {
		s.pending = append(s.pending, part...)
		s.look(view{s.pending, s.pendingAt, last}, s.total)
	} else {
		if n > 0 {
			s.pending = append(s.pending, part[:n]...)
			s.finder.find(s, view{s.pending, s.pendingAt, false}, begin+lookBack)
			s.settle(view{s.pending, s.pendingAt, false}, s.next-behindMost)
		}
		if n > 0 && (s.next < begin+lookBack || s.textFrom() < begin) {
			// More than joined bytes were needed. No finder does that.
			s.pending = append(s.pending, part[n:]...)
			s.look(view{s.pending, s.pendingAt, last}, s.total)
		} else {
			s.look(view{part, begin, last}, s.total)
			s.keep(part, begin)
			return
		}
	}
	s.keep(s.pending, s.pendingAt)
}

// textFrom returns the first position whose byte may still be wanted.
func (s *stream) textFrom() int64 {
	if len(s.spans) > 0 && s.spans[0].from <= s.emitted {
		return s.spans[0].to
	}
	return s.emitted
}

// keep copies the bytes that are still needed of b, which begins at base and
// ends at total.
func (s *stream) keep(b []byte, base int64) {
	from := max(base, min(s.textFrom(), s.next-lookBack))
	s.spare = append(s.spare[:0], b[from-base:]...)
	s.pending, s.spare = s.spare, s.pending
	s.pendingAt = from
	if len(s.out) > 0 {
		// A second part of the same call must not write over what out refers to.
		s.lent, s.spare = s.spare, nil
	}
}

// look decides and emits as much as it can.
func (s *stream) look(v view, stop int64) {
	s.finder.find(s, v, stop)
	if v.end {
		s.next = s.total
		s.settle(v, s.total)
		return
	}
	safe := s.next
	for floor := max(v.base, s.next-behindMost); safe > floor && s.finder.mayBegin(v.b[safe-1-v.base]); {
		safe--
	}
	s.settle(v, safe)
}

// add unites a span with those that it overlaps.
func (s *stream) add(n span) {
	if n.from < s.emitted {
		n.from = s.emitted // cannot be; but what was emitted is not ours any more
	}
	if n.from >= n.to {
		return
	}
	i := len(s.spans)
	if i == 0 || s.spans[i-1].to <= n.from {
		s.spans = append(s.spans, n)
		return
	}
	for i > 0 && s.spans[i-1].to > n.from {
		i--
	}
	j := i
	for j < len(s.spans) && s.spans[j].from < n.to {
		n = unite(s.spans[j], n)
		j++
	}
	s.spans = slices.Replace(s.spans, i, j, n)
}

// unite returns one span for two that overlap. The kind is that of the one that
// begins first, unless the other has a higher rank.
func unite(a, b span) span {
	if b.from < a.from {
		a, b = b, a
	}
	if b.rank > a.rank && b.from-a.from < settled {
		a.kind, a.rank = b.kind, b.rank
	}
	switch {
	case b.to > a.to:
		a.to, a.more = b.to, b.more
	case b.to == a.to && a.more == nil:
		a.more = b.more
	}
	a.written = max(a.written, b.written)
	return a
}

// settle emits the bytes before safe. No span is found any more that begins
// there.
func (s *stream) settle(v view, safe int64) {
	safe = max(safe, s.emitted)
	for len(s.spans) > 0 {
		s.extend(v)
		p := &s.spans[0]
		if p.from > safe {
			break
		}
		s.text(v, p.from)
		if p.to > safe || p.more != nil && !v.end {
			if safe-p.from > 2*settled {
				s.emitted = s.cover(p, safe)
			}
			return
		}
		s.emitted = s.cover(p, p.to)
		if s.counts == nil {
			s.counts = make([]Count, len(s.kinds.names))
		}
		c := &s.counts[p.kind]
		c.Matches++
		c.Bytes += p.to - p.from
		s.spans = s.spans[1:]
	}
	s.text(v, safe)
}

// extend moves the end of the first span over the bytes that belong to it.
func (s *stream) extend(v view) {
	p := &s.spans[0]
	if p.more == nil {
		return
	}
	at := p.to - v.base
	for at < int64(len(v.b)) && p.more[v.b[at]] {
		at++
	}
	p.to = v.base + at
	if at < int64(len(v.b)) || v.end {
		p.more = nil
	}
	for len(s.spans) > 1 && s.spans[1].from < p.to {
		s.spans[1] = unite(*p, s.spans[1])
		s.spans = s.spans[1:]
		p = &s.spans[0]
	}
}

// text emits the text up to a position.
func (s *stream) text(v view, to int64) {
	if to <= s.emitted {
		return
	}
	if to > s.open {
		s.text(v, s.open)
		s.out = append(s.out, masked(v.b[s.emitted-v.base:to-v.base]))
		s.emitted, s.outEnd = to, -1
		return
	}
	if s.outEnd == s.emitted && s.outView == &v.b[0] {
		last := &s.out[len(s.out)-1]
		*last = (*last)[:int64(len(*last))+to-s.emitted]
	} else {
		s.out = append(s.out, v.b[s.emitted-v.base:to-v.base])
		s.outView = &v.b[0]
	}
	s.emitted, s.outEnd = to, to
}

// masked returns a text of which only the places of its words are left.
func masked(text []byte) []byte {
	b := bytes.Clone(text)
	for i, c := range b {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			b[i] = '*'
		}
	}
	return b
}

// cover emits the placeholder of a span, or the next part of it, up to a
// position.
func (s *stream) cover(p *span, to int64) int64 {
	s.outEnd = -1
	mark := s.kinds.marks[p.kind]
	begun := p.written > p.from
	rest := to - max(p.written, p.from)
	p.written = to
	if !begun && (!s.same || rest >= int64(len(mark))) {
		s.out = append(s.out, mark)
		rest -= int64(len(mark))
	}
	for ; s.same && rest > 0; rest -= int64(len(asterisks)) {
		s.out = append(s.out, asterisks[:min(rest, int64(len(asterisks)))])
	}
	return to
}

var asterisks = bytes.Repeat([]byte("*"), 4<<10)
