package objectstore

// Reading. Copies in the spool are read there. Other artifacts are fetched into the spool whole, or, if they are large and
// only pages are wanted, read from the bucket in ranges with the index that lies beside the object.

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/zeebo/blake3"

	"github.com/toolresult/toolresult/artifactstore"
)

const (
	// maxIndex is the largest index that is read, in bytes: that of an artifact of a terabyte.
	maxIndex = 64 << 20
	// maxAhead is the largest read in bytes, reached when reads are sequential.
	maxAhead = 4 << 20
)

// Open implements [artifactstore.Source]. An artifact that is not in the spool is fetched into it.
//
// Errors beside those of a Source: ErrUnavailable when the artifact is not in the spool and the object store does not
// answer.
func (s *Store) Open(ctx context.Context, name string) (r *artifactstore.Reader, err error) {
	r, err = s.spool.Open(ctx, name)
	if err == nil {
		s.spool.Touch(name)
		return r, nil
	}
	if !errors.Is(err, artifactstore.ErrUnknown) || !isName(name) {
		return nil, err
	}
	err = s.fetch(ctx, name, func() (err error) {
		r, err = s.spool.Open(ctx, name)
		return err
	})
	return r, remoteError(name, err)
}

// Pages implements [artifactstore.Source]. Of a large artifact that is not in the spool it reads the index and the blocks that
// are asked for, for as long as ctx lasts; any other is fetched into the spool.
//
// Errors beside those of a Source: ErrUnavailable, also of the methods of the Pages, when the artifact is not in the
// spool and the object store does not answer.
func (s *Store) Pages(ctx context.Context, name string) (p *artifactstore.Pages, err error) {
	p, err = s.spool.Pages(ctx, name)
	if err == nil {
		s.spool.Touch(name)
		return p, nil
	}
	if !errors.Is(err, artifactstore.ErrUnknown) || !isName(name) {
		return nil, err
	}
	p, err = s.remotePages(ctx, name)
	if p != nil || err != nil {
		return p, remoteError(name, err)
	}
	err = s.fetch(ctx, name, func() (err error) {
		p, err = s.spool.Pages(ctx, name)
		return err
	})
	return p, remoteError(name, err)
}

// remoteError adds the name of an artifact to an error of the bucket.
func remoteError(name string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("artifact %s: %w", name, err)
}

// remotePages returns the Pages of an artifact in the bucket, or nil if its index is missing or corrupt.
func (s *Store) remotePages(ctx context.Context, name string) (*artifactstore.Pages, error) {
	o, err := s.bucket.stat(ctx, name)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(o.digest, name) && o.digest != "" {
		return nil, fmt.Errorf("the bucket has the digest %.64s: %w", line(o.digest), artifactstore.ErrDamaged)
	}
	if o.size < artifactstore.IndexedSize {
		return nil, nil
	}
	index, err := s.bucket.getSmall(ctx, name+indexSuffix, maxIndex)
	if errors.Is(err, artifactstore.ErrUnknown) || errors.Is(err, artifactstore.ErrDamaged) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := &rangeReader{ctx: ctx, bucket: s.bucket, name: name, size: o.size, ahead: artifactstore.BlockSize / 2}
	p, err := artifactstore.OpenPages(name, s.options.Location.pathPrefix()+name, index, r, r)
	switch {
	case err != nil:
		return nil, nil // a corrupt index does not make the artifact corrupt
	case p.Size() != o.size:
		return nil, fmt.Errorf("%d bytes in the bucket instead of %d: %w", o.size, p.Size(), artifactstore.ErrDamaged)
	}
	return p, nil
}

// fetch copies an artifact from the bucket into the spool and calls use while it cannot be evicted.
func (s *Store) fetch(ctx context.Context, name string, use func() error) error {
	o, err := s.bucket.stat(ctx, name)
	if err != nil {
		return err
	}
	stage, err := s.spool.Stage(ctx)
	if err != nil {
		return err
	}
	defer stage.Discard() // an error only leaves a file for the next sweep
	if err := s.download(ctx, name, o.size, stage); err != nil {
		return err
	}
	blob, err := stage.Seal()
	if err != nil {
		return err
	}
	// From the put to the end of use the copy must not be evicted.
	s.local.RLock()
	defer s.local.RUnlock()
	ref, err := s.spool.Put(ctx, blob)
	if err != nil {
		return err
	}
	s.uploads.addKnown(name)
	s.addUsage(ref.Size)
	return use()
}

// download writes an object to w and verifies its digest.
func (s *Store) download(ctx context.Context, name string, size int64, w io.Writer) error {
	transfer, cancel := withTimeout(ctx, transferTimeout(size))
	defer cancel()
	body, o, err := s.bucket.get(transfer, name)
	if err != nil {
		return err
	}
	defer body.Close() // read-only
	hash, local := blake3.New(), &localWriter{w: w}
	_, err = io.CopyBuffer(io.MultiWriter(hash, local), body, make([]byte, artifactstore.BlockSize))
	switch digest := hex.EncodeToString(hash.Sum(nil)); {
	case local.err != nil:
		return local.err
	case err != nil:
		return failure(transfer, err)
	case !strings.HasPrefix(digest, name):
		return fmt.Errorf("%d bytes in the bucket with the digest %s: %w", o.size, digest, artifactstore.ErrDamaged)
	}
	return nil
}

// localWriter keeps the error of the spool apart from errors of the network.
type localWriter struct {
	w   io.Writer
	err error
}

// Write implements io.Writer, and keeps the error.
func (l *localWriter) Write(p []byte) (n int, err error) {
	n, l.err = l.w.Write(p)
	return n, l.err
}

// rangeReader reads ranges of an object for Pages. When reads are sequential it reads ahead, twice as much each time.
type rangeReader struct {
	ctx    context.Context
	bucket *bucket
	name   string
	size   int64

	read  []byte // the last range
	at    int64  // its offset
	ahead int64  // its size in bytes
}

// ReadAt implements io.ReaderAt. Not safe for concurrent use.
func (b *rangeReader) ReadAt(p []byte, offset int64) (int, error) {
	if offset < b.at || offset+int64(len(p)) > b.at+int64(len(b.read)) {
		if err := b.load(int64(len(p)), offset); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.read[offset-b.at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// load reads at least atLeast bytes from an offset, or up to the end.
func (b *rangeReader) load(atLeast, offset int64) error {
	if offset == b.at+int64(len(b.read)) {
		b.ahead = min(2*b.ahead, maxAhead)
	} else {
		b.ahead = artifactstore.BlockSize
	}
	n := min(max(b.ahead, atLeast), max(0, b.size-offset))
	b.at, b.read = offset, append(b.read[:0], make([]byte, n)...)
	if n == 0 {
		return nil
	}
	if err := b.bucket.readAt(b.ctx, b.name, b.read, offset, b.size); err != nil {
		b.at, b.read = 0, b.read[:0]
		return err
	}
	return nil
}

// Close implements io.Closer. It does nothing.
func (b *rangeReader) Close() error { return nil }
