package dir

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"slices"
	"syscall"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/internal/blockindex"
	"github.com/zeebo/blake3"
)

// mark covers the beginning of a log: if its first size bytes have the checksum, they are those that were appended.
type mark struct {
	size  int64
	check uint32 // see blockindex.Builder.Checksum
}

// The file of marks of a log has three slots, so it never grows. Two are for the last syncs, in turns, so that a torn one
// leaves the other. One is for the last append, which is not synced. Each has a page of its own, so that writing one
// cannot tear another.
const (
	slotNow     = 2
	slotCount   = 3
	slotBytes   = 4096
	marksSuffix = ".marks"

	markProduct = "toolresult-mark 1\n"
	markSize    = len(markProduct) + 8 + 4 + 4 // size, checksum, and a checksum of the mark itself
)

// encode returns the bytes of a mark. Its own checksum comes last, so that a mark that was torn while it was written is
// not taken for one.
func (m mark) encode() []byte {
	b := append(make([]byte, 0, markSize), markProduct...)
	b = binary.LittleEndian.AppendUint64(b, uint64(m.size))
	b = binary.LittleEndian.AppendUint32(b, m.check)
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// decodeMark is the inverse of encode. It reports false for bytes that are not a mark.
func decodeMark(b []byte) (mark, bool) {
	body, rest := b[:markSize-4], b[len(markProduct):]
	if string(b[:len(markProduct)]) != markProduct || crc32.ChecksumIEEE(body) != binary.LittleEndian.Uint32(b[markSize-4:]) {
		return mark{}, false
	}
	m := mark{int64(binary.LittleEndian.Uint64(rest)), binary.LittleEndian.Uint32(rest[8:])}
	return m, m.size >= 0
}

// writeMark writes a mark into a slot, in one system call. It does not sync.
func (w *logWriter) writeMark(s step, slot int, m mark) error {
	return w.log.dir.fault.do(s, func() error {
		_, err := w.marks.WriteAt(m.encode(), int64(slot)*slotBytes)
		return err
	})
}

// createMarks creates the file of marks of an empty log, after removing one that a crash left without a log.
func (w *logWriter) createMarks() error {
	d, at := w.log.dir, artifactstore.LiveName(w.log.name)+marksSuffix
	err := d.fault.do(stepClearMarks, func() error {
		if err := d.root.Remove(at); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = d.fault.do(stepCreateMarks, func() (err error) {
		w.marks, err = d.root.OpenFile(at, os.O_RDWR|os.O_CREATE|os.O_EXCL|syscall.O_NONBLOCK, tempMode)
		if err != nil {
			return err
		}
		return w.marks.Chmod(tempMode)
	})
	if err != nil {
		return err
	}
	err = d.fault.do(stepWriteMarks, func() error {
		all := make([]byte, slotCount*slotBytes) // all slots, so that later marks need no space
		for slot := range slotCount {
			copy(all[slot*slotBytes:], mark{}.encode())
		}
		_, err := w.marks.WriteAt(all, 0)
		return err
	})
	if err != nil || d.volatile {
		return err
	}
	return d.fault.do(stepSyncMarks, w.marks.Sync)
}

// readMarks returns the marks of a log by slot, without those that are torn.
func (d *Store) readMarks(name string) (map[int]mark, error) {
	f, _, err := d.openPlain(artifactstore.LiveName(name) + marksSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, artifactstore.ReadError(err)
	}
	defer f.Close() // read-only
	marks := map[int]mark{}
	for slot := range slotCount {
		b := make([]byte, markSize)
		if _, err := f.ReadAt(b, int64(slot)*slotBytes); err != nil && !errors.Is(err, io.EOF) {
			return nil, artifactstore.ReadError(err)
		}
		if m, ok := decodeMark(b); ok {
			marks[slot] = m
		}
	}
	return marks, nil
}

// load reads a log whose state is not in memory, up to the last place that a mark covers, and returns the hash of that.
// The caller holds l.mu.
func (l *liveLog) load(ctx context.Context) (*blake3.Hasher, error) {
	marks, err := l.dir.readMarks(l.name)
	if err != nil {
		return nil, err
	}
	f, info, err := l.dir.openPlain(artifactstore.LiveName(l.name))
	if err != nil {
		return nil, artifactstore.ReadError(err)
	}
	defer f.Close() // read-only
	durable, spare, ok := lastDurable(marks)
	if !ok && info.Size() > 0 {
		return nil, fmt.Errorf("%d bytes without a mark: %w", info.Size(), artifactstore.ErrDamaged)
	}
	x, hash, err := l.dir.readCovered(ctx, f, info.Size(), marks)
	if err != nil {
		return nil, err
	}
	if x.Size() < durable.size {
		return nil, fmt.Errorf("%d bytes were durable and are not what they were: %w", durable.size, artifactstore.ErrDamaged)
	}
	l.index, l.durable, l.spare, l.loaded = x, durable, spare, true
	if l.dir.volatile {
		l.durable = mark{}
	}
	return hash, nil
}

// lastDurable returns the largest mark that was synced, and the slot for the next one.
func lastDurable(marks map[int]mark) (last mark, spare int, ok bool) {
	for slot := range slotNow {
		if m, valid := marks[slot]; valid && (!ok || m.size > last.size) {
			last, spare, ok = m, slot^1, true
		}
	}
	return last, spare, ok
}

// readCovered reads a file up to the last place that one of the marks covers.
func (d *Store) readCovered(ctx context.Context, f *os.File, size int64, marks map[int]mark) (good blockindex.Builder, hash *blake3.Hasher, err error) {
	var places []mark
	for _, m := range marks {
		if m.size <= size {
			places = append(places, m)
		}
	}
	// From the first place to the last in one pass: each mark is checked when the pass gets there.
	slices.SortFunc(places, func(a, b mark) int { return int(min(1, max(-1, a.size-b.size))) })
	s := d.getScratch()
	defer d.scratch.Put(s)
	var x blockindex.Builder
	hash = blake3.New()
	for _, m := range places {
		for x.Size() < m.size {
			if err := ctx.Err(); err != nil {
				return blockindex.Builder{}, nil, err
			}
			n, err := f.ReadAt(s.buf[:min(int64(len(s.buf)), m.size-x.Size())], x.Size())
			if n == 0 && err != nil {
				return blockindex.Builder{}, nil, artifactstore.ReadError(err)
			}
			x.Add(s.buf[:n])
			s.hash.Write(s.buf[:n]) // a hash never fails
		}
		if x.Checksum() == m.check { // a later mark may hold although an earlier one is torn
			good, hash = x, s.hash.Clone()
		}
	}
	return good, hash, nil
}
