package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/journal"
)

// A floor has appended the bytes and written the file when it answers, and its answer is the one that it was given.
func TestFloor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	want := &pb.ProjectResponse{Receipt: &pb.Receipt{Text: "receipt"}}
	text, err := proto.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "answer"), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "files"), 0o700); err != nil {
		t.Fatal(err)
	}
	log, err := newGroupLog(filepath.Join(dir, "log"), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	f, err := newFloor(floorOptions{answer: filepath.Join(dir, "answer"), files: filepath.Join(dir, "files")})
	if err != nil {
		t.Fatal(err)
	}
	f.log, f.entry = log, []byte("entry")
	got, err := f.Project(context.Background(), request([]byte("output"), 0, false))
	if err != nil || !proto.Equal(got, want) {
		t.Errorf("the answer is %v, error %v", got, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "files", "1")); err != nil || string(text) != "output" {
		t.Errorf("the file has %q, error %v", text, err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "log")); err != nil || !bytes.HasPrefix(text, []byte("entry\x00")) {
		t.Errorf("the log begins with %q, error %v", text[:8], err)
	}
}

// A log of a group has every entry once when its append returns, and begins anew behind its end.
func TestGroupLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	l, err := newGroupLog(path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 64 {
		all.Go(func() {
			if err := l.append(fmt.Appendf(nil, "<%d>", i)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 64 {
		if bytes.Count(text, fmt.Appendf(nil, "<%d>", i)) != 1 {
			t.Errorf("entry %d is not there once", i)
		}
	}
	if err := l.append(bytes.Repeat([]byte("x"), 1<<20-100)); err != nil {
		t.Fatal(err)
	}
	if i, err := os.Stat(path); err != nil || i.Size() != 1<<20 {
		t.Errorf("the file grew to %d, error %v", i.Size(), err)
	}
}

// The bytes that a floor appends are those of the frames of the journal.
func TestAppendedBytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, err := journal.Open(journal.Options{Dir: dir, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	want := 0
	for _, n := range []int{1, 8, 5000, 70_000} {
		if err := j.Append(context.Background(), journal.Append{Entries: []*journal.Entry{journal.NewEntry(journal.Records, make([]byte, n))}}); err != nil {
			t.Fatal(err)
		}
		want += (112 + n + 7) / 8 * 8 // internal/journal/format.md
	}
	if got, err := appendedBytes(dir); err != nil || got != want {
		t.Errorf("got %d, error %v, want %d", got, err, want)
	}
	if err := j.Close(); err != nil {
		t.Error(err)
	}
	if _, err := appendedBytes(t.TempDir()); err == nil {
		t.Error("a journal that is not there has frames")
	}
}

// A profiled sidecar is built, and is the sidecar.
func TestProfiledBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it builds the sidecar")
	}
	t.Chdir("../..")
	binary, err := buildProfiled(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(binary)
	if err != nil || !bytes.Contains(text, []byte(profileVar)) {
		t.Errorf("the build has no hook: %v", err)
	}
}
