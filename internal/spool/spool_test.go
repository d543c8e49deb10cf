package spool

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// written is a sequence of bytes with the stream of each.
type written struct {
	all     []byte
	streams []byte // of each byte of all
	alone   [2][]byte
}

// add notes bytes of a stream.
func (w *written) add(to Stream, p []byte) {
	w.all = append(w.all, p...)
	w.streams = append(w.streams, bytes.Repeat([]byte{byte(to)}, len(p))...)
	w.alone[to] = append(w.alone[to], p...)
}

// readAll reads a spool to its end, n bytes at a time.
func readAll(t rapid.TB, s *Spool, n int) *written {
	t.Helper()
	var w written
	r, buf := s.NewReader(), make([]byte, n)
	for {
		from, n, err := r.Read(buf)
		w.add(from, buf[:n])
		if errors.Is(err, io.EOF) {
			return &w
		}
		if err != nil || n == 0 {
			t.Fatal(n, err)
		}
	}
}

// TestOrderIsKept adds to both streams by turns: every reader gets the bytes in their order, whatever it reads at a time, during
// the additions and after them, and PassOn writes the same.
func TestOrderIsKept(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s := New("")
		defer s.Close()
		at := rapid.SampledFrom([]int{7, 1000, memoryBytes, 256 << 10}).Draw(t, "at a time")
		early := make(chan *written, 1)
		go func() { early <- readAll(t, s, at) }()
		var want written
		for i, n := range rapid.SliceOfN(rapid.SampledFrom([]int{0, 1, 4, 5, 7, 300, 30_000, memoryBytes - headBytes, memoryBytes, 90_000}), 0, 12).Draw(t, "sizes") {
			to := rapid.SampledFrom([]Stream{Stdout, Stderr}).Draw(t, "stream")
			p := bytes.Repeat([]byte{byte('a' + i)}, n)
			if err := s.Add(to, p); err != nil {
				t.Fatal(err)
			}
			want.add(to, p)
			clear(p) // Add keeps a copy
		}
		s.End()
		for name, got := range map[string]*written{"a reader that follows": <-early, "a late reader": readAll(t, s, at)} {
			if !bytes.Equal(got.all, want.all) || !bytes.Equal(got.streams, want.streams) {
				t.Fatalf("%s has %d bytes of %d", name, len(got.all), len(want.all))
			}
		}
		if int(s.Size(Stdout)) != len(want.alone[0]) || int(s.Size(Stderr)) != len(want.alone[1]) || int(s.Total()) != len(want.all) {
			t.Fatalf("sizes %d and %d, want %d and %d", s.Size(Stdout), s.Size(Stderr), len(want.alone[0]), len(want.alone[1]))
		}
		var both bytes.Buffer
		limit := rapid.Int64Range(0, 1000).Draw(t, "shown first")
		if n, err := s.Show(limit, &both, &both); err != nil || n != min(limit, s.Total()) || n != int64(both.Len()) {
			t.Fatalf("%d bytes are shown of %d, %v", n, limit, err)
		}
		if err := s.PassOn(&both, &both); err != nil || !bytes.Equal(both.Bytes(), want.all) {
			t.Fatalf("%d bytes are passed on of %d, %v", both.Len(), len(want.all), err)
		}
	})
}

// TestMemoryIsBounded adds much: what waits in memory stays small, and the file has no name and no other reader.
func TestMemoryIsBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := New(dir)
	defer s.Close()
	for range 200 {
		if err := s.Add(Stdout, make([]byte, 50_000)); err != nil {
			t.Fatal(err)
		}
		if len(s.tail) > memoryBytes {
			t.Fatalf("%d bytes in memory", len(s.tail))
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) > 0 {
		t.Errorf("%v, %v: the file has a name", files, err)
	}
	if info, err := s.file.Stat(); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
}

// TestFullSpoolIsPassedOn has no directory for the file: all that was added is passed on in its order, what follows goes the same
// way at once, and a second PassOn repeats nothing.
func TestFullSpoolIsPassedOn(t *testing.T) {
	t.Parallel()
	s := New(filepath.Join(t.TempDir(), "none"))
	defer s.Close()
	var out, both bytes.Buffer
	if err := errors.Join(s.Add(Stdout, []byte("first\n")), s.Add(Stderr, []byte("second\n"))); err != nil {
		t.Fatal(err)
	}
	large := strings.Repeat("x", memoryBytes)
	err := s.Add(Stdout, []byte(large))
	if full, ok := errors.AsType[*FullError](err); !ok || !errors.Is(full, os.ErrNotExist) {
		t.Fatal(err)
	}
	if err := errors.Join(s.PassOn(io.MultiWriter(&out, &both), &both), s.PassOn(&out, &out), showNothing(s), s.Add(Stdout, []byte("last"))); err != nil {
		t.Fatal(err)
	}
	if out.String() != "first\n"+large+"last" || both.String() != "first\nsecond\n"+large+"last" {
		t.Errorf("%d and %d bytes", out.Len(), both.Len())
	}
}

// TestAddsDuringPassOn adds from two goroutines while another passes on: nothing is lost, repeated or out of its order.
func TestAddsDuringPassOn(t *testing.T) {
	t.Parallel()
	s := New(t.TempDir())
	defer s.Close()
	var adding sync.WaitGroup
	const n = 20_000
	for _, to := range []Stream{Stdout, Stderr} {
		adding.Go(func() {
			for i := range n {
				if err := s.Add(to, fmt.Appendf(nil, "%d\n", i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	var out, errs bytes.Buffer
	if err := s.PassOn(&out, &errs); err != nil {
		t.Fatal(err)
	}
	adding.Wait()
	var want strings.Builder
	for i := range n {
		fmt.Fprintln(&want, i)
	}
	if out.String() != want.String() || errs.String() != want.String() {
		t.Errorf("%d and %d bytes, want %d", out.Len(), errs.Len(), want.Len())
	}
}

// failing is a writer without a reader.
type failing struct{}

var errNobodyReads = errors.New("nobody reads")

func (failing) Write([]byte) (int, error) { return 0, errNobodyReads }

// TestOneReaderIsGone: the other stream is passed on whole, and whoever adds to the closed one gets the error.
func TestOneReaderIsGone(t *testing.T) {
	t.Parallel()
	s := New("")
	defer s.Close()
	var errs bytes.Buffer
	if err := errors.Join(s.Add(Stdout, []byte("lost")), s.Add(Stderr, []byte("kept")), s.PassOn(failing{}, &errs)); err != nil {
		t.Fatal(err)
	}
	if err := s.Add(Stdout, []byte("x")); !errors.Is(err, errNobodyReads) {
		t.Error(err)
	}
	if err := s.Add(Stderr, []byte(" too")); err != nil || errs.String() != "kept too" {
		t.Error(err, errs.String())
	}
}

// TestReaderIsStopped: a reader that waits returns, and so does one that comes later; the others go on.
func TestReaderIsStopped(t *testing.T) {
	t.Parallel()
	s := New("")
	defer s.Close()
	r, stopped := s.NewReader(), make(chan error, 1)
	go func() {
		_, _, err := r.Read(make([]byte, 1))
		stopped <- err
	}()
	r.Stop()
	if err := <-stopped; !errors.Is(err, ErrStopped) {
		t.Error(err)
	}
	if err := s.Add(Stdout, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Read(make([]byte, 1)); !errors.Is(err, ErrStopped) {
		t.Error(err)
	}
	if _, n, err := s.NewReader().Read(make([]byte, 8)); n != 1 || err != nil {
		t.Error(n, err)
	}
}

// TestClosedSpool: a reader of what is gone fails or ends, and waits for nothing.
func TestClosedSpool(t *testing.T) {
	t.Parallel()
	s := New(t.TempDir())
	if err := s.Add(Stdout, make([]byte, 2*memoryBytes)); err != nil {
		t.Fatal(err)
	}
	r := s.NewReader()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, err := r.Read(make([]byte, 8)); err == nil {
		t.Error("a closed spool is read")
	}
}

// showNothing shows what was passed on already.
func showNothing(s *Spool) error {
	if n, err := s.Show(1000, failing{}, failing{}); n > 0 || err != nil {
		return fmt.Errorf("%d bytes are shown twice, %w", n, err)
	}
	return nil
}
