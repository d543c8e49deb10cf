package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
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

	"github.com/jackc/pgx/v5"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/audittest"
	"github.com/toolresult/toolresult/auditlog/postgres"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// appender appends records of its own until it is told to stop, and keeps those that were acknowledged.
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
			}
		})
	}
	return all.Wait
}

// check looks for every record that was acknowledged, and for records that are there twice.
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
	audittest.WantSound(t, l, uint64(len(seen)))
	if len(seen) < len(a.acked) {
		t.Errorf("%d records, %d acknowledged", len(seen), len(a.acked))
	}
	t.Logf("%d sent, %d acknowledged, %d there", a.sent.Load(), len(a.acked), len(seen))
}

// TestServerKilled kills the server while records are appended, and starts it again.
func TestServerKilled(t *testing.T) {
	p := newPlace(t)
	start, data := os.Getenv("TOOLRESULT_POSTGRES_START"), os.Getenv("TOOLRESULT_POSTGRES_PLACE")
	if start == "" || data == "" {
		if os.Getenv("TOOLRESULT_LEGS") == "all" {
			t.Fatal("TOOLRESULT_LEGS=all, and the server is not one that may be killed: use auditlog/postgres/start.sh")
		}
		t.Skip("SKIPPED: the server is not one that may be killed")
	}
	o := p.options(nil)
	o.Patience = 15 * time.Second
	l, err := postgres.Open(t.Context(), o)
	must(t, err)
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
	a.check(t, l)
	if len(a.acked) < 10 {
		t.Errorf("only %d records were acknowledged", len(a.acked))
	}
	head, err := l.Head(t.Context())
	must(t, err)
	must(t, l.Close())
	l, err = postgres.Open(t.Context(), o)
	must(t, err)
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

// cutter passes bytes between clients and the server, and cuts connections after so many bytes.
type cutter struct {
	net.Listener
	server string
	after  atomic.Int64 // bytes that are still passed; less than 0: all
	lose   atomic.Bool  // cut instead of passing the answer to a commit
	cuts   atomic.Int64
	open   sync.WaitGroup
}

func newCutter(t *testing.T, server string) *cutter {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), ".s.PGSQL.5432"))
	must(t, err)
	c := &cutter{Listener: l, server: server}
	c.after.Store(-1)
	c.open.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			c.open.Go(func() { c.pass(client) })
		}
	})
	t.Cleanup(func() {
		must(t, l.Close())
		c.open.Wait()
	})
	return c
}

func (c *cutter) pass(client net.Conn) {
	server, err := net.Dial("unix", c.server)
	if err != nil {
		client.Close()
		return
	}
	closeBoth := sync.OnceFunc(func() {
		client.Close()
		server.Close()
	})
	var both sync.WaitGroup
	for _, way := range [][2]net.Conn{{client, server}, {server, client}} {
		both.Go(func() {
			defer closeBoth()
			c.copy(way[1], way[0])
		})
	}
	both.Wait()
}

func (c *cutter) copy(to io.Writer, from io.Reader) {
	b := make([]byte, 256)
	for {
		n, err := from.Read(b)
		if err != nil {
			return
		}
		cut := false
		if left := c.after.Load(); left >= 0 {
			if left = c.after.Add(int64(-n)); left < 0 {
				c.after.Store(-1)
				c.cuts.Add(1)
				n = max(n+int(left), 0)
				cut = true
			}
		}
		if bytes.Contains(b[:n], []byte("COMMIT\x00")) && c.lose.CompareAndSwap(true, false) {
			c.cuts.Add(1)
			return
		}
		if _, err := to.Write(b[:n]); err != nil || cut {
			return
		}
	}
}

// TestConnectionsCut cuts the connection after any number of bytes, in the middle of commits too: what was
// acknowledged is there, and nothing is there twice.
func TestConnectionsCut(t *testing.T) {
	p := newPlace(t)
	config, err := pgx.ParseConfig(p.dsn)
	must(t, err)
	if !strings.HasPrefix(config.Host, "/") {
		t.Skip("SKIPPED: the server is not on a Unix socket")
	}
	c := newCutter(t, filepath.Join(config.Host, fmt.Sprintf(".s.PGSQL.%d", config.Port)))
	o := p.options(nil)
	o.DSN = strings.Replace(p.dsn, "host="+config.Host, "host="+filepath.Dir(c.Addr().String()), 1)
	o.Volatile = true // speed: no power is cut
	var said counter
	o.Logger = slog.New(slog.NewTextHandler(&said, nil))
	l, err := postgres.Open(t.Context(), o)
	must(t, err)
	a := &appender{log: l}
	ctx, stop := context.WithCancel(t.Context())
	wait := a.run(ctx, 4)
	for round := range 60 {
		waitFor(func(before int64) bool { return a.sent.Load() > before+8 }, a.sent.Load())
		if round%3 == 0 {
			c.lose.Store(true)
		} else {
			c.after.Store(int64(rand.IntN(6000)))
		}
		waitFor(func(before int64) bool { return c.cuts.Load() > before }, c.cuts.Load())
	}
	stop()
	wait()
	a.check(t, l)
	if s := l.Status(); s.Failure != nil || c.cuts.Load() < 50 {
		t.Errorf("%+v after %d cuts", s, c.cuts.Load())
	}
	must(t, l.Close())
	t.Logf("%d cuts; of lost commits %d were done and %d were not", c.cuts.Load(), said.done.Load(), said.notDone.Load())
	if said.done.Load() == 0 || said.notDone.Load() == 0 {
		t.Error("no commit was lost")
	}
}

// counter counts what the log says of commits whose answer was lost.
type counter struct{ done, notDone atomic.Int64 }

func (c *counter) Write(p []byte) (int, error) {
	switch line := string(p); {
	case strings.Contains(line, "the commit was done"):
		c.done.Add(1)
	case strings.Contains(line, "the commit was not done"):
		c.notDone.Add(1)
	}
	return len(p), nil
}

// waitFor waits for something, at most some seconds.
func waitFor(happened func(before int64) bool, before int64) {
	for deadline := time.Now().Add(20 * time.Second); !happened(before) && time.Now().Before(deadline); {
		time.Sleep(time.Millisecond)
	}
}

// TestShared: sidecars that share a database have chains of their own, and find each other's requests.
func TestShared(t *testing.T) {
	p := newPlace(t)
	one, two := p.Open(t, nil), p.other(t).Open(t, nil)
	defer one.Close() // of a test
	defer two.Close() // of a test
	r := audittest.Projection("s", "c", "r", 100)
	_, err := one.Append(t.Context(), r)
	must(t, err)
	_, err = two.Append(t.Context(), audittest.Projection("s", "c", "r", 100))
	if !errors.Is(err, auditlog.ErrReused) {
		t.Error(err)
	}
	found, err := two.Find(t.Context(), "s", "r")
	if err != nil || len(found) != 1 || found[0].GetLogId() != r.GetLogId() || found[0].GetHash() != r.GetHash() {
		t.Errorf("%v, %v", found, err)
	}
	var both sync.WaitGroup
	for _, l := range []auditlog.Log{one, two} {
		for range 4 {
			both.Go(func() {
				for range 20 {
					if _, err := l.Append(context.Background(), audittest.Projection("s", "c", "", 100)); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	both.Wait()
	audittest.WantSound(t, one, 81)
	audittest.WantSound(t, two, 80)
	list, _, err := two.List(t.Context(), auditlog.Query{RequestID: "r"})
	if len(list) != 0 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
}

// TestTakenOver: a log that another process opened takes nothing more from the first, and has one chain.
func TestTakenOver(t *testing.T) {
	p := newPlace(t)
	first := p.Open(t, nil)
	_, err := first.Append(t.Context(), audittest.Refusal("x"))
	must(t, err)
	_, err = postgres.Open(t.Context(), p.options(nil)) // on the same machine
	if !errors.Is(err, auditlog.ErrLocked) {
		t.Error(err)
	}
	text, err := os.ReadFile(p.head)
	must(t, err)
	elsewhere := p.other(t)
	must(t, os.WriteFile(elsewhere.head, text, 0o600))
	second := elsewhere.Open(t, nil)
	defer second.Close() // of a test
	_, err = first.Append(t.Context(), audittest.Refusal("x"))
	if !errors.Is(err, auditlog.ErrPoisoned) || !errors.Is(err, auditlog.ErrLocked) || first.Status().Failure == nil {
		t.Error(err)
	}
	must(t, first.Close())
	r := audittest.Refusal("x")
	_, err = second.Append(t.Context(), r)
	must(t, err)
	if r.GetSequence() != 2 {
		t.Error(r)
	}
	audittest.WantSound(t, second, 2)
}

// TestUnavailable: where no server is, no log is opened.
func TestUnavailable(t *testing.T) {
	p := newPlace(t)
	o := p.options(nil)
	o.Patience = 200 * time.Millisecond
	o.DSN = "host=" + t.TempDir() + " user=audit"
	if _, err := postgres.Open(t.Context(), o); !errors.Is(err, auditlog.ErrUnavailable) {
		t.Error(err)
	}
}

// TestTooNew: tables of a later version are refused, and not touched.
func TestTooNew(t *testing.T) {
	p := newPlace(t)
	must(t, p.Open(t, nil).Close())
	p.Exec(t, "UPDATE version SET version = 99")
	if _, err := postgres.Open(t.Context(), p.options(nil)); !errors.Is(err, auditlog.ErrTooNew) {
		t.Error(err)
	}
}

// TestServerLostRecords: a server that went back in time, as a stand-by may that took over, has no sequence twice.
func TestServerLostRecords(t *testing.T) {
	p := newPlace(t)
	l := p.Open(t, nil)
	defer l.Close() // of a test
	for range 5 {
		_, err := l.Append(t.Context(), audittest.Projection("s", "c", "", 100))
		must(t, err)
	}
	r, err := l.Get(t.Context(), 3)
	must(t, err)
	hash, err := l.Get(t.Context(), 4)
	must(t, err)
	p.Exec(t, "DELETE FROM records WHERE sequence > 3")
	p.Exec(t, "DELETE FROM artifacts WHERE sequence > 3")
	p.Exec(t, "UPDATE logs SET head_sequence = 3, head_hash = decode($1, 'hex')", strings.TrimPrefix(r.GetHash(), "blake3:"))
	next := audittest.Refusal("x")
	_, err = l.Append(t.Context(), next)
	must(t, err)
	if next.GetSequence() != 6 || next.GetPreviousHash() == hash.GetHash() {
		t.Error(next)
	}
	if _, broken := audittest.Verify(t, l); len(broken) != 1 || broken[0].Sequence != 4 {
		t.Error(broken)
	}
}
