package artifactstoretest

// The contract of pages: bytes and lines of any place are those of the content, however its lines lie across the blocks of
// the index.

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
)

// mustPages opens pages that are closed when the test ends.
func mustPages(t testing.TB, s artifactstore.Source, name string) *artifactstore.Pages {
	t.Helper()
	p, err := s.Pages(context.Background(), name)
	if err != nil {
		t.Fatalf("Pages: %v", err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return p
}

// pageContents are contents whose lines and sizes lie around the blocks of an index, of 256 KiB each: lines that end with
// a block, that span several, that are empty, and a content that does not end with a newline.
func pageContents() map[string][]byte {
	const block = 256 << 10
	var log bytes.Buffer
	for i := 0; log.Len() < 5*block; i++ {
		fmt.Fprintf(&log, "%d a line of a log\n", i)
	}
	return map[string][]byte{
		"nothing":            nil,
		"one line":           []byte("a\n"),
		"no end":             []byte("a\nb"),
		"empty lines":        bytes.Repeat([]byte("\n"), 4*block+3),
		"no line end at all": bytes.Repeat([]byte("x"), 4*block+1),
		"a block":            append(bytes.Repeat([]byte("x"), block-1), '\n'),
		"blocks":             bytes.Repeat(append(bytes.Repeat([]byte("y"), block-1), '\n'), 5),
		"a log":              log.Bytes(),
		"noise":              noise(5*block+17, 3),
	}
}

// pages reads artifacts at any place, and compares with the content itself: LineStart and LineAt are inverse to each
// other, and Read appends to the slice of its caller.
func pages(t *testing.T, s artifactstore.Store) {
	for name, content := range pageContents() {
		ref := mustPut(t, s, artifactstore.BytesBlob(content), content)
		p := mustPages(t, s, ref.Name)
		lines := bytes.SplitAfter(content, []byte("\n"))
		if len(lines[len(lines)-1]) == 0 { // SplitAfter has an empty line behind the last newline
			lines = lines[:len(lines)-1]
		}
		if p.Size() != int64(len(content)) || p.Lines() != int64(len(lines)) || p.Ref() != ref {
			t.Fatalf("%s: %d bytes, %d lines, want %d and %d", name, p.Size(), p.Lines(), len(content), len(lines))
		}
		// starts has the offset of each line, and of the end, counted from the content itself.
		starts := make([]int64, len(lines)+1)
		for i, l := range lines {
			starts[i+1] = starts[i] + int64(len(l))
		}
		rapid.Check(t, func(t *rapid.T) {
			n := rapid.Int64Range(1, int64(len(lines))+1).Draw(t, "line")
			start, err := p.LineStart(n)
			if err != nil || start != starts[n-1] {
				t.Fatalf("%s: line %d begins at %d, %v, want %d", name, n, start, err, starts[n-1])
			}
			// The end has no line of its own unless the content is empty.
			if at, err := p.LineAt(start); start < p.Size() && (err != nil || at != n) {
				t.Fatalf("%s: byte %d is in line %d, %v, want %d", name, start, at, err, n)
			}
			from := rapid.Int64Range(0, p.Size()).Draw(t, "from")
			to := min(p.Size(), from+rapid.Int64Range(0, 600<<10).Draw(t, "bytes"))
			got, err := p.Read([]byte("kept"), from, to) // it appends
			if err != nil || !bytes.Equal(got, append([]byte("kept"), content[from:to]...)) {
				t.Fatalf("%s: bytes %d to %d: %d bytes, %v", name, from, to, len(got), err)
			}
		})
	}
	_, err := s.Pages(context.Background(), "0123456789abcdef")
	mustFail(t, "Pages of an unknown name", err, artifactstore.ErrUnknown)
	_, err = s.Pages(context.Background(), "../etc")
	mustFail(t, "Pages of a name that is none", err, artifactstore.ErrNameInvalid)
}
