package redact

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
)

// maxSpan is how far a value may reach, with what is stepped over inside.
const maxSpan = 24 << 10

// compiledValues finds forms by their first eight bytes, and follows a tree from there.
type compiledValues struct {
	kinds  kinds
	values int
	count  int

	filter []uint64 // bits, by a hash of seven of the first eight bytes
	shift  uint
	table  []entry // open addressing, by the same hash
	nodes  []node
	edges  []edge

	begins [MinValue]map[uint64]struct{} // the first 1 to 7 bytes of the forms
}

type entry struct {
	key  uint64
	root int32 // 0: free, asMark: the begin of a placeholder, else a node and 1
}

const asMark = -1

type node struct {
	label string // the bytes to here, after the first byte of the edge
	kind  int32  // of the form that ends here, or -1
	edges int32  // in edges, sorted
	n     int32
}

type edge struct {
	first byte
	to    int32
}

const golden = 0x9E3779B97F4A7C15

// has is false if no form begins with eight bytes, and none behind the first of
// them: so every second position of a text is enough to ask for.
func (c *compiledValues) has(key uint64) bool {
	h := key >> 8 * golden >> c.shift
	return c.filter[h>>6]>>(h&63)&1 != 0
}

func compile(forms []form, k kinds) *compiledValues {
	c := &compiledValues{kinds: k, values: len(k.names), count: len(forms)}
	slices.SortStableFunc(forms, func(a, b form) int { return strings.Compare(a.bytes, b.bytes) })
	forms = slices.CompactFunc(forms, func(a, b form) bool { return a.bytes == b.bytes })
	// Sixty-four bits for each of two, so that about one in sixty-four others passes.
	size := max(15, min(24, bits.Len(uint(len(forms)))+7))
	c.filter = make([]uint64, 1<<(size-6))
	c.shift = uint(64 - size)
	c.table = make([]entry, 1<<(bits.Len(uint(len(forms)+1))+1))
	for k := 1; k < MinValue; k++ {
		c.begins[k] = map[uint64]struct{}{}
	}
	c.put(key8([]byte(markBegin)), asMark)
	for i := 0; i < len(forms); {
		j := i
		for j < len(forms) && forms[j].bytes[:8] == forms[i].bytes[:8] {
			j++
		}
		c.put(key8([]byte(forms[i].bytes)), c.grow(forms[i:j], 8)+1)
		i = j
	}
	return c
}

func key8(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

func (c *compiledValues) put(key uint64, root int32) {
	for k := 1; k < MinValue; k++ {
		c.begins[k][key<<(64-8*k)>>(64-8*k)] = struct{}{}
	}
	for _, seven := range [2]uint64{key >> 8, key << 8 >> 8} {
		h := seven * golden >> c.shift
		c.filter[h>>6] |= 1 << (h & 63)
	}
	for i := c.slot(key); ; i = (i + 1) % len(c.table) {
		if c.table[i].root == 0 {
			c.table[i] = entry{key, root}
			return
		}
	}
}

func (c *compiledValues) slot(key uint64) int {
	return int(key * golden >> (64 - bits.Len(uint(len(c.table)-1))))
}

// root returns the root for the first eight bytes, 0 without one.
func (c *compiledValues) root(key uint64) int32 {
	for i := c.slot(key); ; i = (i + 1) % len(c.table) {
		if e := &c.table[i]; e.key == key || e.root == 0 {
			return e.root
		}
	}
}

// grow makes the node for sorted forms that agree in their first bytes.
func (c *compiledValues) grow(forms []form, from int) int32 {
	first, last := forms[0].bytes, forms[len(forms)-1].bytes
	to := from
	for to < len(first) && to < len(last) && first[to] == last[to] {
		to++
	}
	at := int32(len(c.nodes))
	c.nodes = append(c.nodes, node{label: first[from:to], kind: -1})
	if len(first) == to {
		c.nodes[at].kind = int32(forms[0].kind)
		forms = forms[1:]
	}
	var list []edge
	for i := 0; i < len(forms); {
		j := i
		for j < len(forms) && forms[j].bytes[to] == forms[i].bytes[to] {
			j++
		}
		list = append(list, edge{forms[i].bytes[to], c.grow(forms[i:j], to+1)})
		i = j
	}
	c.nodes[at].edges, c.nodes[at].n = int32(len(c.edges)), int32(len(list))
	c.edges = append(c.edges, list...)
	return at
}

func (c *compiledValues) child(n *node, b byte) int32 {
	list := c.edges[n.edges : n.edges+n.n]
	if len(list) <= 8 {
		for i := range list {
			if list[i].first == b {
				return list[i].to
			}
		}
		return -1
	}
	if i, ok := slices.BinarySearchFunc(list, b, func(e edge, b byte) int { return cmp.Compare(e.first, b) }); ok {
		return list[i].to
	}
	return -1
}

// valueFinder finds registered values in a stream.
type valueFinder struct {
	set   *compiledValues
	marks *marks
	again int64 // not before the stream has so many bytes
}

func (f *valueFinder) behind(byte) bool { return false }

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
			if steps[b[k]] {
				return k
			}
		}
	}
	for ; i < len(b); i++ {
		if steps[b[i]] {
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
// eight bytes follow in a row. If no form can begin there, it returns where they
// begin, and the next byte that may be stepped over; otherwise 0, 0.
func (f *valueFinder) seam(v view, q int) (next, step int) {
	b := v.b
	j := q
	for j < len(b) && steps[b[j]] {
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

// around decides positions whose eight bytes do not stand in a row.
func (f *valueFinder) around(s *stream, v view, i, limit int) (int, bool) {
	var at [8]int // of the last eight bytes
	var window uint64
	seen := 0
	step := i // behind the last byte that may be stepped over
	for j := i; j < len(v.b); {
		if steps[v.b[j]] {
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
// behind each, where a form may begin.
func (f *valueFinder) viable(window uint64, at *[8]int, seen, none int) int {
	for k := min(seen, 7); k > 0; k-- {
		from := at[(seen-k)&7]
		if _, ok := f.set.begins[k][window>>(64-8*k)]; ok && none-from <= maxSpan {
			return from
		}
	}
	return none
}

func (f *valueFinder) inside(s *stream, v view, from, to int) {
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

// over returns how many bytes at j are stepped over inside of what begins at i: 0 where
// it ends, negative where more bytes must come.
func (f *valueFinder) over(v view, i, j int) int {
	if !steps[v.b[j]] || j-i > maxSpan {
		return 0
	}
	return skip(v.b, j, v.end, f.marks)
}

// cutsMark is true if a placeholder begins in the last bytes before end and does
// not end there.
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
