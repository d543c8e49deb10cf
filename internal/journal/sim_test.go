package journal

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
)

// simDisk is a disk that a test cuts from the power: of what was written since the last sync of a file, each sector is there or not.
// Names are durable, as those of a directory that is synced whenever one is given or taken.
type simDisk struct {
	mu    sync.Mutex
	files map[string]*simFile
	left  int // operations that are done before all fail; negative: no end
	fail  func(op, name string) error
}

var errPower = errors.New("the power is off")

// simFile is a file of a simDisk.
type simFile struct {
	d       *simDisk
	name    string
	content []byte // as a program reads it
	durable []byte
	writes  []simWrite // since the last sync
}

// simWrite is a write that is not synced.
type simWrite struct {
	at   int64
	data []byte
}

const sector = 512

func newSimDisk() *simDisk { return &simDisk{files: map[string]*simFile{}, left: -1} }

// step counts an operation.
func (d *simDisk) step(op, name string) error {
	if d.fail != nil {
		if err := d.fail(op, name); err != nil {
			return err
		}
	}
	if d.left == 0 {
		return errPower
	}
	if d.left > 0 {
		d.left--
	}
	return nil
}

// restart returns the disk after a power cut.
func (d *simDisk) restart(r *rand.Rand) *simDisk {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left = 0
	after := newSimDisk()
	for _, name := range slices.Sorted(maps.Keys(d.files)) {
		f := d.files[name]
		if strings.HasSuffix(name, tempSuffix) && r.IntN(2) == 0 {
			continue
		}
		content := bytes.Clone(f.durable)
		for _, w := range f.writes {
			for from := 0; from < len(w.data); {
				at := w.at + int64(from)
				n := min(len(w.data)-from, sector-int(at%sector))
				if r.IntN(3) > 0 && at+int64(n) <= int64(len(content)) {
					copy(content[at:], w.data[from:from+n])
				}
				from += n
			}
		}
		after.files[name] = &simFile{d: after, name: name, content: content, durable: bytes.Clone(content)}
	}
	return after
}

func (d *simDisk) List(folder string) (names []string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("list", folder); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(d.files)) {
		if rest, ok := strings.CutPrefix(name, folder+"/"); ok && !strings.HasSuffix(name, tempSuffix) {
			names = append(names, rest)
		}
	}
	return names, nil
}

func (d *simDisk) Create(name string, size int64) (file, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("create", name); err != nil {
		return nil, err
	}
	f := &simFile{d: d, name: name, content: make([]byte, size), durable: make([]byte, size)}
	d.files[name] = f
	return f, nil
}

func (d *simDisk) Write(name string, write func(io.Writer) error) (int64, error) {
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return 0, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("seal", name); err != nil {
		return 0, err
	}
	d.files[name] = &simFile{d: d, name: name, content: bytes.Clone(b.Bytes()), durable: bytes.Clone(b.Bytes())}
	return int64(b.Len()), nil
}

func (d *simDisk) Open(name string) (file, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("open", name); err != nil {
		return nil, err
	}
	if f := d.files[name]; f != nil {
		return f, nil
	}
	return nil, os.ErrNotExist
}

func (d *simDisk) Rename(from, to string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("rename", from); err != nil {
		return err
	}
	f := d.files[from]
	if f == nil {
		return os.ErrNotExist
	}
	delete(d.files, from)
	f.name = to
	d.files[to] = f
	return nil
}

func (d *simDisk) Remove(name string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.step("remove", name); err != nil {
		return err
	}
	if d.files[name] == nil {
		return os.ErrNotExist
	}
	delete(d.files, name)
	return nil
}

func (d *simDisk) Close() error { return nil }

func (f *simFile) ReadAt(p []byte, at int64) (int, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if err := f.d.step("read", f.name); err != nil {
		return 0, err
	}
	if at >= int64(len(f.content)) {
		return 0, io.EOF
	}
	n := copy(p, f.content[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// WriteParts writes a part of the parts when the power goes off.
func (f *simFile) WriteParts(parts [][]byte, at int64) (int64, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	data := slices.Concat(parts...)
	if at+int64(len(data)) > int64(len(f.content)) {
		return 0, errOutside
	}
	err := f.d.step("write", f.name)
	if err != nil && len(data) > 0 {
		data = data[:rand.IntN(len(data)+1)]
	}
	copy(f.content[at:], data)
	f.writes = append(f.writes, simWrite{at, data})
	return int64(len(data)), err
}

func (f *simFile) Sync() error {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	if err := f.d.step("sync", f.name); err != nil {
		return err
	}
	f.durable, f.writes = bytes.Clone(f.content), nil
	return nil
}

func (f *simFile) Push(int64, int64) error { return nil }

func (f *simFile) Size() (int64, error) {
	f.d.mu.Lock()
	defer f.d.mu.Unlock()
	return int64(len(f.content)), nil
}

func (f *simFile) Present(int64) error { return nil }

func (f *simFile) Close() error { return nil }

// lockedBuffer is a buffer for several goroutines.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func (d *simDisk) HasSpace(int64) bool { return false }
