// Package journal_test runs reader.py, which is written by internal/journal/format.md alone, over journals that the program wrote.
package journal_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/integration/sidecartest"
	"github.com/toolresult/toolresult/internal/journal"
)

// python returns the interpreter of a virtual environment with the packages that the reader needs. It is named after their pins, and
// stays below .run.
func python(t *testing.T) string {
	t.Helper()
	if os.Getenv("TOOLRESULT_FRAMEWORKS") == "" {
		t.Skip("skipped: it installs packages of Python; make frameworks runs it")
	}
	_, err := exec.LookPath("python3")
	sidecartest.Need(t, err == nil, "there is no python3")
	pins, err := os.ReadFile("requirements.txt")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(append(pins, run(t, "python3", "--version")...))
	dir, err := filepath.Abs("../../.run/journal/python-" + hex.EncodeToString(sum[:6]))
	if err != nil {
		t.Fatal(err)
	}
	interpreter, ready := filepath.Join(dir, "bin", "python"), filepath.Join(dir, "ready")
	if _, err := os.Stat(ready); err == nil {
		return interpreter
	}
	run(t, "python3", "-m", "venv", "--clear", dir)
	run(t, interpreter, "-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "--requirement", "requirements.txt")
	if err := os.WriteFile(ready, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	return interpreter
}

// run runs a program, and returns what it prints. It fails t if the program fails.
func run(t *testing.T, name string, args ...string) []byte {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return out
}

// write writes a journal with entries of all streams, in sealed files with a dictionary and in segments, and returns its directory.
func write(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "journal")
	j := open(t, dir)
	for i := range 900 {
		var b strings.Builder
		for range 10 + rand.IntN(60) {
			fmt.Fprintf(&b, "%d: compiled module %d of %d in %d ms\n", i, rand.IntN(100), rand.IntN(100), rand.IntN(1000))
		}
		entries := []*journal.Entry{journal.NewEntry(journal.Records, []byte(b.String()))}
		if i%3 == 0 {
			entries = append(entries, journal.NewEntry(journal.Catalog, fmt.Appendf(nil, `{"at": %d}`, i)), journal.NewEntry(journal.Temporary, []byte("name\ncontent")))
		}
		if err := j.Append(t.Context(), journal.Append{Entries: entries}); err != nil {
			t.Fatal(err)
		}
		if i == 700 {
			if err := j.Rotate(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// open opens a journal.
func open(t *testing.T, dir string) *journal.Journal {
	t.Helper()
	j, err := journal.Open(journal.Options{Dir: dir, SegmentSize: 1 << 20, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// lines returns the entries of a journal as the reader prints them, and how many it has lost.
func lines(t *testing.T, dir string) (text []byte, lost int) {
	t.Helper()
	j := open(t, dir)
	defer j.Close() // it is read alone
	for _, s := range []journal.Stream{journal.Records, journal.Catalog} {
		err := j.Each(t.Context(), s, 0, func(e *journal.Entry) error {
			text = fmt.Appendf(text, "%d %d %d %x %d\n", s, e.Number, e.At, e.Hash[:], len(e.Data))
			return nil
		}, func(d journal.Damage) error { lost += int(d.Last - d.First + 1); return nil })
		if err != nil {
			t.Fatal(err)
		}
	}
	return text, lost
}

func TestReader(t *testing.T) {
	t.Parallel()
	interpreter := python(t)
	dir := write(t)
	read := func(what string, wantLost bool) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), interpreter, "reader.py", dir)
		var errs bytes.Buffer
		cmd.Stderr = &errs
		got, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", what, err, errs.Bytes())
		}
		want, lost := lines(t, dir)
		if !bytes.Equal(got, want) {
			t.Errorf("%s: the reader prints %d lines, want %d", what, bytes.Count(got, []byte("\n")), bytes.Count(want, []byte("\n")))
		}
		if (lost > 0) != wantLost || (errs.Len() > 0) != wantLost {
			t.Errorf("%s: %d entries are lost; the reader says %q", what, lost, errs.Bytes())
		}
	}
	read("a whole journal", false)
	files, err := filepath.Glob(filepath.Join(dir, "records", "*.zst"))
	if err != nil || len(files) < 2 {
		t.Fatal(files, err)
	}
	content, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	at := len(content) / 2
	clear(content[at : at+4096])
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(files[0], content, 0o400); err != nil {
		t.Fatal(err)
	}
	read("a damaged page", true)
}
