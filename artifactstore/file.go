package artifactstore

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// takeSize is the number of bytes that TakeFile reads and writes at a time.
const takeSize = 256 << 10

// FileTaker is implemented by a [Stage] that has a better way to take a file than to be written its bytes.
// [TakeFile] asks for it.
type FileTaker interface {
	// TakeFile is the function of that name.
	TakeFile(file *os.File, size int64, see func(p []byte, newlines int)) error
}

// TakeFile appends the first size bytes of a regular file, from its first one on, to a stage. Every byte
// that is appended is shown to see, in order, with the number of newlines among them; it must not keep p.
// What is shown, and what the digest is of, is what was stored, whatever somebody writes to the file
// meanwhile: whether that happened is for the caller to find out.
//
// Errors: those of Stage.Write; ErrSizeMismatch when the file has fewer bytes; whatever reading it
// returned. After an error the stage is of no use, and what see was shown means nothing.
func TakeFile(s Stage, file *os.File, size int64, see func(p []byte, newlines int)) error {
	if taker, ok := s.(FileTaker); ok {
		return taker.TakeFile(file, size, see)
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
		see(buf[:n], newlines)
		at += int64(n)
	}
	return nil
}

// ReadChunk reads the next bytes of a file that should have at least size of them.
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
