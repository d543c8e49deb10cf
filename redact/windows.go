package redact

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// The index of patterns. Each pattern is identified by four neighbouring bytes
// with few possible values, the rarest in ordinary output. All values of all
// patterns are in a filter of 2^20 bits and, exactly, in a hash table.

// maxWindows is how many values the four bytes that identify a pattern may
// have.
const maxWindows = 2000

// rarest returns the place of the four bytes that are the rarest in text, and
// how many values they may have. Bytes before them are pending until they
// are received, so only bytes that a stream waits for may be before them.
func rarest(sets [][256]bool) (at, values int) {
	values = math.MaxInt
	lowest := math.Inf(1)
	rank := usually()
	var counts, sums [behindMost + 3]int // of the sets, as each is in four places
	for k := range min(len(sets), len(counts)) {
		for c, in := range &sets[k] {
			if in {
				counts[k]++
				sums[k] += rank[c]
			}
		}
	}
	for k := 0; k+4 <= len(sets) && k < behindMost; k++ {
		n, often := 1, 1.0
		for i := k; i < k+4; i++ {
			n *= max(1, counts[i])
			often *= float64(sums[i])
		}
		// The filter is for some hundred values, and not for thousands.
		if often *= 1 + float64(n)/1000; often < lowest && n <= maxWindows || values > maxWindows && n < values {
			at, values, lowest = k, n, often
		}
		for c, in := range &sets[k] {
			if in && !waitsBehind(byte(c)) {
				return at, values
			}
		}
	}
	return at, values
}

// usually has what usual returns for each byte.
var usually = sync.OnceValue(func() *[256]int {
	var all [256]int
	for c := range all {
		all[c] = usual(byte(c))
	}
	return &all
})

// usual returns how often a byte is in tool output, roughly, in thousandths.
func usual(c byte) int {
	const byRank = "etaoinsrlcdpumgfhbvywkxjqz"
	switch {
	case c-'a' < 26:
		return 70 - 66*strings.IndexByte(byRank, c)/25
	case c-'A' < 26:
		return 12 - 10*strings.IndexByte(byRank, lower(c))/25
	case c-'0' < 10:
		return 20
	case c == ' ' || c == '-':
		return 100
	case strings.IndexByte("/.:=_\n", c) >= 0:
		return 20
	}
	return 3
}

// waitsBehind reports whether a stream waits at its end for the bytes behind c,
// which may make it the begin of a secret.
func waitsBehind(c byte) bool { return isName(c) || c == '~' }

// windowBits is the size of the filter in bits, as a power of two.
const windowBits = 20

// windowHash is multiplicative hashing by the golden ratio (Knuth, volume 3,
// 6.4).
func windowHash(w uint32) uint32 { return w * 0x9E3779B1 >> (32 - windowBits) }

// index chooses the four bytes that identify each pattern.
func (p *Patterns) index() error {
	var problems []error
	lists := map[uint32][]uint16{}
	for i := range p.patterns {
		l := &p.patterns[i]
		sets := p.begin(l.steps)
		at, values := rarest(sets)
		if values > maxWindows {
			problems = append(problems, fmt.Errorf("%s: %w: %d values of the four bytes to know %s by", p.rules[l.rule].id, errUnsupported, values, p.rules[l.rule].expression))
			continue
		}
		l.back = at
		l.inside = l.mayBeginInside(p.classes)
		l.head(sets[at:])
		each(sets[at:at+4], 0, 0, func(w uint32) { lists[w] = append(lists[w], uint16(i)) })
	}
	mark := uint32('[') | 'r'<<8 | 'e'<<16 | 'd'<<24
	lists[mark] = append(lists[mark], asMarkList)
	p.lists = [][]uint16{nil}
	p.makeTable(len(lists))
	same := map[string]uint16{}
	for _, w := range slices.SortedFunc(maps.Keys(lists), func(a, b uint32) int { return cmp.Compare(bits.ReverseBytes32(a), bits.ReverseBytes32(b)) }) {
		key := fmt.Sprint(lists[w])
		if same[key] == 0 {
			same[key] = uint16(len(p.lists))
			p.lists = append(p.lists, lists[w])
		}
		p.addWindow(w, same[key])
	}
	return errors.Join(problems...)
}

// makeTable makes an empty table for n windows.
func (p *Patterns) makeTable(n int) {
	size := 1
	for size < 2*n {
		size *= 2
	}
	p.shift = 33 - bits.Len(uint(size))
	p.filter = make([]uint64, 1<<(windowBits-6))
	p.table, p.begins = make([]window, size), make([]uint32, 0, n)
}

// addWindow adds four bytes that identify the patterns of a list, in the order of their first bytes.
func (p *Patterns) addWindow(w uint32, list uint16) {
	h := windowHash(w)
	p.filter[h>>6] |= 1 << (h & 63)
	i := p.slot(w)
	for p.table[i].list != 0 {
		i = (i + 1) & (len(p.table) - 1)
	}
	p.table[i] = window{w, list}
	p.begins = append(p.begins, bits.ReverseBytes32(w))
}

// beginsWith reports whether a window begins with up to three bytes.
func (p *Patterns) beginsWith(b []byte) bool {
	least := uint32(0)
	for k, c := range b {
		least |= uint32(c) << (24 - 8*k)
	}
	at, _ := slices.BinarySearch(p.begins, least)
	return at < len(p.begins) && (p.begins[at]^least)>>(32-8*len(b)) == 0
}

// asMarkList is the begin of a placeholder in a list of patterns.
const asMarkList = math.MaxUint16

// slot returns where the search for four bytes begins in the table. The factor is the
// first one of MurmurHash3's finalizer, and not that of the filter, so that windows
// that collide there do not collide here.
func (p *Patterns) slot(w uint32) int {
	return int(w * 0x85EBCA6B >> p.shift)
}

// known returns the patterns that four bytes identify.
func (p *Patterns) known(w uint32) []uint16 { return p.lists[p.listOf(w)] }

// listOf returns the number of the list of four bytes, 0 without one.
func (p *Patterns) listOf(w uint32) uint16 {
	for i := p.slot(w); ; i = (i + 1) & (len(p.table) - 1) {
		if e := &p.table[i]; e.list == 0 || e.bytes == w {
			return e.list
		}
	}
}

// begin returns the classes of the bytes that every match begins with.
func (p *Patterns) begin(steps []step) (sets [][256]bool) {
	for k, s := range steps {
		switch s.op {
		case opText, opFold:
			for i := range len(s.text) {
				var set [256]bool
				set[s.text[i]] = true
				if s.op == opFold {
					set[upper(s.text[i])] = true
				}
				sets = append(sets, set)
			}
		case opClass:
			for range s.min {
				sets = append(sets, *p.classes[s.class])
			}
			if s.min != s.max {
				set := *p.classes[s.class]
				if next := p.begin(steps[k+1:]); len(next) > 0 {
					for c, in := range next[0] {
						set[c] = set[c] || in
					}
					sets = append(sets, set)
				}
				return sets
			}
		case opGap:
			var set [256]bool
			for c := range set {
				set[c] = isName(byte(c)) || quotes[c] || strings.IndexByte("=:>,?|", byte(c)) >= 0
			}
			return append(sets, set)
		case opAssign:
			return append(sets, assigns)
		case opStop:
			return sets
		}
	}
	return sets
}

// count returns the number of bytes of a set.
func count(set *[256]bool) (n int) {
	for _, in := range set {
		if in {
			n++
		}
	}
	return n
}

// each calls f for every value that the sets allow.
func each(sets [][256]bool, at int, w uint32, f func(uint32)) {
	if at == len(sets) {
		f(w)
		return
	}
	for c, in := range sets[at] {
		if in {
			each(sets, at+1, w|uint32(c)<<(8*at), f)
		}
	}
}
