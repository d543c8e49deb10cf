package memory_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/memory"
)

// put stores a text, which must work.
func put(t testing.TB, s *memory.Store, text string) artifactstore.Ref {
	t.Helper()
	ref, err := s.Put(t.Context(), artifactstore.BytesBlob([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// read reads an artifact.
func read(t testing.TB, s *memory.Store, name string) string {
	t.Helper()
	r, err := s.Open(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestPathsAreLabels: paths name artifacts of this kind of store alone, and nothing is durable.
func TestPathsAreLabels(t *testing.T) {
	t.Parallel()
	s := memory.New()
	ref := put(t, s, "hello\n")
	if s.Durable() || ref.Path != "memory/"+ref.Name || s.PathFor(ref.Name) != ref.Path {
		t.Errorf("durable %v, path %q", s.Durable(), ref.Path)
	}
	log := artifactstore.LogName("x")
	for path, want := range map[string]string{
		ref.Path: ref.Name, "memory/00000000": "00000000", "memory/live/" + log: "live/" + log, // there need not be one
		"/" + ref.Path: "", ref.Name: "", "memory/": "", "memory/live/x": "", "memory/../x": "", "": "",
	} {
		got, err := s.Resolve(path)
		if got != want || (err == nil) != (want != "") || err != nil && !errors.Is(err, artifactstore.ErrOutsideStore) {
			t.Errorf("%q is %q, %v, want %q", path, got, err, want)
		}
	}
}

// TestReadersShareBytesSafely: neither the slice of a caller, nor that of a stage or a log that goes on, shows in what was
// put before.
func TestReadersShareBytesSafely(t *testing.T) {
	t.Parallel()
	s := memory.New()
	stage, err := s.Stage(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	type stored struct{ name, want string }
	var all []stored
	var written strings.Builder
	for i := range 200 {
		line := strings.Repeat(string(rune('a'+i%26)), i) + "\n"
		written.WriteString(line)
		if _, err := stage.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
		prefix, err := stage.Prefix()
		if err != nil {
			t.Fatal(err)
		}
		ref, err := s.Put(t.Context(), prefix)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, stored{ref.Name, written.String()})
	}
	if err := stage.Discard(); err != nil {
		t.Fatal(err)
	}
	for _, a := range all {
		if got := read(t, s, a.name); got != a.want {
			t.Fatalf("%d bytes are other ones than the %d that were put", len(got), len(a.want))
		}
	}
}

// TestEveryCallEndsWithItsContext: also those of the inventory, and of logs.
func TestEveryCallEndsWithItsContext(t *testing.T) {
	t.Parallel()
	s := memory.New()
	ref := put(t, s, "x")
	live := artifactstore.LiveName(artifactstore.LogName("x"))
	log, err := s.OpenLog(t.Context(), artifactstore.LogName("x"))
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close() // in memory
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range map[string]func() error{
		"Has":         func() error { _, err := s.Has(ctx, ref.Name); return err },
		"Has, log":    func() error { _, err := s.Has(ctx, live); return err },
		"Remove":      func() error { return s.Remove(ctx, ref.Name) },
		"Remove, log": func() error { return s.Remove(ctx, live) },
		"Walk":        func() error { return s.Walk(ctx, func(artifactstore.StoredArtifact) error { return nil }) },
		"Pages":       func() error { _, err := s.Pages(ctx, ref.Name); return err },
		"OpenLog":     func() error { _, err := s.OpenLog(ctx, artifactstore.LogName("y")); return err },
		"Finish":      func() error { _, err := log.Finish(ctx); return err },
		"Put, stream": func() error { _, err := s.Put(ctx, stream{artifactstore.BytesBlob([]byte("y"))}); return err },
	} {
		if err := call(); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := read(t, s, ref.Name); got != "x" {
		t.Errorf("a cancelled call left %q", got)
	}
}

// stream hides the type of a blob, so that the store has to read it.
type stream struct{ artifactstore.Blob }

// TestWalkSeesAnInventoryOfItsOwn: what it visits may be removed, and put, from within.
func TestWalkSeesAnInventoryOfItsOwn(t *testing.T) {
	t.Parallel()
	s := memory.New()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfNDistinct(rapid.StringN(0, 20, 20), 0, 20, rapid.ID[string]).Draw(t, "texts")
		var want, got []string
		for _, text := range texts {
			ref, err := s.Put(t.Context(), artifactstore.BytesBlob([]byte(text)))
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, ref.Name)
		}
		err := s.Walk(t.Context(), func(a artifactstore.StoredArtifact) error {
			got = append(got, a.Name)
			return s.Remove(t.Context(), a.Name)
		})
		slices.Sort(want)
		slices.Sort(got)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("visited %q, want %q, %v", got, want, err)
		}
	})
}

// TestFinishedLogIsNeverMissing: a path of a log leads to its bytes in each moment, also while it becomes an artifact.
func TestFinishedLogIsNeverMissing(t *testing.T) {
	t.Parallel()
	s := memory.New()
	for round := range 50 {
		log, err := s.OpenLog(t.Context(), artifactstore.LogName("race", string(rune(round))))
		if err != nil {
			t.Fatal(err)
		}
		want := bytes.Repeat([]byte{byte(round), '\n'}, 100)
		if err := log.Append(want); err != nil {
			t.Fatal(err)
		}
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				name, err := s.Resolve(log.Path())
				if err != nil {
					t.Error(err)
					return
				}
				p, err := s.Pages(context.Background(), name)
				if err != nil {
					t.Errorf("round %d: %v", round, err)
					return
				}
				defer p.Close() // in memory
				if got, err := p.Read(nil, 0, p.Size()); err != nil || !bytes.Equal(got, want) {
					t.Errorf("round %d: %d bytes, %v", round, len(got), err)
				}
			})
		}
		if _, err := log.Finish(t.Context()); err != nil {
			t.Error(err)
		}
		readers.Wait()
	}
}
