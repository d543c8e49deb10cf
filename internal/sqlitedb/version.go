package sqlitedb

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
)

// versionOffset is where a file has the version of its tables, big-endian (sqlite.org/fileformat2.html, section 1.3.14).
const versionOffset = 60

// FileVersion returns the version of the tables of a file, without opening it as a database, which may write to it. It is 0 for a file
// without one.
func FileVersion(path string) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close() // read-only
	var b [4]byte
	if _, err := f.ReadAt(b[:], versionOffset); err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	return int(binary.BigEndian.Uint32(b[:])), nil
}
