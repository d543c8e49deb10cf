package record

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestCompressIsReversible(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := slices.Repeat(rapid.SliceOfN(rapid.Byte(), 1, 40).Draw(t, "bytes"), rapid.IntRange(1, 100).Draw(t, "times"))
		if slices.Equal(b[:min(4, len(b))], zstdMagic) {
			t.Skip("no payload begins like this")
		}
		c := Compress(b)
		got, err := decompress(c)
		if !slices.Equal(got, b) || len(c) > len(b) || err != nil {
			t.Fatalf("%d bytes, compressed %d, are %d again, %v", len(b), len(c), len(got), err)
		}
		if len(b) >= 2000 && len(c) > len(b)/4 || len(b) < minCompressed && !slices.Equal(c, b) {
			t.Fatalf("%d bytes are stored as %d", len(b), len(c))
		}
	})
	random := make([]byte, 4*minCompressed) // does not get smaller
	_, _ = rand.NewChaCha8([32]byte{1}).Read(random)
	if got := Compress(random); !slices.Equal(got, random) {
		t.Errorf("%d random bytes are stored as %d", len(random), len(got))
	}
	if got := Compress([]byte{}); got != nil {
		t.Errorf("nothing is stored as %q", got)
	}
}

func TestDecompressIsBounded(t *testing.T) {
	t.Parallel()
	if _, err := decompress(Compress(make([]byte, maxRecord+1))); err == nil {
		t.Error("more than a record is read")
	}
}
