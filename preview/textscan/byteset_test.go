package textscan_test

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/preview/textscan"
)

// A set trims as package bytes does.
func TestByteSetTrimsAsPackageBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chars := rapid.StringOfN(rapid.SampledFrom([]rune(" \t\r09a:")), 0, 5, -1).Draw(t, "chars")
		text := []byte(rapid.StringOf(rapid.SampledFrom([]rune(" \t\r09a:bé\n"))).Draw(t, "text"))
		s := textscan.NewByteSet(chars)
		for name, got := range map[string][2][]byte{
			"left": {s.TrimLeft(text), bytes.TrimLeft(text, chars)}, "right": {s.TrimRight(text), bytes.TrimRight(text, chars)},
			"both": {s.Trim(text), bytes.Trim(text, chars)},
		} {
			if !bytes.Equal(got[0], got[1]) {
				t.Fatalf("%s of %q by %q is %q, want %q", name, text, chars, got[0], got[1])
			}
		}
	})
}
