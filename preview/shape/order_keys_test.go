package shape

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The order by numbers is the order by comparisons.
func TestOrderByNumbersIsOrderByComparisons(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := make([]Ranked, rapid.IntRange(0, 40).Draw(t, "lines"))
		worth := rapid.SampledFrom([]points{farWorth, math.MinInt32 + 1, -300, -1, 0, 1, 2, 500, math.MaxInt32})
		for i := range list {
			list[i].Score, list[i].worth = rapid.IntRange(NeverShown, 110).Draw(t, "score"), worth.Draw(t, "worth")
			if rapid.IntRange(0, 99).Draw(t, "turns") == 0 {
				list[i].turn = 1
			}
		}
		if got, want := Order(list), orderByCompare(list); !slices.Equal(got, want) {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}

// Hashes have numbers in the order in which they come, however many there are.
func TestNumbering(t *testing.T) {
	var n numbering[uint32]
	for range 3 {
		n.reset()
		known := map[uint32]uint32{}
		rapid.Check(t, func(t *rapid.T) {
			h := rapid.Uint32Range(0, 1<<14).Draw(t, "hash") << rapid.SampledFrom([]int{0, 15}).Draw(t, "shift")
			want, ok := known[h]
			if !ok {
				want = uint32(len(known))
				known[h] = want
			}
			if got := n.of(h); got != want {
				t.Fatalf("%d has number %d, want %d", h, got, want)
			}
		})
	}
}
