package dir

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/internal/content"
)

// anySize lets openVerified accept an artifact of any size.
const anySize = -1

// Open is [Source]'s. It accepts a regular file that belongs to us and whose digest begins with its name,
// and nothing else. It follows no link.
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

// Resolve returns the name of the artifact at an absolute path, as Ref.Path and Log.Path have it; whether it is
// there is for the reader to find out. For a log that is finished it is that of its artifact. It fails with
// ErrForeign.
func (d *Store) Resolve(path string) (string, error) {
	if location, ok := strings.CutPrefix(path, d.path+"/"); ok {
		if log, ok := artifactstore.ParseLiveName(location); ok {
			return d.nameOfLog(log), nil
		}
		if name, ok := nameAt(location); ok && d.pathPrefix == "" {
			return name, nil
		}
	}
	if name, ok := strings.CutPrefix(path, d.pathPrefix); ok && d.pathPrefix != "" && len(name) >= d.nameDigits && artifactstore.CheckName(name) == nil {
		return name, nil
	}
	return "", fmt.Errorf("artifact store %s: %w", d.path, artifactstore.ErrOutsideStore)
}

// openVerified opens the artifact called name, reads all of it and checks that it is what its name says.
// If size is not anySize, an artifact of another size is damaged as far as the caller is concerned, and is
// not read.
func (d *Store) openVerified(ctx context.Context, name string, size int64) (*opened, content.ID, error) {
	f, err := d.openArtifact(name)
	if err != nil {
		return nil, content.ID{}, err
	}
	c := content.ID{Size: f.size}
	if size != anySize && size != c.Size {
		err = fmt.Errorf("%d bytes long instead of %d: %w", c.Size, size, artifactstore.ErrDamaged)
	} else {
		c.Digest, err = d.digestOf(ctx, f, c.Size)
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

// openArtifact opens the artifact called name without reading it. While it has both forms the plain one counts.
func (d *Store) openArtifact(name string) (*opened, error) {
	shardInfo, err := d.root.Lstat(shardName(name))
	if err == nil && !shardInfo.IsDir() {
		err = errNotPlain
	}
	if err != nil {
		return nil, artifactstore.ReadError(err)
	}
	f, info, err := d.openPlain(location(name))
	if errors.Is(err, fs.ErrNotExist) {
		return d.openCompressed(name)
	}
	if err != nil {
		return nil, artifactstore.ReadError(err)
	}
	return &opened{ReaderAt: f, file: f, info: info, size: info.Size()}, nil
}

// digestOf hashes f from its beginning and insists on size bytes. It looks at ctx between chunks and
// leaves the position of a file as it is.
func (d *Store) digestOf(ctx context.Context, f io.ReaderAt, size int64) (digest [content.DigestSize]byte, err error) {
	s := d.getScratch()
	defer d.scratch.Put(s)
	var total int64
	for err == nil {
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
