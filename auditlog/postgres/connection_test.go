package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// cutter passes bytes between clients and the server, and cuts connections after a number of bytes, or instead of the answer
// to a commit.
type cutter struct {
	net.Listener
	server string
	after  atomic.Int64 // bytes that are still passed; less than 0: all
	lose   atomic.Bool  // cut instead of passing the answer to a commit
	reject atomic.Bool  // cut instead of passing a commit
	cuts   atomic.Int64
	lost   atomic.Int64 // cuts that took the answer to a commit
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
		if bytes.Contains(b[:n], []byte("Q\x00\x00\x00\x0bCOMMIT\x00")) && c.reject.CompareAndSwap(true, false) {
			c.cuts.Add(1)
			return
		}
		if bytes.Contains(b[:n], []byte("C\x00\x00\x00\x0bCOMMIT\x00")) && c.lose.CompareAndSwap(true, false) {
			c.cuts.Add(1)
			c.lost.Add(1)
			return
		}
		if _, err := to.Write(b[:n]); err != nil || cut {
			return
		}
	}
}

// TestCutConnectionsAppendOnce cuts the connection after any number of bytes, also during commits: every
// acknowledged record is there, and none is there twice.
func TestCutConnectionsAppendOnce(t *testing.T) {
	p := newPlace(t)
	config, err := pgconn.ParseConfig(p.dsn)
	must(t, err)
	if !strings.HasPrefix(config.Host, "/") {
		t.Skip("SKIPPED: the server is not on a Unix socket")
	}
	c := newCutter(t, filepath.Join(config.Host, fmt.Sprintf(".s.PGSQL.%d", config.Port)))
	o := p.options(t, nil)
	o.DSN = strings.Replace(p.dsn, "host="+config.Host, "host="+filepath.Dir(c.Addr().String()), 1)
	o.Volatile = true // speed: no power is cut
	l := mustOpen(t, o)
	defer l.Close() // of a test that failed
	a := &appender{log: l}
	ctx, stop := context.WithCancel(t.Context())
	wait := a.run(ctx, 4)
	for round := range 60 {
		stored := func() int64 { s := l.Status(); return s.Records - s.Unsent }
		if !waitFor(func(before int64) bool { return stored() > before }, stored()) {
			stop()
			wait()
			t.Fatalf("nothing more is sent after %d cuts: %+v", round, l.Status())
		}
		switch round % 4 {
		case 0:
			c.lose.Store(true)
		case 1:
			c.reject.Store(true)
		default:
			c.after.Store(int64(rand.IntN(6000)))
		}
		waitFor(func(before int64) bool { return c.cuts.Load() > before }, c.cuts.Load())
	}
	stop()
	wait()
	c.after.Store(-1)
	sent(t, l)
	a.check(t, l)
	if s := l.Status(); s.Failure != nil || c.cuts.Load() < 50 {
		t.Errorf("%+v after %d cuts", s, c.cuts.Load())
	}
	must(t, l.Close())
	t.Logf("%d cuts, of which %d took the answer to a commit", c.cuts.Load(), c.lost.Load())
	if c.lost.Load() == 0 {
		t.Error("no commit was lost")
	}
}
