package shape

// numbering gives hashes numbers from 0, in the order in which they come. It is a table with open addressing: a map of Go
// costs three times as much for keys that are hashes already. The zero numbering has none.
type numbering[H uint32 | uint64] struct {
	places []place[H] // a power of two of them
	used   int        // of the places
}

// place is one place of a numbering.
type place[H uint32 | uint64] struct {
	hash   H
	number uint32 // from 1; 0: the place is free
}

// leastPlaces is how many places a numbering has at least.
const leastPlaces = 1 << 9

// reset takes all numbers back. The memory stays, unless it is of an unusually large payload.
func (n *numbering[H]) reset() {
	const most = 1 << 15
	if n.used = 0; len(n.places) == 0 || len(n.places) > most {
		n.places = make([]place[H], leastPlaces)
		return
	}
	clear(n.places)
}

// of returns the number of a hash, which is a new one if the hash has none.
func (n *numbering[H]) of(h H) uint32 {
	p := n.find(h)
	if p.number > 0 {
		return p.number - 1
	}
	n.used++
	*p = place[H]{h, uint32(n.used)}
	if number := p.number - 1; 2*n.used < len(n.places) {
		return number
	}
	before := n.places
	n.places = make([]place[H], 2*len(before))
	for _, p := range before {
		if p.number > 0 {
			*n.find(p.hash) = p
		}
	}
	return uint32(n.used) - 1
}

// find returns where a hash is, or where it has its place.
func (n *numbering[H]) find(h H) *place[H] {
	mask := uint64(len(n.places) - 1)
	for at := spread(uint64(h)) & mask; ; at = (at + 1) & mask {
		if p := &n.places[at]; p.number == 0 || p.hash == h {
			return p
		}
	}
}

// spread brings the higher bits of a hash, which differ more, to the lower ones.
func spread(h uint64) uint64 { return h ^ h>>15 ^ h>>32 }
