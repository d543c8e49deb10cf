package artifactstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// anySize lets openVerified accept an artifact of any size.
const anySize = -1

// Open is [Source]'s. It accepts a regular file that belongs to us and whose digest begins with its name,
// and nothing else. It follows no link.
func (d *Dir) Open(ctx context.Context, name string) (*Reader, error) {
	if err := checkName(name); err != nil {
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
	return newReader(d.ref(name, c), f, f), nil
}

// NameOf returns the name of the artifact at an absolute path, as Ref.Path and Log.Path have it; whether it is
// there is for the reader to find out. For a log that is finished it is that of its artifact. It fails with
// ErrForeign.
func (d *Dir) NameOf(path string) (string, error) {
	if location, ok := strings.CutPrefix(path, d.path+"/"); ok {
		if log, ok := parseLiveName(location); ok {
			return d.nameOfLog(log), nil
		}
		if name, ok := nameAt(location); ok && d.pathPrefix == "" {
			return name, nil
		}
	}
	if name, ok := strings.CutPrefix(path, d.pathPrefix); ok && d.pathPrefix != "" && len(name) >= d.nameDigits && checkName(name) == nil {
		return name, nil
	}
	return "", fmt.Errorf("artifact store %s: %w", d.path, ErrForeign)
}

// openVerified opens the artifact called name, reads all of it and checks that it is what its name says.
// If size is not anySize, an artifact of another size is damaged as far as the caller is concerned, and is
// not read.
func (d *Dir) openVerified(ctx context.Context, name string, size int64) (*opened, content, error) {
	f, err := d.openArtifact(name)
	if err != nil {
		return nil, content{}, err
	}
	c := content{size: f.size}
	if size != anySize && size != c.size {
		err = fmt.Errorf("%d bytes long instead of %d: %w", c.size, size, ErrDamaged)
	} else {
		c.digest, err = d.digestOf(ctx, f, c.size)
	}
	if err == nil && !strings.HasPrefix(c.hex(), name) {
		err = fmt.Errorf("content has digest %s: %w", c.hex(), ErrDamaged)
	}
	if err != nil {
		f.Close()
		return nil, content{}, err
	}
	return f, c, nil
}

// openArtifact opens the artifact called name without reading it. While it has both forms the plain one counts.
func (d *Dir) openArtifact(name string) (*opened, error) {
	shardInfo, err := d.root.Lstat(shardName(name))
	if err == nil && !shardInfo.IsDir() {
		err = errNotPlain
	}
	if err != nil {
		return nil, readError(err)
	}
	f, info, err := d.openPlain(location(name))
	if errors.Is(err, fs.ErrNotExist) {
		return d.openCompressed(name)
	}
	if err != nil {
		return nil, readError(err)
	}
	return &opened{ReaderAt: f, file: f, info: info, size: info.Size()}, nil
}

// digestOf hashes f from its beginning and insists on size bytes. It looks at ctx between chunks and
// leaves the position of a file as it is.
func (d *Dir) digestOf(ctx context.Context, f io.ReaderAt, size int64) (digest [digestSize]byte, err error) {
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
		return digest, readError(err)
	}
	if total != size {
		return digest, fmt.Errorf("%d bytes instead of %d: %w", total, size, ErrDamaged)
	}
	return contentFrom(s.hash, total).digest, nil
}
