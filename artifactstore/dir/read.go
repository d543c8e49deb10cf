package dir

// Reading artifacts: whole and verified from the first byte on, or at any place by an index, with each block verified when
// it is read. An index is a file of its own that can be made again, so nothing depends on it.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/internal/blockindex"
	"github.com/toolresult/toolresult/artifactstore/internal/content"
)

// anySize makes openVerified accept an artifact of any size.
const anySize = -1

// Open implements [artifactstore.Source]. It accepts only a regular file of ours whose digest begins with its name, and
// follows no link.
func (d *Store) Open(ctx context.Context, name string) (*artifactstore.Reader, error) {
	if err := artifactstore.CheckName(name); err != nil {
		return nil, err
	}
	if err := d.enter(ctx); err != nil {
		return nil, fmt.Errorf("artifact %s: %w", name, err)
	}
	defer d.ops.Done()
	f, c, err := d.openVerified(ctx, name, anySize)
	if err != nil {
		return nil, fmt.Errorf("artifact %s: %w", name, err)
	}
	return artifactstore.NewReader(d.ref(name, c), f, f), nil
}

// Resolve implements [artifactstore.Namer].
func (d *Store) Resolve(path string) (string, error) {
	if location, ok := d.locationAt(path); ok {
		if log, ok := artifactstore.ParseLiveName(location); ok {
			return d.resolveLog(log), nil
		}
		if name, ok := parseLocation(location); ok && d.pathPrefix == "" {
			return name, nil
		}
	}
	if name, ok := strings.CutPrefix(path, d.pathPrefix); ok && d.pathPrefix != "" && len(name) >= d.nameDigits && artifactstore.CheckName(name) == nil {
		return name, nil
	}
	return "", fmt.Errorf("artifact store %s: %w", d.path, artifactstore.ErrOutsideStore)
}

// LogAt implements [artifactstore.Namer].
func (d *Store) LogAt(path string) (live string, ok bool) {
	if location, inside := d.locationAt(path); inside {
		_, ok = artifactstore.ParseLiveName(location)
		live = location
	}
	return live, ok
}

// openVerified opens the artifact called name, reads all of it and compares its digest with the name. Unless size is
// anySize, an artifact of another size fails with ErrDamaged and is not read.
func (d *Store) openVerified(ctx context.Context, name string, size int64) (*os.File, content.ID, error) {
	f, stored, err := d.openArtifact(name)
	if err != nil {
		return nil, content.ID{}, err
	}
	c := content.ID{Size: stored}
	if size != anySize && size != c.Size {
		err = fmt.Errorf("%d bytes long instead of %d: %w", c.Size, size, artifactstore.ErrDamaged)
	} else {
		c.Digest, err = d.hashFile(ctx, f, c.Size)
	}
	if err == nil && !strings.HasPrefix(c.Hex(), name) {
		err = fmt.Errorf("content has digest %s: %w", c.Hex(), artifactstore.ErrDamaged)
	}
	if err != nil {
		f.Close()
		return nil, content.ID{}, err
	}
	return f, c, nil
}

// openArtifact opens the artifact called name without reading it, and returns its size.
func (d *Store) openArtifact(name string) (f *os.File, size int64, err error) {
	shardInfo, err := d.root.Lstat(shardName(name))
	if err == nil && !shardInfo.IsDir() {
		err = errNotPlain
	}
	if err != nil {
		return nil, 0, artifactstore.ReadError(err)
	}
	f, info, err := d.openPlain(location(name))
	if err != nil {
		return nil, 0, artifactstore.ReadError(err)
	}
	return f, info.Size(), nil
}

// hashFile returns the digest of f, which must have size bytes. It checks ctx between chunks and does not move the
// position of a file.
func (d *Store) hashFile(ctx context.Context, f io.ReaderAt, size int64) (digest [content.DigestSize]byte, err error) {
	s := d.getScratch()
	defer d.scratch.Put(s)
	var total int64
	for err == nil { // to io.EOF
		if err := ctx.Err(); err != nil {
			return digest, err
		}
		var n int
		n, err = f.ReadAt(s.buf, total)
		s.hash.Write(s.buf[:n]) // a hash never fails
		total += int64(n)
	}
	if !errors.Is(err, io.EOF) {
		return digest, artifactstore.ReadError(err)
	}
	if total != size {
		return digest, fmt.Errorf("%d bytes instead of %d: %w", total, size, artifactstore.ErrDamaged)
	}
	return content.FromHash(s.hash, total).Digest, nil
}

// maxIndexSize is the largest index that is read, in bytes: that of an artifact of a terabyte.
const maxIndexSize = 64 << 20

// indexSuffix ends the name of the file with the index of an artifact, beside that of the artifact.
const indexSuffix = ".index"

// Pages implements [artifactstore.Source]. It reads the index of a large artifact instead of the artifact. If the index is
// missing or corrupt, it reads the artifact once, verifies it and writes the index again.
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

// pages opens an artifact with its index.
func (d *Store) pages(ctx context.Context, name string) (*artifactstore.Pages, error) {
	f, size, err := d.openArtifact(name)
	if err != nil {
		return nil, err
	}
	if i := d.readIndex(name); i != nil && i.Content.Size == size {
		return artifactstore.NewPages(d.ref(name, i.Content), i, f, f), nil
	}
	// Without an index the artifact is read twice: once to verify it, and once, now that it is trusted, to index it.
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

// readIndex returns the index beside an artifact, or nil if there is none or it is not one of that name.
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

// keepIndex writes the index of an artifact that is large enough for one, in the place of any other. An index can be made
// again from the artifact, so it is not synced, and failures are ignored.
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
