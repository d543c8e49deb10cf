package redact

import (
	"bytes"
	"cmp"
	"slices"
)

// Options are what is redacted, and how. The zero Options redact nothing.
type Options struct {
	Values   *Values   // nil: none
	Patterns *Patterns // nil: none
	// SameLength keeps every byte at its offset, for logs that only grow: a
	// placeholder is filled up with asterisks to the length of what it replaces,
	// and is nothing but asterisks if that is shorter than itself.
	SameLength bool
}

// Count is the redacted amount of a kind.
type Count struct {
	Kind    string
	Matches int64 // placeholders
	Bytes   int64 // that they replace
}

// Redactor redacts one stream. It is not safe for concurrent use.
type Redactor struct {
	stages []*stream
	parts  [2][][]byte
	small  []byte
}

// New returns a Redactor at the beginning of a stream.
func New(o Options) *Redactor {
	r := &Redactor{}
	m := &marks{}
	if o.Values != nil && o.Values.c != nil {
		m.values = &o.Values.c.kinds
	}
	if o.Patterns != nil {
		m.patterns = &o.Patterns.kinds
	}
	if m.values != nil && o.Values.c.count > 0 {
		r.stages = append(r.stages, newStream(&valueFinder{set: o.Values.c, marks: m}, m.values, o.SameLength))
	}
	if m.patterns != nil {
		r.stages = append(r.stages, newStream(newPatternFinder(o.Patterns, m, o.SameLength), m.patterns, o.SameLength))
	}
	return r
}

// smallPart is the size below which parts are put together before they are
// looked at: each costs some work of its own.
const smallPart = 4 << 10

// Write takes the next bytes of the stream and returns those that are ready.
// The result may alias the input, and is valid until the next call.
func (r *Redactor) Write(parts [][]byte) [][]byte { return r.run(parts, false) }

// Flush ends the stream and returns the rest.
func (r *Redactor) Flush() [][]byte { return r.run(nil, true) }

// run takes parts through the stages, the last ones of the stream if it ends.
func (r *Redactor) run(parts [][]byte, ends bool) [][]byte {
	for k, s := range r.stages {
		if len(parts) > 1 {
			parts = r.join(k, parts)
		}
		s.begin()
		for _, p := range parts {
			s.write(p, false)
		}
		if ends {
			s.write(nil, true)
		}
		parts = s.out
	}
	return parts
}

// join copies runs of small parts together.
func (r *Redactor) join(stage int, parts [][]byte) [][]byte {
	out := r.parts[stage][:0]
	if stage == 0 {
		r.small = r.small[:0]
	}
	from := -1 // where the run begins in small
	for _, p := range parts {
		if len(p) >= smallPart {
			from = -1
			out = append(out, p)
			continue
		}
		if from < 0 || cap(r.small)-len(r.small) < len(p) {
			if cap(r.small)-len(r.small) < len(p) {
				r.small = make([]byte, 0, max(64<<10, len(p))) // the old one stays with those who refer to it
			}
			from = len(r.small)
			out = append(out, nil)
		}
		r.small = append(r.small, p...)
		out[len(out)-1] = r.small[from:]
	}
	r.parts[stage] = out
	return out
}

// Found returns the amounts that were redacted so far, sorted by kind; nil if
// nothing was.
func (r *Redactor) Found() []Count {
	byKind := map[string]Count{}
	for _, s := range r.stages {
		for kind, c := range s.counts {
			if c.Matches > 0 {
				sum := byKind[s.kinds.names[kind]]
				byKind[s.kinds.names[kind]] = Count{s.kinds.names[kind], sum.Matches + c.Matches, sum.Bytes + c.Bytes}
			}
		}
	}
	var found []Count
	for _, c := range byKind {
		found = append(found, c)
	}
	slices.SortFunc(found, func(a, b Count) int { return cmp.Compare(a.Kind, b.Kind) })
	return found
}

// Text redacts a whole text. It returns b itself, and nil, when nothing was
// found.
func Text(o Options, b []byte) ([]byte, []Count) {
	if len(b) < MinValue {
		return b, nil // no value and no pattern is so short
	}
	r := New(o)
	defer r.free()
	var out bytes.Buffer
	for _, s := range r.stages {
		s.write(b, true)
		found := slices.ContainsFunc(s.counts, func(c Count) bool { return c.Matches > 0 })
		if !found {
			continue // it is b
		}
		out = bytes.Buffer{}
		for _, p := range s.out {
			out.Write(p)
		}
		b = out.Bytes()
	}
	return b, r.Found()
}

// free gives memory back that another Redactor can use.
func (r *Redactor) free() {
	for _, s := range r.stages {
		if f, ok := s.finder.(*patternFinder); ok && f.runs != nil {
			f.set.runs.Put(&f.runs)
		}
	}
}
