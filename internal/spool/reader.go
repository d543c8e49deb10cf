package spool

import (
	"encoding/binary"
	"errors"
	"io"
	"sync/atomic"
)

// ErrStopped is the error of a reader that was stopped.
var ErrStopped = errors.New("the reader of the spool was stopped")

// Reader reads a spool from its beginning, and follows it while it grows. Its methods but Stop are not safe for concurrent use.
type Reader struct {
	of      *Spool
	at      int64  // where the next bytes of the spool are read
	ahead   []byte // bytes that are read from the spool, and not by the caller
	buffer  [memoryBytes]byte
	stream  Stream // of the present record
	left    int64  // bytes of the present record that follow
	stopped atomic.Bool
}

// NewReader returns a reader that begins with the first byte.
func (s *Spool) NewReader() *Reader { return &Reader{of: s} }

// Stop makes the present and all later reads fail with ErrStopped.
func (r *Reader) Stop() {
	r.stopped.Store(true)
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	r.of.grown.Broadcast()
}

// Read reads the next bytes, which are of one stream, into p, which is not empty. It waits until there is one, and returns what
// there is then, up to the length of p. The end is io.EOF.
func (r *Reader) Read(p []byte) (from Stream, n int, err error) {
	if r.stopped.Load() {
		return r.stream, 0, ErrStopped
	}
	for n < len(p) {
		if r.left == 0 {
			if n > 0 && !r.sameNext() {
				break
			}
			if err := r.next(); err != nil {
				return r.stream, n, err
			}
		}
		if len(r.ahead) == 0 {
			if n > 0 && !r.more() {
				break
			}
			if err := r.fill(1); err != nil {
				return r.stream, n, err
			}
		}
		took := copy(p[n:min(int64(len(p)), int64(n)+r.left)], r.ahead)
		r.ahead, r.left, n = r.ahead[took:], r.left-int64(took), n+took
	}
	return r.stream, n, nil
}

// next begins the next record.
func (r *Reader) next() error {
	if err := r.fill(headBytes); err != nil {
		return err
	}
	r.stream, r.left = Stream(r.ahead[0]), int64(binary.BigEndian.Uint32(r.ahead[1:]))
	r.ahead = r.ahead[headBytes:]
	return nil
}

// sameNext reports whether the next record is there without waiting, and is of the same stream.
func (r *Reader) sameNext() bool {
	return (len(r.ahead) >= headBytes || r.more() && r.fill(headBytes) == nil) && Stream(r.ahead[0]) == r.stream
}

// more reports whether the spool has bytes that are not read. A record is added as a whole, so that its rest is there too.
func (r *Reader) more() bool {
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	return r.at < r.of.flushed+int64(len(r.of.tail))
}

// fill reads ahead until there are n bytes, at most headBytes. An end within a record is an error, because records are added as a
// whole.
func (r *Reader) fill(n int) error {
	rest := copy(r.buffer[:], r.ahead)
	r.ahead = r.buffer[:rest]
	for len(r.ahead) < n {
		read, err := r.of.readAt(r.buffer[len(r.ahead):], r.at, r.stopped.Load)
		r.at += int64(read)
		r.ahead = r.buffer[:len(r.ahead)+read]
		if errors.Is(err, io.EOF) && (len(r.ahead) > 0 || r.left > 0) {
			return io.ErrUnexpectedEOF
		}
		if err != nil {
			return err
		}
	}
	return nil
}
