package dir_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

var theLog = artifactstore.LogName("session", "call", "")

// logParts are what the logs here are made of: around the blocks of an index.
var logParts = []string{
	"first\n", strings.Repeat("a line of a log\n", 20_000), "half a li", "ne\n", strings.Repeat("x", 256<<10), "\n",
}

// livePath is where the log is, with a suffix.
func livePath(root, suffix string) string { return filepath.Join(root, "live", theLog+suffix) }

// growLog appends all parts, syncs after each second one, and finishes. It tells what is answered.
func growLog(d *dir.Store, received, durable func(int64), finished func(artifactstore.Ref)) error {
	l, err := d.OpenLog(context.Background(), theLog)
	if err != nil {
		return err
	}
	defer l.Close()
	received(l.Received())
	for i, part := range logParts {
		if err := l.Append([]byte(part)); err != nil {
			return err
		}
		received(l.Received())
		if i%2 == 1 {
			n, err := l.Sync()
			durable(n)
			if err != nil {
				return err
			}
		}
	}
	ref, err := l.Finish(context.Background())
	if err == nil {
		finished(ref)
	}
	return err
}

// readLog reads what is at the path of the log.
func readLog(t testing.TB, d *dir.Store) (string, bool) {
	t.Helper()
	name, err := d.Resolve(livePath(d.Root(), ""))
	must(t, err)
	p, err := d.Pages(context.Background(), name)
	if errors.Is(err, artifactstore.ErrUnknown) {
		return "", true
	}
	must(t, err)
	defer p.Close()
	text, err := p.Read(nil, 0, p.Size())
	must(t, err)
	return string(text), p.Live()
}

// checkGrown checks a log of which some was answered, goes on with it to its end, and checks that.
func checkGrown(t testing.TB, d *dir.Store, least int64, finished bool) {
	t.Helper()
	whole := strings.Join(logParts, "")
	text, live := readLog(t, d)
	if int64(len(text)) < least || !strings.HasPrefix(whole, text) || finished && live {
		t.Fatalf("%d bytes are read, live %v; %d were answered, finished %v", len(text), live, least, finished)
	}
	l, err := d.OpenLog(context.Background(), theLog)
	must(t, err)
	defer l.Close()
	if l.Received() != int64(len(text)) {
		t.Fatalf("%d bytes are read, and the log goes on from %d", len(text), l.Received())
	}
	if rest := whole[l.Received():]; rest != "" {
		must(t, l.Append([]byte(rest)))
	}
	ref, err := l.Finish(context.Background())
	must(t, err)
	wantText(t, d, ref.Name, whole)
	if text, live := readLog(t, d); text != whole || live {
		t.Errorf("%d bytes after the finish, live %v", len(text), live)
	}
	if left, err := filepath.Glob(livePath(d.Root(), "*")); err != nil || len(left) != 1 {
		t.Errorf("live has %v", left)
	}
}

// TestLogKilledBeforeEveryStep kills a process before each step that it takes from the first start of a store to
// the finish of a log.
func TestLogKilledBeforeEveryStep(t *testing.T) {
	done := false
	for kill := 8; !done; kill++ {
		root := filepath.Join(t.TempDir(), "store")
		cmd := helper(t, "log", root, killVar+"="+strconv.Itoa(kill))
		out, err := cmd.Output()
		if done = err == nil; !done && cmd.ProcessState.ExitCode() != -1 {
			t.Fatalf("killed before step %d: helper failed by itself: %s", kill, out)
		}
		var least int64
		finished := false
		for line := range strings.Lines(string(out)) {
			if _, err := fmt.Sscanf(line, "received %d\n", &least); err != nil {
				finished = true
			}
		}
		d, err := dir.Open(root, dir.Options{})
		must(t, err)
		checkGrown(t, d, least, finished)
		for _, name := range artifactNames(t, root) {
			if _, err := get(d, name); err != nil && !strings.HasSuffix(name, ".index") {
				t.Errorf("killed before step %d: artifact %s: %v", kill, name, err)
			}
		}
		closeStore(t, d)
		if done && kill < 50 {
			t.Errorf("only %d steps seen: the hooks do not work", kill)
		}
	}
}

// logAndDie grows a log in a store, and says what is answered.
func logAndDie() int {
	d, err := openToDie()
	if err == nil {
		err = growLog(d, func(n int64) { fmt.Println("received", n) }, func(int64) {}, func(artifactstore.Ref) { fmt.Println("finished") })
	}
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if err := d.Close(); err != nil {
		return 1
	}
	return 0
}

// TestEveryStepOfLogFails fails every single step of a log, once: what was durable stays, and the next start goes
// on.
func TestEveryStepOfLogFails(t *testing.T) {
	for n := 0; ; n++ {
		root := filepath.Join(t.TempDir(), "store")
		f := &faults{}
		d, err := dir.OpenFaulty(root, dir.Options{}, f.hook)
		must(t, err)
		f.reset(at(n, syscall.ENOSPC))
		var received, durable int64
		finished := false
		err = growLog(d, func(n int64) { received = n }, func(n int64) { durable = n }, func(artifactstore.Ref) { finished = true })
		if n >= len(f.steps) {
			must(t, err)
			closeStore(t, d)
			if n < 35 {
				t.Errorf("only the steps %q: the hooks do not work", f.steps)
			}
			return
		}
		failed := f.steps[n]
		f.reset(nil)
		if text, _ := readLog(t, d); int64(len(text)) < durable || !strings.HasPrefix(strings.Join(logParts, ""), text) {
			t.Errorf("%s failed: %d bytes are read, %d were durable", failed, len(text), durable)
		}
		switch failed {
		case "name index", "remove marks of log", "create temporary file", "protect temporary file", "write temporary file": // of no consequence
			must(t, err)
		default:
			wantError(t, failed, err, artifactstore.ErrFull)
			if finished || strings.Contains(err.Error(), root+"/live") {
				t.Errorf("%s failed: finished %v, %v", failed, finished, err)
			}
		}
		switch failed {
		case "sync log", "sync marks of log", "write marks of log":
		default: // it goes on at once
			checkGrown(t, d, received, finished)
		}
		closeStore(t, d)
		again := openStore(t, root, dir.Options{})
		checkGrown(t, again, durable, finished)
		closeStore(t, again)
	}
}

// TestFailedSyncOfLogIsFinal: nothing is appended or synced any more until the next start, and what was durable
// can be read.
func TestFailedSyncOfLogIsFinal(t *testing.T) {
	for _, step := range []string{"sync log", "sync marks of log"} {
		d, f := faultyStore(t)
		l, err := d.OpenLog(context.Background(), theLog)
		must(t, err)
		must(t, l.Append([]byte("durable\n")))
		_, err = l.Sync()
		must(t, err)
		must(t, l.Append([]byte("not durable\n")))
		f.reset(on(syscall.EIO, step))
		n, err := l.Sync()
		wantError(t, step, err, syscall.EIO)
		if n != 8 || l.Durable() != 8 {
			t.Errorf("%s failed: %d bytes are durable, then %d", step, n, l.Durable())
		}
		f.reset(nil)
		_, err = l.Sync()
		wantError(t, "Sync", err, syscall.EIO)
		wantError(t, "Append", l.Append([]byte("x")), syscall.EIO)
		_, err = l.Finish(context.Background())
		wantError(t, "Finish", err, syscall.EIO)
		must(t, l.Close())
		_, err = d.OpenLog(context.Background(), theLog)
		wantError(t, "OpenLog", err, syscall.EIO)
		if slices.Contains(f.steps, "sync log") {
			t.Errorf("synced again: %q", f.steps)
		}
		text, live := readLog(t, d)
		if !strings.HasPrefix(text, "durable\n") || !live || step == "sync log" && len(text) != 8 {
			t.Errorf("%s failed: %q is read", step, text)
		}
		must(t, d.Close())
		again := openStore(t, d.Root(), dir.Options{})
		l, err = again.OpenLog(context.Background(), theLog)
		must(t, err)
		if l.Received() != int64(len(text)) {
			t.Errorf("%s failed: the log goes on from %d", step, l.Received())
		}
		must(t, l.Append([]byte("more\n")))
		_, err = l.Sync()
		must(t, err)
	}
}

// TestPowerCutKeepsEarlierMark tears what a sync writes, and what nobody synced: the sync before is still good.
func TestPowerCutKeepsEarlierMark(t *testing.T) {
	d, f := faultyStore(t)
	l, err := d.OpenLog(context.Background(), theLog)
	must(t, err)
	for round := range 3 {
		must(t, l.Append([]byte("durable\n")))
		n, err := l.Sync()
		must(t, err)
		before, err := os.ReadFile(livePath(d.Root(), ".marks"))
		must(t, err)
		must(t, l.Append([]byte("not durable\n")))
		f.reset(on(syscall.EIO, "sync marks of log"))
		_, err = l.Sync()
		wantError(t, "Sync", err, syscall.EIO)
		f.reset(nil)
		must(t, d.Close())
		marks, err := os.ReadFile(livePath(d.Root(), ".marks"))
		must(t, err)
		for at := 0; at < len(marks); at += 4096 {
			if !bytes.Equal(marks[at:at+4096], before[at:at+4096]) {
				clear(marks[at : at+4096])
			}
		}
		must(t, os.WriteFile(livePath(d.Root(), ".marks"), marks, 0o600))
		d, err = dir.OpenFaulty(d.Root(), dir.Options{}, f.hook)
		must(t, err)
		l, err = d.OpenLog(context.Background(), theLog)
		must(t, err)
		if l.Received() != n || l.Durable() != n || l.Dropped() != 12 {
			t.Errorf("round %d: %d bytes, %d durable, %d dropped, want %d", round, l.Received(), l.Durable(), l.Dropped(), n)
		}
	}
	must(t, d.Close())
}

// TestFailedAppendCanBeTriedAgain: it leaves nothing, and its place is used again.
func TestFailedAppendCanBeTriedAgain(t *testing.T) {
	for _, step := range []string{"write log", "mark log"} {
		d, f := faultyStore(t)
		l, err := d.OpenLog(context.Background(), theLog)
		must(t, err)
		must(t, l.Append([]byte("one\n")))
		f.reset(on(syscall.ENOSPC, step))
		wantError(t, step, l.Append([]byte("a long one that is not there\n")), artifactstore.ErrFull)
		if text, _ := readLog(t, d); text != "one\n" {
			t.Errorf("%s failed: %q", step, text)
		}
		f.reset(nil)
		must(t, l.Append([]byte("two\n")))
		ref, err := l.Finish(context.Background())
		must(t, err)
		wantText(t, d, ref.Name, "one\ntwo\n")
	}
}

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
