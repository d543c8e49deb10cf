package main

import (
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// floorSize is the size of the file of a floor, in bytes; writing begins again at its beginning.
const floorSize = 128 << 20

// floor writes to a file whose bytes were written before, and syncs its data alone.
type floor struct {
	*group
	f  *os.File
	at int64
	mu sync.Mutex
}

// newFloor makes the file.
func newFloor(dir string) (*floor, error) {
	f, err := os.Create(filepath.Join(dir, "floor"))
	if err != nil {
		return nil, err
	}
	zeros := make([]byte, 1<<20)
	for range floorSize / len(zeros) {
		if _, err := f.Write(zeros); err != nil {
			return nil, err
		}
	}
	return &floor{f: f}, f.Sync()
}

// openFloor opens the floor that all who wait share.
func openFloor(dir string) (Log, error) {
	f, err := newFloor(dir)
	if err == nil {
		f.group = newGroup(f.write)
	}
	return f, err
}

// write writes some pairs with one call of the system, and syncs them.
func (f *floor) write(pairs []pair) error {
	var parts [][]byte
	size := int64(0)
	for _, p := range pairs {
		parts = append(parts, p.record)
		if len(p.small) > 0 {
			parts = append(parts, p.small)
		}
		size += int64(len(p.record) + len(p.small))
	}
	if f.at+size > floorSize {
		f.at = 0
	}
	if _, err := unix.Pwritev(int(f.f.Fd()), parts, f.at); err != nil {
		return err
	}
	f.at += size
	return unix.Fdatasync(int(f.f.Fd()))
}

func (f *floor) Append(record, small []byte) error    { return f.append(record, small) }
func (f *floor) Get(uint64) ([]byte, error)           { return nil, errNotKept }
func (f *floor) Each(func(record []byte) error) error { return errNotKept }
func (f *floor) Retire(uint64) error                  { return errNotKept }
func (f *floor) Close() error                         { return f.f.Close() }

// turn syncs for each caller in turn.
type turn struct{ *floor }

// openTurn opens the floor that nobody shares.
func openTurn(dir string) (Log, error) {
	f, err := newFloor(dir)
	return turn{f}, err
}

// Append implements Log.
func (t turn) Append(record, small []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.write([]pair{{record, small}})
}
