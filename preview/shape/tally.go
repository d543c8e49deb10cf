package shape

import "math/bits"

// tally counts hashes. It is a table with open addressing: a map of Go costs three times as much for keys that are
// hashes already.
type tally[H uint32 | uint64] struct {
	hashes []H
	counts []int32 // 0: the place is free
}

// newTally returns a tally for up to n hashes that differ.
func newTally[H uint32 | uint64](n int) tally[H] {
	size := 1 << bits.Len(uint(2*n))
	return tally[H]{make([]H, size), make([]int32, size)}
}

// place returns where a hash is, or where it has its place.
func (t *tally[H]) place(h H) int {
	mask := uint64(len(t.hashes) - 1)
	for at := spread(uint64(h)) & mask; ; at = (at + 1) & mask {
		if t.counts[at] == 0 || t.hashes[at] == h {
			return int(at)
		}
	}
}

// add counts a hash once more, at its place.
func (t *tally[H]) add(at int, h H) { t.hashes[at], t.counts[at] = h, t.counts[at]+1 }

// count counts a hash once more, and returns how often it was counted before.
func (t *tally[H]) count(h H) int32 {
	at := t.place(h)
	before := t.counts[at]
	t.add(at, h)
	return before
}

// of returns how often a hash was counted.
func (t *tally[H]) of(h H) int32 { return t.counts[t.place(h)] }

// spread brings the higher bits of a hash, which differ more, to the lower ones.
func spread(h uint64) uint64 { return h ^ h>>15 ^ h>>32 }
