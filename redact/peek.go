package redact

import (
	"bytes"
	"slices"
)

// Snapshots and live logs read a stream that goes on. Peek shows its undecided
// rest, masked where a secret may have begun; Pending gives the rest as it was
// received, as long as nothing was found.

// Any reports whether anything was found so far, including the beginning of a
// secret that is not out yet.
func (r *Redactor) Any() bool {
	for _, s := range r.stages {
		if len(s.spans) > 0 {
			return true
		}
		for _, c := range s.counts {
			if c.Matches > 0 {
				return true
			}
		}
	}
	return false
}

// Pending returns the received bytes that are not out yet, unchanged, as long as
// Any is false. It is valid until the next call of another method.
func (r *Redactor) Pending() []byte {
	var pending []byte
	for i := len(r.stages) - 1; i >= 0; i-- { // a later stage holds earlier bytes
		rest := r.stages[i].rest()
		if len(pending) == 0 {
			pending = rest[:len(rest):len(rest)]
			continue
		}
		pending = append(pending, rest...)
	}
	return pending
}

// Waiting returns the number of received bytes that are not out yet.
// Placeholders of one stage count as bytes of the next.
func (r *Redactor) Waiting() (n int64) {
	for _, s := range r.stages {
		n += s.total - s.emitted
	}
	return n
}

// rest returns the bytes that are not out yet. The bytes of a found secret that
// may go on are not kept.
func (s *stream) rest() []byte { return s.pending[max(s.emitted, s.pendingAt)-s.pendingAt:] }

// Peek returns what Flush would return if the stream ended here, and goes on.
// The beginning of a possible secret is masked by asterisks, because the rest
// may come. The result is the caller's.
func (r *Redactor) Peek() []byte {
	end := &Redactor{stages: make([]*stream, len(r.stages))}
	for i, s := range r.stages {
		c := s.clone()
		if c.open = c.emitted; s.finder.isPrompt(s.rest()) {
			c.open = openNowhere
		}
		end.stages[i] = c
	}
	var rest []byte
	for _, p := range end.Flush() {
		rest = append(rest, p...)
	}
	return rest
}

// clone returns a stream in the same state that shares nothing with s.
func (s *stream) clone() *stream {
	c := *s
	c.finder = s.finder.clone()
	c.spans, c.pending, c.counts = slices.Clone(s.spans), slices.Clone(s.pending), slices.Clone(s.counts)
	c.spare, c.lent, c.out, c.outView = nil, nil, nil, nil
	return &c
}

// isPrompt is false: a value may have any byte.
func (f *valueFinder) isPrompt([]byte) bool { return false }

// maxQuestion is the length of the longest prompt, in bytes.
const maxQuestion = 80

// isPrompt reports whether undecided text is the prompt of a program that waits
// for an answer, such as "password: ": the name of a secret, and nothing of it
// yet.
func (f *patternFinder) isPrompt(b []byte) bool {
	return len(b) > 0 && len(b) <= maxQuestion && bytes.IndexByte([]byte(" :?"), b[len(b)-1]) >= 0 && !bytes.ContainsAny(b, "\n-0123456789")
}

// clone returns a finder in the same state.
func (f *valueFinder) clone() finder {
	c := *f
	return &c
}

// clone returns a finder in the same state.
func (f *patternFinder) clone() finder {
	c := *f
	c.found, c.runs = slices.Clone(f.found), slices.Clone(f.runs)
	return &c
}
