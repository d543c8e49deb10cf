package redact

import (
	"bytes"
	"encoding/binary"
	"slices"
)

// The second stream: secrets known by their looks. Four bytes at every position
// are looked up in a filter of one bit for each hash; most text never passes
// it. Where it passes, the patterns that have these four bytes are tried.

// patternFinder finds text that looks like a secret.
type patternFinder struct {
	matcher
	found []span
	again int64 // length of the stream before which a search is in vain
}

// newPatternFinder returns a finder for one stream.
func newPatternFinder(p *Patterns, m *marks, same bool) *patternFinder {
	return &patternFinder{matcher: matcher{set: p, marks: m, same: same, gap: -1, edge: -1}}
}

// begin prepares for the first hit.
func (f *patternFinder) begin() {
	f.set.prepare()
	runs, ok := f.set.runs.Get().(*[]run)
	if !ok {
		runs = new(make([]run, len(f.set.classes)))
	}
	clear(*runs)
	f.runs = *runs
}

// mayBegin reports whether a secret that is found later may begin with c: some
// patterns are identified by four bytes in their middle.
func (f *patternFinder) mayBegin(c byte) bool { return waitsBehind(c) }

// find decides the positions from s.next to stop, or as many as the bytes
// allow.
func (f *patternFinder) find(s *stream, v view, stop int64) {
	f.v = v
	b := v.b
	i := int(s.next - v.base)
	limit := int(min(stop-v.base, int64(len(b))))
	if !v.end && s.total < f.again {
		return
	}
	filter := (*[1 << (windowBits - 6)]uint64)(f.set.filter)
	full := min(limit, len(b)-3)
	for i < full {
		for i+8 <= len(b) && i+4 <= full {
			// Four windows of one load: most have no bit.
			w := binary.LittleEndian.Uint64(b[i:])
			h0, h1 := windowHash(uint32(w)), windowHash(uint32(w>>8))
			h2, h3 := windowHash(uint32(w>>16)), windowHash(uint32(w>>24))
			if (filter[h0>>6]>>(h0&63)|filter[h1>>6]>>(h1&63)|filter[h2>>6]>>(h2&63)|filter[h3>>6]>>(h3&63))&1 != 0 {
				break
			}
			i += 4
		}
		w, passes := uint32(0), false
		for end := min(i+4, full); i < end; i++ { // the first of them that has
			w = binary.LittleEndian.Uint32(b[i:])
			h := windowHash(w)
			if passes = filter[h>>6]>>(h&63)&1 != 0; passes {
				break
			}
		}
		if !passes {
			continue
		}
		moved, ok := f.hit(s, i, w)
		if !ok {
			s.next = v.base + int64(i)
			if n := len(b) - i; n > 64 {
				f.again = s.next + int64(min(n*3/2, maxBlock))
			}
			return
		}
		i += moved
	}
	// The last three bytes have no whole window: they are decided if no pattern has
	// one that begins so.
	for i < limit && !f.viable(i) {
		i++
	}
	s.next = v.base + int64(i)
}

// viable reports whether a window may begin at i, which is among the last three
// bytes.
func (f *patternFinder) viable(i int) bool {
	if f.v.end || len(f.v.b)-i > 3 {
		return false
	}
	return f.set.beginsWith(f.v.b[i:])
}

// hit tries the patterns that are identified by the four bytes at i. It returns
// how far to go on, and false where more bytes must come.
func (f *patternFinder) hit(s *stream, i int, w uint32) (int, bool) {
	list := f.set.known(w)
	if len(list) == 0 { // another one has the same hash
		return 1, true
	}
	if f.runs == nil {
		f.begin()
	}
	f.found, f.lookedTo, f.last = f.found[:0], f.valueTo, lastValue{}
	var first uint64
	eight := i+8 <= len(f.v.b)
	if eight {
		first = binary.LittleEndian.Uint64(f.v.b[i:])
	}
	for _, k := range list {
		if k == asMarkList {
			if n := f.marks.at(f.v.b, i, f.v.end); n != 0 {
				return n, n > 0
			}
			continue
		}
		p := f.set.patternAt(int(k))
		if eight && first&p.mask != p.value {
			continue
		}
		r := f.try(p, i, eight)
		if r.wait {
			return 0, false
		}
		if !r.ok {
			continue
		}
		rule := f.set.ruleAt(p.rule)
		switch f.accept(i, p, rule, r) {
		case waits:
			return 0, false
		case fails:
			continue
		}
		n := span{from: f.v.base + int64(r.from), to: f.v.base + int64(r.to), kind: rule.kind, rank: rule.rank}
		if r.more >= 0 {
			n.more = f.set.classes[r.more]
		}
		n.assigned = rule.ends == byValue
		f.found = append(f.found, n)
	}
	f.valueTo = f.lookedTo
	for _, n := range f.found {
		s.add(n)
		if f.edge = max(f.edge, n.to); n.assigned {
			f.coveredTo = max(f.coveredTo, n.to)
		}
	}
	if len(f.found) > 0 && len(s.spans) > 1 {
		s.settle(f.v, f.v.base+int64(i)-behindMost)
	}
	return 1, true
}

// accept decides whether the match of a pattern at i is a secret by its rule. It
// moves the end of a private key to where its block ends, and that of an assigned
// value to where its syntax ends.
func (f *patternFinder) accept(i int, p *pattern, rule *rule, r *result) outcome {
	secret := f.v.b[r.from:r.to]
	if rule.behind != nil && !f.behind(rule.behind, i) {
		return fails
	}
	if rule.block {
		if !bytes.Contains(secret, []byte("PRIVATE KEY")) {
			return fails
		}
		to, ok := f.blockEnd(r.to)
		switch {
		case !ok:
			return waits
		case to < 0:
			return fails
		}
		r.to = to
		return matches
	}
	switch {
	case len(secret) == 0, rule.ends != byValue && !rule.secret(secret), rule.ends != byValue && rule.drawn != 0 && drawn(longestWord(secret)) < rule.drawn:
		return fails
	case rule.ends == byValue && f.hopeless(rule, r.from):
		return fails
	case rule.rank == rankGeneric && f.isKeyID(r.from):
		return fails
	case rule.ends != byMatch:
		v, ok := f.valueAt(i, r.from)
		switch {
		case !ok:
			return waits
		case v.never:
			return fails
		case rule.ends == byValue && !rule.assigned(f.v.b[v.from:v.to], v):
			if v.word == 0 || v.word == v.to {
				return fails
			}
			v = f.weigh(value{from: v.from, to: v.word, tight: v.tight}) // the first word of a longer string
			if v.never || !rule.assigned(f.v.b[v.from:v.to], v) {
				return fails
			}
			r.from, r.to, r.more = v.from, v.to, -1
		case rule.ends == byValue:
			r.from, r.to, r.more = v.from, v.to, -1
		case v.to > r.to:
			r.to, r.more = v.to, -1
		}
		if v.long {
			r.more = f.set.solid
		}
	}
	clear, ok := f.clear(r.from, r.to, p.inside)
	switch {
	case !ok:
		return waits
	case !clear:
		return fails
	}
	return matches
}

// behind reports whether one of the texts is before i on its line, in the bytes that may be looked at.
func (f *patternFinder) behind(texts []string, i int) bool {
	line := f.v.b[max(0, i-lookBack):i]
	line = line[bytes.LastIndexByte(line, '\n')+1:]
	return slices.ContainsFunc(texts, func(text string) bool { return bytes.Contains(line, []byte(text)) })
}

// isLetter reports whether c is an ASCII letter.
func isLetter(c byte) bool { return lower(c)-'a' < 26 }

// clear is false for text that was redacted before: a secret that is nothing
// but placeholders, or begins or ends inside of one.
func (f *patternFinder) clear(from, to int, inside bool) (clear, ok bool) {
	b := f.v.b
	if inside {
		if in, ok := f.insideMark(from); in || !ok {
			return false, ok
		}
	}
	if bytes.IndexByte(b[from:to], '[') >= 0 {
		if in, ok := f.insideMark(to); in || !ok {
			return false, ok
		}
	} else if b[from] != '*' {
		return true, true
	}
	return !f.marks.all(b[from:to]), true
}

// insideMark reports whether a placeholder begins before i and ends behind it.
func (f *patternFinder) insideMark(i int) (inside, ok bool) {
	floor := max(0, i-len(markBegin)-maxName)
	k := bytes.LastIndexByte(f.v.b[floor:i], '[')
	if k < 0 {
		return false, true
	}
	n := f.marks.at(f.v.b, floor+k, f.v.end)
	return floor+k+n > i, n >= 0
}

// Bounds of a private key.
const (
	// maxBlock is how far behind its begin a private key may end.
	maxBlock = 16 << 10
	// minBlock is how many bytes of base64 it has at least.
	minBlock = 64
	// maxOther is how many lines in a row may look like none of a key.
	maxOther = 2
)

// blockEnd returns where the private key ends whose first line ends at i: at
// its last line, or where the lines no longer look like a key. It returns -1 if
// there is none, and false if more bytes must come. A line ends with a line end
// or with an escaped one.
func (f *patternFinder) blockEnd(i int) (end int, ok bool) {
	b := f.v.b
	last, body, other := i, 0, 0
	for at := i; ; {
		if at-i > maxBlock {
			break
		}
		run, best, dashes := 0, 0, 0
		k := at
		for ; k < len(b) && k-at < 1024; k++ {
			c := b[k]
			if c == 'B' && k-at >= 5 && begins(b[k-5:], "-----BEGIN") {
				break // another key
			}
			if c == '\n' || c == '\r' || c == '\\' && k+1 < len(b) && (b[k+1] == 'n' || b[k+1] == 'r') {
				break
			}
			if isWord(c) && c != '_' || c == '+' || c == '/' || c == '=' {
				run++
				best = max(best, run)
			} else {
				run = 0
			}
			if c == '-' {
				dashes++
			}
		}
		if k >= len(b) || k+1 >= len(b) && b[k] == '\\' {
			if !f.v.end {
				return 0, false
			}
		}
		line := b[at:min(k, len(b))]
		switch {
		case dashes >= 10 && endsKey(line):
			if body < minBlock {
				return -1, true
			}
			return at + keyEnd(line), true
		case best >= 16:
			body += best
			last, other = at+len(line), 0
		case len(line) > 0 && !header(line):
			other++
		}
		if other > maxOther || k >= len(b) || b[k] == 'B' {
			break
		}
		at = k + 1
		if b[k] == '\\' {
			at++
		}
	}
	if body < minBlock {
		return -1, true
	}
	return last, true
}

// begins reports whether b begins with s.
func begins(b []byte, s string) bool {
	return len(b) >= len(s) && string(b[:len(s)]) == s
}

// endsKey reports whether a line has "-----END" and "KEY".
func endsKey(line []byte) bool {
	return keyEnd(line) > 0
}

// keyEnd returns where the last line of a key ends in a line, 0 without one.
func keyEnd(line []byte) int {
	at := bytes.Index(line, []byte("-----END"))
	if at < 0 {
		return 0
	}
	key := bytes.Index(line[at:], []byte("KEY"))
	if key < 0 {
		return 0
	}
	dashes := bytes.Index(line[at+key:], []byte("-----"))
	if dashes < 0 {
		return 0
	}
	return at + key + dashes + len("-----")
}

// header reports whether a line is like "Proc-Type: 4,ENCRYPTED" (RFC 1421).
func header(line []byte) bool {
	at := bytes.IndexByte(line, ':')
	return at > 0 && at < 24 && bytes.IndexByte(line[:at], ' ') < 0
}
