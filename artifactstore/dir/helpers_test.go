package dir_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// openStore opens a store and closes it when the test ends.
func openStore(t testing.TB, root string, opts dir.Options) *dir.Store {
	t.Helper()
	d, err := dir.Open(root, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeStore(t, d) })
	return d
}

func closeStore(t testing.TB, d *dir.Store) {
	t.Helper()
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// put stores text, which must work.
func put(t testing.TB, s artifactstore.Sink, text string) artifactstore.Ref {
	t.Helper()
	ref, err := s.Put(context.Background(), artifactstore.BytesBlob([]byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

// get reads an artifact.
func get(s artifactstore.Source, name string) (string, error) {
	r, err := s.Open(context.Background(), name)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), errors.Join(err, r.Close())
}

// wantText checks what an artifact holds.
func wantText(t testing.TB, s artifactstore.Source, name, want string) {
	t.Helper()
	if got, err := get(s, name); got != want || err != nil {
		t.Errorf("%s holds %q, error %v, want %q", name, got, err, want)
	}
}

func wantError(t testing.TB, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: error %v, want %v", what, got, want)
	}
}

// tempFiles lists what is in the temporary directory of the store at root.
func tempFiles(t testing.TB, root string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(root, "tmp"))
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, 0, len(entries))
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// isOneLine reports whether text can be printed as it is.
func isOneLine(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// must stops the test if err is not nil.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
