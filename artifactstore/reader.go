package artifactstore

import (
	"fmt"
	"io"
	"sync/atomic"
)

// Reader reads one verified artifact. It goes on working after the store is closed. Only ReadAt, Size, Ref
// and Close may be called from several goroutines at once.
type Reader struct {
	ref     Ref
	section *io.SectionReader
	closer  io.Closer
	closed  atomic.Bool
}

// NewReader returns a Reader of ref.Size bytes from r. Closing it closes c.
func NewReader(ref Ref, r io.ReaderAt, c io.Closer) *Reader {
	return &Reader{ref: ref, section: io.NewSectionReader(r, 0, ref.Size), closer: c}
}

// Ref returns the full Ref of the artifact, as Put returned it.
func (r *Reader) Ref() Ref { return r.ref }

// Size returns the length of the artifact in bytes.
func (r *Reader) Size() int64 { return r.ref.Size }

// Read is io.Reader. After Close it fails with ErrClosed.
func (r *Reader) Read(p []byte) (int, error) {
	if r.closed.Load() {
		return 0, r.errClosed()
	}
	return r.section.Read(p)
}

// ReadAt is io.ReaderAt: it reads at an offset in bytes and does not move the position. After Close it
// fails with ErrClosed.
func (r *Reader) ReadAt(p []byte, off int64) (int, error) {
	if r.closed.Load() {
		return 0, r.errClosed()
	}
	return r.section.ReadAt(p, off)
}

// Seek is io.Seeker. Like a file it may go past the end, where Read returns io.EOF. After Close it fails
// with ErrClosed.
func (r *Reader) Seek(offset int64, whence int) (int64, error) {
	if r.closed.Load() {
		return 0, r.errClosed()
	}
	return r.section.Seek(offset, whence)
}

// Close gives the descriptor back. Only the first call does anything.
func (r *Reader) Close() error {
	if r.closed.Swap(true) {
		return nil
	}
	return r.closer.Close()
}

func (r *Reader) errClosed() error { return fmt.Errorf("artifact %s: %w", r.ref.Name, ErrClosed) }
