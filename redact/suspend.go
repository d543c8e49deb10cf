package redact

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
)

// A live log may be written by several calls, and the end of one may be in the middle of
// a registered value. Suspend masks what is there of it, and Prime goes on with it.

// certain is how many bytes of a registered value are masked where a stream is suspended behind
// them; of a shorter form it is half of the form.
const certain = 8

// Suspend ends the stream as Flush does, and masks the beginning of a registered value at its end if that has
// eight bytes or half of the value. It returns this beginning as it was received, for Prime; nil without one.
// It is for streams with SameLength.
func (r *Redactor) Suspend() (rest [][]byte, begun []byte) {
	for _, s := range r.stages {
		f, ok := s.finder.(*valueFinder)
		if !ok {
			continue
		}
		waiting := s.undecided()
		if at, kind := f.beginning(waiting); kind >= 0 {
			begun = bytes.Clone(waiting[at:])
			s.add(span{from: s.total - int64(len(begun)), to: s.total, kind: int(kind)})
		}
	}
	return r.Flush(), begun
}

// beginning returns where a text ends with the beginning of a form, and the kind of the form; kind -1 without one.
func (f *valueFinder) beginning(text []byte) (at int, kind int32) {
	shown, places := f.shown(text)
	for i := range shown {
		if kind, length := f.set.begunBy(shown[i:]); kind >= 0 && len(shown)-i >= min(certain, (length+1)/2) {
			return places[i], kind
		}
	}
	return 0, -1
}

// shown returns a text without the bytes that are stepped over, and the place of each byte. The beginning of
// a sequence at the end of the text counts as a sequence.
func (f *valueFinder) shown(text []byte) (shown []byte, places []int) {
	for i := 0; i < len(text); {
		n := skip(text, i, false, f.marks)
		if n < 0 {
			break
		}
		if n == 0 {
			shown, places = append(shown, text[i]), append(places, i)
		}
		i += max(n, 1)
	}
	return shown, places
}

// begunBy returns the kind and the length of the shortest form that begins with all of a text and goes on, kind -1
// without one.
func (c *compiledValues) begunBy(text []byte) (kind int32, length int) {
	kind, length = -1, math.MaxInt
	if len(text) >= 8 {
		if root := c.root(key8(text)); root > 0 {
			return c.goesOn(root-1, text[8:], 8)
		}
		return kind, length
	}
	for _, key := range c.beginningWith(text) {
		if root := c.root(key); root > 0 {
			if k, n := c.shortest(root-1, 8); n < length {
				kind, length = k, n
			}
		}
	}
	return kind, length
}

// beginningWith returns the first eight bytes of the forms that begin with a text of fewer.
func (c *compiledValues) beginningWith(text []byte) (keys []uint64) {
	var least [8]byte
	copy(least[:], text)
	first := bits.ReverseBytes64(key8(least[:]))
	at, _ := slices.BinarySearch(c.begins, first)
	for ; at < len(c.begins) && (c.begins[at]^first)>>(64-8*len(text)) == 0; at++ {
		keys = append(keys, bits.ReverseBytes64(c.begins[at]))
	}
	return keys
}

// goesOn follows a text from a node on, behind depth bytes, and returns the shortest form behind its end.
func (c *compiledValues) goesOn(at int32, text []byte, depth int) (kind int32, length int) {
	for {
		n := &c.nodes[at]
		common := min(len(n.label), len(text))
		if n.label[:common] != string(text[:common]) {
			return -1, math.MaxInt
		}
		if common == len(text) {
			return c.shortest(at, depth)
		}
		depth, text = depth+common, text[common:]
		if at = c.child(n, text[0]); at < 0 {
			return -1, math.MaxInt
		}
		depth, text = depth+1, text[1:]
	}
}

// shortest returns the kind and the length of the shortest form below a node, whose label begins behind depth bytes.
func (c *compiledValues) shortest(at int32, depth int) (kind int32, length int) {
	n := &c.nodes[at]
	depth += len(n.label)
	if n.kind >= 0 {
		return n.kind, depth
	}
	kind, length = -1, math.MaxInt
	for _, e := range c.edges[n.edges : n.edges+n.n] {
		if k, l := c.shortest(e.to, depth+1); l < length {
			kind, length = k, l
		}
	}
	return kind, length
}
