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

// logModel is a log beside what must be in it.
type logModel struct {
	root       string
	dir        *dir.Store
	log        artifactstore.Log
	want, read []byte // what was appended, and what a follower has
	sum        uint32 // of what the follower has
	durable    int64
	synced     []byte // the marks as they are on disk
}

// open opens the store and the log, as a start does.
func (m *logModel) open(t *rapid.T) {
	var err error
	m.dir, err = dir.Open(m.root, dir.Options{})
	must2(t, err)
	m.log, err = m.dir.OpenLog(context.Background(), theLog)
	must2(t, err)
}

// readMarks remembers the marks that a power cut leaves.
func (m *logModel) readMarks(t *rapid.T) {
	var err error
	m.synced, err = os.ReadFile(livePath(m.root, ".marks"))
	must2(t, err)
}

func (m *logModel) append(t *rapid.T) {
	p := bytes.Repeat([]byte(rapid.StringMatching(`[a-z]{1,9}\n?`).Draw(t, "text")), rapid.SampledFrom([]int{1, 10, 40_000}).Draw(t, "times"))
	must2(t, m.log.Append(p))
	m.want = append(m.want, p...)
}

func (m *logModel) sync(t *rapid.T) {
	var err error
	m.durable, err = m.log.Sync()
	must2(t, err)
	if m.durable != int64(len(m.want)) {
		t.Fatalf("%d bytes of %d are durable", m.durable, len(m.want))
	}
	m.readMarks(t)
}

// follow reads what is new, after it has compared the checksum of what it has.
func (m *logModel) follow(t *rapid.T) {
	p, err := m.dir.Pages(context.Background(), artifactstore.LiveName(theLog))
	must2(t, err)
	defer p.Close()
	if p.Size() != int64(len(m.want)) {
		t.Fatalf("%d bytes are read, want %d", p.Size(), len(m.want))
	}
	good := int64(len(m.read)) <= p.Size()
	if good {
		now, err := p.Check(int64(len(m.read)))
		must2(t, err)
		good = now == m.sum
	}
	if good != bytes.HasPrefix(m.want, m.read) {
		t.Fatalf("the checksum of a follower with %d bytes holds: %v", len(m.read), good)
	}
	if !good {
		m.read = nil // and begins anew
	}
	m.read, err = p.Read(m.read, int64(len(m.read)), p.Size())
	must2(t, err)
	if !bytes.Equal(m.read, m.want) {
		t.Fatal("what was followed is not the log")
	}
	m.sum, err = p.Check(p.Size())
	must2(t, err)
}

func (m *logModel) crash(t *rapid.T) {
	must2(t, m.dir.Close()) // it syncs nothing
	m.open(t)
	if m.log.Received() != int64(len(m.want)) || m.log.Durable() != m.durable || m.log.Dropped() != 0 {
		t.Fatalf("%d bytes, %d durable, %d dropped; want %d and %d", m.log.Received(), m.log.Durable(), m.log.Dropped(), len(m.want), m.durable)
	}
}

func (m *logModel) powerCut(t *rapid.T) {
	must2(t, m.dir.Close())
	powerCut(t, m.root, m.durable, m.synced)
	info, err := os.Stat(livePath(m.root, ""))
	must2(t, err)
	m.open(t)
	received, dropped := m.log.Received(), m.log.Dropped()
	if received < m.durable || received > int64(len(m.want)) || m.log.Durable() != m.durable || dropped != info.Size()-received {
		t.Fatalf("%d bytes, %d durable, %d dropped of %d; %d were durable", received, m.log.Durable(), dropped, info.Size(), m.durable)
	}
	m.want = m.want[:received]
	m.readMarks(t)
	if n := binary.LittleEndian.Uint64(m.synced[2*4096+len("toolresult-mark 1\n"):]); dropped > 0 && n != uint64(received) {
		t.Fatalf("a mark still vouches for %d bytes, after a cut to %d", n, received)
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
		m := &logModel{root: filepath.Join(parent, "store")}
		m.open(t)
		defer func() { m.dir.Close() }()
		m.readMarks(t)
		t.Repeat(map[string]func(*rapid.T){
			"append": m.append, "sync": m.sync, "read": m.follow, "crash": m.crash, "power cut": m.powerCut,
		})
	})
}
