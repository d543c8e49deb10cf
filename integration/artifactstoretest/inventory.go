package artifactstoretest

// The contract of inventories: what is put is listed, what is removed is gone at once for everybody but its readers, and
// comes back when it is put again, under the same name.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
)

// inventory walks over artifacts, removes half of them, and puts them again. PathFor, Resolve and RefFor agree with what
// Put returned, whether or not the artifact is there. Names that are none never reach the store.
func inventory(t *testing.T, s artifactstore.Store) {
	ctx := context.Background()
	refs := map[string]artifactstore.Ref{}
	for i := range 40 { // the first is empty
		content := noise(i*1000, byte(i))
		ref := mustPut(t, s, artifactstore.BytesBlob(content), content)
		if would := s.RefFor(content); would != ref {
			t.Errorf("RefFor = %v, and Put gave %v", would, ref)
		}
		refs[ref.Name] = ref
	}
	wantStored(t, s, refs)
	for name, ref := range refs {
		if path := s.PathFor(name); path != ref.Path {
			t.Errorf("PathFor(%s) = %s, want %s", name, path, ref.Path)
		}
		if got, err := s.Resolve(ref.Path); got != name || err != nil {
			t.Errorf("Resolve(%s) = %s, %v", ref.Path, got, err)
		}
	}
	// A name that is gone is unknown to each way of reading it, and to a second Remove.
	removed := 0
	for name := range refs {
		if removed++; removed > 20 { // in the order of a map: any of them
			break
		}
		if err := s.Remove(ctx, name); err != nil {
			t.Fatalf("Remove: %v", err)
		}
		_, err := s.Open(ctx, name)
		mustFail(t, "Open of a removed artifact", err, artifactstore.ErrUnknown)
		_, err = s.Pages(ctx, name)
		mustFail(t, "Pages of a removed artifact", err, artifactstore.ErrUnknown)
		mustFail(t, "a second Remove", s.Remove(ctx, name), artifactstore.ErrUnknown)
		delete(refs, name)
	}
	wantStored(t, s, refs)
	// Put again, they have the names that they had, whether they were removed or not.
	for i := range 40 {
		content := noise(i*1000, byte(i))
		ref := mustPut(t, s, artifactstore.BytesBlob(content), content)
		refs[ref.Name] = ref
	}
	wantStored(t, s, refs)
	stop := errors.New("stop") // of visit, which comes back unchanged
	mustFail(t, "Walk", s.Walk(ctx, func(artifactstore.StoredArtifact) error { return stop }), stop)
	mustFail(t, "Remove of a name that is none", s.Remove(ctx, "../x"), artifactstore.ErrNameInvalid)
	_, err := s.Has(ctx, "../x")
	mustFail(t, "Has of a name that is none", err, artifactstore.ErrNameInvalid)
	for _, path := range []string{"", "/", "/etc/passwd", "relative", "../x"} {
		_, err := s.Resolve(path)
		mustFail(t, fmt.Sprintf("Resolve(%q)", path), err, artifactstore.ErrOutsideStore)
	}
}

// wantStored checks that Walk visits the given artifacts, each once and with its size, and no others, and that Has knows
// each of them.
func wantStored(t *testing.T, s artifactstore.Store, refs map[string]artifactstore.Ref) {
	t.Helper()
	seen := map[string]bool{}
	err := s.Walk(context.Background(), func(h artifactstore.StoredArtifact) error {
		if ref, ok := refs[h.Name]; !ok || seen[h.Name] || h.Size != ref.Size {
			t.Errorf("Walk visits %+v, want %+v", h, ref)
		}
		seen[h.Name] = true
		return nil
	})
	if err != nil || len(seen) != len(refs) {
		t.Errorf("Walk visits %d artifacts, want %d, %v", len(seen), len(refs), err)
	}
	for name := range refs {
		if has, err := s.Has(context.Background(), name); !has || err != nil {
			t.Errorf("Has(%s) = %v, %v", name, has, err)
		}
	}
}

// removedWhileRead removes an artifact while a Reader and Pages have it open. Both go on to its end: a server deletes
// garbage while clients read.
func removedWhileRead(t *testing.T, s artifactstore.Store) {
	content := noise(3<<20, 9)
	ref := mustPut(t, s, artifactstore.BytesBlob(content), content)
	r, err := s.Open(context.Background(), ref.Name)
	if err != nil {
		t.Fatal(err)
	}
	p := mustPages(t, s, ref.Name)
	if err := s.Remove(context.Background(), ref.Name); err != nil {
		t.Fatal(err)
	}
	// Pages read from the middle, so that blocks are read which were not read before the removal.
	got, err := p.Read(nil, 1<<20, 2<<20)
	if err != nil || string(got) != string(content[1<<20:2<<20]) {
		t.Errorf("Pages read %d bytes after the removal, %v", len(got), err)
	}
	all, err := io.ReadAll(r)
	if err := errors.Join(err, r.Close()); err != nil || !bytes.Equal(all, content) {
		t.Errorf("the reader has %d bytes after the removal, %v", len(all), err)
	}
}

// logInventory lists and removes logs under their live names. A log that is open is busy; one that is finished is unknown
// under its live name, because it is an artifact; one that was removed begins again with no bytes.
func logInventory(t *testing.T, s LogStore, _ bool) {
	ctx := context.Background()
	name := artifactstore.LogName("session", "call", "")
	live := artifactstore.LiveName(name)
	log := mustOpenLog(t, s, name)
	if err := log.Append([]byte("a\n")); err != nil {
		t.Fatal(err)
	}
	wantStored(t, s, map[string]artifactstore.Ref{live: {Name: live, Size: 2}})
	if path := s.PathFor(live); path != log.Path() {
		t.Errorf("PathFor(%s) = %s, want %s", live, path, log.Path())
	}
	mustFail(t, "Remove of an open log", s.Remove(ctx, live), artifactstore.ErrBusy)
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove(ctx, live); err != nil {
		t.Fatal(err)
	}
	wantStored(t, s, nil)
	_, err := s.Pages(ctx, live)
	mustFail(t, "Pages of a removed log", err, artifactstore.ErrUnknown)
	mustFail(t, "a second Remove", s.Remove(ctx, live), artifactstore.ErrUnknown)
	// Nothing of the first log shows in the second one of its name.
	log = mustOpenLog(t, s, name)
	if log.Received() != 0 {
		t.Errorf("a removed log begins with %d bytes", log.Received())
	}
	ref, err := log.Finish(ctx)
	if err != nil {
		t.Fatal(err)
	}
	wantStored(t, s, map[string]artifactstore.Ref{ref.Name: ref})
	mustFail(t, "Remove of a finished log", s.Remove(ctx, live), artifactstore.ErrUnknown)
}
