package redact

import (
	"encoding/binary"
	"math/bits"
)

// The first stream: registered values. A value may be wrapped by line ends and
// terminal sequences, which are stepped over; those are rare, so runs of bytes
// without them take a fast path (straight), and only the positions around them
// are assembled byte by byte (around).

// maxSpan is how far a value may reach, with the bytes that are stepped over.
const maxSpan = 24 << 10

// valueFinder finds registered values in a stream.
type valueFinder struct {
	set   *compiledValues
	marks *marks
	again int64 // length of the stream before which a search is in vain
	ahead bool  // matches are ahead of positions that are not decided
}

// mayBegin is false: no value is found later that begins with decided bytes.
func (f *valueFinder) mayBegin(byte) bool { return false }

// find decides the positions from s.next to stop, or as many as the bytes
// allow.
func (f *valueFinder) find(s *stream, v view, stop int64) {
	if !v.end && s.total < f.again {
		return
	}
	b := v.b
	i := int(s.next - v.base)
	limit := int(min(stop-v.base, int64(len(b))))
	q := -1
	for i < limit {
		if q < i {
			q = nextStep(b, i)
		}
		var ok bool
		if i, ok = f.straight(s, v, i, min(limit, q-7), len(b), v.end); !ok {
			break
		}
		if i >= limit {
			break
		}
		if i+8 <= q {
			continue // behind a placeholder
		}
		if next, step := f.seam(v, q); step > 0 && i <= q && next <= limit {
			i, q = next, step
			continue
		}
		if i, ok = f.around(s, v, i, limit); !ok {
			break
		}
	}
	s.next = v.base + int64(i)
	if n := len(b) - i; n > 64 {
		// What waits for more is looked at again when there is a good part more.
		f.again = s.next + int64(min(n*3/2, maxSpan))
	}
}

// nextStep returns where the next byte that may be stepped over is.
func nextStep(b []byte, i int) int {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		low := (w - 0x20*ones) &^ w & high // bytes below 0x20, and perhaps some behind one
		for ; low != 0; low &= low - 1 {
			k := i + bits.TrailingZeros64(low)/8
			if stepped[b[k]] {
				return k
			}
		}
	}
	for ; i < len(b); i++ {
		if stepped[b[i]] {
			return i
		}
	}
	return len(b)
}

// straight decides the positions from i to stop, with seven more bytes behind
// each that are not stepped over. The bytes end at n. It returns where it
// stopped, and false where more bytes must come.
func (f *valueFinder) straight(s *stream, v view, i, stop, n int, end bool) (int, bool) {
	filter, shift := f.set.filter, f.set.shift
	b := v.b[:n]
	for i < stop {
		for i+8 <= stop {
			t := b[i : i+14 : i+14]
			h0 := binary.LittleEndian.Uint64(t) >> 8 * golden >> shift
			h1 := binary.LittleEndian.Uint64(t[2:]) >> 8 * golden >> shift
			h2 := binary.LittleEndian.Uint64(t[4:]) >> 8 * golden >> shift
			h3 := binary.LittleEndian.Uint64(t[6:]) >> 8 * golden >> shift
			if (filter[h0>>6]>>(h0&63)|filter[h1>>6]>>(h1&63)|filter[h2>>6]>>(h2&63)|filter[h3>>6]>>(h3&63))&1 != 0 {
				break
			}
			i += 8
		}
		for k := i + 8; i < k && i < stop; i++ {
			key := key8(b[i:])
			if !f.set.has(key) || f.set.root(key) == 0 {
				continue
			}
			moved, ok := f.hit(s, view{b, v.base, end}, i, i+8, key)
			if !ok {
				return i, false
			}
			if moved > 0 {
				return i + moved, true
			}
		}
	}
	return i, true
}

// seam looks at the positions before the byte at q that is stepped over, where
// eight bytes follow in a row. If no form can begin there, it returns where
// they begin, and the next byte that may be stepped over; otherwise 0, 0.
func (f *valueFinder) seam(v view, q int) (next, step int) {
	b := v.b
	j := q
	for j < len(b) && stepped[b[j]] {
		n := skip(b, j, v.end, f.marks)
		if n <= 0 || n > 8+3 {
			return 0, 0
		}
		j += n
	}
	if q < 8 || j+8 > len(b) {
		return 0, 0
	}
	if step = nextStep(b, j); step < j+8 {
		return 0, 0
	}
	before, behind := key8(b[q-8:]), key8(b[j:])
	for k := 8; k < 64; k += 16 {
		if f.set.has(before>>k | behind<<(64-k)) {
			return 0, 0
		}
	}
	return j, step
}

// around decides positions whose eight bytes are not in a row.
func (f *valueFinder) around(s *stream, v view, i, limit int) (int, bool) {
	var at [8]int // of the last eight bytes
	var window uint64
	seen := 0
	step := i // behind the last byte that may be stepped over
	for j := i; j < len(v.b); {
		if stepped[v.b[j]] {
			n := skip(v.b, j, v.end, f.marks)
			if n < 0 {
				return f.viable(window, &at, seen, j), false
			}
			if n > 0 {
				if n > 8+3 {
					// What a sequence carries is text too: titles, links.
					f.inside(s, v, j+2, j+n)
				}
				j += n
				step = j
				continue
			}
			step = j + 1
		}
		window = window>>8 | uint64(v.b[j])<<56
		at[seen&7] = j
		seen++
		j++
		if seen < 8 {
			continue
		}
		from := at[seen&7]
		if from >= limit {
			return from, true
		}
		if f.set.has(window) && j-from <= maxSpan {
			moved, ok := f.hit(s, v, from, j, window)
			if !ok {
				return from, false
			}
			if moved > 0 {
				return from + moved, true
			}
		}
		if from >= step && j-from == 8 {
			return from + 1, true
		}
	}
	if v.end {
		return len(v.b), true
	}
	return f.viable(window, &at, seen, len(v.b)), false
}

// viable returns the first of the last positions, with less than eight bytes
// behind each, where a form may begin. The stream waits there.
func (f *valueFinder) viable(window uint64, at *[8]int, seen, none int) int {
	for k := min(seen, 7); k > 0; k-- {
		from := at[(seen-k)&7]
		if f.set.mayBegin(window, k) && none-from <= maxSpan {
			return from
		}
	}
	return none
}

// inside looks for values in the text of a terminal sequence, such as a title.
func (f *valueFinder) inside(s *stream, v view, from, to int) {
	f.ahead = true
	defer func() { f.ahead = false }()
	for i := from; i <= to-8; {
		i, _ = f.straight(s, v, i, to-7, to, true)
	}
}

// hit looks closer at i, whose first eight bytes end at j. It returns how many
// bytes of a placeholder to step over, and false where more bytes must come.
func (f *valueFinder) hit(s *stream, v view, i, j int, key uint64) (int, bool) {
	root := f.set.root(key)
	switch root {
	case 0:
		return 0, true
	case asMark:
		n := f.marks.at(v.b, i, v.end)
		return max(n, 0), n >= 0
	}
	end, kind, ok := f.walk(v, i, j, root-1)
	if !ok {
		return 0, false
	}
	if kind >= 0 {
		s.add(span{from: v.base + int64(i), to: v.base + int64(end), kind: int(kind)})
		if !f.ahead && len(s.spans) > 1 {
			s.settle(v, v.base+int64(i))
		}
	}
	return 0, true
}

// walk follows the tree over the bytes from j on. It returns the end and the
// kind of the longest form, kind -1 without one.
func (f *valueFinder) walk(v view, i, j int, at int32) (end int, kind int32, ok bool) {
	c := f.set
	kind = -1
	for {
		n := &c.nodes[at]
		for k := 0; k < len(n.label); {
			if j >= len(v.b) {
				return end, kind, v.end
			}
			if v.b[j] == n.label[k] {
				j++
				k++
				continue
			}
			moved := f.over(v, i, j)
			if moved <= 0 {
				return end, kind, moved == 0
			}
			j += moved
		}
		if n.kind >= 0 {
			cut, ok := f.cutsMark(v, i, j)
			if !ok {
				return end, kind, false
			}
			if !cut {
				end, kind = j, n.kind
			}
		}
		if n.n == 0 {
			return end, kind, true
		}
		for {
			if j >= len(v.b) {
				return end, kind, v.end
			}
			if next := c.child(n, v.b[j]); next >= 0 {
				at = next
				j++
				break
			}
			moved := f.over(v, i, j)
			if moved <= 0 {
				return end, kind, moved == 0
			}
			j += moved
		}
	}
}

// over returns how many bytes at j are stepped over inside of a form that
// begins at i: 0 where it ends, negative where more bytes must come.
func (f *valueFinder) over(v view, i, j int) int {
	if !stepped[v.b[j]] || j-i > maxSpan {
		return 0
	}
	return skip(v.b, j, v.end, f.marks)
}

// cutsMark reports whether a placeholder begins in the last bytes before end
// and does not end there.
func (f *valueFinder) cutsMark(v view, from, end int) (cut, ok bool) {
	for k := max(from, end-len(markBegin)); k < end; k++ {
		if v.b[k] == '[' {
			n := f.marks.at(v.b, k, v.end)
			if n < 0 {
				return false, false
			}
			if k+n > end {
				return true, true
			}
		}
	}
	return false, true
}
