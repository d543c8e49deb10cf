package artifactstore_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/internal/blockindex"
	"github.com/toolresult/toolresult/artifactstore/internal/content"
)

// flaky reads p, unless it has a failure.
type flaky struct {
	p       []byte
	failure error
	closed  int
}

func (f *flaky) ReadAt(b []byte, off int64) (int, error) {
	if f.failure != nil {
		return 0, f.failure
	}
	return bytes.NewReader(f.p).ReadAt(b, off)
}

func (f *flaky) Close() error { f.closed++; return errBroken }

// openPages opens pages of a payload that is read from f.
func openPages(t *testing.T, payload []byte, f *flaky) *artifactstore.Pages {
	t.Helper()
	id := content.Sum(payload)
	p, err := artifactstore.OpenPages(id.Hex()[:8], "elsewhere", blockindex.Build(payload, id).Encode(), f, f)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Every method that reads a block reports why it cannot, and works again when the reason is gone.
func TestPagesReportEveryFailure(t *testing.T) {
	payload := bytes.Repeat([]byte("a line\n"), 100_000)
	payload = append(payload, "an open end"...)
	for _, c := range []struct{ failure, want error }{
		{syscall.EIO, artifactstore.ErrDamaged}, {io.EOF, artifactstore.ErrDamaged}, {artifactstore.ErrUnavailable, artifactstore.ErrUnavailable},
		{syscall.EMFILE, artifactstore.ErrTooManyFiles}, {context.Canceled, context.Canceled},
	} {
		f := &flaky{p: payload, failure: c.failure}
		for name, read := range map[string]func(p *artifactstore.Pages) error{
			"Read":      func(p *artifactstore.Pages) error { _, err := p.Read(nil, 5, 10); return err },
			"LineStart": func(p *artifactstore.Pages) error { _, err := p.LineStart(50_000); return err },
			"LineAt":    func(p *artifactstore.Pages) error { _, err := p.LineAt(300_000); return err },
			"LastEnd":   func(p *artifactstore.Pages) error { _, err := p.LastEnd(); return err },
			"Check":     func(p *artifactstore.Pages) error { _, err := p.Check(300_000); return err },
		} {
			p := openPages(t, payload, f)
			f.failure = c.failure
			if err := read(p); !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", name, err, c.want)
			}
			f.failure = nil
			if err := read(p); err != nil {
				t.Errorf("%s, once more: %v", name, err)
			}
		}
	}
	f := &flaky{p: bytes.Clone(payload)}
	f.p[1000] ^= 1
	p := openPages(t, payload, f)
	if _, err := p.Read(nil, 0, 10); !errors.Is(err, artifactstore.ErrDamaged) {
		t.Errorf("a changed byte: %v", err)
	}
	if got, err := p.Read(nil, p.Size()-8, p.Size()+5); string(got) != "open end" || err != nil {
		t.Errorf("another block: %q, %v", got, err)
	}
	if err := p.Close(); !errors.Is(err, errBroken) || f.closed != 1 {
		t.Errorf("Close: %v, %d times", err, f.closed)
	}
}

// Lines are found wherever they begin and end, also empty ones and those at the ends of blocks.
func TestPagesFindLines(t *testing.T) {
	const block = artifactstore.BlockSize
	for name, payload := range map[string]string{
		"nothing":       "",
		"empty lines":   strings.Repeat("\n", block+3),
		"one long line": strings.Repeat("x", 2*block) + "\n",
		"at the ends":   strings.Repeat(strings.Repeat("x", block-1)+"\n", 3),
		"after the end": strings.Repeat("x", block) + "\n\nopen end",
	} {
		f := &flaky{p: []byte(payload)}
		p := openPages(t, f.p, f)
		lines := strings.SplitAfter(payload, "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		if p.Lines() != int64(len(lines)) {
			t.Fatalf("%s: %d lines, want %d", name, p.Lines(), len(lines))
		}
		at := int64(0)
		for i, line := range lines {
			if i > 3 && i < block-3 { // each alone would take long
				at += int64(len(line))
				continue
			}
			n := int64(i + 1)
			if got, err := p.LineStart(n); got != at || err != nil {
				t.Errorf("%s: line %d begins at %d, %v, want %d", name, n, got, err, at)
			}
			if got, err := p.LineAt(at + int64(len(line)) - 1); got != n || err != nil {
				t.Errorf("%s: line %d has its last byte in %d, %v", name, n, got, err)
			}
			if got, err := p.LineAt(at); at > 0 && (got != n || err != nil) {
				t.Errorf("%s: line %d has its first byte in %d, %v", name, n, got, err)
			}
			at += int64(len(line))
		}
		f.failure = errBroken // what is known without the content is not read
		for _, n := range []int64{-1, 0, 1} {
			if got, err := p.LineStart(n); got != 0 || err != nil {
				t.Errorf("%s: line %d begins at %d, %v", name, n, got, err)
			}
			if got, err := openPages(t, f.p, f).LineAt(min(n, 0)); got != min(1, p.Lines()) || err != nil {
				t.Errorf("%s: byte %d is in line %d, %v", name, n, got, err)
			}
		}
		if got, err := p.LineStart(p.Lines() + 1); got != p.Size() && p.Lines() > 0 || err != nil {
			t.Errorf("%s: after the last line: %d, %v", name, got, err)
		}
	}
}

// An index of other content, or none, does not open, and leaves the file open.
func TestOpenPagesRejectsOtherIndexes(t *testing.T) {
	payload := []byte("payload\n")
	id := content.Sum(payload)
	index := blockindex.Build(payload, id).Encode()
	f := &flaky{p: payload}
	for name, c := range map[string]struct {
		name  string
		index []byte
	}{
		"no index": {id.Hex()[:8], nil}, "other name": {"00000000", index}, "damaged": {id.Hex()[:8], index[1:]},
	} {
		if _, err := artifactstore.OpenPages(c.name, "x", c.index, f, f); !errors.Is(err, artifactstore.ErrDamaged) || f.closed > 0 {
			t.Errorf("%s: %v, closed %d times", name, err, f.closed)
		}
	}
	p := openPages(t, payload, f)
	if !bytes.Equal(p.Index(), index) || p.Ref() != artifactstore.NewRef(id, id.Hex()[:8], "elsewhere") || p.Live() || p.Lines() != 1 {
		t.Errorf("%+v, %d lines, live %v", p.Ref(), p.Lines(), p.Live())
	}
}
