package artifactstore

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/toolresult/toolresult/artifactstore/internal/content"
	"github.com/zeebo/blake3"
)

// Blob is one complete payload, readable more than once.
type Blob interface {
	// Size returns the exact length in bytes. It must not change.
	Size() int64
	// Open returns a reader of the whole payload from its first byte. The caller closes it. Several readers
	// may be open at the same time.
	Open() (io.ReadCloser, error)
}

// BytesBlob returns a blob of b, without a copy: b must not change while the blob is in use. A store writes it in one
// piece, without a reader in between.
func BytesBlob(b []byte) Blob { return content.Bytes(b) }

// InMemory returns the bytes of a blob that BytesBlob made. They must not be changed.
func InMemory(b Blob) ([]byte, bool) {
	c, ok := b.(content.Bytes)
	return c, ok
}

// Digest returns the digest of a blob, as in Ref.Digest. A blob of a stage was hashed when it was written; any other is
// read. Errors: those of opening and reading b; ErrSizeMismatch; the error of ctx.
func Digest(ctx context.Context, b Blob) (string, error) {
	switch b := b.(type) {
	case hashed:
		return b.Digest(), nil
	case content.Bytes:
		return content.Sum(b).String(), nil
	}
	hash := blake3.New()
	err := Drain(ctx, b, make([]byte, BlockSize), func(p []byte) error {
		_, _ = hash.Write(p) // a hash never fails
		return nil
	})
	return content.FromHash(hash, b.Size()).String(), err
}

// hashed is implemented by a blob that knows its digest, in the form of [Ref.Digest].
type hashed interface{ Digest() string }

// Content reads a whole blob into memory.
func Content(b Blob) ([]byte, error) {
	r, err := b.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close() // read-only
	content := make([]byte, b.Size())
	_, err = io.ReadFull(r, content)
	return content, err
}

// maxEmptyReads is the number of reads in a row that may return neither bytes nor an error.
const maxEmptyReads = 100

// Drain passes all of b to write, one full buf at a time. It fails with ErrSizeMismatch unless b yields exactly b.Size()
// bytes, and with the error of ctx, which it checks before every read. It is for implementations of [Sink].
func Drain(ctx context.Context, b Blob, buf []byte, write func([]byte) error) error {
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

// fill reads until buf is full or r fails. Unlike io.ReadFull it returns the error of r unchanged, so that a source that
// was cut short is not mistaken for one that ended.
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
