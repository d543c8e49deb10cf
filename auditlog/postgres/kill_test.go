package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/audittest"
)

// appender appends records until its context is done, and keeps those that were acknowledged.
type appender struct {
	log   auditlog.Log
	mu    sync.Mutex
	acked map[string]*pb.AuditRecord // by request id
	sent  atomic.Int64
}

func (a *appender) run(ctx context.Context, callers int) (wait func()) {
	a.acked = map[string]*pb.AuditRecord{}
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for ctx.Err() == nil {
				id := fmt.Sprint("r", a.sent.Add(1))
				r := audittest.Projection("s", "c", id, 300)
				within, cancel := context.WithTimeout(context.Background(), 20*time.Second)
				_, err := a.log.Append(within, r)
				cancel()
				if err != nil {
					continue
				}
				a.mu.Lock()
				a.acked[id] = r
				a.mu.Unlock()
				time.Sleep(20 * time.Millisecond) // the journal is faster than the database
			}
		})
	}
	return all.Wait
}

// check fails t if an acknowledged record is missing, or if any record is there twice.
func (a *appender) check(t *testing.T, l auditlog.Log) {
	t.Helper()
	for id, r := range a.acked {
		found, err := l.Find(context.Background(), "s", id)
		if err != nil || len(found) != 1 || found[0].GetSequence() != r.GetSequence() || found[0].GetHash() != r.GetHash() {
			t.Errorf("%s was acknowledged as %d: %d found, %v", id, r.GetSequence(), len(found), err)
		}
	}
	seen := map[string]bool{}
	for q := (auditlog.Query{Limit: 1000}); ; {
		records, next, err := l.List(context.Background(), q)
		must(t, err)
		for _, r := range records {
			if seen[r.GetRequestId()] {
				t.Errorf("%s is there twice", r.GetRequestId())
			}
			seen[r.GetRequestId()] = true
		}
		if q.Below = next; next == 0 {
			break
		}
	}
	audittest.WantIntact(t, l, uint64(len(seen)))
	if len(seen) < len(a.acked) {
		t.Errorf("%d records, %d acknowledged", len(seen), len(a.acked))
	}
	t.Logf("%d sent, %d acknowledged, %d there", a.sent.Load(), len(a.acked), len(seen))
}

// TestKilledServerLosesNoRecord kills the server while records are appended, and starts it again.
func TestKilledServerLosesNoRecord(t *testing.T) {
	p := newPlace(t)
	start, data := os.Getenv("TOOLRESULT_POSTGRES_START"), os.Getenv("TOOLRESULT_POSTGRES_PLACE")
	if start == "" || data == "" {
		if os.Getenv("TOOLRESULT_LEGS") == "all" {
			t.Fatal("TOOLRESULT_LEGS=all, and the server is not one that may be killed: use auditlog/postgres/start.sh")
		}
		t.Skip("SKIPPED: the server is not one that may be killed")
	}
	l := mustOpen(t, p.options(t, nil))
	a := &appender{log: l}
	ctx, stop := context.WithCancel(t.Context())
	wait := a.run(ctx, 8)
	for range 4 {
		waitFor(func(before int64) bool { return a.sent.Load() > before+40 }, a.sent.Load())
		time.Sleep(time.Duration(rand.IntN(50)) * time.Millisecond)
		kill(t, data)
		out, err := exec.Command(start, "again").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	time.Sleep(200 * time.Millisecond)
	stop()
	wait()
	if s := l.Status(); s.Failure != nil {
		t.Error(s.Failure)
	}
	sent(t, l)
	a.check(t, l)
	if len(a.acked) < 10 {
		t.Errorf("only %d records were acknowledged", len(a.acked))
	}
	head, err := l.Head(t.Context())
	must(t, err)
	must(t, l.Close())
	l = mustOpen(t, p.options(t, nil))
	defer l.Close() // of a test
	if again, err := l.Head(t.Context()); err != nil || again != head {
		t.Errorf("%+v, want %+v, %v", again, head, err)
	}
	a.check(t, l)
}

// kill ends the server that has its files in a folder, with all its processes.
func kill(t *testing.T, place string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(place, "data", "postmaster.pid"))
	must(t, err)
	line, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(line)
	must(t, err)
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
	must(t, err)
	must(t, syscall.Kill(pid, syscall.SIGKILL))
	for _, child := range strings.Fields(string(children)) {
		if id, err := strconv.Atoi(child); err == nil {
			_ = syscall.Kill(id, syscall.SIGKILL) // it may have ended by itself
		}
	}
	for range 1000 { // the server is not started again before the last one has ended
		if gone := syscall.Kill(pid, 0); errors.Is(gone, syscall.ESRCH) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// waitFor polls until something happened, for at most 20 seconds, and reports whether it did.
func waitFor(happened func(before int64) bool, before int64) bool {
	for deadline := time.Now().Add(20 * time.Second); !happened(before); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}
