package bpe

import "math/bits"

// noRank is the rank of what is no token. It is higher than every rank.
const noRank = ^uint32(0)

// A table finds the rank of a token. Both of its halves are open-addressed with
// linear probing, at most 62 % full.
type table struct {
	longest int             // bytes of the longest token
	pairs   [1 << 16]uint32 // ranks of the tokens of two bytes, the first of which is the lower

	// Tokens of up to eight bytes, keyed by the bytes themselves. An empty slot
	// has the key 0, which no token has: those that end in a zero byte are long.
	keys  []uint64
	ranks []uint32
	shift int // of a product, to have an index of keys

	// The others: each slot has half of the hash of a token and its place among
	// them from 1, and 0 when it is empty.
	slots     []uint64
	longShift int
	long      []longToken
	bytes     []byte // of the long tokens, one after the other
}

type longToken struct{ rank, from, to uint32 }

// factor spreads the bits of a key: 2^64 over the golden ratio.
const factor = 0x9E3779B97F4A7C15

// newTable returns a table for n tokens. None may be longer than longest.
func newTable(short, long, longest int) *table {
	t := &table{longest: longest}
	for i := range t.pairs {
		t.pairs[i] = noRank
	}
	t.shift = 64 - slotBits(short)
	t.keys = make([]uint64, 1<<(64-t.shift))
	t.ranks = make([]uint32, len(t.keys))
	t.longShift = 64 - slotBits(long)
	t.slots = make([]uint64, 1<<(64-t.longShift))
	t.long = make([]longToken, 0, long)
	return t
}

// slotBits is the size of a table, as a power of two, for n tokens.
func slotBits(n int) int { return bits.Len(uint(n + n/2 + n/8)) }

// add enters a token.
func (t *table) add(token string, rank uint32) {
	if len(token) == 2 {
		t.pairs[uint16(token[0])|uint16(token[1])<<8] = rank
	}
	if len(token) > 8 || token[len(token)-1] == 0 {
		t.addLong(token, rank)
		return
	}
	key := keyOf(token, 0, len(token))
	i := key * factor >> t.shift
	for t.keys[i] != 0 {
		i = (i + 1) & uint64(len(t.keys)-1)
	}
	t.keys[i], t.ranks[i] = key, rank
}

func (t *table) addLong(token string, rank uint32) {
	from := uint32(len(t.bytes))
	t.bytes = append(t.bytes, token...)
	t.long = append(t.long, longToken{rank, from, from + uint32(len(token))})
	h := hash(token, 0, len(token))
	i := h >> t.longShift
	for t.slots[i] != 0 {
		i = (i + 1) & uint64(len(t.slots)-1)
	}
	t.slots[i] = h<<32 | uint64(len(t.long))
}

// rank returns the rank of text[from:to], or noRank.
func (t *table) rank(text string, from, to int) uint32 {
	if to-from <= 8 && text[to-1] != 0 {
		return t.short(keyOf(text, from, to))
	}
	return t.longRank(text, from, to)
}

// pair returns the rank of the two bytes from i on.
func (t *table) pair(text string, i int) uint32 {
	return t.pairs[uint16(text[i])|uint16(text[i+1])<<8]
}

// short returns the rank of the token with a key.
func (t *table) short(key uint64) uint32 {
	keys := t.keys
	for i := key * factor >> t.shift; ; i++ {
		i &= uint64(len(keys) - 1)
		switch keys[i] {
		case key:
			return t.ranks[i]
		case 0:
			return noRank
		}
	}
}

func (t *table) longRank(text string, from, to int) uint32 {
	if to-from > t.longest {
		return noRank
	}
	h := hash(text, from, to)
	for i := h >> t.longShift; t.slots[i] != 0; i = (i + 1) & uint64(len(t.slots)-1) {
		slot := t.slots[i]
		if slot>>32 != h&(1<<32-1) {
			continue
		}
		if l := &t.long[uint32(slot)-1]; string(t.bytes[l.from:l.to]) == text[from:to] {
			return l.rank
		}
	}
	return noRank
}

// keyOf is text[from:to], of up to eight bytes, as a number: the first byte is the
// lowest.
func keyOf(text string, from, to int) uint64 {
	if from+8 <= len(text) {
		return load(text, from) & (1<<(8*(to-from)) - 1)
	}
	var key uint64
	for i := to - 1; i >= from; i-- {
		key = key<<8 | uint64(text[i])
	}
	return key
}

// load returns the eight bytes from i on; the compiler makes one load of it.
func load(text string, i int) uint64 {
	s := text[i : i+8]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// hash is that of text[from:to]. Its high bits are the best.
func hash(text string, from, to int) uint64 {
	h := uint64(to - from)
	for ; to-from > 8; from += 8 {
		h = (h ^ load(text, from)) * factor
		h ^= h >> 29
	}
	return (h ^ keyOf(text, from, to)) * factor
}
