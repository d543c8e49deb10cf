package artifactstoretest

// The contract of stages: however a payload arrives, the artifact is that of its bytes.

import (
	"bytes"
	"context"
	"io"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/memory"
)

// mustStage opens a stage that is discarded when the test ends.
func mustStage(t testing.TB, s artifactstore.Stager) artifactstore.Stage {
	t.Helper()
	st, err := s.Stage(context.Background())
	if err != nil {
		t.Fatalf("Stage: %v", err)
	}
	t.Cleanup(func() {
		if err := st.Discard(); err != nil {
			t.Errorf("Discard: %v", err)
		}
	})
	return st
}

// mustSeal writes the parts to a new stage and seals it.
func mustSeal(t testing.TB, s artifactstore.Stager, parts ...[]byte) (artifactstore.Stage, artifactstore.Blob) {
	t.Helper()
	st := mustStage(t, s)
	for _, p := range parts {
		if n, err := st.Write(p); n != len(p) || err != nil {
			t.Fatalf("Write of %d bytes = %d, %v", len(p), n, err)
		}
	}
	b, err := st.Seal()
	if err != nil {
		t.Fatalf("Seal: %v", err)
	}
	return st, b
}

// mustYield checks that the blob reads as want.
func mustYield(t testing.TB, b artifactstore.Blob, want []byte) {
	t.Helper()
	r, err := b.Open()
	if err != nil {
		t.Fatalf("open blob: %v", err)
	}
	defer r.Close()
	got, err := io.ReadAll(r)
	if err != nil || !bytes.Equal(got, want) || b.Size() != int64(len(want)) {
		t.Fatalf("blob of size %d yields %d bytes, error %v, want %d", b.Size(), len(got), err, len(want))
	}
}

func stage(t *testing.T, s artifactstore.Store) {
	want := noise(600<<10, 1)
	st, b := mustSeal(t, s, want[:1], nil, want[1:300000], want[300000:])
	mustYield(t, b, want)
	mustYield(t, b, want)
	ref := mustPut(t, s, b, want)
	mustHold(t, s, ref, want)
	mustYield(t, b, want)
	if err := st.Discard(); err != nil {
		t.Fatalf("Discard after Put: %v", err)
	}
	mustHold(t, s, ref, want)

	_, empty := mustSeal(t, s)
	mustHold(t, s, mustPut(t, s, empty, nil), nil)
}

// prefixOfStage puts the bytes received so far while more are written.
func prefixOfStage(t *testing.T, s artifactstore.Store) {
	want := noise(300<<10, 7)
	st := mustStage(t, s)
	var prefixes []artifactstore.Blob
	cuts := []int{0, 1, 100_000, len(want)}
	for i, cut := range cuts {
		if i > 0 {
			if _, err := st.Write(want[cuts[i-1]:cut]); err != nil {
				t.Fatal(err)
			}
		}
		b, err := st.Prefix()
		if err != nil {
			t.Fatal(err)
		}
		prefixes = append(prefixes, b)
	}
	for i, b := range prefixes {
		mustYield(t, b, want[:cuts[i]])
	}
	early := mustPut(t, s, prefixes[2], want[:cuts[2]])
	all, err := st.Seal()
	if err != nil {
		t.Fatal(err)
	}
	whole := mustPut(t, s, all, want)
	if ref := mustPut(t, s, prefixes[3], want); ref != whole {
		t.Errorf("the prefix that is everything has another reference: %v, %v", ref, whole)
	}
	mustYield(t, prefixes[1], want[:1])
	if err := st.Discard(); err != nil {
		t.Fatal(err)
	}
	mustHold(t, s, early, want[:cuts[2]])
	_, err = st.Prefix()
	mustFail(t, "Prefix after Discard", err, artifactstore.ErrClosed)
	_, err = prefixes[1].Open()
	mustFail(t, "Open of a prefix after Discard", err, artifactstore.ErrClosed)
}

func sealedStage(t *testing.T, s artifactstore.Store) {
	st, b := mustSeal(t, s, []byte("abc"))
	_, err := st.Write([]byte("d"))
	mustFail(t, "Write after Seal", err, artifactstore.ErrSealed)
	_, err = st.Seal()
	mustFail(t, "second Seal", err, artifactstore.ErrSealed)
	mustYield(t, b, []byte("abc"))
	ref := mustPut(t, s, b, []byte("abc"))
	_, err = st.Write([]byte("d"))
	mustFail(t, "Write after Put", err, artifactstore.ErrSealed)
	mustHold(t, s, ref, []byte("abc"))
}

func sealedBlobPutAgain(t *testing.T, s artifactstore.Store) {
	want := noise(5000, 1)
	_, b := mustSeal(t, s, want)
	first := mustPut(t, s, b, want)
	if again := mustPut(t, s, b, want); again != first {
		t.Errorf("put again: %+v, then %+v", first, again)
	}
	_, twin := mustSeal(t, s, want)
	if again := mustPut(t, s, twin, want); again != first {
		t.Errorf("same bytes from another stage: %+v, then %+v", first, again)
	}
	if again := mustPut(t, s, artifactstore.BytesBlob(want), want); again != first {
		t.Errorf("same bytes as a slice: %+v, then %+v", first, again)
	}
	mustHold(t, s, first, want)
}

func foreignSealedBlob(t *testing.T, s artifactstore.Store) {
	want := noise(5000, 1)
	_, b := mustSeal(t, memory.New(), want)
	mustHold(t, s, mustPut(t, s, b, want), want)

	want = noise(5000, 2)
	st, b := mustSeal(t, s, want)
	mustPut(t, memory.New(), b, want)
	mustHold(t, s, mustPut(t, s, b, want), want)
	if err := st.Discard(); err != nil {
		t.Fatal(err)
	}
}

func discardedStage(t *testing.T, s artifactstore.Store) {
	st := mustStage(t, s)
	if _, err := st.Write([]byte("abc")); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := st.Discard(); err != nil {
			t.Fatalf("Discard: %v", err)
		}
	}
	_, err := st.Write([]byte("d"))
	mustFail(t, "Write after Discard", err, artifactstore.ErrClosed)
	_, err = st.Seal()
	mustFail(t, "Seal after Discard", err, artifactstore.ErrClosed)

	st, b := mustSeal(t, s, []byte("stored all the same"))
	mustPut(t, s, artifactstore.BytesBlob([]byte("stored all the same")), []byte("stored all the same"))
	if err := st.Discard(); err != nil {
		t.Fatal(err)
	}
	_, err = b.Open()
	mustFail(t, "open of a discarded blob", err, artifactstore.ErrClosed)
	_, err = s.Put(context.Background(), b)
	mustFail(t, "Put of a discarded blob", err, artifactstore.ErrClosed)
}

func cancelledStage(t *testing.T, s artifactstore.Store) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	st, err := s.Stage(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := st.Write([]byte("abc")); err != nil {
		t.Fatal(err)
	}
	cancel()
	for range 2 {
		_, err = st.Write([]byte("d"))
		mustFail(t, "Write", err, context.Canceled)
	}
	_, err = st.Seal()
	mustFail(t, "Seal", err, context.Canceled)
	if err := st.Discard(); err != nil {
		t.Errorf("Discard: %v", err)
	}
}

// anySplit: how a payload arrives does not show in what is stored.
func anySplit(t *testing.T, s artifactstore.Store) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 300), 0, 8).Draw(t, "parts")
		whole := bytes.Join(parts, nil)
		want := mustPut(t, s, artifactstore.BytesBlob(whole), whole)
		st, err := s.Stage(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer st.Discard() // its error is the business of other cases
		for _, p := range parts {
			if _, err := st.Write(p); err != nil {
				t.Fatal(err)
			}
		}
		b, err := st.Seal()
		if err != nil {
			t.Fatal(err)
		}
		if got := mustPut(t, s, b, whole); got != want {
			t.Fatalf("staged in %d parts: %+v, put in one: %+v", len(parts), got, want)
		}
	})
}

// anySequence compares the store with a map, over any sequence of puts, stages and reads.
func anySequence(t *testing.T, s artifactstore.Store) {
	stored := make(map[artifactstore.Ref][]byte)
	content := rapid.OneOf(
		rapid.SliceOfN(rapid.Byte(), 0, 40),
		rapid.Map(rapid.SampledFrom(alike), func(a struct{ content, name string }) []byte { return []byte(a.content) }),
	)
	keep := func(t *rapid.T, b artifactstore.Blob, want []byte) {
		ref := mustPut(t, s, b, want)
		if have, ok := stored[ref]; ok && !bytes.Equal(have, want) {
			t.Fatalf("%+v was returned for %q and for %q", ref, have, want)
		}
		stored[ref] = want
	}
	rapid.Check(t, func(t *rapid.T) {
		t.Repeat(map[string]func(*rapid.T){
			"bytes": func(t *rapid.T) {
				b := content.Draw(t, "bytes")
				keep(t, artifactstore.BytesBlob(b), b)
			},
			"stream": func(t *rapid.T) {
				b := content.Draw(t, "bytes")
				keep(t, newStream(b), b)
			},
			"stage": func(t *rapid.T) {
				b := content.Draw(t, "bytes")
				st, err := s.Stage(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				defer st.Discard() // its error is the business of other cases
				if _, err := st.Write(b); err != nil {
					t.Fatal(err)
				}
				sealed, err := st.Seal()
				if err != nil {
					t.Fatal(err)
				}
				if rapid.Bool().Draw(t, "put") {
					keep(t, sealed, b)
				}
			},
			"read back": func(t *rapid.T) {
				for ref, want := range stored {
					mustHold(t, s, ref, want)
					break // a different one each time
				}
			},
		})
	})
}
