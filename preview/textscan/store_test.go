package textscan

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What was evicted is moved away before it is more than what may stay, so a store of any number of lines is bounded.
func TestStoreIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s LineStore
		window, most, longest := rapid.IntRange(1, 50).Draw(t, "window"), rapid.IntRange(1, 9).Draw(t, "most"), 0
		for range rapid.IntRange(0, 300).Draw(t, "lines") {
			n := rapid.IntRange(0, 20).Draw(t, "length")
			longest = max(longest, n)
			s.Push(Line{}, []byte(strings.Repeat("x", n)))
			s.Evict(window, most)
			if s.first > 2*most || s.begin(s.first) > 4*window {
				t.Fatalf("%d lines of %d bytes are evicted and not moved", s.first, s.begin(s.first))
			}
			if len(s.kept) > 3*most+1 || len(s.buf) > 5*window+longest {
				t.Fatalf("%d lines, %d bytes", len(s.kept), len(s.buf))
			}
		}
	})
	var lines, bytes LineStore // at the bound, and one behind it
	for i := range 6 {
		if bytes.Push(Line{}, []byte("four")); i < 3 {
			lines.Push(Line{}, nil)
		}
	}
	if lines.Evict(0, 1); lines.first != 2 {
		t.Errorf("%d lines are left to move, want 2", lines.first)
	}
	if lines.Push(Line{}, nil); lines.Len() != 2 {
		t.Errorf("%d lines", lines.Len())
	}
	if lines.Evict(0, 1); lines.first != 0 || lines.Len() != 1 {
		t.Errorf("%d lines are left to move of %d", lines.first, lines.Len())
	}
	if bytes.Evict(5, 9); bytes.first != 4 || bytes.TextBytes() != 8 {
		t.Errorf("%d lines are evicted, %d bytes stay", bytes.first, bytes.TextBytes())
	}
	if bytes.Evict(4, 9); bytes.first != 0 || bytes.TextBytes() != 4 {
		t.Errorf("%d lines are left to move, %d bytes stay", bytes.first, bytes.TextBytes())
	}
}

// A line as long as the window is whole; of a longer one the two halves of the window stay.
func TestLineOfAWindowIsWhole(t *testing.T) {
	for n := range 14 { // as long as the window, odd or even
		var b LineBuilder
		b.Write([]byte(strings.Repeat("x", n)), n)
		if l := b.Finish(n, int64(n)); l.Skipped != 0 || l.Split != n {
			t.Errorf("a line of a window of %d bytes: %+v", n, l)
		}
	}
	for _, c := range []struct {
		length, split int
		skipped       int64
	}{{9, 9, 0}, {10, 10, 0}, {11, 5, 1}, {20, 5, 10}, {21, 5, 11}, {1000, 5, 990}} {
		text := strings.Repeat("x", c.length)
		for _, size := range []int{1, 5, 6, c.length} {
			var b LineBuilder
			for at := 0; at < len(text); at += size {
				b.Write([]byte(text[at:min(len(text), at+size)]), 10)
				if len(b.buf) > 20 {
					t.Fatalf("the builder holds %d bytes", len(b.buf))
				}
			}
			if l := b.Finish(10, int64(c.length)); l.Split != c.split || l.Skipped != c.skipped || int64(len(b.Text()))+l.Skipped != int64(c.length) || l.Newline {
				t.Errorf("%d bytes in writes of %d: %+v with %q", c.length, size, l, b.Text())
			}
		}
	}
}

// Between gives no empty slices: a caller may look at the first byte.
func TestBetweenGivesNoEmptySlices(t *testing.T) {
	parts := [][]byte{[]byte("ab"), nil, []byte("cd"), []byte("e")}
	for from := range 6 {
		for to := from; to <= 5; to++ {
			n := 0
			for p := range Between(parts, from, to) {
				if n += len(p); len(p) == 0 {
					t.Errorf("an empty slice from %d to %d", from, to)
				}
			}
			if n != to-from {
				t.Errorf("%d bytes from %d to %d", n, from, to)
			}
		}
	}
}
