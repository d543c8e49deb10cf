package dir

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/internal/blockindex"
)

// maxIndexSize bounds what is read of an index: that of an artifact of a terabyte.
const maxIndexSize = 64 << 20

// indexSuffix ends the name of the file with an artifact's index, beside that of the artifact.
const indexSuffix = ".index"

// Pages is [Source]'s. It reads the index of a large artifact in place of the artifact; where that is
// missing or not to be trusted, it reads the artifact once, verifies it and writes the index again.
func (d *Store) Pages(ctx context.Context, name string) (*artifactstore.Pages, error) {
	log, live := artifactstore.ParseLiveName(name)
	if err := artifactstore.CheckName(name); err != nil && !live {
		return nil, err
	}
	if err := d.enter(ctx); err != nil {
		return nil, fmt.Errorf("artifact %s: %w", name, err)
	}
	defer d.ops.Done()
	open := d.pages
	if live {
		name, open = log, d.logPages
	}
	p, err := open(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("artifact %s: %w", name, err)
	}
	return p, nil
}

func (d *Store) pages(ctx context.Context, name string) (*artifactstore.Pages, error) {
	f, err := d.openArtifact(name)
	if err != nil {
		return nil, err
	}
	if i := d.readIndex(name); i != nil && i.Content.Size == f.size {
		return artifactstore.NewPages(d.ref(name, i.Content), i, f, f), nil
	}
	f.Close() // read-only
	f, c, err := d.openVerified(ctx, name, anySize)
	if err != nil {
		return nil, err
	}
	var x blockindex.Builder
	if _, err := io.Copy(&x, io.NewSectionReader(f, 0, c.Size)); err != nil {
		f.Close()
		return nil, artifactstore.ReadError(err)
	}
	i := x.Finish(c)
	d.keepIndex(name, i)
	return artifactstore.NewPages(d.ref(name, c), i, f, f), nil
}

// readIndex returns the index that is kept for an artifact, or nil.
func (d *Store) readIndex(name string) *blockindex.Index {
	f, info, err := d.openPlain(location(name) + indexSuffix)
	if err != nil {
		return nil
	}
	defer f.Close() // read-only
	if info.Size() > maxIndexSize {
		return nil
	}
	b, err := io.ReadAll(f)
	if err != nil {
		return nil
	}
	i, err := blockindex.Decode(b)
	if err != nil || !strings.HasPrefix(i.Content.Hex(), name) {
		return nil
	}
	return i
}

// keepIndex writes the index of an artifact that is large enough for one. An index can be made again, so it
// is not synced, and a failure is of no account; one that is there and not to be trusted is replaced.
func (d *Store) keepIndex(name string, i *blockindex.Index) {
	if i.Content.Size < blockindex.MinSize {
		return
	}
	t, err := d.newTemp()
	if err != nil {
		return
	}
	defer t.release() // nothing is lost
	if t.write(i.Encode()) != nil || t.file.Chmod(artifactMode) != nil {
		return
	}
	if d.fault.do(stepLinkIndex, func() error { return d.root.Rename(t.path(), location(name)+indexSuffix) }) == nil {
		t.name = ""
	}
}
