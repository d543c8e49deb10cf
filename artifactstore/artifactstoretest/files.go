package artifactstoretest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
)

// stageTakesParts writes parts of any number and size.
func stageTakesParts(t *testing.T, s artifactstore.Store) {
	rapid.Check(t, func(r *rapid.T) {
		st, err := s.Stage(t.Context())
		if err != nil {
			r.Fatal(err)
		}
		defer func() { _ = st.Discard() }()
		var want []byte
		for range rapid.IntRange(0, 4).Draw(r, "writes") {
			sizes := rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, 700, 16 << 10, 70_000}), 0, 6).Draw(r, "sizes")
			if rapid.IntRange(0, 9).Draw(r, "many") == 0 {
				sizes = make([]int, 2500)
				for i := range sizes {
					sizes[i] = i % 3
				}
			}
			var parts [][]byte
			for i, n := range sizes {
				parts = append(parts, noise(n, byte(i)))
			}
			all := bytes.Join(parts, nil)
			newlines, err := st.WriteParts(parts)
			if err != nil || newlines != bytes.Count(all, []byte("\n")) {
				r.Fatalf("WriteParts of %d bytes = %d newlines, %v, want %d", len(all), newlines, err, bytes.Count(all, []byte("\n")))
			}
			want = append(want, all...)
		}
		b, err := st.Seal()
		if err != nil {
			r.Fatal(err)
		}
		mustHold(r, s, mustPut(r, s, b, want), want)
	})
}

// openFile opens a file with a content.
func openFile(t *testing.T, content []byte) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// stageTakesFile takes files of several sizes, before and after other bytes.
func stageTakesFile(t *testing.T, s artifactstore.Store) {
	for _, size := range []int{0, 1, 100_000, 256 << 10, 256<<10 + 1, 4 << 20, 9_500_000} {
		content := noise(size, byte(size))
		file := openFile(t, append(bytes.Clone(content), "more"...)) // what comes after is not taken
		for _, before := range []string{"", "before\n"} {
			st := mustStage(t, s)
			write := func(text string) {
				if _, err := st.Write([]byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			write(before)
			var seen []byte
			lines := 0
			see := func(p []byte, newlines int) { seen, lines = append(seen, p...), lines+newlines }
			if err := artifactstore.TakeFile(st, file, int64(size), see); err != nil {
				t.Fatalf("a file of %d bytes: %v", size, err)
			}
			write("after\n")
			if !bytes.Equal(seen, content) || lines != bytes.Count(content, []byte("\n")) {
				t.Errorf("a file of %d bytes is seen as %d bytes with %d newlines", size, len(seen), lines)
			}
			b, err := st.Seal()
			if err != nil {
				t.Fatal(err)
			}
			want := []byte(before + string(content) + "after\n")
			ref := mustPut(t, s, b, want)
			mustHold(t, s, ref, want)
			p := mustPages(t, s, ref.Name)
			if p.Lines() != int64(bytes.Count(want, []byte("\n"))) {
				t.Errorf("a file of %d bytes has %d lines", size, p.Lines())
			}
		}
	}
}

// shortFile takes files that have fewer bytes than the declared size.
func shortFile(t *testing.T, s artifactstore.Store) {
	for _, size := range []int{0, 100, 5 << 20} {
		st := mustStage(t, s)
		err := artifactstore.TakeFile(st, openFile(t, noise(size, 3)), int64(size)+300_000, func([]byte, int) {})
		mustFail(t, "TakeFile", err, artifactstore.ErrSizeMismatch)
	}
}
