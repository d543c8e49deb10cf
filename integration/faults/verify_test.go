//go:build linux

package faults_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// found is what was found in a store after something went wrong.
type found struct{ acked, records, lost, torn int }

func (f *found) add(g found) {
	f.acked += g.acked
	f.records += g.records
	f.lost += g.lost
	f.torn += g.torn
}

// after adds what a round acknowledged, and what was found after it.
func (f *found) after(acks []string, g found) {
	f.add(found{countAcks(acks), len(recordsOf(acks)), g.lost, g.torn})
}

// String is what was found, for the totals.
func (f found) String() string {
	return fmt.Sprintf("%d artifacts and %d records acknowledged, %d lost, %d torn", f.acked, f.records, f.lost, f.torn)
}

// verify opens a store as its next start does and looks at everything in it: every artifact that the lines of
// acks acknowledge must be there and be what was acknowledged, every other one must be what its name says, and
// nothing may be left in tmp/. Then it puts one more.
func verify(t testing.TB, root string, acks []string) found {
	t.Helper()
	d, err := dir.Open(root, dir.Options{})
	if err != nil {
		t.Fatalf("the next start: %v", err)
	}
	defer func() { must(t, d.Close()) }()
	return verifyDir(t, d, acks)
}

// verifyDir is verify of a store that is open.
func verifyDir(t testing.TB, d *dir.Store, acks []string) found {
	t.Helper()
	root := d.Root()
	if left := tempFiles(t, root); len(left) > 0 {
		t.Errorf("tmp has %q after the next start", left)
	}
	var f found
	seen := map[string]bool{}
	for _, line := range acks {
		var name, digest string
		var size int64
		if n, _ := fmt.Sscan(line, &name, &digest, &size); n != 3 || !strings.HasPrefix(digest, "blake3:") {
			continue // it acknowledges nothing
		}
		f.acked++
		seen[name] = true
		ref, err := whole(d, name)
		if err != nil || ref.Digest != digest || ref.Size != size {
			f.lost++
			t.Errorf("acknowledged %q, found %+v, error %v", line, ref, err)
		}
	}
	for _, name := range artifactNames(t, root) {
		if seen[name] {
			continue
		}
		if _, err := whole(d, name); err != nil {
			f.torn++
			t.Errorf("nobody was told of %s, and it is torn: %v", name, err)
		}
	}
	if _, err := put(d, 0, []byte("after")); err != nil {
		t.Errorf("the next put: %v", err)
	}
	return f
}

// whole reads an artifact in both ways that there are, which must agree.
func whole(d *dir.Store, name string) (artifactstore.Ref, error) {
	r, err := d.Open(context.Background(), name)
	if err != nil {
		return artifactstore.Ref{}, err
	}
	defer r.Close() // read-only
	content, err := io.ReadAll(r)
	if err != nil {
		return r.Ref(), err
	}
	p, err := d.Pages(context.Background(), name)
	if err != nil {
		return r.Ref(), err
	}
	defer p.Close() // read-only
	pages, err := p.Read(nil, 0, p.Size())
	if err == nil && (!bytes.Equal(content, pages) || p.Lines() != int64(bytes.Count(append(content, '\n'), []byte{'\n'}))-ended(content)) {
		err = fmt.Errorf("read in pages it has %d bytes and %d lines", len(pages), p.Lines())
	}
	return r.Ref(), err
}

// ended is 1 when a text is empty or its last line has an end.
func ended(b []byte) int64 {
	if len(b) == 0 || b[len(b)-1] == '\n' {
		return 1
	}
	return 0
}

// artifactNames lists the artifacts of a store by its files.
func artifactNames(t testing.TB, root string) (names []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, "[0-9a-f][0-9a-f][08]", "*"))
	must(t, err)
	for _, path := range paths {
		if rest := filepath.Base(path); strings.Trim(rest, "0123456789abcdef") == "" { // else it is an index
			names = append(names, filepath.Base(filepath.Dir(path))[:2]+rest)
		}
	}
	return names
}

// acksOf reads what a process acknowledged, which may be nothing yet.
func acksOf(t testing.TB, path string) []string {
	t.Helper()
	if _, err := os.Lstat(path); err != nil {
		return nil
	}
	return lines(t, path)
}
