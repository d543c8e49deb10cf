package journal

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// Whatever the entries are, they are read from a sealed file as they were appended, with and without a dictionary.
func TestSealedContents(t *testing.T) {
	t.Parallel()
	noise := func(n int) []byte {
		random := rand.New(rand.NewPCG(3, uint64(n)))
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		return b
	}
	text := func(i int) []byte { return []byte(output(rand.New(rand.NewPCG(4, uint64(i))), 300+i%2000)) }
	for name, content := range map[string]func(i int) []byte{
		"text":            text,
		"noise":           func(i int) []byte { return noise(3000 + i) },
		"zeros":           func(int) []byte { return make([]byte, 3000) },
		"one byte":        func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, 3000) },
		"the same":        func(int) []byte { return bytes.Repeat([]byte("the same line\n"), 300) },
		"empty":           func(int) []byte { return nil },
		"short":           func(i int) []byte { return fmt.Append(nil, i) },
		"lines of a byte": func(int) []byte { return bytes.Repeat([]byte("a\nb\n"), 800) },
		"without lines":   func(i int) []byte { return bytes.ReplaceAll(text(i), []byte("\n"), []byte(" ")) },
		"text and noise": func(i int) []byte {
			if i%2 == 0 {
				return noise(2000 + i)
			}
			return text(i)
		},
		"one large": func(i int) []byte {
			if i == 100 {
				return bytes.Repeat(text(i), 300)
			}
			return text(i)
		},
		"small and large": func(i int) []byte { return bytes.Repeat(text(i), 1+i%40) },
		"zstd":            func(i int) []byte { return append([]byte{0x28, 0xb5, 0x2f, 0xfd}, noise(i%3000)...) },
		"marks":           func(int) []byte { return bytes.Repeat(skip(nil, markFrame, markSize), 200) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := openTest(t, Options{disk: newSimDisk(), SegmentSize: 4 << 20})
			var want []string
			for i := range 400 {
				b := content(i)
				want = append(want, string(b))
				add(t, j, Records, string(b))
			}
			if err := j.Rotate(t.Context()); err != nil {
				t.Fatal(err)
			}
			wantStream(t, j, Records, 1, want...)
		})
	}
}
