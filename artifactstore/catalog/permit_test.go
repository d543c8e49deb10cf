package catalog_test

import (
	"context"
	"errors"
	"fmt"
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
			if err := tryClose(c); err != nil {
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
