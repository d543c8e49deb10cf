package artifactstoretest

// The contract of taking files and parts. A stage may take a file in its own way: by a copy in the system, or by sharing
// blocks. However it does that, the stored bytes, the bytes that it shows, its count of newlines and its digest agree.

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
)

// stageTakesParts writes parts of any number and size, also more parts than the system takes in one call (1024 on Linux),
// empty ones among them.
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
				sizes = make([]int, 2500) // more than two calls of the system take
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

// openFile makes a file with a content, opens it for reading, and closes it when the test ends.
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

// stageTakesFile takes files of several sizes around the bounds at which stores choose another way, before and after bytes
// that are written. The file is longer than its declared size: the rest is not taken.
func stageTakesFile(t *testing.T, s artifactstore.Store) {
	for _, size := range []int{0, 1, 100_000, 256 << 10, 256<<10 + 1, 4 << 20, 9_500_000} {
		content := noise(size, byte(size))
		file := openFile(t, append(bytes.Clone(content), "more"...)) // what comes after is not taken
		for _, before := range []string{"", "before\n"} {            // blocks are shared only at the beginning of a stage
			st := mustStage(t, s)
			write := func(text string) {
				if _, err := st.Write([]byte(text)); err != nil {
					t.Fatal(err)
				}
			}
			write(before)
			var seen []byte
			lines := 0
			// observe gets the bytes that are stored, in order, for a server that projects them meanwhile.
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

// shortFile takes files that have fewer bytes than the declared size. No part of one may become an artifact.
func shortFile(t *testing.T, s artifactstore.Store) {
	for _, size := range []int{0, 100, 5 << 20} { // found out at once, and after some steps of copying
		st := mustStage(t, s)
		err := artifactstore.TakeFile(st, openFile(t, noise(size, 3)), int64(size)+300_000, func([]byte, int) {})
		mustFail(t, "TakeFile", err, artifactstore.ErrSizeMismatch)
	}
}
