package catalog_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/zeebo/blake3"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/memory"
)

// read reads an artifact under a permit; empty: it is not known.
func read(t failer, c *catalog.Catalog, name string, p catalog.Permit) string {
	t.Helper()
	pages, err := c.PagesFor(context.Background(), name, p)
	if errors.Is(err, artifactstore.ErrUnknown) {
		return ""
	}
	if err != nil {
		t.Fatalf("artifact %s, %+v: %v", name, p, err)
	}
	defer pages.Close() // read-only
	content, err := pages.Read(nil, 0, pages.Size())
	if err != nil {
		t.Fatalf("%v", err)
	}
	return string(content)
}

// TestPermitHidesWhatItDoesNotCover puts contents for some sessions, in every order and way, and reads all of them for each.
func TestPermitHidesWhatItDoesNotCover(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := open(t, memory.New(), catalog.Options{})
		defer func() {
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}()
		sessions, contents := []string{"", "a", "b"}, []string{"one", "two", "three"}
		names, open, raw := map[string]string{}, map[[2]string]bool{}, map[[2]string]bool{}
		for range rapid.IntRange(1, 8).Draw(t, "puts") {
			o := catalog.Owner{
				Session: rapid.SampledFrom(sessions).Draw(t, "session"), Call: rapid.SampledFrom([]string{"", "c"}).Draw(t, "call"),
				Raw: rapid.Bool().Draw(t, "raw"),
			}
			content := rapid.SampledFrom(contents).Draw(t, "content")
			names[content] = put(t, c, o, content).Name
			raw[[2]string{o.Session, content}] = true
			open[[2]string{o.Session, content}] = open[[2]string{o.Session, content}] || !o.Raw
		}
		want := func(m map[[2]string]bool, session, content string) bool {
			if session != "" {
				return m[[2]string{session, content}]
			}
			return m[[2]string{"", content}] || m[[2]string{"a", content}] || m[[2]string{"b", content}]
		}
		for content, name := range names {
			for _, session := range sessions {
				for may, m := range map[bool]map[[2]string]bool{false: open, true: raw} {
					got := read(t, c, name, catalog.Permit{Session: session, Raw: may})
					if readable := got == content; readable != want(m, session, content) || !readable && got != "" {
						t.Fatalf("session %q, raw %v reads %q of %q", session, may, got, content)
					}
				}
				list, _, err := c.List(context.Background(), session, "", 0, 99)
				if err != nil {
					t.Fatal(err)
				}
				listed := false
				for _, e := range list {
					listed = listed || e.Name == name
				}
				if listed != open[[2]string{session, content}] {
					t.Fatalf("session %q lists %q: %v", session, content, listed)
				}
			}
		}
	})
}

// An artifact that the permit leaves out fails as one that never was, also when it was deleted; one's own says why.
func TestExpiredArtifactOfOthersIsUnknown(t *testing.T) {
	t.Parallel()
	clk := newClock()
	c, _ := newCatalog(t, catalog.Options{KeepFor: time.Hour, Now: clk.now})
	ref := put(t, c, catalog.Owner{Session: "a"}, "x")
	clk.move(2 * time.Hour)
	if got := collect(t, c); got.Count != 1 {
		t.Fatalf("%+v", got)
	}
	if _, err := c.PagesFor(t.Context(), ref.Name, catalog.Permit{Session: "a"}); !isExpired(err) {
		t.Error(err)
	}
	_, foreign := c.PagesFor(t.Context(), ref.Name, catalog.Permit{Session: "b"})
	_, never := c.PagesFor(t.Context(), "ffffffff", catalog.Permit{Session: "b"})
	if foreign == nil || never == nil || fmt.Sprint(foreign) != "artifact "+ref.Name+": "+errors.Unwrap(never).Error() {
		t.Errorf("%v; %v", foreign, never)
	}
}

// The name of what was deleted goes to other content. Who put the first has no right to the second.
func TestReusedNameDropsOldOwners(t *testing.T) {
	t.Parallel()
	clk := newClock()
	c, _ := newCatalog(t, catalog.Options{KeepFor: time.Hour, Now: clk.now})
	first, second := sameName()
	a := put(t, c, catalog.Owner{Session: "a"}, first)
	clk.move(2 * time.Hour)
	if got := collect(t, c); got.Count != 1 {
		t.Fatalf("%+v", got)
	}
	b := put(t, c, catalog.Owner{Session: "b"}, second)
	if a.Name != b.Name {
		t.Fatalf("the names are %s and %s", a.Name, b.Name)
	}
	if got := read(t, c, a.Name, catalog.Permit{Session: "a"}); got != "" {
		t.Errorf("a reads %q", got)
	}
	if got := read(t, c, a.Name, catalog.Permit{Session: "b"}); got != second {
		t.Errorf("b reads %q", got)
	}
	clk.move(2 * time.Hour)
	collect(t, c)
	put(t, c, catalog.Owner{Session: "c"}, second)
	if got := read(t, c, a.Name, catalog.Permit{Session: "b"}); got != second {
		t.Errorf("the same content again: b reads %q", got)
	}
}

// sameName finds two contents whose digests begin alike.
func sameName() (first, second string) {
	seen := map[[4]byte]string{}
	for i := 0; ; i++ {
		content := fmt.Sprint("content ", i)
		digest := blake3.Sum256([]byte(content))
		if other := seen[[4]byte(digest[:4])]; other != "" {
			return other, content
		}
		seen[[4]byte(digest[:4])] = content
	}
}

// TestDatabaseOfVersion1IsUpgraded opens a database that version 1 wrote: two sessions, one deleted artifact, one that was cut off. They
// say what they said, take what is new, and stay as they are for a second start.
func TestDatabaseOfVersion1IsUpgraded(t *testing.T) {
	t.Parallel()
	old, err := os.ReadFile("testdata/catalog-1.db")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "books.db")
	if err := os.WriteFile(path, old, 0o600); err != nil {
		t.Fatal(err)
	}
	clk := newClock()
	clk.move(4 * time.Hour)
	store := memory.New()
	for _, content := range []string{"of a", "of both", "of b, cut off", "of none"} {
		if _, err := store.Put(t.Context(), artifactstore.BytesBlob([]byte(content))); err != nil {
			t.Fatal(err)
		}
	}
	for start := range 2 {
		c := open(t, store, catalog.Options{Path: path, KeepFor: time.Hour, SessionLease: time.Hour, Now: clk.now})
		if s := c.Status(); s.Artifacts != 4+int64(start) {
			t.Errorf("start %d: %+v", start, s)
		}
		for content, want := range map[string]string{"of a": "a", "of both": "ab", "of b, cut off": "b", "of none": ""} {
			name := store.RefFor([]byte(content)).Name
			for _, session := range []string{"a", "b"} {
				if got := read(t, c, name, catalog.Permit{Session: session}) == content; got != bytes.Contains([]byte(want), []byte(session)) {
					t.Errorf("start %d: session %s reads %q: %v", start, session, content, got)
				}
			}
			if got := read(t, c, name, catalog.Permit{}); got != content {
				t.Errorf("start %d: %q is %q", start, content, got)
			}
		}
		if _, err := c.PagesFor(t.Context(), store.RefFor([]byte("deleted")).Name, catalog.Permit{Session: "gone"}); !isExpired(err) {
			t.Errorf("start %d: %v", start, err)
		}
		list, _, err := c.List(t.Context(), "b", "", 0, 9)
		if err != nil || len(list) != 2 || !list[0].Partial || list[1].Partial {
			t.Errorf("start %d: %+v, %v", start, list, err)
		}
		before := store.RefFor([]byte("as the tool wrote it")).Name
		if got := read(t, c, before, catalog.Permit{}); got != "" {
			t.Errorf("start %d: what was put as raw before is open: %q", start, got)
		}
		raw := put(t, c, catalog.Owner{Session: "a", Raw: true}, "as the tool wrote it")
		if got := read(t, c, raw.Name, catalog.Permit{}); got != "" {
			t.Errorf("start %d: raw is open: %q", start, got)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A database of a later version is rejected before a byte of it is written.
func TestDatabaseOfLaterVersionIsRejected(t *testing.T) {
	t.Parallel()
	later, err := os.ReadFile("testdata/catalog-1.db")
	if err != nil {
		t.Fatal(err)
	}
	later[63] = 4 // the version, big-endian, at 60
	path := filepath.Join(t.TempDir(), "books.db")
	if err := os.WriteFile(path, later, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := catalog.Open(memory.New(), catalog.Options{Path: path}); !errors.Is(err, catalog.ErrCatalogUnreadable) {
		t.Error(err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, later) {
		t.Errorf("the database is changed, error %v", err)
	}
}
