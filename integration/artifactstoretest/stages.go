package artifactstoretest

// The contract of stages: however a payload arrives, the artifact is that of its bytes.
//
// A stage has three ends: it is put, it is discarded, or it fails. Each case takes one of them and checks all calls that
// are possible afterwards, since a server keeps stages of clients that do not know of the end.

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

// stage writes a payload in uneven pieces, an empty one among them, seals it and puts it. The blob reads the same before
// and after the put, and the artifact stays when the stage is discarded. A stage of nothing is the empty artifact.
func stage(t *testing.T, s artifactstore.Store) {
	want := noise(600<<10, 1) // more than two blocks
	st, b := mustSeal(t, s, want[:1], nil, want[1:300000], want[300000:])
	mustYield(t, b, want)
	mustYield(t, b, want) // it can be read any number of times
	ref := mustPut(t, s, b, want)
	mustHold(t, s, ref, want)
	mustYield(t, b, want)
	if err := st.Discard(); err != nil {
		t.Fatalf("Discard after Put: %v", err)
	}
	mustHold(t, s, ref, want)

	// A tool that printed nothing has an artifact too.
	_, empty := mustSeal(t, s)
	mustHold(t, s, mustPut(t, s, empty, nil), nil)
}

// prefixOfStage puts the bytes received so far while more are written, as a server does that answers before a payload is
// complete. A prefix never changes, also one that is everything, and ends with its stage.
func prefixOfStage(t *testing.T, s artifactstore.Store) {
	want := noise(300<<10, 7)
	st := mustStage(t, s)
	var prefixes []artifactstore.Blob
	cuts := []int{0, 1, 100_000, len(want)}
	for i, cut := range cuts { // nothing, one byte, most of it, all of it
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
	for i, b := range prefixes { // what was written later is not in them
		mustYield(t, b, want[:cuts[i]])
	}
	early := mustPut(t, s, prefixes[2], want[:cuts[2]]) // an artifact of its own
	all, err := st.Seal()
	if err != nil {
		t.Fatal(err)
	}
	whole := mustPut(t, s, all, want)
	if ref := mustPut(t, s, prefixes[3], want); ref != whole {
		t.Errorf("the prefix that is everything has another reference: %v, %v", ref, whole)
	}
	mustYield(t, prefixes[1], want[:1]) // also after Seal
	if err := st.Discard(); err != nil {
		t.Fatal(err)
	}
	mustHold(t, s, early, want[:cuts[2]]) // what was put does not end with the stage
	_, err = st.Prefix()
	mustFail(t, "Prefix after Discard", err, artifactstore.ErrClosed)
	_, err = prefixes[1].Open()
	mustFail(t, "Open of a prefix after Discard", err, artifactstore.ErrClosed)
}

// sealedStage writes to a stage that is sealed, before and after the put: both fail, and neither the blob nor the
// artifact changes.
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

// sealedBlobPutAgain puts the same blob twice, and the same bytes from another stage and as a slice. A store links the
// file of a stage to its name, so the second put of a blob finds no file to link.
func sealedBlobPutAgain(t *testing.T, s artifactstore.Store) {
	want := noise(5000, 1)
	_, b := mustSeal(t, s, want)
	first := mustPut(t, s, b, want)
	if again := mustPut(t, s, b, want); again != first {
		t.Errorf("put again: %+v, then %+v", first, again)
	}
	// The second stage has a file of its own with the same bytes, which is not needed any more.
	_, twin := mustSeal(t, s, want)
	if again := mustPut(t, s, twin, want); again != first {
		t.Errorf("same bytes from another stage: %+v, then %+v", first, again)
	}
	if again := mustPut(t, s, artifactstore.BytesBlob(want), want); again != first {
		t.Errorf("same bytes as a slice: %+v, then %+v", first, again)
	}
	mustHold(t, s, first, want)
}

// foreignSealedBlob puts the blob of a stage of another store: a store must not take a file over that is not its own. Then
// the other way round, after which the stage is still of use to its own store.
func foreignSealedBlob(t *testing.T, s artifactstore.Store) {
	want := noise(5000, 1)
	_, b := mustSeal(t, memory.New(), want)
	mustHold(t, s, mustPut(t, s, b, want), want)

	want = noise(5000, 2)
	st, b := mustSeal(t, s, want)
	// The other store copies the bytes, and the stage still has them.
	mustPut(t, memory.New(), b, want)
	mustHold(t, s, mustPut(t, s, b, want), want)
	if err := st.Discard(); err != nil {
		t.Fatal(err)
	}
}

// discardedStage uses a stage and its blob after Discard, also one of content that another put has stored meanwhile.
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

	// The artifact belongs to another put; the blob, to the stage.
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

// cancelledStage cancels the context of a stage, which bounds its whole life: every later call fails with the error of
// the context, and Discard works.
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
	for range 2 { // the first error stays
		_, err = st.Write([]byte("d"))
		mustFail(t, "Write", err, context.Canceled)
	}
	_, err = st.Seal()
	mustFail(t, "Seal", err, context.Canceled)
	if err := st.Discard(); err != nil {
		t.Errorf("Discard: %v", err)
	}
}

// anySplit writes a payload in any number of pieces of any size: how a payload arrives does not show in what is stored.
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

// anySequence compares the store with a map, over any sequence of puts, stages and reads. Contents whose digests begin
// alike are among them, so that names are lengthened in any order. A blob that is sealed and not put leaves nothing.
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
				if rapid.Bool().Draw(t, "put") { // or it is discarded, and its content is not stored
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
