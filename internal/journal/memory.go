package journal

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
)

// memoryDisk has files in memory.
type memoryDisk struct {
	mu    sync.Mutex
	files map[string]*memoryFile
}

// newMemoryDisk returns a disk without files.
func newMemoryDisk() *memoryDisk { return &memoryDisk{files: map[string]*memoryFile{}} }

// memoryFile is a file in memory.
type memoryFile struct {
	mu      sync.RWMutex
	content []byte
}

// List implements disk.
func (d *memoryDisk) List(folder string) (names []string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name := range d.files {
		if rest, ok := strings.CutPrefix(name, folder+"/"); ok {
			names = append(names, rest)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Create implements disk.
func (d *memoryDisk) Create(name string, size int64) (file, error) {
	return d.add(name, make([]byte, size)), nil
}

// add adds a file.
func (d *memoryDisk) add(name string, content []byte) *memoryFile {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := &memoryFile{content: content}
	d.files[name] = f
	return f
}

// Write implements disk.
func (d *memoryDisk) Write(name string, write func(io.Writer) error) (size int64, err error) {
	var b writtenBytes
	if err := write(&b); err != nil {
		return 0, err
	}
	d.add(name, b)
	return int64(len(b)), nil
}

// writtenBytes are bytes that were written.
type writtenBytes []byte

// Write implements [io.Writer].
func (b *writtenBytes) Write(p []byte) (int, error) {
	*b = append(*b, p...)
	return len(p), nil
}

// Open implements disk.
func (d *memoryDisk) Open(name string) (file, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f := d.files[name]; f != nil {
		return f, nil
	}
	return nil, os.ErrNotExist
}

// Rename implements disk.
func (d *memoryDisk) Rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	f := d.files[from]
	if f == nil {
		return os.ErrNotExist
	}
	delete(d.files, from)
	d.files[to] = f
	return nil
}

// Remove implements disk.
func (d *memoryDisk) Remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.files[name] == nil {
		return os.ErrNotExist
	}
	delete(d.files, name)
	return nil
}

// Close implements disk.
func (d *memoryDisk) Close() error { return nil }

// ReadAt implements [io.ReaderAt].
func (f *memoryFile) ReadAt(p []byte, at int64) (int, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if at >= int64(len(f.content)) {
		return 0, io.EOF
	}
	n := copy(p, f.content[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// errOutside means that a write would make a file longer.
var errOutside = errors.New("write outside of the file")

// WriteParts implements file.
func (f *memoryFile) WriteParts(parts [][]byte, at int64) (n int64, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, p := range parts {
		if at+n+int64(len(p)) > int64(len(f.content)) {
			return n, errOutside
		}
		n += int64(copy(f.content[at+n:], p))
	}
	return n, nil
}

// Sync implements file.
func (f *memoryFile) Sync() error { return nil }

// Push implements file.
func (f *memoryFile) Push(int64, int64) error { return nil }

// Size implements file.
func (f *memoryFile) Size() (int64, error) {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return int64(len(f.content)), nil
}

// Present implements file.
func (f *memoryFile) Present(int64) error { return nil }

// Close implements file.
func (f *memoryFile) Close() error { return nil }

// HasSpace implements disk.
func (*memoryDisk) HasSpace(int64) bool { return true }
