package chain

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/audittest"
)

// marksReader is a database whose oldest rows are these.
type marksReader []*Row

func (marksReader) Anchor(context.Context) (Tip, error)          { return Tip{}, nil }
func (r marksReader) Marks(context.Context, int) ([]*Row, error) { return r, nil }

// reseal makes the hashes of a row anew, as an attacker does who knows how.
func reseal(r *Row) { r.Hash = r.chainHash(r.contentHash()) }

// TestVerifyFindsAnyChange changes rows in some way: Verify names the first that does not hold, and counts all records.
func TestVerifyFindsAnyChange(t *testing.T) {
	t.Parallel()
	const n = 2*verifyBatch + 5
	base := &memory{}
	newFixture(t, base).append(t, n)
	rapid.Check(t, func(rt *rapid.T) {
		b := &memory{}
		for _, r := range base.rows {
			b.rows = append(b.rows, stored(r))
		}
		i := rapid.IntRange(0, n-2).Draw(rt, "index") // not the last one, which is the head
		first, missing := uint64(i+1), 0
		l := newFixture(t, b, func(o *Options) { o.Logger = slog.New(slog.DiscardHandler) })
		switch change := rapid.SampledFrom([]string{"content", "column", "artifacts", "removed", "swapped", "resealed", "doubled"}).Draw(rt, "change"); change {
		case "content":
			b.rows[i].Facts = append(slices.Clone(b.rows[i].Facts), 0)
		case "column":
			b.rows[i].Tool += "x"
		case "artifacts":
			b.rows[i].Artifacts = nil
		case "removed":
			missing = rapid.IntRange(1, n-1-i).Draw(rt, "rows")
			b.rows = slices.Delete(b.rows, i, i+missing)
		case "swapped":
			b.rows[i].Sequence, b.rows[i+1].Sequence = b.rows[i+1].Sequence, b.rows[i].Sequence
			b.rows[i], b.rows[i+1] = b.rows[i+1], b.rows[i]
		case "resealed": // the record reads well, and the next one does not follow it
			b.rows[i].Receipt.String += "?"
			reseal(b.rows[i])
			first++
		case "doubled":
			*b.rows[i+1] = *stored(b.rows[i])
			b.rows[i+1].Sequence++
			first++
		}
		v, found := audittest.Verify(t, l)
		if len(found) == 0 || found[0].Sequence != first || v.Intact+v.Inconsistent != n || missing > 0 && v.Inconsistent != uint64(missing) {
			rt.Fatalf("%+v, found %v, want %d first", v, found, first)
		}
		if _, err := l.Verify(rt.Context(), 0, func(auditlog.Inconsistency) error { return errInjected }); err == nil {
			rt.Fatal("an error of visit is dropped")
		}
	})
}

// TestVerifyReportsEnds alters what is before the first row and after the last.
func TestVerifyReportsEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		alter func(b *memory)
		want  auditlog.Inconsistency
		count uint64
	}{
		"a row that was deleted": {func(b *memory) { b.rows = slices.Insert(b.rows, 0, &Row{Sequence: 1}) },
			auditlog.Inconsistency{Sequence: 1, Reason: "it is there, though it was deleted"}, 1},
		"a moved anchor": {func(b *memory) { b.anchor = Tip{2, b.rows[0].Hash}; b.rows = b.rows[1:] },
			auditlog.Inconsistency{Sequence: 2, Reason: "no record of retention says so"}, 1},
		"an anchor with another hash": {func(b *memory) { b.anchor.Hash[3]++ },
			auditlog.Inconsistency{Sequence: 1, Reason: "no record of retention says so"}, 2},
		"an unreadable record of retention": {func(b *memory) { b.rows[2].Facts = []byte("\xff\xff") },
			auditlog.Inconsistency{Sequence: 1, Reason: "no record of retention says so"}, 2},
		"no record of retention": {func(b *memory) { b.rows[2].Kind = "projection" },
			auditlog.Inconsistency{Sequence: 1, Reason: "no record of retention says so"}, 2},
		"another last row": {func(b *memory) { b.rows[len(b.rows)-1].Receipt.String = "?"; reseal(b.rows[len(b.rows)-1]) },
			auditlog.Inconsistency{Sequence: 5, Reason: "its hash is not that of the head"}, 1},
		"a row after the last": {func(b *memory) { b.rows = append(b.rows, &Row{Sequence: 6}) },
			auditlog.Inconsistency{Sequence: 6, Reason: "it stands after the head"}, 1},
	} {
		l := newFixture(t, &memory{})
		l.append(t, 3)
		if _, err := l.Retain(t.Context(), time.UnixMilli(1e12+2)); err != nil { // the first
			t.Fatal(err)
		}
		l.append(t, 1)
		c.alter(l.b)
		v, found := audittest.Verify(t, l)
		if len(found) == 0 || found[0].Sequence != c.want.Sequence || !strings.Contains(found[0].Reason, c.want.Reason) || v.Inconsistent != c.count {
			t.Errorf("%s: %+v, %v", name, v, found)
		}
		_, err := l.Verify(t.Context(), 0, func(auditlog.Inconsistency) error { return errInjected })
		wantErr(t, err, errInjected)
	}
}

// TestVerifyGoesOnBehindRetention deletes rows while the chain is followed.
func TestVerifyGoesOnBehindRetention(t *testing.T) {
	t.Parallel()
	const n, deleted = 3 * verifyBatch, 2 * verifyBatch
	l := newFixture(t, &memory{})
	l.append(t, n)
	reads := 0
	l.b.onRows = func(b *memory, from uint64) {
		if from > 1 && reads == 0 { // the second batch
			reads++
			b.anchor = Tip{deleted, b.rows[deleted-1].Hash}
			b.rows = slices.Clone(b.rows[deleted:])
		}
	}
	v, found := audittest.Verify(t, l)
	if found != nil || v.Intact != verifyBatch+n-deleted || v.First != 1 || reads != 1 {
		t.Errorf("%+v, %v", v, found)
	}
	l.b.onRows = func(b *memory, from uint64) { b.rows, b.anchor = nil, Tip{Sequence: n} } // all of them
	v, err := l.Verify(t.Context(), deleted+5, report(nil))
	if err != nil || v.Intact != 0 {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestVerifyWaitsForCommit verifies while a row is stored and its commit has not returned: it is no foreign row.
func TestVerifyWaitsForCommit(t *testing.T) {
	t.Parallel()
	l := newFixture(t, &memory{})
	l.append(t, 2)
	saved, goOn := make(chan struct{}), make(chan struct{})
	l.b.afterSave = sync.OnceFunc(func() {
		close(saved)
		<-goOn
	})
	var calls sync.WaitGroup
	calls.Go(func() { l.append(t, 1) })
	<-saved
	calls.Go(func() {
		for l.Status().Waiting == 0 { // Verify waits for the worker
			time.Sleep(time.Millisecond)
		}
		close(goOn)
	})
	if v, found := audittest.Verify(t, l); v.Intact != 2 || found != nil {
		t.Errorf("%+v, %v", v, found)
	}
	calls.Wait()
	audittest.WantIntact(t, l, 3)
}

func TestVerifyEndsWithItsContext(t *testing.T) {
	t.Parallel()
	l := newFixture(t, &memory{})
	l.append(t, 3)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	v, err := l.Verify(ctx, 0, report(nil))
	wantErr(t, err, context.Canceled)
	if v.Intact != 3 || v.Head.Sequence != 3 { // it is looked at after each batch
		t.Errorf("%+v", v)
	}
}

func TestVerifyFromAnywhere(t *testing.T) {
	t.Parallel()
	l := newFixture(t, &memory{})
	l.append(t, 5)
	l.b.rows[1].Hash[0]++ // the row before the first that is verified
	for from, want := range map[uint64]uint64{0: 2, 1: 2, 2: 2, 3: 3, 4: 0, 6: 0, 1 << 60: 0} {
		var found []auditlog.Inconsistency
		v, err := l.Verify(t.Context(), from, report(&found))
		if err != nil || (len(found) > 0) != (want > 0) || want > 0 && found[0].Sequence != want || v.First != 1 {
			t.Errorf("from %d: %+v, %v, %v", from, v, found, err)
		}
	}
}

// TestVerifyOfAClosingLogFails finds a row after the end while the log closes: whether it is foreign cannot be known.
func TestVerifyOfAClosingLogFails(t *testing.T) {
	t.Parallel()
	l := newFixture(t, &memory{})
	l.append(t, 1)
	l.b.rows = append(l.b.rows, &Row{Sequence: 2})
	l.worker.Close()
	_, err := l.Verify(t.Context(), 0, report(nil))
	wantErr(t, err, auditlog.ErrClosed)
}
