package bpe_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/tokens/bpe"
)

// TestLongPieces holds windows against merging the whole piece at once.
func TestLongPieces(t *testing.T) {
	alphabet := rapid.SampledFrom([]string{
		"a", "ab", "abcd", "-", "-=", " ", "中", "日本語漢字", "🚀", "🚀😀", "\n", "é", "etaoinshrdlu", "ACGT",
	})
	for _, s := range subjects(t) {
		rapid.Check(t, func(t *rapid.T) {
			of := []rune(alphabet.Draw(t, "alphabet"))
			n := rapid.IntRange(1, 3*bpe.Window).Draw(t, "characters")
			random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
			var b strings.Builder
			for range n {
				b.WriteRune(of[random.IntN(len(of))])
			}
			piece := b.String()
			_, want := s.MergePiece(piece)
			if got := s.MergeLong(piece); got != want {
				t.Fatalf("%s: %d bytes of %q have %d tokens in windows, want %d", s.name, len(piece), string(of), got, want)
			}
			// Smaller windows, that often do not meet: when they do, the count is right.
			size := rapid.IntRange(512, 700).Draw(t, "window")
			if got, met := s.MergeWindows(piece, size); met && got != want {
				t.Fatalf("%s: %d tokens in windows of %d bytes, want %d", s.name, got, size, want)
			}
		})
	}
}

// TestWindowsThatDoNotMeet merges pieces that are decided from their end: windows
// that are too small for them must notice.
func TestWindowsThatDoNotMeet(t *testing.T) {
	missed := 0
	for _, s := range subjects(t) {
		walk := descending(&s)
		t.Logf("%s: a walk of %d letters", s.name, len(walk))
		for shift := range len(walk) / 2 {
			piece := strings.Repeat(walk[shift:], 1+2*bpe.Window/len(walk))
			_, want := s.MergePiece(piece)
			for size := 80; size <= bpe.Window; size += size / 3 {
				got, met := s.MergeWindows(piece, size)
				if !met {
					missed++
				} else if got != want {
					t.Errorf("%s: %q has %d tokens in windows of %d bytes, want %d", s.name, piece, got, size, want)
				}
			}
			if got := s.MergeLong(piece); got != want {
				t.Errorf("%s: %q has %d tokens, want %d", s.name, piece, got, want)
			}
		}
	}
	if missed == 0 {
		t.Error("all windows met, so nothing was tested")
	}
	t.Logf("%d times windows did not meet", missed)
}

// descending returns the longest walk over letters in which each pair has a lower
// rank than the one before it: the pair at its end is merged first, then the one
// before, and so on to its beginning.
func descending(s *subject) string {
	type edge struct {
		from, to byte
		rank     int
	}
	const letters = "abcdefghijklmnopqrstuvwxyz"
	var edges []edge
	for _, from := range []byte(letters) {
		for _, to := range []byte(letters) {
			if rank, ok := s.Rank(string([]byte{from, to})); ok {
				edges = append(edges, edge{from, to, rank})
			}
		}
	}
	slices.SortFunc(edges, func(a, b edge) int { return cmp.Compare(a.rank, b.rank) })
	var longest [256]string // that begins with a letter, over the edges so far
	for _, e := range edges {
		if on := longest[e.to]; len(on) >= len(longest[e.from]) {
			longest[e.from] = string([]byte{e.from}) + max(on, string([]byte{e.to}))
		}
	}
	return slices.MaxFunc(longest[:], func(a, b string) int { return cmp.Compare(len(a), len(b)) })
}
