package dir_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

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

// growLog appends all parts, syncs after each second one, and finishes. It reports each answer to the callbacks.
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
