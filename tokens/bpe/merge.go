package bpe

// A merger cuts a piece into its tokens: again and again the two neighbours
// that make the token of the lowest rank become one, the leftmost of equals
// first, until no two neighbours make a token. Its memory is used again.
type merger struct {
	// tree is a tournament: a leaf for each byte at which a part begins, with
	// the rank of that part and the next one together and, below it, the place;
	// the least of each two is the node above them. The root is at 1.
	tree   []uint64
	leaves int
	next   []int32 // where the part that begins here ends
	prev   []int32 // where the part before the one that begins here begins
}

const nothing = ^uint64(0)

// few is up to how many bytes a piece is merged without the tournament: looking
// through all of them is faster.
const few = 32

// mergeFew is merge for two to few bytes.
func (t *table) mergeFew(text string, from, to int) int {
	var start [few + 1]int // of each part, and the end
	var rank [few]uint32   // of each part and the next one together
	n := to - from         // parts
	least, at := noRank, 0 // the lowest rank, and the part that has it
	for i := range n - 1 {
		start[i] = from + i
		r := t.pair(text, from+i)
		rank[i] = r
		if r < least {
			least, at = r, i
		}
	}
	start[n-1], start[n] = to-1, to
	for least != noRank {
		n--
		for i := at + 1; i < n; i++ {
			start[i], rank[i] = start[i+1], rank[i+1]
		}
		start[n] = to
		if at+1 < n {
			rank[at] = t.rank(text, start[at], start[at+2])
		}
		if at > 0 {
			rank[at-1] = t.rank(text, start[at-1], start[at+1])
		}
		least = noRank
		for i, r := range rank[:n-1] {
			if r < least {
				least, at = r, i
			}
		}
	}
	return n
}

// merge leaves the tokens of text[from:to] in m.next, as places from its start,
// and returns how many there are. The text beyond is not looked at, but there to
// be loaded.
func (m *merger) merge(t *table, text string, from, to int) int {
	size := int32(to - from)
	m.reset(t, text, from, to)
	parts := int(size)
	for m.tree[1] != nothing {
		i := int32(uint32(m.tree[1]))
		middle := m.next[i]
		end := m.next[middle]
		m.next[i] = end
		m.set(middle, nothing)
		if end < size {
			m.prev[end] = i
			m.set(i, leaf(t.rank(text, from+int(i), from+int(m.next[end])), i))
		} else {
			m.set(i, nothing)
		}
		if i > 0 {
			m.set(m.prev[i], leaf(t.rank(text, from+int(m.prev[i]), from+int(end)), m.prev[i]))
		}
		parts--
	}
	return parts
}

// reset makes every byte a part.
func (m *merger) reset(t *table, text string, from, to int) {
	size := to - from
	m.leaves = 1
	for m.leaves < size {
		m.leaves *= 2
	}
	if len(m.tree) < 2*m.leaves {
		m.tree = make([]uint64, 2*m.leaves)
		m.next = make([]int32, m.leaves)
		m.prev = make([]int32, m.leaves)
	}
	for i := range int32(size) {
		m.next[i], m.prev[i] = i+1, i-1
	}
	leaves := m.tree[m.leaves : 2*m.leaves]
	for i := range leaves {
		leaves[i] = nothing
		if i+2 <= size {
			leaves[i] = leaf(t.pair(text, from+i), int32(i))
		}
	}
	for i := m.leaves - 1; i > 0; i-- {
		m.tree[i] = min(m.tree[2*i], m.tree[2*i+1])
	}
}

// leaf is that of a part at a place, which has a rank together with the next one.
func leaf(rank uint32, place int32) uint64 {
	if rank == noRank {
		return nothing
	}
	return uint64(rank)<<32 | uint64(place)
}

// set changes a leaf, and what is above it.
func (m *merger) set(place int32, leaf uint64) {
	i := m.leaves + int(place)
	m.tree[i] = leaf
	for i > 1 {
		i /= 2
		least := min(m.tree[2*i], m.tree[2*i+1])
		if m.tree[i] == least {
			break
		}
		m.tree[i] = least
	}
}
