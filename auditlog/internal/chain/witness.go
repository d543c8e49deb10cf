package chain

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/zeebo/blake3"

	"github.com/toolresult/toolresult/auditlog"
)

// Witness is the file that keeps the head outside of the log, because a chain alone cannot see that its end is
// missing. It has two slots, written in turn, so that one of them is whole whatever happens to the other. Whoever has
// it open has it locked, and so the log.
type Witness struct {
	file *os.File
	next int // slot
	buf  [slotSize]byte
}

// Testimony is what a witness says.
type Testimony struct {
	Log string
	Tip
}

const (
	slotSize    = 512 // a sector
	witnessForm = "toolresult-audit-head 1 %s %d %s"
	// sumLength is how many hex digits of a checksum a slot has.
	sumLength = 16
)

// OpenWitness opens the file of a head, and makes it if there is none. found is nil when it says nothing; damaged means
// that it should say something and does not. Errors: ErrLocked.
func OpenWitness(path string) (w *Witness, found *Testimony, damaged bool, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, nil, false, err
	}
	w = &Witness{file: f}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = auditlog.ErrLocked
		}
		return nil, nil, false, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
	err = f.Chmod(0o600)
	text, readErr := io.ReadAll(io.LimitReader(f, 2*slotSize))
	if err := errors.Join(err, readErr); err != nil {
		return nil, nil, false, errors.Join(err, f.Close())
	}
	for slot := range 2 {
		t, ok := parseSlot(text[min(slot*slotSize, len(text)):min((slot+1)*slotSize, len(text))])
		if ok && (found == nil || t.Sequence > found.Sequence) {
			found, w.next = &t, 1-slot
		}
	}
	return w, found, found == nil && len(text) > 0, nil
}

func parseSlot(slot []byte) (t Testimony, ok bool) {
	line, _, _ := bytes.Cut(slot, []byte("\n"))
	at := bytes.LastIndexByte(line, ' ')
	if at < 0 || string(line[at+1:]) != checksum(line[:at]) {
		return t, false
	}
	var hash string
	if _, err := fmt.Sscanf(string(line[:at]), witnessForm, &t.Log, &t.Sequence, &hash); err != nil {
		return t, false
	}
	var err error
	t.Hash, err = ParseHash(hash)
	return t, err == nil
}

func checksum(text []byte) string {
	sum := blake3.Sum256(text)
	return fmt.Sprintf("%x", sum[:sumLength/2])
}

// Write writes a head, without a sync.
func (w *Witness) Write(t Testimony) error {
	b := fmt.Appendf(w.buf[:0], witnessForm, t.Log, t.Sequence, t.Hash)
	b = append(append(append(b, ' '), checksum(b)...), '\n')
	for len(b) < slotSize-1 {
		b = append(b, ' ')
	}
	b = append(b, '\n')
	if _, err := w.file.WriteAt(b, int64(w.next)*slotSize); err != nil {
		return err
	}
	w.next = 1 - w.next
	return nil
}

// Sync makes what was written durable.
func (w *Witness) Sync() error { return w.file.Sync() }

// SetAside copies what the file says to one beside it, because it contradicts the log, and will be written over.
func (w *Witness) SetAside() (path string, err error) {
	text, err := io.ReadAll(io.NewSectionReader(w.file, 0, 2*slotSize))
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		path = fmt.Sprintf("%s.aside-%d", w.file.Name(), n)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(text)
		return path, errors.Join(err, f.Chmod(0o600), f.Sync(), f.Close())
	}
}

// Close makes the head durable and gives the lock back.
func (w *Witness) Close() error { return errors.Join(w.file.Sync(), w.file.Close()) }

// String is a testimony in words.
func (t Testimony) String() string {
	return fmt.Sprintf("record %d of log %s, %s", t.Sequence, t.Log, strings.TrimPrefix(t.Hash.String(), hashPrefix)[:16])
}
