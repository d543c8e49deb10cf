package journal

// The head file: the ends of the streams outside of the segments, so that a log whose segments are gone is missed. It has two slots, which
// are written in turn after each commit, without a sync, because the segments are durable. It is synced when it is made, before
// retention deletes anything, and when the journal is closed.

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

const (
	// headName is the name of the head file.
	headName = "HEAD"
	// headMagic begins a slot of it, and headSlot is the size of one.
	headMagic = "toolresult journal head 1\n"
	headSlot  = 512
)

// heads are the ends of the streams.
type heads struct {
	count   uint64 // of writes of the head file
	log     string
	tips    [streamCount]Tip
	anchors [streamCount]Tip
}

// slot returns the slot of the heads: the magic, then little-endian the count, of each stream number and hash of its last entry and of the last
// one that retention deleted, the length of the name of the log and the name, and at the end of the slot its CRC32C.
func (h *heads) slot() []byte {
	b := append(make([]byte, 0, headSlot), headMagic...)
	b = binary.LittleEndian.AppendUint64(b, h.count)
	for s := Records; s < streamCount; s++ {
		for _, t := range []Tip{h.tips[s], h.anchors[s]} {
			b = binary.LittleEndian.AppendUint64(b, t.Number)
			b = append(b, t.Hash[:]...)
		}
	}
	b = append(b, byte(len(h.log)))
	b = append(b, h.log...)
	b = b[:headSlot-4]
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// parseSlot reads a slot. It reports false for bytes that are no slot.
func parseSlot(b []byte) (h heads, ok bool) {
	rest, ok := bytes.CutPrefix(b, []byte(headMagic))
	if !ok || len(b) != headSlot || crc32.Checksum(b[:headSlot-4], castagnoli) != binary.LittleEndian.Uint32(b[headSlot-4:]) {
		return h, false
	}
	h.count, rest = binary.LittleEndian.Uint64(rest), rest[8:]
	for s := Records; s < streamCount; s++ {
		for _, t := range []*Tip{&h.tips[s], &h.anchors[s]} {
			t.Number = binary.LittleEndian.Uint64(rest)
			rest = rest[8+copy(t.Hash[:], rest[8:]):]
		}
	}
	h.log = string(rest[1 : 1+int(rest[0])])
	return h, true
}

// isEmpty reports whether the heads are those of a log that never had an entry.
func (h *heads) isEmpty() bool { return h.tips == [streamCount]Tip{} }

// readHeads reads the newest valid slot of a head file. It reports false if there is none.
func readHeads(f io.ReaderAt) (newest heads, ok bool) {
	for i := range int64(2) {
		b := make([]byte, headSlot)
		if n, err := f.ReadAt(b, i*headSlot); n < headSlot && err != nil {
			continue
		}
		if h, whole := parseSlot(b); whole && (!ok || h.count > newest.count) {
			newest, ok = h, true
		}
	}
	return newest, ok
}

// headFile is the open head file. Safe for concurrent use. A nil one does nothing.
type headFile struct {
	mu     sync.Mutex // guards the fields below
	f      *os.File
	count  uint64
	failed bool // a write failed, which was logged
}

// openHeads opens the head file of a directory, and creates it if it is missing. found is false if it has no valid slot.
func openHeads(dir string) (f *headFile, last heads, found bool, err error) {
	opened, err := os.OpenFile(filepath.Join(dir, headName), os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, writeMode)
	if err != nil {
		return nil, last, false, err
	}
	info, err := opened.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New(headName + " is no regular file")
	}
	if err == nil {
		err = opened.Chmod(writeMode) // whatever the umask
	}
	if err != nil {
		return nil, last, false, errors.Join(err, opened.Close())
	}
	last, found = readHeads(opened)
	return &headFile{f: opened, count: last.count}, last, found, nil
}

// write writes the heads to the slot that was not written last, durably with sync.
func (f *headFile) write(h heads, sync bool) error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.f == nil {
		return nil
	}
	f.count++
	h.count = f.count
	if _, err := f.f.WriteAt(h.slot(), int64(f.count%2)*headSlot); err != nil || !sync {
		return err
	}
	return f.f.Sync()
}

// close closes the file.
func (f *headFile) close() error {
	if f == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.f == nil {
		return nil
	}
	err := f.f.Close()
	f.f = nil
	return err
}

// openHeadFile opens the head file, and takes from it what the other files lack. A journal without one, or whose file cannot be
// opened, is as it was found.
func (j *Journal) openHeadFile() {
	if j.o.Dir == "" {
		return
	}
	f, last, found, err := openHeads(j.o.Dir)
	if err != nil {
		j.o.Logger.Warn("the head file of the journal cannot be used", slog.Any("error", err))
		return
	}
	j.heads = f
	if found && !last.isEmpty() {
		j.takeHeads(&last)
	}
}

// takeHeads compares the ends of the streams that were found with those of the head file: no entry that it knows is given up, and no
// number is given twice.
func (j *Journal) takeHeads(h *heads) {
	if j.name == "" {
		j.name = h.log
	}
	if j.name != h.log {
		j.o.Logger.Error("the head file of the journal is of another log", slog.String("log", j.name), slog.String("head_file", h.log))
		return
	}
	for s := Records; s < streamCount; s++ {
		st := &j.streams[s]
		st.recorded = h.tips[s]
		if st.anchor.Number > h.anchors[s].Number {
			st.anchor = h.anchors[s]
		}
		if h.tips[s].Number > st.tip.Number {
			j.o.Logger.Error("the journal has lost its end", slog.String("stream", s.String()), slog.Uint64("found", st.tip.Number),
				slog.Uint64("head_file", h.tips[s].Number))
			st.tip = h.tips[s]
		}
	}
}

// noteHeads writes the ends of the streams to the head file. Without a sync it is best effort, and its first failure is logged.
func (j *Journal) noteHeads(sync bool) error {
	if j.heads == nil {
		return nil
	}
	h := heads{log: j.name}
	j.mu.RLock()
	for s := Records; s < streamCount; s++ {
		st := &j.streams[s]
		if h.tips[s], h.anchors[s] = st.tip, st.anchor; st.retiring.Number > st.anchor.Number {
			h.anchors[s] = st.retiring
		}
	}
	j.mu.RUnlock()
	err := j.heads.write(h, sync)
	if err == nil || sync {
		return err
	}
	if j.heads.isFirstFailure() {
		j.o.Logger.Warn("the head file of the journal cannot be written", slog.Any("error", err))
	}
	return nil
}

// makeHeads makes the head file durable when the journal is opened. A disk that takes no write is no reason not to open the journal.
func (j *Journal) makeHeads() {
	if j.heads == nil {
		return
	}
	err := j.noteHeads(true)
	if err == nil {
		err = syncFolder(j.o.Dir)
	}
	if err != nil {
		j.o.Logger.Warn("the head file of the journal is not durable", slog.Any("error", err))
	}
}

// closeHeads writes the heads a last time. After a failure they are those of before.
func (j *Journal) closeHeads() error {
	if j.failure.Load() != nil {
		return nil
	}
	return j.noteHeads(true)
}

// isFirstFailure reports whether no write failed before.
func (f *headFile) isFirstFailure() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	first := !f.failed
	f.failed = true
	return first
}

// Recorded returns the last entry of a stream that the head file had when the journal was opened; the zero Tip: it said nothing.
func (j *Journal) Recorded(s Stream) Tip {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.streams[s].recorded
}

// Found returns the last entry of a stream that the other files knew when the journal was opened.
func (j *Journal) Found(s Stream) Tip {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return j.streams[s].found
}

// Adopt gives a new journal the name of a log that somebody else knows and whose files are lost, and reports whether it has that name. A
// journal that has, or had, entries keeps its own. Call it before the first append.
func (j *Journal) Adopt(log string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.isNew && log != "" && len(log) <= maxName {
		j.name, j.isNew = log, false
		j.o.Logger.Error("the files of the journal are lost", slog.String("log", log))
	}
	return j.name == log
}
