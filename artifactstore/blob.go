package artifactstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
)

// Blob is one complete payload, readable more than once.
type Blob interface {
	// Size returns the exact length in bytes. It must not change.
	Size() int64
	// Open returns a reader of the whole payload from its first byte. The caller closes it. Several readers
	// may be open at once.
	Open() (io.ReadCloser, error)
}

// BytesBlob returns a blob that is b itself, not a copy: b must not change while the blob is in use. A
// store writes it in one piece, without a reader in between.
func BytesBlob(b []byte) Blob { return bytesBlob(b) }

// seekable is a reader of a blob whose bytes are at hand: it can seek, and has nothing to close.
type seekable struct{ io.ReadSeeker }

func (seekable) Close() error { return nil }

type bytesBlob []byte

func (b bytesBlob) Size() int64                  { return int64(len(b)) }
func (b bytesBlob) Open() (io.ReadCloser, error) { return seekable{bytes.NewReader(b)}, nil }

// maxEmptyReads is how many reads in a row may return neither bytes nor an error.
const maxEmptyReads = 100

// drain hands all of b to write, one full buf at a time, and insists that b yields exactly b.Size() bytes.
// It looks at ctx before every read.
func drain(ctx context.Context, b Blob, buf []byte, write func([]byte) error) error {
	r, err := b.Open()
	if err != nil {
		return fmt.Errorf("open blob: %w", err)
	}
	defer r.Close() // everything was read and counted by then: a failed close can lose nothing
	size, total := b.Size(), int64(0)
	for err == nil {
		var n int
		n, err = fill(ctx, r, buf)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read blob: %w", err)
		}
		if total += int64(n); total > size {
			return fmt.Errorf("blob of %d bytes: more than that: %w", size, ErrSizeMismatch)
		}
		if n == 0 {
			continue
		}
		if err := write(buf[:n]); err != nil {
			return err
		}
	}
	if total < size {
		return fmt.Errorf("blob of %d bytes: only %d: %w", size, total, ErrSizeMismatch)
	}
	return nil
}

// fill reads until buf is full or r fails. Unlike io.ReadFull it passes on the error of r unchanged, so
// that a source that was cut short is not mistaken for one that ended.
func fill(ctx context.Context, r io.Reader, buf []byte) (int, error) {
	total, empty := 0, 0
	for total < len(buf) {
		if err := ctx.Err(); err != nil {
			return total, err
		}
		n, err := r.Read(buf[total:])
		total += n
		if err != nil {
			return total, err
		}
		if n > 0 {
			empty = 0
			continue
		}
		if empty++; empty == maxEmptyReads {
			return total, io.ErrNoProgress
		}
	}
	return total, nil
}
