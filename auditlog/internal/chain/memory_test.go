package chain

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/audittest"
	"github.com/toolresult/toolresult/auditlog/internal/record"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// errInjected is the error of a database that fails.
var errInjected = errors.New("injected")

// memory is a backend in memory. Tests alter its rows as an attacker alters tables, and inject errors into its calls.
type memory struct {
	mu     sync.Mutex
	rows   []*Row // ascending
	anchor Tip
	log    string
	closed bool

	closeErr  error                             // of Close
	failRead  int                               // the call of a reading method that fails, from 1; 0: none
	onCommit  func(appends []*Append) error     // before rows are stored
	afterSave func()                            // after rows are stored, before Commit returns
	onRows    func(b *memory, from uint64)      // before rows are read; the lock is held
	stopped   func()                            // called by Stop
	onOutline func(q auditlog.Query, limit int) // before outlines are read
}

// read counts a call of a reading method, and fails if it is the one to fail.
func (b *memory) read() error {
	if b.closed {
		return auditlog.ErrClosed
	}
	if b.failRead--; b.failRead == 0 {
		return errInjected
	}
	return nil
}

// stored returns a row as a database returns it.
func stored(r *Row) *Row {
	c := *r
	c.content = Hash{}
	return &c
}

func (b *memory) Commit(end Tip, at int64, appends []*Append) (Tip, error) {
	if b.onCommit != nil {
		if err := b.onCommit(appends); err != nil {
			return end, err
		}
	}
	b.mu.Lock()
	for _, a := range appends {
		if b.reuses(a.Rows) {
			a.Err = auditlog.ErrReused
			continue
		}
		if a.Retired != nil {
			b.rows = slices.DeleteFunc(b.rows, func(r *Row) bool { return r.Sequence <= a.Retired.Last.Sequence })
			b.anchor = a.Retired.Last
		}
		for _, r := range a.Rows {
			end = r.Seal(b.log, end, at)
			b.rows = append(b.rows, stored(r))
		}
	}
	b.mu.Unlock()
	if b.afterSave != nil {
		b.afterSave()
	}
	return end, nil
}

// reuses reports whether rows have a request id that is in use, or one twice.
func (b *memory) reuses(rows []*Row) bool {
	for i, r := range rows {
		same := func(o *Row) bool { return o.Session == r.Session && o.RequestID == r.RequestID && o.Part == r.Part }
		if r.RequestID != "" && (slices.ContainsFunc(b.rows, same) || slices.ContainsFunc(rows[:i], same)) {
			return true
		}
	}
	return false
}

func (b *memory) Stop() {
	if b.stopped != nil {
		b.stopped()
	}
}

func (b *memory) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	return b.closeErr
}

// collect returns at most limit rows that match, ascending.
func (b *memory) collect(limit int, match func(*Row) bool) (list []*Row) {
	for _, r := range b.rows {
		if match(r) && len(list) < limit {
			list = append(list, stored(r))
		}
	}
	return list
}

func (b *memory) Rows(_ context.Context, from, until uint64, limit int) ([]*Row, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.onRows != nil {
		b.onRows(b, from)
	}
	return b.collect(limit, func(r *Row) bool { return r.Sequence >= from && r.Sequence <= until }), b.read()
}

func (b *memory) Request(_ context.Context, session, requestID string) ([]*Row, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.collect(len(b.rows), func(r *Row) bool { return r.Session == session && r.RequestID == requestID })
	slices.SortFunc(list, func(x, y *Row) int { return cmp.Compare(x.Part, y.Part) })
	return list, b.read()
}

func (b *memory) Outlines(_ context.Context, q auditlog.Query, limit int) ([]*Row, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.onOutline != nil {
		b.onOutline(q, limit)
	}
	list := b.collect(len(b.rows), func(r *Row) bool {
		at := time.UnixMilli(r.At)
		return (q.Session == "" || r.Session == q.Session) && (q.Call == "" || r.Call == q.Call) && (q.Tool == "" || r.Tool == q.Tool) &&
			(q.RequestID == "" || r.RequestID == q.RequestID) && (q.Below == 0 || r.Sequence < q.Below) &&
			(q.From.IsZero() || !at.Before(q.From)) && (q.Until.IsZero() || at.Before(q.Until)) &&
			(q.Artifact == "" || slices.Contains(r.Artifacts, q.Artifact)) &&
			(len(q.Kinds) == 0 || slices.ContainsFunc(q.Kinds, func(k pb.AuditKind) bool { return r.Kind == record.KindName(k) }))
	})
	slices.Reverse(list)
	return list[:min(limit, len(list))], b.read()
}

func (b *memory) Anchor(context.Context) (Tip, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.anchor, b.read()
}

func (b *memory) Marks(_ context.Context, limit int) ([]*Row, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.collect(limit, func(*Row) bool { return true })
	for i, r := range list {
		list[i] = &Row{Sequence: r.Sequence, At: r.At, Hash: r.Hash, Bytes: int64(r.Parts.Size())}
	}
	return list, b.read()
}

func (b *memory) Size() (records, size int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.rows {
		size += int64(r.Parts.Size())
	}
	return int64(len(b.rows)), size
}

func (b *memory) OnReserve() bool { return false }

// end is the last row.
func (b *memory) end() Tip {
	if len(b.rows) == 0 {
		return b.anchor
	}
	last := b.rows[len(b.rows)-1]
	return Tip{last.Sequence, last.Hash}
}

// fixture is a log over a backend in memory, with a clock of 1 ms for each record and all that it logged.
type fixture struct {
	*Log
	b      *memory
	logged *bytes.Buffer
	now    time.Time
}

// newFixture opens a log over a backend until the test ends. configure may change its options.
func newFixture(t testing.TB, b *memory, configure ...func(*Options)) *fixture {
	t.Helper()
	f := &fixture{b: b, logged: &bytes.Buffer{}, now: time.UnixMilli(1e12)}
	b.log = "log"
	o := Options{Backend: b, Name: b.log, End: b.end(), Logger: slog.New(slog.NewTextHandler(f.logged, nil)), Now: func() time.Time {
		f.now = f.now.Add(time.Millisecond)
		return f.now
	}}
	for _, c := range configure {
		c(&o)
	}
	l, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	f.Log = l
	t.Cleanup(func() { _ = l.Close() })
	return f
}

// append appends n records, each with a call of its own.
func (f *fixture) append(t testing.TB, n int) {
	t.Helper()
	for range n {
		if _, err := f.Append(context.Background(), audittest.Projection("s", "c", "", 300)); err != nil {
			t.Fatal(err)
		}
	}
}

// rejection is the shortest record.
func rejection() *pb.AuditRecord { return audittest.Rejection("x") }

// wantErr fails t unless err wraps want.
func wantErr(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

// TestContract runs the suite of every log over the backend in memory.
func TestContract(t *testing.T) {
	audittest.Run(t, func(testing.TB) audittest.Place { return suitePlace{} })
}

// suitePlace opens logs for the suite. They do not outlast their backend.
type suitePlace struct{}

func (suitePlace) Open(t testing.TB, now func() time.Time) auditlog.Log {
	l, err := New(Options{Backend: &memory{log: "log"}, Name: "log", Now: now, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (suitePlace) Exec(testing.TB, string, ...any) {}

func (suitePlace) Persistent() bool { return false }
