package redact

import "bytes"

// A reader of a live log waits for what its program wrote last, which may look like
// the beginning of a secret. Release shows it, and the stream goes on with it as
// context: what is behind is still masked when it turns out to be the rest of a secret.

// minBegun is how many bytes of a value or a token are its beginning; fewer are any
// text. A word of minWord bytes may be the beginning of a token that is known by its
// middle.
const (
	minBegun = 4
	minWord  = 12
)

// Release returns the bytes that wait for more and are not the beginning of a secret:
// fewer than four bytes of a value or a token, or the prompt of a program. If patience
// is over, the beginnings of patterns are released too; those of values never are.
// The result is valid until the next call.
func (r *Redactor) Release(patienceOver bool) [][]byte {
	var parts [][]byte
	for _, s := range r.stages {
		s.begin()
		for _, p := range parts {
			s.write(p, false)
		}
		if rest := s.rest(); len(rest) > 0 && len(s.spans) == 0 && (!s.finder.begun(s) || patienceOver && s.finder.mayRelease()) {
			s.release()
		}
		parts = s.out
	}
	return parts
}

// release emits what waits as if the stream ended, and goes on.
func (s *stream) release() {
	c := s.clone()
	c.write(nil, true)
	for _, p := range c.out {
		s.out = append(s.out, bytes.Clone(p))
	}
	s.counts, s.emitted, s.outEnd = c.counts, s.total, -1
}

// Prime gives the redactor the end of a text that was shown before, as context for
// what follows. A secret that was masked at its very end goes on to the next white
// space or quote. begun is what Suspend returned at this end: its mask goes on as the
// value does.
func (r *Redactor) Prime(shown, begun []byte) {
	before := shown[:max(0, len(shown)-len(begun))]
	for _, s := range r.stages {
		s.begin()
		s.write(before, false)
		s.write(begun, false)
		s.spans, s.emitted = nil, s.total
		if f, ok := s.finder.(*patternFinder); ok && maskedAtEnd(shown) > len(begun) {
			f.set.prepare()
			s.spans = []span{{from: s.total, to: s.total, more: f.set.classes[f.set.unquoted]}}
		}
		s.keep(s.pending, s.pendingAt)
		s.begin()
		clear(s.counts)
	}
}

// maskedAtEnd returns the length of the placeholder or the asterisks that a text ends with, 0 without.
func maskedAtEnd(text []byte) int {
	bare := bytes.TrimRight(text, "*")
	if at := bytes.LastIndexByte(bare, '['); at >= 0 && bytes.HasSuffix(bare, []byte("]")) && Placeholder().Match(bare[at:]) {
		return len(text) - at
	}
	if n := len(text) - len(bare); n >= len("****") {
		return n
	}
	return 0
}

// begun reports whether at least four bytes of a value wait for the rest.
func (f *valueFinder) begun(s *stream) bool { return len(strip(s.undecided())) >= minBegun }

// mayRelease is false: registered values are certain to be secrets.
func (f *valueFinder) mayRelease() bool { return false }

// begun reports whether a pattern waits for the rest of its match, and more than a
// name and its operator is there.
func (f *patternFinder) begun(s *stream) bool {
	return (len(s.undecided()) >= minBegun || len(s.rest()) >= minWord) && !f.isPrompt(s.rest())
}

// mayRelease is true: what a pattern waits for often is none.
func (f *patternFinder) mayRelease() bool { return true }

// undecided returns the bytes that the finder waits with.
func (s *stream) undecided() []byte { return s.pending[max(s.next, s.pendingAt)-s.pendingAt:] }
