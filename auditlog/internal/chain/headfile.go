package chain

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/zeebo/blake3"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/internal/heldfile"
)

// Head is the end of a log by name, as a head file records it.
type Head struct {
	Log string
	Tip
}

// String returns a head for people: sequence, log, and the first 16 digits of the hash.
func (h Head) String() string {
	return fmt.Sprintf("record %d of log %s, %s", h.Sequence, h.Log, strings.TrimPrefix(h.Hash.String(), hashPrefix)[:16])
}

// HeadFile records the head of a log outside of its database, because a chain alone cannot show that its end is missing.
// It has two slots, written in turn, so that one of them is whole if a write of the other is torn. An open HeadFile holds
// the lock of its file, and with it that of the log. Not safe for concurrent use.
type HeadFile struct {
	// Recorded is the newest head in the file when it was opened; nil: the file was empty, or corrupt.
	Recorded *Head
	// Corrupt means that the file had content when it was opened, and no slot of it could be read.
	Corrupt bool

	path string // absolute
	file *os.File
	info os.FileInfo
	next int // slot to write
	buf  [slotSize]byte
}

// A slot is one line, padded with spaces: the form below, a space, and a checksum of what is before the space.
const (
	slotSize = 512 // bytes: a sector, which a disk writes whole or not at all
	slotForm = "toolresult-audit-head 1 %s %d %s"
	// checksumDigits is the number of hex digits in the checksum of a slot.
	checksumDigits = 16
)

// OpenHeadFile opens and locks a head file, and makes it if there is none. Errors: [auditlog.ErrLocked].
func OpenHeadFile(path string) (*HeadFile, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	h := &HeadFile{path: path, file: f}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = auditlog.ErrLocked
		}
		return nil, errors.Join(fmt.Errorf("lock %s: %w", path, err), f.Close())
	}
	err = f.Chmod(0o600) // whatever the umask, and whoever made it
	content, readErr := h.content()
	var statErr error
	h.info, statErr = f.Stat()
	if err := errors.Join(err, readErr, statErr); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	h.parse(content)
	return h, nil
}

// content reads both slots.
func (h *HeadFile) content() ([]byte, error) {
	return io.ReadAll(io.NewSectionReader(h.file, 0, 2*slotSize)) // whatever comes after is not ours
}

// parse finds the newest head in the slots. The other slot is written next.
func (h *HeadFile) parse(content []byte) {
	for slot := range 2 {
		head, ok := parseSlot(content[min(slot*slotSize, len(content)):min((slot+1)*slotSize, len(content))])
		if ok && (h.Recorded == nil || head.Sequence > h.Recorded.Sequence) {
			h.Recorded, h.next = &head, 1-slot
		}
	}
	h.Corrupt = h.Recorded == nil && len(content) > 0
}

// LogName returns the name of the log to open: that of the recorded head, so that the log goes on if its database is gone,
// or a new one. h may be nil.
func (h *HeadFile) LogName() string {
	if h == nil || h.Recorded == nil {
		return NewName()
	}
	return h.Recorded.Log
}

// parseSlot reads the head in a slot. It reports false unless the checksum holds: a slot may be empty, torn or corrupt.
func parseSlot(slot []byte) (h Head, ok bool) {
	line, _, _ := bytes.Cut(slot, []byte("\n"))
	at := bytes.LastIndexByte(line, ' ')
	if at < 0 || string(line[at+1:]) != checksum(line[:at]) {
		return h, false
	}
	var hash string
	if _, err := fmt.Sscanf(string(line[:at]), slotForm, &h.Log, &h.Sequence, &hash); err != nil {
		return h, false
	}
	var err error
	h.Hash, err = ParseHash(hash)
	return h, err == nil
}

// checksum returns the first 16 hex digits of the BLAKE3 hash of a text.
func checksum(text []byte) string {
	sum := blake3.Sum256(text)
	return fmt.Sprintf("%x", sum[:checksumDigits/2])
}

// Write writes a head into the older slot, without a sync.
func (h *HeadFile) Write(head Head) error {
	b := fmt.Appendf(h.buf[:0], slotForm, head.Log, head.Sequence, head.Hash)
	b = append(append(append(b, ' '), checksum(b)...), '\n')
	for len(b) < slotSize-1 {
		b = append(b, ' ')
	}
	b = append(b, '\n')
	if _, err := h.file.WriteAt(b, int64(h.next)*slotSize); err != nil {
		return err
	}
	h.next = 1 - h.next
	return nil
}

// Check fails if the file was deleted or replaced: the lock of the log went with it. h may be nil.
func (h *HeadFile) Check() error {
	if h == nil || h.present() {
		return nil
	}
	return fmt.Errorf("%s: the file was deleted or replaced", h.path)
}

// present reports whether the name of the file is still that of the file that was opened. Errors that say neither count as yes.
func (h *HeadFile) present() bool {
	found, err := os.Lstat(h.path)
	return heldfile.IsNamed(h.info, found, err)
}

// Sync makes the heads that were written durable.
func (h *HeadFile) Sync() error { return h.file.Sync() }

// Quarantine copies the content to a new file beside it, and returns its path. A file that disagrees with the log is
// evidence, and is about to be overwritten.
func (h *HeadFile) Quarantine() (path string, err error) {
	content, err := h.content()
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ { // an earlier one is evidence too
		path = fmt.Sprintf("%s.aside-%d", h.file.Name(), n)
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, os.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(content)
		return path, errors.Join(err, f.Chmod(0o600), f.Sync(), f.Close())
	}
}

// Close makes the head durable, and releases the lock.
func (h *HeadFile) Close() error { return errors.Join(h.file.Sync(), h.file.Close()) }
