// Package spool keeps what a command writes, in the order of arrival, until somebody has read it. It is in a file of this user
// alone, without a name, and never in memory beyond a small bound: the file vanishes with the process, however that ends.
//
// Both streams are one sequence of records, so that a reader gets their order from the same bytes. Readers follow a spool that
// still grows, each from its beginning and at its own pace.
package spool

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
)

// Stream is one of the two streams of a command.
type Stream uint8

// The streams of a command.
const (
	Stdout Stream = iota
	Stderr
)

// String returns the name of the stream in the contract.
func (s Stream) String() string { return [...]string{"stdout", "stderr"}[s] }

// A record is the stream, the number of bytes, and the bytes.
const headBytes = 5

// memoryBytes is the largest number of bytes that wait in memory to be written to the file. A command that writes less needs no
// file at all.
const memoryBytes = 64 << 10

// Spool keeps two streams. Safe for concurrent use.
type Spool struct {
	dir string // of the file; empty: the temporary directory

	adding sync.Mutex   // one adds or passes on; before mu
	passed [2]io.Writer // where what is added goes; nil while it is kept
	shown  *Reader      // of what is not written yet; nil before the first byte is

	mu      sync.Mutex
	grown   sync.Cond
	file    *os.File // without a name; nil while memory suffices
	flushed int64    // bytes of records in the file
	tail    []byte   // records that follow those
	sizes   [2]int64 // bytes of each stream
	ended   bool
}

// New returns a spool whose file is in dir; an empty dir is the temporary directory. Close it.
func New(dir string) *Spool {
	s := &Spool{dir: dir}
	s.grown.L = &s.mu
	return s
}

// Add keeps a copy of the next bytes of a stream. When it returns a *FullError, they are kept, but no more can be: PassOn is the
// way out. After PassOn it writes them, and returns the error of that.
func (s *Spool) Add(to Stream, p []byte) error {
	if len(p) == 0 {
		return nil
	}
	s.adding.Lock()
	defer s.adding.Unlock()
	if w := s.passed[to]; w != nil {
		_, err := w.Write(p)
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tail = binary.BigEndian.AppendUint32(append(s.tail, byte(to)), uint32(len(p)))
	s.tail = append(s.tail, p...)
	s.sizes[to] += int64(len(p))
	s.grown.Broadcast()
	if len(s.tail) <= memoryBytes {
		return nil
	}
	if err := s.flush(); err != nil {
		return &FullError{err}
	}
	return nil
}

// FullError means that the file of a spool takes no more.
type FullError struct{ Reason error }

// Error implements error.
func (e *FullError) Error() string { return fmt.Sprintf("it cannot be kept: %v", e.Reason) }

// Unwrap returns the reason.
func (e *FullError) Unwrap() error { return e.Reason }

// PassOn writes all that was added, as it was: each stream to its writer, in the order of arrival. What is added from then on goes the
// same way at once. A writer that fails has no reader, and does not keep the other from its bytes.
func (s *Spool) PassOn(stdout, stderr io.Writer) error {
	s.adding.Lock()
	defer s.adding.Unlock()
	if s.passed[Stdout] != nil {
		return nil // it is passed on already
	}
	if _, err := s.show(math.MaxInt64, stdout, stderr); err != nil {
		return err
	}
	s.passed = [2]io.Writer{stdout, stderr}
	return nil
}

// Show writes what was added and is not shown yet, at most limit bytes of it. PassOn begins behind that. It returns how much it
// wrote.
func (s *Spool) Show(limit int64, stdout, stderr io.Writer) (written int64, err error) {
	s.adding.Lock()
	defer s.adding.Unlock()
	if s.passed[Stdout] != nil {
		return 0, nil
	}
	return s.show(limit, stdout, stderr)
}

// show writes up to limit bytes. The caller has locked adding.
func (s *Spool) show(limit int64, stdout, stderr io.Writer) (written int64, err error) {
	if s.shown == nil {
		s.shown = s.NewReader()
	}
	s.mu.Lock()
	end := s.flushed + int64(len(s.tail))
	s.mu.Unlock()
	writers, buf := [2]io.Writer{stdout, stderr}, make([]byte, memoryBytes)
	for written < limit && (len(s.shown.ahead) > 0 || s.shown.at < end) {
		from, n, err := s.shown.Read(buf[:min(limit-written, memoryBytes)])
		if err != nil {
			return written, err
		}
		_, _ = writers[from].Write(buf[:n]) // where an error would be printed
		written += int64(n)
	}
	return written, nil
}

// flush moves the records from memory to the file. On an error they stay in memory.
func (s *Spool) flush() error {
	if s.file == nil {
		file, err := unnamed(s.dir)
		if err != nil {
			return err
		}
		s.file = file
	}
	if _, err := s.file.WriteAt(s.tail, s.flushed); err != nil {
		return err
	}
	s.flushed += int64(len(s.tail))
	s.tail = s.tail[:0]
	return nil
}

// unnamed returns a new file without a name, that only this process can open.
func unnamed(dir string) (*os.File, error) {
	file, err := os.CreateTemp(dir, "toolresult-") // 0600
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// End says that nothing is added any more: readers come to an end.
func (s *Spool) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.grown.Broadcast()
}

// Size returns the number of bytes of a stream.
func (s *Spool) Size(of Stream) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.sizes[of]
}

// Total returns the number of bytes of both streams.
func (s *Spool) Total() int64 { return s.Size(Stdout) + s.Size(Stderr) }

// Close ends the spool and releases the file. Readers that have not read everything fail.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended, s.tail = true, nil
	s.grown.Broadcast()
	if s.file == nil {
		return nil
	}
	return s.file.Close()
}

// readAt reads records from an offset on. It waits for the first byte, and returns io.EOF at the end. When stop
// returns true, it returns ErrStopped.
func (s *Spool) readAt(p []byte, at int64, stop func() bool) (int, error) {
	s.mu.Lock()
	for at >= s.flushed+int64(len(s.tail)) && !s.ended && !stop() {
		s.grown.Wait()
	}
	switch {
	case stop():
		s.mu.Unlock()
		return 0, ErrStopped
	case at >= s.flushed+int64(len(s.tail)):
		s.mu.Unlock()
		return 0, io.EOF
	case at >= s.flushed:
		n := copy(p, s.tail[at-s.flushed:])
		s.mu.Unlock()
		return n, nil
	}
	file, n := s.file, min(int64(len(p)), s.flushed-at)
	s.mu.Unlock() // what is in the file stays as it is
	read, err := file.ReadAt(p[:n], at)
	if err != nil {
		return read, fmt.Errorf("read what the command wrote: %w", err)
	}
	return read, nil
}
