package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/audittest"
	"github.com/toolresult/toolresult/auditlog/internal/chain"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// TestErrorsAreClassified: each error of the database and of the system has one of package auditlog, once.
func TestErrorsAreClassified(t *testing.T) {
	t.Parallel()
	other := errors.New("other")
	for _, c := range []struct{ err, want error }{
		{nil, nil}, {other, other},
		{fmt.Errorf("%w: records.session, records.request_id", sqlitedb.ErrConflict), auditlog.ErrReused},
		{sqlitedb.ErrConflict, auditlog.ErrFailed},
		{sqlitedb.ErrFull, auditlog.ErrFull}, {syscall.ENOSPC, auditlog.ErrFull}, {syscall.EDQUOT, auditlog.ErrFull},
		{sqlitedb.ErrReadOnly, auditlog.ErrReadOnly}, {syscall.EROFS, auditlog.ErrReadOnly},
		{sqlitedb.ErrTooNew, auditlog.ErrTooNew}, {sqlitedb.ErrFailed, auditlog.ErrFailed}, {sqlitedb.ErrUnreadable, auditlog.ErrBroken},
		{sql.ErrConnDone, auditlog.ErrClosed},
	} {
		got := classify(c.err)
		if !errors.Is(got, c.want) || !errors.Is(got, c.err) {
			t.Errorf("%v is %v, want %v", c.err, got, c.want)
		}
		if again := classify(got); fmt.Sprint(again) != fmt.Sprint(got) || (got == nil) != (again == nil) {
			t.Errorf("%v becomes %v when it is classified again", got, again)
		}
	}
}

// appendOf returns an append of one record.
func appendOf(t *testing.T, r *pb.AuditRecord) *chain.Append {
	t.Helper()
	row, err := chain.NewRow(r)
	if err != nil {
		t.Fatal(err)
	}
	return &chain.Append{Rows: []*chain.Row{row}}
}

// newBackend returns a backend in memory.
func newBackend(t *testing.T) *backend {
	t.Helper()
	b := &backend{lock: make(chan struct{}, 1)}
	if err := b.open(Options{}, &chain.Options{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

// TestFailureAmongConflictsFailsTheBatch: beside a request that was recorded before, an append fails for a reason of its
// own. Then none is stored, because it is not known what else holds.
func TestFailureAmongConflictsFailsTheBatch(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	first := appendOf(t, audittest.Projection("s", "c", "r", 100))
	end, err := b.Commit(chain.Tip{}, 1, []*chain.Append{first})
	if err != nil || first.Err != nil {
		t.Fatal(err, first.Err)
	}
	batch := func() []*chain.Append {
		return []*chain.Append{appendOf(t, audittest.Projection("s", "c", "r", 100)), appendOf(t, audittest.Projection("s", "bad", "", 100)),
			appendOf(t, audittest.Rejection("x"))}
	}
	if err := b.writer.Run("CREATE TRIGGER fault BEFORE INSERT ON records WHEN NEW.call = 'bad' BEGIN SELECT json(NEW.call); END"); err != nil {
		t.Fatal(err)
	}
	if got, err := b.Commit(end, 2, batch()); err == nil || got != end {
		t.Errorf("%+v, %v", got, err)
	}
	if records, _ := b.Size(); records != 1 {
		t.Errorf("%d records", records)
	}
	if err := b.writer.Run("DROP TRIGGER fault"); err != nil {
		t.Fatal(err)
	}
	appends := batch()
	got, err := b.Commit(end, 3, appends)
	if err != nil || got.Sequence != 3 || !errors.Is(appends[0].Err, auditlog.ErrReused) || appends[1].Err != nil || appends[2].Err != nil {
		t.Errorf("%+v, %v: %v, %v, %v", got, err, appends[0].Err, appends[1].Err, appends[2].Err)
	}
}

// TestReserveServesItsHalves: rejections use all of it, small results the first half, and others nothing.
func TestReserveServesItsHalves(t *testing.T) {
	t.Parallel()
	r := &reserve{size: 100}
	notice, small, large := appendOf(t, audittest.Rejection("x")), appendOf(t, audittest.Projection("s", "c", "", 100)), appendOf(t, audittest.Projection("s", "c", "", 100_000))
	for left, want := range map[int64][3]bool{0: {}, 1: {true}, 50: {true}, 51: {true, true}, 100: {true, true}} {
		if got := [3]bool{r.serves(notice, left), r.serves(small, left), r.serves(large, left)}; got != want {
			t.Errorf("%d of 100 left: %v, want %v", left, got, want)
		}
	}
}

// TestFreePagesCountAsReserve: pages that retention freed in the database are as good as the reserve, from its size on.
func TestFreePagesCountAsReserve(t *testing.T) {
	t.Parallel()
	b := newBackend(t)
	for _, statement := range []string{"CREATE TABLE t (x)", "INSERT INTO t VALUES (zeroblob(100000))", "DELETE FROM t"} {
		if err := b.writer.Run(statement); err != nil {
			t.Fatal(err)
		}
	}
	var pages int64
	if _, err := b.writer.Row("PRAGMA freelist_count", nil, &pages); err != nil || pages == 0 {
		t.Fatalf("%d free pages, %v", pages, err)
	}
	for size, want := range map[int64]bool{pages*pageSize - 1: true, pages * pageSize: true, pages*pageSize + 1: false} {
		b.reserve = &reserve{size: size}
		if got := b.hasFreePages(); got != want {
			t.Errorf("%d free pages for %d bytes: %v", pages, size, got)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestReserveIsMadeWhole: also on a file system that cannot allocate space, and where it cannot be made it is in use.
func TestReserveIsMadeWhole(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "reserve")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	const size = 150_000 // no multiple of what is written at a time
	if err := errors.Join(fill(f, size), f.Close()); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != size {
		t.Errorf("%v, %v", info, err)
	}
	if err := fill(f, size); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a closed file: %v", err)
	}
	r := newReserve(path, 2*size)
	if r.inUse.Load() || r.left() != 2*size {
		t.Errorf("in use %v, %d bytes", r.inUse.Load(), r.left())
	}
	for name, path := range map[string]string{"no directory": filepath.Join(t.TempDir(), "none", "x"), "a directory": t.TempDir()} {
		r := newReserve(path, size)
		if !r.inUse.Load() || r.left() != 0 || r.release(appendOf(t, audittest.Rejection("x")), 1) {
			t.Errorf("%s: in use %v, %d bytes", name, r.inUse.Load(), r.left())
		}
	}
}
