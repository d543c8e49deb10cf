package redact

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
	"unsafe"
)

// The index of registered values. All encodings of all values are forms. A form
// is found by a filter over seven bytes, then by a table over its first eight,
// and then by a compressed tree (a radix tree) over the rest, so the number of
// values costs memory and hardly time.

// compiledValues finds forms by their first eight bytes, and follows a tree
// from there. It is immutable.
type compiledValues struct {
	kinds  kinds
	values int
	count  int
	text   int // bytes of the forms, which the labels of nodes are parts of

	filter []uint64 // bits, by a hash of seven of the first eight bytes
	shift  uint
	table  []entry // open addressing, by the same hash
	nodes  []node
	edges  []edge

	begins []uint64 // the first eight bytes of the forms, the first one the highest, sorted
}

// entry is one place of the table.
type entry struct {
	key  uint64
	root int32 // 0: free, asMark: the begin of a placeholder, else a node and 1
}

const asMark = -1

// node is a node of the tree of forms with the same first eight bytes.
type node struct {
	label string // the bytes to here, after the first byte of the edge
	kind  int32  // of the form that ends here, or -1
	edges int32  // in edges, sorted
	n     int32
}

// edge leads to a node by one byte.
type edge struct {
	first byte
	to    int32
}

const golden = 0x9E3779B97F4A7C15

// has is false if no form begins with eight bytes, and none behind the first of
// them: so asking for every second position of a text is enough.
func (c *compiledValues) has(key uint64) bool {
	h := key >> 8 * golden >> c.shift
	return c.filter[h>>6]>>(h&63)&1 != 0
}

// compile builds the index of forms.
func compile(forms []form, k kinds) *compiledValues {
	c := &compiledValues{kinds: k, values: len(k.names), count: len(forms)}
	slices.SortStableFunc(forms, func(a, b form) int { return strings.Compare(a.bytes, b.bytes) })
	forms = slices.CompactFunc(forms, func(a, b form) bool { return a.bytes == b.bytes })
	for _, f := range forms {
		c.text += len(f.bytes)
	}
	// Sixty-four bits for each of two, so that about one in sixty-four others passes.
	size := max(12, min(24, bits.Len(uint(len(forms)))+7))
	c.filter = make([]uint64, 1<<(size-6))
	c.shift = uint(64 - size)
	c.table = make([]entry, 1<<(bits.Len(uint(beginnings(forms)+1))+1))
	c.begins = make([]uint64, 0, len(forms)+1)
	c.put(key8([]byte(markBegin)), asMark)
	for i := 0; i < len(forms); {
		j := i
		for j < len(forms) && forms[j].bytes[:8] == forms[i].bytes[:8] {
			j++
		}
		c.put(key8([]byte(forms[i].bytes)), c.grow(forms[i:j], 8)+1)
		i = j
	}
	slices.Sort(c.begins)
	c.begins, c.nodes, c.edges = slices.Clip(c.begins), slices.Clip(c.nodes), slices.Clip(c.edges)
	return c
}

// size returns the memory of the index, in bytes.
func (c *compiledValues) size() int64 {
	n := len(c.filter)*8 + len(c.table)*int(unsafe.Sizeof(entry{})) + len(c.nodes)*int(unsafe.Sizeof(node{})) + len(c.edges)*int(unsafe.Sizeof(edge{})) + len(c.begins)*8
	return int64(n + c.text)
}

// mayBegin reports whether the first eight bytes of a form begin with the last n of a
// window.
func (c *compiledValues) mayBegin(window uint64, n int) bool {
	least := bits.ReverseBytes64(window >> (64 - 8*n))
	at, _ := slices.BinarySearch(c.begins, least)
	return at < len(c.begins) && (c.begins[at]^least)>>(64-8*n) == 0
}

// beginnings returns how many different first eight bytes sorted forms have.
func beginnings(forms []form) (n int) {
	for i := range forms {
		if i == 0 || forms[i].bytes[:8] != forms[i-1].bytes[:8] {
			n++
		}
	}
	return n
}

// key8 returns the first eight bytes of b as a number.
func key8(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// put adds the root for the first eight bytes of a form, or asMark.
func (c *compiledValues) put(key uint64, root int32) {
	c.begins = append(c.begins, bits.ReverseBytes64(key))
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

// slot returns where the search for a key begins in the table.
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

// child returns the node behind a byte, or -1.
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
