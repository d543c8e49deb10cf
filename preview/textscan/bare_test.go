package textscan

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// Every invisible character is found by the first byte of its encoding.
func TestLeadsOfInvisibleCharacters(t *testing.T) {
	var want [256]bool
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if invisibleClass(r) != classNone {
			want[string(r)[0]] = true
		}
	}
	if want != hiddenLeads {
		t.Errorf("%v, want %v", hiddenLeads, want)
	}
}

// hiddenPieces are what a reader does not see.
var hiddenPieces = []string{
	"\x1b[31m", "\x1b[0m", "\x1b[m", "\x1b[38;5;196;1m", "\x1b[2K", "\x1b[1G", "\x1b]8;;http://error.example/FAIL\x1b\\", "\x1b]0;panic: title\a", "\x1bPq\x1b\\",
	"\x1b(B", "\x1bc", "\u200b", "\ufeff", "\u00ad", "\u2060", "\u202e", "\U000e0041", "\u180e", "\ufe0f",
}

// What is hidden goes, and all else stays, wherever it is and however much of it there is.
func TestBareTextIsWhatIsLeft(t *testing.T) {
	visible := []string{"word ", "é", "漢字", "✗ ", "│", "“quoted”", "\t", "plain text of some length, over eight bytes", "a", "\xff", "[31m", "]8;;", "Ωμέγα"}
	rapid.Check(t, func(t *rapid.T) {
		var line, want strings.Builder
		first := -1
		for range rapid.IntRange(0, 30).Draw(t, "pieces") {
			if rapid.Bool().Draw(t, "hidden") {
				if first < 0 {
					first = line.Len()
				}
				line.WriteString(rapid.SampledFrom(hiddenPieces).Draw(t, "piece"))
				continue
			}
			piece := rapid.SampledFrom(visible).Draw(t, "text")
			line.WriteString(piece)
			want.WriteString(piece)
		}
		if got := NextHidden([]byte(line.String()), 0); got != first {
			t.Fatalf("%q: the first is at %d, want %d", line.String(), got, first)
		}
		if got := string(Bare([]byte(line.String()))); got != want.String() {
			t.Fatalf("%q is %q, want %q", line.String(), got, want.String())
		}
	})
}

// A sequence that does not end hides no more than itself.
func TestBareTextOfTornSequences(t *testing.T) {
	for text, want := range map[string]string{
		"a\x1b[31mb": "ab", "\x1b": "", "a\x1b[": "a", "a\x1b[1": "a", "a\x1bcb": "ab", "\x1b[1m": "", "a\x1b[1;2Kb\x1b[0m": "ab", "plain": "plain",
		"\x1b\x1b[1mx": "x", "\x1b]0;error": "0;error", "\x1b(": "", "\x1béx": "éx", "\x1b]x\x1b[1my": "xy", "": "", "\xe2\x80": "\xe2\x80",
	} {
		if got := string(Bare([]byte(text))); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	for c := range 256 {
		ends := string(Bare([]byte("a\x1b[1"+string([]byte{byte(c)})+"b"))) == "ab"
		if want := c >= '@' && c <= '~'; ends != want {
			t.Errorf("%q ends a sequence: %v", byte(c), ends)
		}
	}
}

// FuzzBare finds hidden characters where a look at every character does.
func FuzzBare(f *testing.F) {
	f.Add([]byte(strings.Join(hiddenPieces, "1234567")))
	f.Fuzz(func(t *testing.T, text []byte) {
		want := -1
		for i, r := range string(text) {
			if r == escape || invisibleClass(r) != classNone {
				want = i
				break
			}
		}
		if got := NextHidden(text, 0); got != want {
			t.Fatalf("%q: %d, want %d", text, got, want)
		}
		before := slices.Clone(text)
		if bare := Bare(text); len(bare) > len(text) || !slices.Equal(before, text) {
			t.Fatalf("%q becomes %q", before, bare)
		}
	})
}
