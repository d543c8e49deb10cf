package integration_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/toolresult/toolresult/integration/sidecartest"
)

// coldOutcome runs a failing command of 30,001 lines n times at once, and returns how many had a receipt. All others have the whole
// output, and each the code of the command.
func (u *ensured) coldOutcome(n int, call ...string) (receipts int64) {
	u.Helper()
	var count atomic.Int64
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			r := cli(u, u.env, nil, append(call, failingLine)...)
			switch {
			case r.code != 2:
				u.Errorf("code %d, %.300q", r.code, r.stderr)
			case r.stderr == "" && strings.HasPrefix(r.stdout, "Process exited with code 2\n") && strings.Contains(r.stdout, "undefined: x"):
				count.Add(1)
			case r.stdout != numbersTo(30_000) || r.stderr != "main.go:7:2: undefined: x\n":
				u.Errorf("%d bytes: %.300q, %.300q", len(r.stdout), r.stdout, r.stderr)
			}
		})
	}
	all.Wait()
	return count.Load()
}

// TestFirstCommandsHaveReceipts runs many commands at once where no sidecar runs, on a machine that has more to do than it can: they
// share one sidecar, and their receipts are there.
func TestFirstCommandsHaveReceipts(t *testing.T) {
	t.Parallel()
	rounds, receipts := 6, int64(0)
	if testing.Short() {
		rounds = 1
	}
	const atOnce = 16
	for range rounds {
		u := newEnsured(t, "TOOLRESULT_PATIENCE=20s") // this machine may do much else
		receipts += u.coldOutcome(atOnce, "shell", "-c")
		if pids := u.sidecars(); len(pids) != 1 {
			t.Errorf("sidecars %v", pids)
		}
		for _, pid := range u.sidecars() {
			_ = syscall.Kill(pid, syscall.SIGTERM) // it may end by itself
		}
	}
	if total := int64(rounds * atOnce); receipts*100 < total*99 {
		t.Errorf("%d receipts of %d", receipts, total)
	}
}

// TestStartCostsNoPatience holds a start up for longer than the patience, which begins when the sidecar serves. A busy machine may need more
// than the time of a start: then it is tried again.
func TestStartCostsNoPatience(t *testing.T) {
	t.Parallel()
	for range 5 {
		u := newEnsured(t, "TOOLRESULT_PATIENCE=900ms")
		if err := os.MkdirAll(u.dir(), 0o700); err != nil {
			t.Fatal(err)
		}
		lock, err := os.OpenFile(u.socket()+".ensure", os.O_CREATE|os.O_RDWR, 0o600)
		if err == nil {
			err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
		}
		if err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(1200*time.Millisecond, func() { _ = lock.Close() })
		if u.coldOutcome(2, "shell", "-c") == 2 {
			return
		}
	}
	t.Error("no start was waited for")
}

// TestStartIsNotWaitedForEver: whoever starts the sidecar never does.
func TestStartIsNotWaitedForEver(t *testing.T) {
	t.Parallel()
	u := newEnsured(t, "TOOLRESULT_PATIENCE=")
	if err := os.MkdirAll(u.dir(), 0o700); err != nil {
		t.Fatal(err)
	}
	lock, err := os.OpenFile(filepath.Join(u.dir(), "toolresult.sock.ensure"), os.O_CREATE|os.O_RDWR, 0o600)
	if err == nil {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if n := u.coldOutcome(2, "shell", "-c"); n != 0 {
		t.Errorf("%d receipts, of no sidecar", n)
	}
}

// TestColdExecsHaveReceipts runs several at once, which embed their sidecars one after the other.
func TestColdExecsHaveReceipts(t *testing.T) {
	t.Parallel()
	u := newEnsured(t, "TOOLRESULT_PATIENCE=20s", "TOOLRESULT_ADDRESS=", "XDG_STATE_HOME="+sidecartest.ShortDir(t))
	if n := u.coldOutcome(6, "exec", "--", "bash", "-c"); n != 6 {
		t.Errorf("%d receipts of 6", n)
	}
}
