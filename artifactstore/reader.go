package artifactstore

import (
	"fmt"
	"io"
	"sync/atomic"
)

// Reader reads one verified artifact. It stays open when the store is closed. Only ReadAt, Size, Ref and Close are safe
// for concurrent use.
type Reader struct {
	ref     Ref
	section *io.SectionReader
	closer  io.Closer
	closed  atomic.Bool
}

// NewReader returns a Reader of ref.Size bytes from r, which must be verified. Closing it closes c. It is for
// implementations of [Source].
func NewReader(ref Ref, r io.ReaderAt, c io.Closer) *Reader {
	return &Reader{ref: ref, section: io.NewSectionReader(r, 0, ref.Size), closer: c}
}

// Ref returns the full Ref of the artifact, as Put returned it.
func (r *Reader) Ref() Ref { return r.ref }

// Size returns the length of the artifact in bytes.
func (r *Reader) Size() int64 { return r.ref.Size }

// Read implements io.Reader. After Close it fails with ErrClosed.
func (r *Reader) Read(p []byte) (int, error) {
	if r.closed.Load() {
		return 0, r.errClosed()
	}
	return r.section.Read(p)
}

// ReadAt implements io.ReaderAt: it reads at an offset in bytes and does not move the position. After Close it
// fails with ErrClosed.
func (r *Reader) ReadAt(p []byte, off int64) (int, error) {
	if r.closed.Load() {
		return 0, r.errClosed()
	}
	return r.section.ReadAt(p, off)
}

// Seek implements io.Seeker. Like a file it may go past the end, where Read returns io.EOF. After Close it fails
// with ErrClosed.
func (r *Reader) Seek(offset int64, whence int) (int64, error) {
	if r.closed.Load() {
		return 0, r.errClosed()
	}
	return r.section.Seek(offset, whence)
}

// Close closes the artifact. Only the first call has an effect.
func (r *Reader) Close() error {
	if r.closed.Swap(true) {
		return nil
	}
	return r.closer.Close()
}

func (r *Reader) errClosed() error { return fmt.Errorf("artifact %s: %w", r.ref.Name, ErrClosed) }
