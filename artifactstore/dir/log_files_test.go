package dir_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

// TestLogDurabilityOrder pins the order of the steps, on which what is said to be durable rests.
func TestLogDurabilityOrder(t *testing.T) {
	d, f := faultyStore(t)
	wantSteps := func(what string, want ...string) {
		t.Helper()
		if !slices.Equal(f.steps, want) {
			t.Errorf("%s takes the steps\n%q, want\n%q", what, f.steps, want)
		}
		f.reset(nil)
	}
	f.reset(nil)
	l, err := d.OpenLog(context.Background(), theLog)
	must(t, err)
	wantSteps("a new log",
		"create directory of logs", "sync store directory",
		"remove leftover marks of log", "create marks of log", "write marks of log", "sync marks of log",
		"create log", "protect log", "sync log", "sync directory of logs")
	must(t, l.Append([]byte("x")))
	wantSteps("an append", "write log", "mark log")
	_, err = l.Sync()
	must(t, err)
	wantSteps("a sync", "sync log", "write marks of log", "sync marks of log")
	_, err = l.Sync()
	must(t, err)
	wantSteps("a sync of nothing")
	_, err = l.Finish(context.Background())
	must(t, err)
	wantSteps("a finish",
		"create shard directory", "sync store directory",
		"make log read-only", "sync log", "link artifact", "sync shard directory",
		"create pointer to artifact", "replace log by pointer", "sync directory of logs", "remove marks of log")
}

// TestVolatileLogNeverSyncs: nor says that anything is durable.
func TestVolatileLogNeverSyncs(t *testing.T) {
	f := &faults{}
	d, err := dir.OpenFaulty(t.TempDir()+"/store", dir.Options{Volatile: true}, f.hook)
	must(t, err)
	defer closeStore(t, d)
	f.reset(nil)
	must(t, growLog(d, func(int64) {}, func(n int64) {
		if n != 0 {
			t.Errorf("%d bytes are durable", n)
		}
	}, func(artifactstore.Ref) {}))
	for _, step := range f.steps {
		if strings.HasPrefix(step, "sync") {
			t.Errorf("step %q in a volatile store", step)
		}
	}
}

// TestLogFilesArePrivate: private while it is written, read-only after, whatever the artifact.
func TestLogFilesArePrivate(t *testing.T) {
	d := openStore(t, filepath.Join(t.TempDir(), "store"), dir.Options{})
	l, err := d.OpenLog(context.Background(), theLog)
	must(t, err)
	for path, want := range map[string]os.FileMode{
		filepath.Join(d.Root(), "live"): 0o700, livePath(d.Root(), ""): 0o600, livePath(d.Root(), ".marks"): 0o600,
	} {
		if info, err := os.Lstat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", path, info, err, want)
		}
	}
	ref, err := l.Finish(context.Background())
	must(t, err)
	if info, err := os.Lstat(ref.Path); err != nil || info.Mode() != 0o400 {
		t.Errorf("the artifact: %v, %v", info, err)
	}
	if to, err := os.Readlink(livePath(d.Root(), "")); err != nil || filepath.Join(d.Root(), "live", to) != ref.Path {
		t.Errorf("the log leads to %s, %v", to, err)
	}
}

// TestPlantedLogsAreNotFollowed: what is no log of ours is not followed, not written to, and not removed.
func TestPlantedLogsAreNotFollowed(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	must(t, os.WriteFile(secret, []byte("secret"), 0o600))
	for what, plant := range map[string]func(path string) error{
		"a link out of the store": func(path string) error { return os.Symlink(secret, path) },
		"a link inside":           func(path string) error { return os.Symlink("../FORMAT", path) },
		"a directory":             func(path string) error { return os.Mkdir(path, 0o700) },
		"a pipe":                  func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"bytes without marks":     func(path string) error { return os.WriteFile(path, []byte("x"), 0o600) },
	} {
		d := openStore(t, filepath.Join(t.TempDir(), "store"), dir.Options{})
		must(t, os.Mkdir(filepath.Join(d.Root(), "live"), 0o700))
		must(t, plant(livePath(d.Root(), "")))
		_, err := d.OpenLog(context.Background(), theLog)
		wantError(t, what+": OpenLog", err, artifactstore.ErrDamaged)
		_, err = d.Pages(context.Background(), artifactstore.LiveName(theLog))
		wantError(t, what+": Pages", err, artifactstore.ErrDamaged)
		if _, err := os.Lstat(livePath(d.Root(), "")); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestHalfFinishedLogTakesNoMore: once its file is an artifact, nothing is appended to it, whatever else failed.
func TestHalfFinishedLogTakesNoMore(t *testing.T) {
	for _, step := range []string{"create pointer to artifact", "replace log by pointer", "sync directory of logs"} {
		d, f := faultyStore(t)
		l, err := d.OpenLog(context.Background(), theLog)
		must(t, err)
		must(t, l.Append([]byte("all of it\n")))
		f.reset(on(syscall.EIO, step))
		_, err = l.Finish(context.Background())
		wantError(t, step, err, syscall.EIO)
		_, err = d.OpenLog(context.Background(), theLog)
		wantError(t, step+" again", err, syscall.EIO)
		f.reset(nil)
		l, err = d.OpenLog(context.Background(), theLog)
		must(t, err)
		wantError(t, "Append", l.Append([]byte("more\n")), artifactstore.ErrFinished)
		ref, err := l.Finish(context.Background())
		must(t, err)
		wantText(t, d, ref.Name, "all of it\n")
		if text, live := readLog(t, d); text != "all of it\n" || live {
			t.Errorf("%s failed: %q, live %v", step, text, live)
		}
	}
}

// TestForeignLinkIsNoFinish: a backup made of links is no finish.
func TestForeignLinkIsNoFinish(t *testing.T) {
	root := filepath.Join(t.TempDir(), "store")
	d := openStore(t, root, dir.Options{})
	l, err := d.OpenLog(context.Background(), theLog)
	must(t, err)
	must(t, l.Append([]byte("one\n")))
	must(t, l.Close())
	must(t, os.Link(livePath(root, ""), filepath.Join(t.TempDir(), "backup")))
	l, err = d.OpenLog(context.Background(), theLog)
	must(t, err)
	must(t, l.Append([]byte("two\n")))
	must(t, l.Close())
}

// powerCut is what a power cut may leave of a log: all that was synced, and of the rest what it likes.
func powerCut(t *rapid.T, root string, durable int64, synced []byte) {
	text, err := os.ReadFile(livePath(root, ""))
	must2(t, err)
	switch rapid.SampledFrom([]string{"nothing more", "shorter", "zeros", "garbage", "longer", "all"}).Draw(t, "tail") {
	case "nothing more":
		text = text[:durable]
	case "shorter":
		text = text[:durable+int64(rapid.IntRange(0, len(text)-int(durable)).Draw(t, "kept"))]
	case "zeros":
		from := durable + int64(rapid.IntRange(0, len(text)-int(durable)).Draw(t, "kept"))
		clear(text[from:])
	case "garbage":
		for i := durable; i < int64(len(text)); i += 100 {
			text[i] ^= 0x55
		}
	case "longer":
		text = append(text, make([]byte, 5000)...)
	}
	must2(t, os.WriteFile(livePath(root, ""), text, 0o600))
	marks, err := os.ReadFile(livePath(root, ".marks"))
	must2(t, err)
	const now = 2 * 4096
	switch rapid.SampledFrom([]string{"as written", "as synced", "torn"}).Draw(t, "marks") {
	case "as synced":
		copy(marks[now:], synced[now:])
	case "torn":
		clear(marks[now+20:])
	}
	must2(t, os.WriteFile(livePath(root, ".marks"), marks, 0o600))
}

func must2(t *rapid.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestLogSurvivesAnyCrash: over any sequence of appends, syncs, reads, crashes and power cuts, what was durable stays,
// a crash of the process alone loses nothing, what is read is what was appended, and a checksum finds out when
// what was read before is gone.
func TestLogSurvivesAnyCrash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parent, err := os.MkdirTemp("", "log")
		must2(t, err)
		defer os.RemoveAll(parent)
		root := filepath.Join(parent, "store")
		var d *dir.Store
		var l artifactstore.Log
		open := func() {
			d, err = dir.Open(root, dir.Options{})
			must2(t, err)
			l, err = d.OpenLog(context.Background(), theLog)
			must2(t, err)
		}
		open()
		defer func() { d.Close() }()
		var want, read []byte // what was appended, and what a follower has
		var sum uint32
		var durable int64
		synced, err := os.ReadFile(livePath(root, ".marks"))
		must2(t, err)
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				p := bytes.Repeat([]byte(rapid.StringMatching(`[a-z]{1,9}\n?`).Draw(t, "text")), rapid.SampledFrom([]int{1, 10, 40_000}).Draw(t, "times"))
				must2(t, l.Append(p))
				want = append(want, p...)
			},
			"sync": func(t *rapid.T) {
				durable, err = l.Sync()
				must2(t, err)
				if durable != int64(len(want)) {
					t.Fatalf("%d bytes of %d are durable", durable, len(want))
				}
				synced, err = os.ReadFile(livePath(root, ".marks"))
				must2(t, err)
			},
			"read": func(t *rapid.T) {
				p, err := d.Pages(context.Background(), artifactstore.LiveName(theLog))
				must2(t, err)
				defer p.Close()
				if p.Size() != int64(len(want)) {
					t.Fatalf("%d bytes are read, want %d", p.Size(), len(want))
				}
				good := int64(len(read)) <= p.Size()
				if good {
					now, err := p.Check(int64(len(read)))
					must2(t, err)
					good = now == sum
				}
				if good != bytes.HasPrefix(want, read) {
					t.Fatalf("a follower with %d bytes is told %v", len(read), good)
				}
				if !good {
					read = nil // and begins anew
				}
				read, err = p.Read(read, int64(len(read)), p.Size())
				must2(t, err)
				if !bytes.Equal(read, want) {
					t.Fatal("what was followed is not the log")
				}
				sum, err = p.Check(p.Size())
				must2(t, err)
			},
			"crash": func(t *rapid.T) {
				must2(t, d.Close()) // it syncs nothing
				open()
				if l.Received() != int64(len(want)) || l.Durable() != durable || l.Dropped() != 0 {
					t.Fatalf("%d bytes, %d durable, %d dropped; want %d and %d", l.Received(), l.Durable(), l.Dropped(), len(want), durable)
				}
			},
			"power cut": func(t *rapid.T) {
				must2(t, d.Close())
				powerCut(t, root, durable, synced)
				info, err := os.Stat(livePath(root, ""))
				must2(t, err)
				open()
				if l.Received() < durable || l.Received() > int64(len(want)) || l.Durable() != durable || l.Dropped() != info.Size()-l.Received() {
					t.Fatalf("%d bytes, %d durable, %d dropped of %d; %d were durable", l.Received(), l.Durable(), l.Dropped(), info.Size(), durable)
				}
				want = want[:l.Received()]
				synced, err = os.ReadFile(livePath(root, ".marks"))
				must2(t, err)
				if n := binary.LittleEndian.Uint64(synced[2*4096+len("toolresult-mark 1\n"):]); l.Dropped() > 0 && n != uint64(l.Received()) {
					t.Fatalf("a mark still vouches for %d bytes, after a cut to %d", n, l.Received())
				}
			},
		})
	})
}
