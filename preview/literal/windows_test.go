package literal

import (
	"math/bits"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The multiplier lets few windows of the sample through: no earlier one is as good, and no later one was needed.
func TestMultiplierLetsTheLeastThrough(t *testing.T) {
	for _, literals := range [][]string{{"error", "fail", "warning"}, {"the thing", "compiling", "tests", "from"}, {"zqxj"}} {
		s, err := New(literals)
		if err != nil {
			t.Fatal(err)
		}
		windows := choose(s.literals, usual())
		passing := func(f *filter) (n int) {
			for _, w := range usual().windows {
				if f.has(w, f.multiplier) {
					n++
				}
			}
			return n
		}
		best, limit := passing(&s.filter), len(usual().windows)/fewPassing
		for k := range uint32(multipliers) {
			var f filter
			f.fill(windows, 0x9E3779B1*(2*k+1)<<3)
			n := passing(&f)
			if f.multiplier == s.filter.multiplier {
				if n < limit {
					break // good enough: the search ended here
				}
				continue
			}
			if n < best {
				t.Errorf("%q: multiplier %d lets %d through, the chosen one %d", literals, k, n, best)
			}
		}
	}
}

// count has a simpler form.
func TestCountIsOfARange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Uint32Range(0, 20), 0, 40).Draw(t, "list")
		slices.Sort(list)
		from := rapid.Uint32Range(0, 20).Draw(t, "from")
		to := rapid.Uint32Range(from, 21).Draw(t, "to")
		want := 0
		for _, v := range list {
			if v >= from && v <= to {
				want++
			}
		}
		if got := count(list, from, to); got != want {
			t.Fatalf("%d of %v are from %d to %d, want %d", got, list, from, to, want)
		}
	})
}

// A window sets a bit for each of its values, and of a byte that may be anything one value in four or eight: letters are folded,
// and the last byte is in the index with five bits.
func TestFreeByteCostsAWord(t *testing.T) {
	for offset, want := range map[int]int{0: 1, -1: 128, 1: 32} {
		var f filter
		f.fill([]window{cut("word", 0, offset)}, 8*uint32(0x1E3779B1))
		n := 0
		for _, w := range f.words {
			n += bits.OnesCount32(w)
		}
		if n > want || n == 0 {
			t.Errorf("the window at %d sets %d bits, at most %d", offset, n, want)
		}
	}
}

// Letters match in any case, and the bytes beside them do not.
func TestOnlyLettersMatchInAnyCase(t *testing.T) {
	for _, c := range []byte("@AZ[`az{ \x00\xc1\xe1") { // those at the bounds of the letters, and with a bit more
		l := strings.Repeat(string([]byte{c}), 4)
		s, err := New([]string{l})
		if err != nil {
			t.Fatal(err)
		}
		for d := range 256 {
			lower := byte(d) | 0x20
			want := int(c) == d || c|0x20 == lower && lower >= 'a' && lower <= 'z'
			if at, _ := s.Next([]byte{byte(d), byte(d), byte(d), byte(d)}, 0); (at == 0) != want {
				t.Errorf("%q in a text of %q: %d", l, byte(d), at)
			}
			if at, _ := s.Next(slices.Repeat([]byte{byte(d)}, 12), 0); (at == 0) != want {
				t.Errorf("%q in a long text of %q: %d", l, byte(d), at)
			}
		}
	}
}
