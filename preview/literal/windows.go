package literal

import (
	"cmp"
	"math"
	"slices"
	"sync"
)

const (
	deepest     = 8  // the largest offset of a literal's first window
	multipliers = 16 // how many are tried
	// fewPassing ends the search for a multiplier: it lets one in fewPassing windows
	// of the sample through, or fewer.
	fewPassing = 1000
)

// window is four bytes of a literal, or three with one that may be anything.
type window struct {
	literal, offset int
	bytes, free     uint32 // free has 0xff for a byte that may be anything
}

// prepare chooses the windows and the multiplier that let the least of the
// sample through, and fills the tables.
func (s *Set) prepare() {
	usual := usual()
	windows := choose(s.literals, usual)
	best, lowest := uint32(0), len(usual.windows)+1
	for k := range uint32(multipliers) {
		// Three zero bits below: five bits of the window's last byte reach the
		// index, so one that may be anything costs 32 bits and not 128.
		multiplier := 0x9E3779B1 * (2*k + 1) << 3
		s.filter.fill(windows, multiplier)
		passing := 0
		for _, w := range usual.windows {
			if s.filter.has(w, multiplier) {
				passing++
			}
		}
		if passing < lowest {
			best, lowest = multiplier, passing
		}
		if lowest < len(usual.windows)/fewPassing {
			break
		}
	}
	s.filter.fill(windows, best)
	s.index(windows)
}

// fill sets the bits of windows.
func (f *filter) fill(windows []window, multiplier uint32) {
	*f = filter{multiplier: multiplier}
	for _, w := range windows {
		for v := w.free; ; v = (v - 1) & w.free {
			f.add((w.bytes | v) | fold)
			if v == 0 {
				break
			}
		}
	}
}

// index sorts the windows into buckets.
func (s *Set) index(windows []window) {
	slices.SortStableFunc(windows, func(a, b window) int { return cmp.Compare(bucket(a.bytes|fold), bucket(b.bytes|fold)) })
	for _, w := range windows {
		c := candidate{literal: uint16(w.literal), offset: int16(w.offset), length: int16(len(s.literals[w.literal]))}
		l := s.literals[w.literal]
		for i := range min(len(l), 8) {
			mask := uint64(0xff)
			if l[i]-'a' < 26 {
				mask = 0xff &^ 0x20
			}
			c.value |= uint64(l[i]) << (8 * i)
			c.mask |= mask << (8 * i)
		}
		s.candidates = append(s.candidates, c)
		s.buckets[bucket(w.bytes|fold)+1] = uint16(len(s.candidates))
	}
	for i := range s.candidates {
		c := &s.candidates[i]
		c.look = int16(look(s.literals[c.literal], s.literals, windows))
	}
	for i := range s.buckets[1:] {
		s.buckets[i+1] = max(s.buckets[i+1], s.buckets[i])
	}
}

// look returns how far behind the begin of a literal a probe may find another
// one that begins no later and fits: "failures" may be known by its "ures".
func look(l string, literals []string, windows []window) (far int) {
	for _, w := range windows {
		m := literals[w.literal]
		for d := 0; w.offset-d > far; d++ { // a window begins in its literal
			n := min(len(m)-d, len(l))
			if m[d:d+n] == l[:n] && (d > 0 || len(m) > len(l)) {
				far = w.offset - d
			}
		}
	}
	return far
}

// choose returns two neighbouring windows of each literal: one of them falls
// on a probe, wherever the literal is.
func choose(literals []string, usual *frequencies) []window {
	common := func(w window) float64 {
		n, marks := 0, 1
		switch k := w.bytes | fold&^w.free; w.free {
		case 0:
			n = count(usual.windows, k, k)
		case 0xff:
			n, marks = count(usual.windows, k, k|0xff), 128
		default:
			n, marks = count(usual.first, k<<8, k<<8), 32
		}
		return float64(n)/float64(len(usual.windows)) + float64(marks)/(32<<wordBits)
	}
	var chosen []window
	for i, l := range literals {
		var best [2]window
		lowest := math.Inf(1)
		for offset := -1; offset <= min(len(l)-4, deepest); offset++ {
			pair := [2]window{cut(l, i, offset), cut(l, i, offset+1)}
			if price := common(pair[0]) + common(pair[1]); price < lowest {
				best, lowest = pair, price
			}
		}
		chosen = append(chosen, best[:]...)
	}
	return chosen
}

// cut returns the window at an offset of a literal.
func cut(l string, literal, offset int) window {
	w := window{literal: literal, offset: offset}
	for k := range 4 {
		if i := offset + k; i < 0 || i >= len(l) {
			w.free |= 0xff << (8 * k)
		} else {
			w.bytes |= uint32(l[i]) << (8 * k)
		}
	}
	return w
}

// frequencies are the windows of the sample, folded and sorted, and the first
// three bytes of each, as the high bytes.
type frequencies struct{ windows, first []uint32 }

// usual is the same for every Set.
var usual = sync.OnceValue(func() *frequencies {
	b := []byte(sample)
	f := &frequencies{make([]uint32, len(b)-3), make([]uint32, len(b)-3)}
	for i := range f.windows {
		f.windows[i] = load(b, i)
		f.first[i] = f.windows[i] << 8
	}
	slices.Sort(f.windows)
	slices.Sort(f.first)
	return f
})

// count returns how many values of a sorted list are in a range.
func count(list []uint32, from, to uint32) int {
	first, _ := slices.BinarySearch(list, from)
	n, _ := slices.BinarySearchFunc(list[first:], to, func(v, to uint32) int {
		if v <= to {
			return -1
		}
		return 1
	})
	return n
}
