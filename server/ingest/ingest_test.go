package ingest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/redact"
)

// budget is that of previews, in tokens.
const budget = 500

// errFault is the error of a broken stage.
var errFault = errors.New("the stage is broken")

// secrets returns options that replace three values: one is longer than its placeholder, one is shorter, and the end of a payload
// decides between that and the third, which begins with it.
func secrets(t testing.TB) redact.Options {
	t.Helper()
	values, err := redact.NewValues([]redact.Secret{
		{Name: "short", Value: []byte("hunter22")}, {Name: "long", Value: []byte("correct-horse-battery-staple-and-more")},
		{Name: "third", Value: []byte("hunter22-and-then-some-more")},
	})
	if err != nil {
		t.Fatal(err)
	}
	return redact.Options{Values: values}
}

// dirStore returns a store in a directory, which takes files without a copy.
func dirStore(t *testing.T) *dir.Store {
	t.Helper()
	s, err := dir.Open(t.TempDir(), dir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// read returns the bytes of a blob, and checks its size.
func read(t interface {
	Helper()
	Fatal(args ...any)
}, b artifactstore.Blob) string {
	t.Helper()
	var all bytes.Buffer
	if err := ReadBlocks(context.Background(), b, func(p []byte) error { _, err := all.Write(p); return err }); err != nil {
		t.Fatal(err)
	}
	if int64(all.Len()) != b.Size() {
		t.Fatal(fmt.Sprintf("%d bytes of a blob of %d", all.Len(), b.Size()))
	}
	return all.String()
}

// texts generates text with secrets in it, whole and in part.
func texts() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"hunter22", "hunter", "correct-horse-battery-staple-and-more", "correct-horse", "line\n", "x", strings.Repeat("long line ", 300) + "\n", "\xff\x00",
		}), 0, 12).Draw(t, "parts"), "")
	})
}

// tear cuts a text into parts, some of them empty.
func tear(t *rapid.T, text string) (parts []string) {
	for {
		n := rapid.IntRange(0, len(text)).Draw(t, "n")
		parts = append(parts, text[:n])
		if text = text[n:]; text == "" {
			return parts
		}
	}
}

// TestSpoolIsIndependentOfChunks receives a text in any chunks, with snapshots in between: the payload is the redacted text,
// its excerpt that of the payload, and the original is kept exactly if something was replaced.
func TestSpoolIsIndependentOfChunks(t *testing.T) {
	t.Parallel()
	options := secrets(t)
	rapid.Check(t, func(t *rapid.T) {
		text := texts().Draw(t, "text")
		spool, err := NewSpool(context.Background(), memory.New(), options, budget, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer spool.Discard()
		var seen bytes.Buffer
		see := func(ready [][]byte) error {
			for _, p := range ready {
				_, _ = seen.Write(p)
			}
			return nil
		}
		received := 0
		for _, part := range tear(t, text) {
			received += len(part)
			if err := spool.Write([][]byte{[]byte(part[:len(part)/2]), []byte(part[len(part)/2:])}, see); err != nil {
				t.Fatal(err)
			}
			if spool.Size != int64(received) || spool.Waiting() < 0 || spool.Waiting() > spool.Size {
				t.Fatalf("%d bytes, of which %d wait, after %d", spool.Size, spool.Waiting(), received)
			}
			if rapid.IntRange(0, 3).Draw(t, "snapshot") > 0 {
				continue
			}
			snapshot, err := spool.Snapshot()
			if err != nil {
				t.Fatal(err)
			}
			// A snapshot shows no part of a secret, so it may be shorter than the redacted text so far.
			if got := read(t, snapshot.Blob); strings.Contains(got, "hunter22") || !strings.HasPrefix(got, seen.String()) {
				t.Fatalf("a snapshot is %q after %q", got, seen.String())
			}
			if snapshot.Tokens != budget || snapshot.Original != nil {
				t.Fatalf("a snapshot is %+v", snapshot)
			}
		}
		if err := spool.Flush(see); err != nil {
			t.Fatal(err)
		}
		got, err := spool.Seal()
		if err != nil {
			t.Fatal(err)
		}
		want, found := redact.Text(options, []byte(text))
		if read(t, got.Blob) != string(want) || seen.String() != string(want) {
			t.Fatalf("the payload is %q, seen %q, want %q", read(t, got.Blob), seen.String(), want)
		}
		if fmt.Sprint(got.Found) != fmt.Sprint(found) || got.Tokens != budget {
			t.Fatalf("found %v with %d tokens, want %v", got.Found, got.Tokens, found)
		}
		if (got.Original != nil) != (len(found) > 0) || got.Original != nil && read(t, got.Original) != text {
			t.Fatalf("the original is %v", got.Original)
		}
		w := preview.NewWriter(budget)
		w.WriteParts([][]byte{want}, bytes.Count(want, []byte("\n")))
		if !sameExcerpt(got.Excerpt, w.Finish()) {
			t.Fatal("the excerpt is another than that of the payload")
		}
		again, err := spool.Seal()
		if err != nil || again.Blob != got.Blob || spool.Flush(func([][]byte) error { return errFault }) != nil {
			t.Fatalf("sealed again: %v", err)
		}
	})
}

// TestSnapshotHasTheBytesThatWait has a part of a secret at the end: it is in the snapshot as if the payload ended there, with
// further bytes after it once more are received.
func TestSnapshotHasTheBytesThatWait(t *testing.T) {
	t.Parallel()
	spool, err := NewSpool(t.Context(), memory.New(), secrets(t), budget, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer spool.Discard()
	for _, c := range []struct{ part, want string }{
		{"pass hun", "pass hun"}, {"ter2", ""}, {"0 or so", "pass hunter20 or so"},
	} {
		if err := spool.Write([][]byte{[]byte(c.part)}, nil); err != nil {
			t.Fatal(err)
		}
		s, err := spool.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, s.Blob); c.want != "" && len(got) != len(c.want) || strings.Contains(got, "ter2") && c.want == "" {
			t.Errorf("after %q: %q", c.part, got)
		}
	}
}

// faultyStore opens stages that fail at one call, counted over all of them.
type faultyStore struct {
	artifactstore.Stager
	left int // calls before the one that fails
}

func (f *faultyStore) fails() bool {
	f.left--
	return f.left == -1
}

// Stage opens a stage, or fails.
func (f *faultyStore) Stage(ctx context.Context) (artifactstore.Stage, error) {
	if f.fails() {
		return nil, errFault
	}
	s, err := f.Stager.Stage(ctx)
	return &faultyStage{s, f}, err
}

// faultyStage is a stage of a faultyStore.
type faultyStage struct {
	artifactstore.Stage
	store *faultyStore
}

func (f *faultyStage) Write(p []byte) (int, error) {
	if f.store.fails() {
		return 0, errFault
	}
	return f.Stage.Write(p)
}

func (f *faultyStage) WriteParts(parts [][]byte) (int, error) {
	if f.store.fails() {
		return 0, errFault
	}
	return f.Stage.WriteParts(parts)
}

func (f *faultyStage) Prefix() (artifactstore.Blob, error) {
	if f.store.fails() {
		return nil, errFault
	}
	b, err := f.Stage.Prefix()
	return &faultyBlob{b, f.store}, err
}

func (f *faultyStage) Seal() (artifactstore.Blob, error) {
	if f.store.fails() {
		return nil, errFault
	}
	return f.Stage.Seal()
}

// faultyBlob is a blob of a faultyStage.
type faultyBlob struct {
	artifactstore.Blob
	store *faultyStore
}

func (f *faultyBlob) Open() (io.ReadCloser, error) {
	if f.store.fails() {
		return nil, errFault
	}
	r, err := f.Blob.Open()
	return &faultyReader{r, f.store}, err
}

// faultyReader is a reader of a faultyBlob.
type faultyReader struct {
	io.ReadCloser
	store *faultyStore
}

func (f *faultyReader) Read(p []byte) (int, error) {
	if f.store.fails() {
		return 0, errFault
	}
	return f.ReadCloser.Read(p)
}

// sweep runs work with a fault at every call of a store in turn, until one run has none. Each fault must be returned.
func sweep(t *testing.T, work func(s artifactstore.Stager) error) {
	t.Helper()
	for n := 0; ; n++ {
		store := &faultyStore{Stager: memory.New(), left: n}
		err := work(store)
		if store.left >= 0 {
			if err != nil {
				t.Errorf("without a fault: %v", err)
			}
			if n < 3 {
				t.Errorf("only %d calls", n)
			}
			return
		}
		if !errors.Is(err, errFault) {
			t.Errorf("the fault at call %d became %v", n, err)
		}
	}
}

// TestEveryFaultOfAStageIsReturned receives a payload with a secret in the middle.
func TestEveryFaultOfAStageIsReturned(t *testing.T) {
	t.Parallel()
	options := secrets(t)
	sweep(t, func(store artifactstore.Stager) error {
		spool, err := NewSpool(t.Context(), store, options, budget, nil)
		if err != nil {
			return err
		}
		defer spool.Discard()
		for _, part := range []string{"the first line\n", "pass hunt", "er22 and", " more hun"} {
			if err := spool.Write([][]byte{[]byte(part)}, nil); err != nil {
				return err
			}
		}
		snapshot, err := spool.Snapshot()
		if err != nil {
			return err
		}
		if err := ReadBlocks(t.Context(), snapshot.Blob, func([]byte) error { return nil }); err != nil {
			return err
		}
		if err := spool.Flush(nil); err != nil {
			return err
		}
		done, err := spool.Seal()
		if err != nil {
			if done.Blob != nil {
				t.Error("a payload with an error")
			}
			return err
		}
		if got := read(t, done.Original); got != "the first line\npass hunter22 and more hun" {
			t.Errorf("the original is %q", got)
		}
		return nil
	})
}

// TestErrorOfTheObserverEndsTheWrite has an observer that fails, at a write and at the end.
func TestErrorOfTheObserverEndsTheWrite(t *testing.T) {
	t.Parallel()
	spool, err := NewSpool(t.Context(), memory.New(), secrets(t), budget, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer spool.Discard()
	fail := func([][]byte) error { return errFault }
	if err := spool.Write([][]byte{[]byte("text")}, fail); !errors.Is(err, errFault) {
		t.Errorf("write: %v", err)
	}
	if err := spool.Flush(fail); !errors.Is(err, errFault) {
		t.Errorf("flush: %v", err)
	}
}

// TestBlocksAreRead reads a blob of several blocks, and ends with each error.
func TestBlocksAreRead(t *testing.T) {
	t.Parallel()
	content := bytes.Repeat([]byte("0123456789"), copyBytes/4)
	blob := artifactstore.BytesBlob(content)
	var all []byte
	most := 0
	if err := ReadBlocks(t.Context(), blob, func(p []byte) error { all, most = append(all, p...), max(most, len(p)); return nil }); err != nil || !bytes.Equal(all, content) || most > copyBytes {
		t.Errorf("%d of %d bytes, at most %d at once, %v", len(all), len(content), most, err)
	}
	if err := ReadBlocks(t.Context(), blob, func([]byte) error { return errFault }); !errors.Is(err, errFault) {
		t.Errorf("of the reader: %v", err)
	}
	ended, cancel := context.WithCancel(t.Context())
	err := ReadBlocks(ended, blob, func([]byte) error { cancel(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("of the context: %v", err)
	}
	for n := range 2 {
		faulty := &faultyBlob{blob, &faultyStore{left: n}}
		if err := ReadBlocks(t.Context(), faulty, func([]byte) error { return nil }); !errors.Is(err, errFault) {
			t.Errorf("of the blob at call %d: %v", n, err)
		}
	}
}

// TestDiscardFreesEveryStage looks into a store in a directory: nothing temporary stays.
func TestDiscardFreesEveryStage(t *testing.T) {
	t.Parallel()
	store := dirStore(t)
	spool, err := NewSpool(t.Context(), store, secrets(t), budget, nil)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("a line\n", 1<<18) + "hunter22\n" + strings.Repeat("a line\n", 1<<18) // larger than what a stage has in memory
	if err := spool.Write([][]byte{[]byte(text)}, nil); err != nil {
		t.Fatal(err)
	}
	done, err := spool.Seal()
	if err != nil {
		t.Fatal(err)
	}
	spool.Discard()
	spool.Discard()
	for name, b := range map[string]artifactstore.Blob{"payload": done.Blob, "original": done.Original} {
		if r, err := b.Open(); err == nil {
			if _, err = r.Read(make([]byte, 1)); err == nil {
				t.Errorf("the %s can be read after Discard", name)
			}
			_ = r.Close()
		}
	}
}

// sameExcerpt reports whether two excerpts keep the same of a payload.
func sameExcerpt(a, b *preview.Excerpt) bool {
	return cmp.Equal(a, b, cmp.Exporter(func(reflect.Type) bool { return true }))
}
