package dir_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/integration/artifactstoretest"
)

func TestContractWithLongNames(t *testing.T) {
	artifactstoretest.RunNamed(t, 32, func(t *testing.T) artifactstore.Store {
		return openStore(t, t.TempDir()+"/store", dir.Options{NameDigits: 32, PathPrefix: "s3://bucket/a/"})
	})
}

func TestNameDigitsAndPathPrefix(t *testing.T) {
	for _, digits := range []int{-1, 1, 7, 65} {
		_, err := dir.Open(t.TempDir()+"/store", dir.Options{NameDigits: digits})
		wantError(t, "OpenDir", err, artifactstore.ErrNameInvalid)
	}
	for _, digits := range []int{8, 30, 63, 64} {
		d := openStore(t, t.TempDir()+"/store", dir.Options{NameDigits: digits, PathPrefix: "s3://b/"})
		ref := put(t, d, "x")
		if len(ref.Name) != digits || ref.Path != "s3://b/"+ref.Name {
			t.Errorf("%d digits: %+v", digits, ref)
		}
		wantText(t, d, ref.Name, "x")
		closeStore(t, d)
	}
}

func TestWalkTouchAndRemove(t *testing.T) {
	d := openStore(t, t.TempDir()+"/store", dir.Options{})
	large := bytes.Repeat([]byte("a line\n"), artifactstore.IndexedSize/7+1)
	refs := []artifactstore.Ref{put(t, d, "a"), put(t, d, "bb"), put(t, d, string(large))}
	must(t, os.WriteFile(filepath.Join(d.Root(), "notes.txt"), nil, 0o600))
	must(t, os.Mkdir(filepath.Join(d.Root(), "pending"), 0o700))
	d.Touch(refs[1].Name)
	before := time.Now()
	time.Sleep(20 * time.Millisecond)
	d.Touch(refs[0].Name)
	d.Touch("0123456789")
	d.Touch("../x")
	found := map[string]artifactstore.StoredArtifact{}
	list := func() {
		clear(found)
		must(t, d.Walk(context.Background(), func(s artifactstore.StoredArtifact) error {
			found[s.Name] = s
			return nil
		}))
	}
	list()
	for _, ref := range refs {
		if found[ref.Name].Size != ref.Size {
			t.Errorf("%s is listed as %+v", ref.Name, found[ref.Name])
		}
	}
	if len(found) != 3 || found[refs[0].Name].Stored.Before(before) || found[refs[1].Name].Stored.After(before) {
		t.Errorf("listed are %v", found)
	}
	broken := errors.New("broken")
	wantError(t, "Walk", d.Walk(context.Background(), func(artifactstore.StoredArtifact) error { return broken }), broken)

	r, err := d.Open(context.Background(), refs[2].Name)
	must(t, err)
	defer r.Close()
	must(t, d.Remove(context.Background(), refs[2].Name))
	wantError(t, "Remove again", d.Remove(context.Background(), refs[2].Name), artifactstore.ErrUnknown)
	if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, large) {
		t.Errorf("a reader that was open has %d bytes, %v", len(got), err)
	}
	_, err = d.Pages(context.Background(), refs[2].Name)
	wantError(t, "Pages after Remove", err, artifactstore.ErrUnknown)
	wantError(t, "Remove", d.Remove(context.Background(), "../FORMAT"), artifactstore.ErrNameInvalid)
	list()
	if left := files(t, d.Root()); len(found) != 2 || slices.ContainsFunc(left, func(f string) bool { return strings.HasSuffix(f, ".index") }) {
		t.Errorf("left are %v, %v", found, left)
	}
	if again := put(t, d, string(large)); again != refs[2] {
		t.Errorf("put again: %+v, want %+v", again, refs[2])
	}
	closeStore(t, d)
	wantError(t, "Remove", d.Remove(context.Background(), refs[0].Name), artifactstore.ErrClosed)
	wantError(t, "Walk", d.Walk(context.Background(), nil), artifactstore.ErrClosed)
}

// files are the names of all files under a directory.
func files(t *testing.T, root string) (list []string) {
	t.Helper()
	must(t, filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		list = append(list, path)
		return err
	}))
	return list
}

// remote is a reader of an artifact that is kept elsewhere.
type remote struct {
	*bytes.Reader
	fail  error
	reads int
}

func (r *remote) ReadAt(p []byte, at int64) (int, error) {
	if r.reads++; r.fail != nil {
		return 0, r.fail
	}
	return r.Reader.ReadAt(p, at)
}

func (r *remote) Close() error { return nil }

func TestOpenPagesOfRemoteContent(t *testing.T) {
	d := openStore(t, t.TempDir()+"/store", dir.Options{})
	content := bytes.Repeat([]byte("0123456\n"), 200_000)
	ref := put(t, d, string(content))
	local, err := d.Pages(context.Background(), ref.Name)
	must(t, err)
	defer local.Close()
	r := &remote{Reader: bytes.NewReader(content)}
	p, err := artifactstore.OpenPages(ref.Name, "elsewhere", local.Index(), r, r)
	must(t, err)
	if want := (artifactstore.Ref{Name: ref.Name, Path: "elsewhere", Size: ref.Size, Digest: ref.Digest}); p.Ref() != want {
		t.Errorf("Ref is %+v, want %+v", p.Ref(), want)
	}
	at, err := p.LineStart(150_001)
	if got, readErr := p.Read(nil, at, at+8); err != nil || readErr != nil || at != 1_200_000 || string(got) != "0123456\n" || r.reads != 1 {
		t.Errorf("line at %d: %q, %v, %v, %d reads", at, got, err, readErr, r.reads)
	}
	for _, fail := range []error{artifactstore.ErrUnavailable, artifactstore.ErrUnknown, context.Canceled, context.DeadlineExceeded} {
		r.fail = fail
		_, err := p.Read(nil, 0, 10)
		wantError(t, "Read", err, fail)
		if errors.Is(err, artifactstore.ErrDamaged) {
			t.Errorf("%v is taken for damage", err)
		}
	}
	r.fail = errors.New("anything else")
	_, err = p.Read(nil, 0, 10)
	wantError(t, "Read", err, artifactstore.ErrDamaged)
	r.fail = nil
	content[3] ^= 1
	_, err = p.Read(nil, 0, 10)
	wantError(t, "Read of altered bytes", err, artifactstore.ErrDamaged)
	for _, encoded := range [][]byte{nil, local.Index()[1:], append(local.Index(), 0)} {
		_, err = artifactstore.OpenPages(ref.Name, "", encoded, r, r)
		wantError(t, "OpenPages", err, artifactstore.ErrDamaged)
	}
	_, err = artifactstore.OpenPages("00000000", "", local.Index(), r, r)
	wantError(t, "OpenPages of another name", err, artifactstore.ErrDamaged)
}
