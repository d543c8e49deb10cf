package artifactstore

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// takeSize is the number of bytes that TakeFile reads and writes at a time.
const takeSize = 256 << 10

// FileTaker is implemented by a [Stage] that takes a file faster than by writing its bytes. [TakeFile] uses it.
type FileTaker interface {
	// TakeFile does what the function [TakeFile] says.
	TakeFile(file *os.File, size int64, observe func(p []byte, newlines int)) error
}

// TakeFile appends the first size bytes of a regular file to a stage. It calls observe with every part that it appends, in
// order, and with the number of newlines in it; observe must not retain p.
//
// The bytes that observe gets are those that are stored and hashed, even if the file is written to meanwhile. Whether that
// happened is up to the caller to find out.
//
// Errors: those of Stage.Write; ErrSizeMismatch if the file has fewer bytes; those of reading the file. After an error
// the stage is of no use, and what observe got means nothing.
func TakeFile(s Stage, file *os.File, size int64, observe func(p []byte, newlines int)) error {
	if taker, ok := s.(FileTaker); ok {
		return taker.TakeFile(file, size, observe)
	}
	buf := make([]byte, min(takeSize, size))
	for at := int64(0); at < size; {
		n, err := ReadChunk(file, buf, at, size)
		if err != nil {
			return err
		}
		newlines, err := s.WriteParts([][]byte{buf[:n]})
		if err != nil {
			return err
		}
		observe(buf[:n], newlines)
		at += int64(n)
	}
	return nil
}

// ReadChunk fills buf from offset at of a file that must have at least size bytes, up to those. It returns the number of
// bytes read, at least 1. It fails with ErrSizeMismatch if the file ends before. It is for implementations of [Stage].
func ReadChunk(file *os.File, buf []byte, at, size int64) (int, error) {
	n, err := file.ReadAt(buf[:min(int64(len(buf)), size-at)], at)
	switch {
	case n > 0:
		return n, nil
	case errors.Is(err, io.EOF):
		return 0, fmt.Errorf("file of %d bytes: only %d: %w", size, at, ErrSizeMismatch)
	default:
		return 0, fmt.Errorf("read file: %w", err)
	}
}
