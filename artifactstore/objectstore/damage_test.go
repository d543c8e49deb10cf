package objectstore_test

import (
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/artifactstore/objectstore"
)

// TestForeignObjectIsNotOverwritten: what is there already under the name of an artifact is not overwritten, and not relied on.
func TestForeignObjectIsNotOverwritten(t *testing.T) {
	for what, other := range map[string]fakeObject{
		"another size":            {content: []byte("longer than it")},
		"another content":         {content: []byte("Y")},
		"another digest is given": {content: []byte("x"), meta: http.Header{"X-Amz-Meta-Blake3": {strings.Repeat("0", 64)}}},
	} {
		t.Run(what, func(t *testing.T) {
			f := newFake(t)
			s := open(t, f, t.TempDir()+"/spool", func(o *objectstore.Options) { o.SpoolBytes = 0 })
			probe, err := memory.New().Put(t.Context(), artifactstore.BytesBlob([]byte("x")))
			must(t, err)
			name := strings.TrimPrefix(probe.Digest, "blake3:")[:objectstore.NameDigits]
			f.edit(func(objects map[string]fakeObject) { objects["some/prefix/"+name] = other })
			ref := s.put(t, []byte("x"))
			waitFor(t, "an error", func() bool { return s.Status().LastError != "" })
			s.put(t, []byte("another one is not held up"))
			waitFor(t, "the other upload", func() bool { return s.Status().PendingArtifacts == 1 })
			if st := s.Status(); !strings.Contains(st.LastError, ref.Name) || !strings.Contains(st.LastError, "another object") {
				t.Errorf("the status is %+v", st)
			}
			s.wantContent(t, ref, []byte("x"))
			f.edit(func(objects map[string]fakeObject) {
				if !bytes.Equal(objects["some/prefix/"+name].content, other.content) {
					t.Error("the object was overwritten")
				}
			})
		})
	}
}

// TestSameObjectIsAsGoodAsUpload: an object that is the same is as good as an upload, whoever wrote it.
func TestSameObjectIsAsGoodAsUpload(t *testing.T) {
	f := newFake(t)
	s := open(t, f, t.TempDir()+"/spool", nil)
	one := open(t, newFake(t), t.TempDir()+"/spool", nil)
	ref := one.put(t, []byte("x"))
	f.edit(func(objects map[string]fakeObject) {
		objects["some/prefix/"+ref.Name] = fakeObject{content: []byte("x")}
	})
	if got := s.put(t, []byte("x")); got != ref {
		t.Errorf("%+v, want %+v", got, ref)
	}
	s.settled(t)
}

// TestCorruptObjectIsNeverRead: an object that is not what its name says is damaged, and never read.
func TestCorruptObjectIsNeverRead(t *testing.T) {
	damages := map[string]func(o *fakeObject){
		"cut short": func(o *fakeObject) { o.content = o.content[:len(o.content)/2] },
		"longer":    func(o *fakeObject) { o.content = append(slices.Clone(o.content), "x"...) },
		"altered":   func(o *fakeObject) { o.content = slices.Clone(o.content); o.content[0] ^= 1 },
		"another one": func(o *fakeObject) {
			o.meta = http.Header{"X-Amz-Meta-Blake3": {strings.Repeat("0", 64)}}
			o.content = nil
		},
	}
	for what, damage := range damages {
		for size, content := range map[string][]byte{"small": []byte("some text\n"), "large": lines(3<<20, "x")} {
			t.Run(what+" "+size, func(t *testing.T) {
				f := newFake(t)
				one, two := open(t, f, t.TempDir()+"/spool", nil), open(t, f, t.TempDir()+"/spool", nil)
				ref := one.put(t, content)
				one.settled(t)
				f.edit(func(objects map[string]fakeObject) {
					o := objects["some/prefix/"+ref.Name]
					damage(&o)
					objects["some/prefix/"+ref.Name] = o
				})
				_, err := two.Open(t.Context(), ref.Name)
				wantError(t, "Open", err, artifactstore.ErrDamaged)
				p, err := two.Pages(t.Context(), ref.Name)
				if err == nil {
					_, err = p.Read(nil, 0, 10)
				}
				wantError(t, "Pages", err, artifactstore.ErrDamaged)
				left := 0
				must(t, two.Spool().Walk(t.Context(), func(artifactstore.StoredArtifact) error { left++; return nil }))
				if left > 0 {
					t.Errorf("%d damaged objects are in the spool", left)
				}
			})
		}
	}
}

// TestBadIndexCostsOnlyAFetch: an index that is missing or no good costs a fetch, no more.
func TestBadIndexCostsOnlyAFetch(t *testing.T) {
	content := lines(3<<20, "x")
	for what, change := range map[string]func(objects map[string]fakeObject, key string){
		"missing": func(objects map[string]fakeObject, key string) { delete(objects, key) },
		"damaged": func(objects map[string]fakeObject, key string) {
			objects[key] = fakeObject{content: []byte("toolresult-index 1\n")}
		},
	} {
		t.Run(what, func(t *testing.T) {
			f := newFake(t)
			one, two := open(t, f, t.TempDir()+"/spool", nil), open(t, f, t.TempDir()+"/spool", nil)
			ref := one.put(t, content)
			one.settled(t)
			f.edit(func(objects map[string]fakeObject) { change(objects, "some/prefix/"+ref.Name+".index") })
			two.wantContent(t, ref, content)
		})
	}
}

func TestUnknownNames(t *testing.T) {
	f := newFake(t)
	s := open(t, f, t.TempDir()+"/spool", nil)
	for _, name := range []string{strings.Repeat("0", 8), strings.Repeat("0", 32), strings.Repeat("f", 64)} {
		_, err := s.Open(t.Context(), name)
		wantError(t, "Open", err, artifactstore.ErrUnknown)
		_, err = s.Pages(t.Context(), name)
		wantError(t, "Pages", err, artifactstore.ErrUnknown)
	}
	for _, path := range []string{
		"", "s3://bucket/some/prefix/", "s3://bucket/some/prefix/" + strings.Repeat("0", 31), "s3://bucket/some/prefix/" + strings.Repeat("0", 65),
		"s3://bucket/some/" + strings.Repeat("0", 32), "s3://other/some/prefix/" + strings.Repeat("0", 32), s.Spool().Root() + "/000/" + strings.Repeat("0", 30),
		"s3://bucket/some/prefix/" + strings.Repeat("G", 32), "s3://bucket/some/prefix/../" + strings.Repeat("0", 32), "s3://bucket/some/prefix/" + strings.Repeat("0", 32) + ".index",
	} {
		_, err := s.Resolve(path)
		wantError(t, "Resolve "+path, err, artifactstore.ErrOutsideStore)
	}
}

func TestRemoveDeletesEverywhere(t *testing.T) {
	f := newFake(t)
	s, two := open(t, f, t.TempDir()+"/spool", nil), open(t, f, t.TempDir()+"/spool", nil)
	content := lines(3<<20, "x")
	ref := s.put(t, content)
	s.settled(t)
	must(t, s.Remove(t.Context(), ref.Name))
	wantError(t, "a second Remove", s.Remove(t.Context(), ref.Name), artifactstore.ErrUnknown)
	if keys := f.keys(); len(keys) > 0 {
		t.Errorf("left in the bucket: %q", keys)
	}
	for _, s := range []*store{s, two} {
		_, err := s.Open(t.Context(), ref.Name)
		wantError(t, "Open after Remove", err, artifactstore.ErrUnknown)
	}
	if again := s.put(t, content); again != ref {
		t.Errorf("put again: %+v, want %+v", again, ref)
	}
	s.settled(t)
	two.wantContent(t, ref, content)
	wantError(t, "Remove", s.Remove(t.Context(), "../x"), artifactstore.ErrNameInvalid)
}

// TestRemovedWhilePendingStaysRemoved: an upload that is under way does not bring it back.
func TestRemovedWhilePendingStaysRemoved(t *testing.T) {
	f := newFake(t)
	s := open(t, f, t.TempDir()+"/spool", nil)
	begun := make(chan struct{}, 100)
	f.fail(func(r *http.Request) fault {
		if r.Method == http.MethodPut {
			begun <- struct{}{}
			return stuck
		}
		return served
	})
	ref := s.put(t, []byte("x"))
	<-begun
	must(t, s.Remove(t.Context(), ref.Name))
	f.fail(nil)
	other := s.put(t, []byte("y"))
	s.settled(t)
	if keys := f.keys(); len(keys) != 1 || keys[0] != "some/prefix/"+other.Name {
		t.Errorf("the bucket has %q", keys)
	}
	if left := markersOf(t, s.Spool().Root()); len(left) > 0 {
		t.Errorf("markers are left: %q", left)
	}
}

// markersOf lists what is marked as pending in a spool.
func markersOf(t testing.TB, spool string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(spool, "pending"))
	must(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
