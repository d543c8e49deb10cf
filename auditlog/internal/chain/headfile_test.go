package chain

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/auditlog"
)

// openHeadFile opens a head file until the test ends.
func openHeadFile(t testing.TB, path string) *HeadFile {
	t.Helper()
	h, err := OpenHeadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.file.Close() })
	return h
}

// headAt returns a head of a log with its sequence in its hash.
func headAt(sequence uint64) Head {
	return Head{"log", Tip{sequence, Hash{byte(sequence), byte(sequence >> 8), 9}}}
}

// writeHeads makes a head file with the heads 1 to n, and returns its path and content.
func writeHeads(t testing.TB, n uint64) (path string, content []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "audit.head")
	h := openHeadFile(t, path)
	for i := range n {
		if err := h.Write(headAt(i + 1)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(h.Sync(), h.Close()); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, content
}

func TestHeadFileKeepsNewestHead(t *testing.T) {
	t.Parallel()
	for n := range uint64(5) {
		path, content := writeHeads(t, n)
		h := openHeadFile(t, path)
		if n == 0 && h.Recorded != nil || n > 0 && (h.Recorded == nil || *h.Recorded != headAt(n)) || h.Corrupt {
			t.Errorf("after %d heads: %v, corrupt %v", n, h.Recorded, h.Corrupt)
		}
		if want := int(min(n, 2)) * slotSize; len(content) != want {
			t.Errorf("after %d heads: %d bytes, want %d", n, len(content), want)
		}
		if n == 0 {
			continue
		}
		if err := h.Write(headAt(n + 1)); err != nil { // over the older one
			t.Fatal(err)
		}
		after, _ := h.content()
		if !bytes.Contains(after, []byte(headAt(n).Hash.String())) {
			t.Errorf("after %d heads the newest is overwritten", n)
		}
	}
}

// TestTornHeadLeavesTheOtherOne damages a slot as a torn write does: what is not whole is not read, and the head before
// it is.
func TestTornHeadLeavesTheOtherOne(t *testing.T) {
	t.Parallel()
	path, content := writeHeads(t, 4) // the fourth is in the second slot
	newest := bytes.IndexByte(content[slotSize:], '\n')
	rapid.Check(t, func(rt *rapid.T) {
		torn := bytes.Clone(content)
		at := slotSize + rapid.IntRange(0, newest-1).Draw(rt, "at")
		n := rapid.IntRange(1, slotSize+newest-at).Draw(rt, "bytes")
		for i := range n {
			torn[at+i] ^= 0xff
		}
		if err := os.WriteFile(path, torn, 0o600); err != nil {
			rt.Fatal(err)
		}
		h, err := OpenHeadFile(path)
		if err != nil {
			rt.Fatal(err)
		}
		defer h.Close() // of a test
		if h.Recorded == nil || *h.Recorded != headAt(3) || h.Corrupt || h.next != 1 {
			rt.Fatalf("%v, corrupt %v, next slot %d", h.Recorded, h.Corrupt, h.next)
		}
	})
}

func TestCorruptHeadFile(t *testing.T) {
	t.Parallel()
	sum := func(text string) string { return text + " " + checksum([]byte(text)) + "\n" }
	digits := strings.Repeat("0", 64)
	for name, content := range map[string]string{
		"other text":       "what is this?\n",
		"no spaces":        "what",
		"no checksum":      "toolresult-audit-head 1 log 5 blake3:" + digits + "\n",
		"another version":  sum("toolresult-audit-head 2 log 5 blake3:" + digits),
		"no sequence":      sum("toolresult-audit-head 1 log five blake3:" + digits),
		"no hash":          sum("toolresult-audit-head 1 log 5 sha256:" + digits),
		"too long a hash":  sum("toolresult-audit-head 1 log 5 blake3:" + digits + digits),
		"only second slot": strings.Repeat("x", slotSize) + "?",
	} {
		path := filepath.Join(t.TempDir(), "audit.head")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if h := openHeadFile(t, path); h.Recorded != nil || !h.Corrupt {
			t.Errorf("%s: %v, corrupt %v", name, h.Recorded, h.Corrupt)
		}
	}
}

func FuzzHeadSlot(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte("toolresult-audit-head 1 log 5 blake3:" + strings.Repeat("0", 64)))
	f.Fuzz(func(t *testing.T, line []byte) {
		slot := append(append(bytes.Clone(line), ' '), checksum(line)...)
		if h, ok := parseSlot(slot); ok && (h.Log == "" || strings.ContainsAny(h.Log, " \n")) {
			t.Errorf("%q is the head %+v", line, h)
		}
		if _, ok := parseSlot(line); ok && len(line) < checksumDigits {
			t.Errorf("%q has no checksum", line)
		}
	})
}

func TestOpenHeadFileFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "audit.head")
	openHeadFile(t, path)
	if _, err := OpenHeadFile(path); !errors.Is(err, auditlog.ErrLocked) {
		t.Errorf("locked: %v", err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "target"), link); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(dir, "pipe") // it opens and locks, and cannot be read at an offset
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"link": link, "pipe": pipe, "directory": dir, "no directory": filepath.Join(dir, "none", "audit.head")} {
		if h, err := OpenHeadFile(path); err == nil {
			t.Errorf("%s is opened: %v", name, h.Recorded)
		}
	}
}

func TestHeadFileIsPrivate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "audit.head")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	h := openHeadFile(t, path)
	if err := h.Write(headAt(1)); err != nil {
		t.Fatal(err)
	}
	aside, err := h.Quarantine()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, aside} {
		if info, err := os.Stat(p); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", p, info.Mode(), err)
		}
	}
}

func TestQuarantineKeepsEveryCopy(t *testing.T) {
	t.Parallel()
	path, content := writeHeads(t, 3)
	h := openHeadFile(t, path)
	for n, want := range []string{path + ".aside-1", path + ".aside-2"} {
		got, err := h.Quarantine()
		if err != nil || got != want {
			t.Errorf("copy %d: %s, %v", n, got, err)
		}
		if copied, err := os.ReadFile(want); err != nil || !bytes.Equal(copied, content) {
			t.Errorf("copy %d: %q, %v", n, copied, err)
		}
	}
	if err := os.RemoveAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Quarantine(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a directory: %v", err)
	}
}

func TestClosedHeadFile(t *testing.T) {
	t.Parallel()
	path, _ := writeHeads(t, 1)
	h := openHeadFile(t, path)
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	_, quarantined := h.Quarantine()
	for name, err := range map[string]error{"Write": h.Write(headAt(2)), "Sync": h.Sync(), "Quarantine": quarantined, "Close": h.Close()} {
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	openHeadFile(t, path) // it is not locked
}

func TestLogName(t *testing.T) {
	t.Parallel()
	path, _ := writeHeads(t, 1)
	if got := openHeadFile(t, path).LogName(); got != "log" {
		t.Errorf("of a recorded head: %q", got)
	}
	var none *HeadFile
	if a, b := none.LogName(), (&HeadFile{}).LogName(); len(a) < 20 || a == b || a != strings.ToLower(a) {
		t.Errorf("new names %q and %q", a, b)
	}
}
