package artifactstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/internal/content"
)

// blob is a blob with a claimed size and any reader.
type blob struct {
	size int64
	open func() (io.Reader, error)
}

func (b blob) Size() int64 { return b.size }

func (b blob) Open() (io.ReadCloser, error) {
	r, err := b.open()
	return io.NopCloser(r), err
}

// reading returns a blob of size bytes that yields what r does.
func reading(size int64, r io.Reader) blob {
	return blob{size, func() (io.Reader, error) { return r, nil }}
}

type readFunc func(p []byte) (int, error)

func (f readFunc) Read(p []byte) (int, error) { return f(p) }

// slowReader returns a reader of a text that reads nothing 99 times before each byte, which is allowed.
func slowReader(text string) io.Reader {
	calls := 0
	return readFunc(func(p []byte) (int, error) {
		if calls++; calls%100 != 0 {
			return 0, nil
		}
		if text == "" {
			return 0, io.EOF
		}
		n := copy(p[:1], text)
		text = text[n:]
		return n, nil
	})
}

var errBroken = errors.New("broken")

// Drain passes on all bytes in full buffers, and fails with the reason when it cannot.
func TestDrainInsistsOnTheSize(t *testing.T) {
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		blob artifactstore.Blob
		want error
	}{
		"exact":           {t.Context(), reading(10, strings.NewReader("0123456789")), nil},
		"byte by byte":    {t.Context(), reading(10, iotest.OneByteReader(strings.NewReader("0123456789"))), nil},
		"data with EOF":   {t.Context(), reading(10, iotest.DataErrReader(strings.NewReader("0123456789"))), nil},
		"memory":          {t.Context(), artifactstore.BytesBlob([]byte("0123456789")), nil},
		"with pauses":     {t.Context(), reading(10, slowReader("0123456789")), nil},
		"short":           {t.Context(), reading(11, strings.NewReader("0123456789")), artifactstore.ErrSizeMismatch},
		"long":            {t.Context(), reading(9, strings.NewReader("0123456789")), artifactstore.ErrSizeMismatch},
		"cut":             {t.Context(), reading(10, io.MultiReader(strings.NewReader("012"), iotest.ErrReader(io.ErrUnexpectedEOF))), io.ErrUnexpectedEOF},
		"cannot open":     {t.Context(), blob{10, func() (io.Reader, error) { return nil, errBroken }}, errBroken},
		"makes no effort": {t.Context(), reading(10, readFunc(func([]byte) (int, error) { return 0, nil })), io.ErrNoProgress},
		"cancelled":       {done, reading(10, strings.NewReader("0123456789")), context.Canceled},
	} {
		var got []byte
		err := artifactstore.Drain(c.ctx, c.blob, make([]byte, 4), func(p []byte) error {
			if len(p) == 0 || len(p) > 4 {
				t.Errorf("%s: a part of %d bytes", name, len(p))
			}
			got = append(got, p...)
			return nil
		})
		if !errors.Is(err, c.want) || err == nil && string(got) != "0123456789" {
			t.Errorf("%s: %q, %v, want %v", name, got, err, c.want)
		}
	}
	if err := artifactstore.Drain(t.Context(), artifactstore.BytesBlob([]byte("x")), make([]byte, 4), func([]byte) error { return errBroken }); !errors.Is(err, errBroken) {
		t.Errorf("a failed write: %v", err)
	}
}

func TestDigestAndContentAgree(t *testing.T) {
	want := content.Sum([]byte("payload")).String()
	for name, b := range map[string]artifactstore.Blob{"memory": artifactstore.BytesBlob([]byte("payload")), "stream": reading(7, strings.NewReader("payload"))} {
		if got, err := artifactstore.Digest(t.Context(), b); got != want || err != nil {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
	if got, err := artifactstore.Content(reading(7, strings.NewReader("payload"))); string(got) != "payload" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := artifactstore.Content(reading(8, strings.NewReader("payload"))); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a short blob: %v", err)
	}
	broken := blob{1, func() (io.Reader, error) { return nil, errBroken }}
	if _, err := artifactstore.Content(broken); !errors.Is(err, errBroken) {
		t.Errorf("a broken blob: %v", err)
	}
	if _, err := artifactstore.Digest(t.Context(), broken); !errors.Is(err, errBroken) {
		t.Errorf("the digest of a broken blob: %v", err)
	}
}

func TestNamesAreChecked(t *testing.T) {
	for name, want := range map[string]error{
		"0123abcd": nil, strings.Repeat("f", 64): nil, "": artifactstore.ErrNameInvalid, "0123abc": artifactstore.ErrNameInvalid,
		strings.Repeat("f", 65): artifactstore.ErrNameInvalid, "0123ABCD": artifactstore.ErrNameInvalid, "../../..": artifactstore.ErrNameInvalid,
		"0123abcd\n": artifactstore.ErrNameInvalid, strings.Repeat("x", 1000): artifactstore.ErrNameInvalid,
	} {
		err := artifactstore.CheckName(name)
		if !errors.Is(err, want) || err != nil && len(err.Error()) > 150 {
			t.Errorf("%.80q: %v, want %v", name, err, want)
		}
	}
	log := artifactstore.LogName("session", "call")
	for text, ok := range map[string]bool{artifactstore.LiveName(log): true, log: false, "live/" + log[1:]: false, "live/../x": false, "": false} {
		if name, is := artifactstore.ParseLiveName(text); is != ok || ok && name != log {
			t.Errorf("%q: %q, %v", text, name, is)
		}
	}
	for _, other := range [][]string{{"session", "ball"}, {"session", "other"}, {"sessio", "ncall"}, {"sessioncall"}, {"session", "call", ""}} {
		if artifactstore.LogName(other...) == log || artifactstore.CheckLogName(log) != nil {
			t.Errorf("%q has the same name", other)
		}
	}
}

// Errors of the system are shortages, or damage of what the store wrote.
func TestSystemErrorsAreClassified(t *testing.T) {
	for errno, want := range map[error]error{
		syscall.ENOSPC: artifactstore.ErrFull, syscall.EDQUOT: artifactstore.ErrFull, syscall.EROFS: artifactstore.ErrReadOnly,
		syscall.EFBIG: artifactstore.ErrTooLarge, syscall.EMFILE: artifactstore.ErrTooManyFiles, syscall.ENFILE: artifactstore.ErrTooManyFiles,
		syscall.EIO: nil, errBroken: nil,
	} {
		if got := artifactstore.Sentinel(&fs.PathError{Err: errno}); got != want {
			t.Errorf("%v is %v, want %v", errno, got, want)
		}
	}
	for _, c := range []struct{ err, want error }{
		{&fs.PathError{Path: "/secret", Err: syscall.ENOENT}, artifactstore.ErrUnknown},
		{&fs.PathError{Path: "/secret", Err: syscall.EMFILE}, artifactstore.ErrTooManyFiles},
		{&fs.PathError{Path: "/secret", Err: syscall.ENOMEM}, syscall.ENOMEM},
		{&fs.PathError{Path: "/secret", Err: syscall.EIO}, artifactstore.ErrDamaged},
		{&fs.PathError{Path: "/secret", Err: syscall.EACCES}, artifactstore.ErrDamaged},
		{fmt.Errorf("remote: %w", artifactstore.ErrUnavailable), artifactstore.ErrUnavailable},
		{fmt.Errorf("remote: %w", artifactstore.ErrUnknown), artifactstore.ErrUnknown},
		{fmt.Errorf("frame: %w", artifactstore.ErrDamaged), artifactstore.ErrDamaged},
		{context.Canceled, context.Canceled},
		{context.DeadlineExceeded, context.DeadlineExceeded},
	} {
		got := artifactstore.ReadError(c.err)
		if !errors.Is(got, c.want) || strings.Contains(got.Error(), "/secret") {
			t.Errorf("%v is %v, want %v", c.err, got, c.want)
		}
		if !errors.Is(c.want, artifactstore.ErrDamaged) && errors.Is(got, artifactstore.ErrDamaged) {
			t.Errorf("%v is taken for damage", c.err)
		}
	}
	id := content.Sum(nil)
	if err := artifactstore.NoNameLeft(id); !errors.Is(err, artifactstore.ErrDamaged) || !strings.Contains(err.Error(), id.Hex()) {
		t.Error(err)
	}
}

// A finished log has its artifact, and takes no more.
func TestFinishedLogRejectsAppends(t *testing.T) {
	ref := artifactstore.NewRef(content.Sum([]byte("log")), "0123abcd", "/x/0123abcd")
	if ref.Size != 3 || ref.Digest != content.Sum([]byte("log")).String() {
		t.Errorf("%+v", ref)
	}
	for _, durable := range []bool{false, true} {
		l := artifactstore.NewFinishedLog("/x/live/y", ref, durable)
		want := int64(0)
		if durable {
			want = 3
		}
		if l.Path() != "/x/live/y" || l.Received() != 3 || l.Durable() != want || l.Dropped() != 0 {
			t.Errorf("%s: %d received, %d durable, %d dropped", l.Path(), l.Received(), l.Durable(), l.Dropped())
		}
		if err := l.Append(nil); !errors.Is(err, artifactstore.ErrFinished) {
			t.Errorf("Append: %v", err)
		}
		if n, err := l.Sync(); n != want || err != nil {
			t.Errorf("Sync: %d, %v", n, err)
		}
		if got, err := l.Finish(t.Context()); got != ref || err != nil || l.Close() != nil {
			t.Errorf("Finish: %+v, %v", got, err)
		}
	}
}

func TestClosedReaderFails(t *testing.T) {
	payload := []byte("payload")
	f := &flaky{p: payload}
	r := artifactstore.NewReader(artifactstore.NewRef(content.Sum(payload), "0123abcd", "x"), f, f)
	if err := iotest.TestReader(r, payload); err != nil {
		t.Error(err)
	}
	if err := r.Close(); !errors.Is(err, errBroken) {
		t.Errorf("the error of the file is lost: %v", err)
	}
	if err := r.Close(); err != nil || f.closed != 1 {
		t.Errorf("a second Close: %v, %d times", err, f.closed)
	}
	_, read := r.Read(make([]byte, 1))
	_, readAt := r.ReadAt(make([]byte, 1), 0)
	_, seek := r.Seek(0, io.SeekStart)
	for name, err := range map[string]error{"Read": read, "ReadAt": readAt, "Seek": seek} {
		if !errors.Is(err, artifactstore.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// parts is a stage that takes no files, and fails after some bytes.
type parts struct {
	artifactstore.Stage
	got  []byte
	most int
}

func (p *parts) WriteParts(list [][]byte) (newlines int, err error) {
	for _, b := range list {
		if p.got = append(p.got, b...); len(p.got) > p.most {
			return 0, errBroken
		}
		newlines += bytes.Count(b, []byte("\n"))
	}
	return newlines, nil
}

// A stage that takes no files is written the bytes of one.
func TestTakeFileWritesParts(t *testing.T) {
	payload := bytes.Repeat([]byte("a line\n"), 100_000)
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, payload, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, c := range []struct {
		size int64
		most int
		want error
	}{{0, 1 << 30, nil}, {5, 1 << 30, nil}, {700_000, 1 << 30, nil}, {700_001, 1 << 30, artifactstore.ErrSizeMismatch}, {700_000, 300_000, errBroken}} {
		stage, lines, seen := &parts{most: c.most}, 0, 0
		err := artifactstore.TakeFile(stage, file, c.size, func(p []byte, newlines int) { seen, lines = seen+len(p), lines+newlines })
		if !errors.Is(err, c.want) {
			t.Errorf("%d bytes: %v, want %v", c.size, err, c.want)
		}
		if err == nil && (!bytes.Equal(stage.got, payload[:c.size]) || int64(seen) != c.size || lines != bytes.Count(payload[:c.size], []byte("\n"))) {
			t.Errorf("%d bytes: %d written, %d seen with %d lines", c.size, len(stage.got), seen, lines)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	if err := artifactstore.TakeFile(&parts{most: 1}, file, 5, func([]byte, int) {}); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}
