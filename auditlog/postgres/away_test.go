package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/audittest"
	"github.com/toolresult/toolresult/internal/journal"
)

// gate is a way to the server that can be shut.
type gate struct {
	dsn   string
	frost frost

	mu     sync.Mutex
	closed bool
	conns  []net.Conn
}

// newGate returns a way to a server, which is open.
func newGate(t *testing.T, dsn string) *gate {
	t.Helper()
	config, err := pgconn.ParseConfig(dsn)
	must(t, err)
	if !strings.HasPrefix(config.Host, "/") {
		t.Skip("SKIPPED: the server is not on a Unix socket")
	}
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), ".s.PGSQL.5432"))
	must(t, err)
	g := &gate{dsn: strings.Replace(dsn, "host="+config.Host, "host="+filepath.Dir(l.Addr().String()), 1)}
	var open sync.WaitGroup
	open.Go(func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", filepath.Join(config.Host, fmt.Sprintf(".s.PGSQL.%d", config.Port)))
			if err != nil || !g.add(client, server) {
				client.Close()
				continue
			}
			open.Go(func() { g.frost.copy(server, client); server.Close() })
			open.Go(func() { g.frost.copy(client, server); client.Close() })
		}
	})
	t.Cleanup(func() {
		l.Close()
		g.shut()
		open.Wait()
	})
	return g
}

// add notes a connection, unless the gate is shut.
func (g *gate) add(client, server net.Conn) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		server.Close()
		return false
	}
	g.conns = append(g.conns, client, server)
	return true
}

// shut ends all connections, and lets none through.
func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	for _, c := range g.conns {
		c.Close()
	}
	g.conns = nil
}

// open lets connections through.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = false
}

// TestCallsGoOnWhileTheServerIsAway: records are taken and read, over a restart too, and are in the database once it answers.
func TestCallsGoOnWhileTheServerIsAway(t *testing.T) {
	p := newPlace(t)
	g := newGate(t, p.dsn)
	o := p.options(t, nil)
	o.DSN = g.dsn
	l := mustOpen(t, o)
	var all []*pb.AuditRecord
	add := func(n int) {
		t.Helper()
		for range n {
			r := audittest.Projection("s", "c", fmt.Sprint("r", len(all)), 300)
			began := time.Now()
			_, err := l.Append(t.Context(), r)
			must(t, err)
			if took := time.Since(began); took > time.Minute {
				t.Errorf("record %d took %s", r.GetSequence(), took)
			}
			all = append(all, r)
		}
	}
	add(20)
	sent(t, l)
	g.shut()
	add(20)
	readsAway := func() {
		t.Helper()
		if s := l.Status(); s.Unsent < 20 || s.Failure != nil {
			t.Errorf("%+v", s)
		}
		got, err := l.Get(t.Context(), 35)
		if err != nil || got.GetHash() != all[34].GetHash() {
			t.Errorf("%v, %v", got, err)
		}
		// Its own requests it finds, those that were sent too: the journal has them still.
		for _, i := range []int{3, 33} {
			if found, err := l.Find(t.Context(), "s", fmt.Sprint("r", i)); err != nil || len(found) != 1 || found[0].GetHash() != all[i].GetHash() {
				t.Errorf("%d: %v, %v", i, found, err)
			}
		}
		_, err = l.Append(t.Context(), audittest.Projection("s", "c", "r3", 10))
		if !errors.Is(err, auditlog.ErrReused) {
			t.Error(err)
		}
		if list, _, err := l.List(t.Context(), auditlog.Query{Limit: 10}); err != nil || len(list) != 10 || list[0].GetSequence() != uint64(len(all)) {
			t.Errorf("%d records, %v", len(list), err)
		}
	}
	readsAway()
	// What is in the database alone is not there, and nobody says otherwise.
	if _, _, err := l.List(t.Context(), auditlog.Query{}); !errors.Is(err, auditlog.ErrUnavailable) {
		t.Error(err)
	}
	if _, err := l.Get(t.Context(), 3); !errors.Is(err, auditlog.ErrUnavailable) {
		t.Error(err)
	}
	if _, err := l.Verify(t.Context(), 0, nil); !errors.Is(err, auditlog.ErrUnavailable) {
		t.Error(err)
	}
	if _, err := l.Retain(t.Context(), time.Now()); !errors.Is(err, auditlog.ErrUnavailable) {
		t.Error(err)
	}
	must(t, l.Close())
	o = p.options(t, nil)
	o.DSN = g.dsn
	l = mustOpen(t, o)
	readsAway()
	add(20)
	g.open()
	sent(t, l)
	audittest.WantIntact(t, l, 60)
	list, _, err := l.List(t.Context(), auditlog.Query{Limit: 1000})
	if err != nil || len(list) != 60 {
		t.Errorf("%d records, %v", len(list), err)
	}
	for i, r := range list {
		if r.GetHash() != all[59-i].GetHash() {
			t.Fatalf("record %d is another one", r.GetSequence())
		}
	}
	must(t, l.Close())
}

// TestListsAcrossTheOutbox: pages of any size go from what is in the journal over to what is in the database.
func TestListsAcrossTheOutbox(t *testing.T) {
	p := newPlace(t)
	l := p.Open(t, nil)
	defer l.Close() // of a test
	for i := range 7 {
		_, err := l.Append(t.Context(), audittest.Projection("s", fmt.Sprint("c", i%2), "", 50))
		must(t, err)
	}
	sent(t, l)
	// The sender waits for the row of the log, and everything else can be read.
	conn := p.connect(t)
	defer conn.Close(context.Background())
	must(t, conn.Exec(t.Context(), "BEGIN; SELECT 1 FROM logs FOR UPDATE").Close())
	for i := range 6 {
		_, err := l.Append(t.Context(), audittest.Projection("s", fmt.Sprint("c", i%2), "", 50))
		must(t, err)
	}
	for _, call := range []string{"", "c0", "c1"} {
		for limit := 1; limit <= 14; limit++ {
			var got []uint64
			for q := (auditlog.Query{Limit: limit, Call: call}); ; {
				list, next, err := l.List(t.Context(), q)
				must(t, err)
				if len(list) > limit || next != 0 && len(list) < limit {
					t.Fatalf("%d of %d, next %d", len(list), limit, next)
				}
				for _, r := range list {
					got = append(got, r.GetSequence())
				}
				if q.Below = next; next == 0 {
					break
				}
			}
			want := map[string]string{
				"": "[13 12 11 10 9 8 7 6 5 4 3 2 1]", "c0": "[12 10 8 7 5 3 1]", "c1": "[13 11 9 6 4 2]",
			}[call]
			if fmt.Sprint(got) != want {
				t.Errorf("call %q, %d at a time: %v", call, limit, got)
			}
		}
	}
	if s := l.Status(); s.Unsent != 6 {
		t.Errorf("%+v", s)
	}
	must(t, conn.Exec(t.Context(), "COMMIT").Close())
	sent(t, l)
	audittest.WantIntact(t, l, 13)
}

// TestFullOutbox: beyond the limit calls are rejected, which is recorded, until the database has the records.
func TestFullOutbox(t *testing.T) {
	p := newPlace(t)
	g := newGate(t, p.dsn)
	o := p.options(t, nil)
	o.DSN, o.Limit = g.dsn, 64<<10
	l := mustOpen(t, o)
	defer l.Close() // of a test
	g.shut()
	var err error
	n := uint64(0)
	for ; err == nil; n++ {
		if _, err = l.Append(t.Context(), audittest.Projection("s", "c", "", 1000)); n > 100 {
			t.Fatal("the outbox has no limit")
		}
	}
	if n--; !errors.Is(err, auditlog.ErrUnavailable) || n < 10 {
		t.Errorf("%v after %d", err, n)
	}
	for range 3 {
		_, err = l.Append(t.Context(), audittest.Rejection("x"))
		must(t, err)
	}
	for err = nil; err == nil; n++ { // but not for ever
		if _, err = l.Append(t.Context(), audittest.Rejection("x")); n > 10000 {
			t.Fatal("rejections have no limit")
		}
	}
	g.open()
	sent(t, l)
	_, err = l.Append(t.Context(), audittest.Projection("s", "c", "", 1000))
	must(t, err)
	audittest.WantIntact(t, l, n+3)
}

// TestThrough: with a journal in memory a record is in the database before the call is answered.
func TestThrough(t *testing.T) {
	p := newPlace(t)
	g := newGate(t, p.dsn)
	o := p.options(t, nil)
	must(t, o.Journal.Close())
	var err error
	o.Journal, err = journal.Open(journal.Options{Logger: quiet()})
	must(t, err)
	o.DSN, o.Index, o.Through, o.Patience = g.dsn, "", true, 200*time.Millisecond
	l := mustOpen(t, o)
	defer l.Close() // of a test
	for i := range 5 {
		r := audittest.Projection("s", "c", "", 100)
		_, err := l.Append(t.Context(), r)
		must(t, err)
		p.wantRows(t, l, i+1)
	}
	g.shut()
	if _, err := l.Append(t.Context(), audittest.Projection("s", "c", "", 100)); !errors.Is(err, auditlog.ErrUnavailable) {
		t.Error(err)
	}
	g.open()
	sent(t, l)
	for { // it takes a moment until the log knows
		if _, err = l.Append(t.Context(), audittest.Projection("s", "c", "", 100)); !errors.Is(err, auditlog.ErrUnavailable) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	must(t, err)
}

// wantRows fails t unless the database has n records of a log.
func (p place) wantRows(t *testing.T, l auditlog.Log, n int) {
	t.Helper()
	conn := p.connect(t)
	defer conn.Close(context.Background())
	result := conn.ExecParams(t.Context(), "SELECT count(*) FROM records WHERE log = $1", [][]byte{[]byte(l.Status().Log)}, nil, nil, nil).Read()
	if result.Err != nil || string(result.Rows[0][0]) != fmt.Sprint(n) {
		t.Errorf("%s rows, want %d, %v", result.Rows, n, result.Err)
	}
}

// TestJournalGivesUpWhatWasSent: the outbox does not grow with what the database has, and nothing is lost for it.
func TestJournalGivesUpWhatWasSent(t *testing.T) {
	p := newPlace(t)
	o := p.options(t, nil)
	o.Kept = 100 << 10
	l := mustOpen(t, o)
	for i := range 400 {
		_, err := l.Append(t.Context(), audittest.Projection("s", fmt.Sprint(i), fmt.Sprint("r", i), 1500))
		must(t, err)
		if i%50 == 0 {
			sent(t, l)
		}
	}
	sent(t, l)
	waitFor(func(int64) bool { return o.Journal.Anchor(journal.Records).Number > 200 }, 0)
	if a := o.Journal.Anchor(journal.Records).Number; a <= 200 || a >= 400 {
		t.Errorf("the journal has given up %d records", a)
	}
	for _, i := range []int{0, 399} {
		_, err := l.Append(t.Context(), audittest.Projection("s", "c", fmt.Sprint("r", i), 10))
		if !errors.Is(err, auditlog.ErrReused) {
			t.Error(err)
		}
	}
	audittest.WantIntact(t, l, 400)
	must(t, l.Close())
	l = mustOpen(t, p.options(t, nil))
	defer l.Close() // of a test
	audittest.WantIntact(t, l, 400)
	if s := l.Status(); s.Records != 400 || s.Unsent != 0 || s.Inconsistency != "" {
		t.Errorf("%+v", s)
	}
}
