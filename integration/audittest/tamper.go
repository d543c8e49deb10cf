package audittest

// Cases of changes behind the back of a log, as somebody makes them who has the database and not the program. Each case
// alters a closed log with plain statements, and verification must name the first record that does not hold.
//
// Whoever can also compute hashes is found by the head that is recorded outside, which these cases leave as it is.

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/toolresult/toolresult/auditlog"
)

// appendRecords opens the log of a place, appends n records that use every column, closes it, and returns its head.
func appendRecords(t testing.TB, p Place, n int) auditlog.Head {
	l := p.Open(t, nil)
	defer closeLog(t, l)
	for i := range n {
		r := Projection("s", fmt.Sprint(i), fmt.Sprint("r", i), 900)
		r.Caller.Address = "127.0.0.1:9" // beside uid and pid, which no real caller has together
		add(t, l, r)
	}
	h, err := l.Head(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// tamperedLog is a log of tamperedRecords records whose tables are altered, checked and restored, again and again. The
// restored copies are in tables beside, so that a case need not fill a log for each alteration.
type tamperedLog struct {
	testing.TB
	Tables
}

// tamperedRecords is the number of records in the log that is altered.
const tamperedRecords = 12

// newTamperedLog fills the log of a place and keeps copies of its tables.
func newTamperedLog(t *testing.T, p Tables) tamperedLog {
	appendRecords(t, p, tamperedRecords)
	p.Exec(t, "CREATE TABLE kept AS SELECT * FROM records")
	p.Exec(t, "CREATE TABLE kept_artifacts AS SELECT * FROM artifacts")
	return tamperedLog{t, p}
}

// exec alters the tables.
func (l tamperedLog) exec(statement string, args ...any) {
	l.Helper()
	l.Exec(l.TB, statement, args...)
}

// check wants that Verify names first before all others, and that Get does not read it. If alone, it must be the only one.
// Then it restores the tables.
func (l tamperedLog) check(what string, first int, alone bool) {
	l.Helper()
	log := l.Open(l.TB, nil)
	v, found := Verify(l, log)
	found = slices.DeleteFunc(found, func(i auditlog.Inconsistency) bool { return i.Sequence > tamperedRecords }) // it was inserted in an earlier round
	if len(found) == 0 || found[0].Sequence != uint64(first) {
		l.Errorf("%s: inconsistent %v, want %d first", what, found, first)
	}
	// What is altered in one record does not show in others.
	if alone && (len(found) != 1 || v.Intact != tamperedRecords-1) {
		l.Errorf("%s: %d intact, inconsistent %v, want one", what, v.Intact, found)
	}
	if _, err := log.Get(context.Background(), uint64(first)); err == nil {
		l.Errorf("%s: the record is read", what)
	}
	closeLog(l, log)
	// The copies have every byte, so the log is intact again.
	l.exec("DELETE FROM records")
	l.exec("DELETE FROM artifacts")
	l.exec("INSERT INTO records SELECT * FROM kept")
	l.exec("INSERT INTO artifacts SELECT * FROM kept_artifacts")
}

// findsAlteredColumns alters every column of some record: Verify names the record and no other, although a column that
// repeats the record is not hashed.
func findsAlteredColumns(t *testing.T, p Tables) {
	l := newTamperedLog(t, p)
	for i, column := range []string{"kind", "method", "correlation_id", "session", "call", "request_id", "request_digest", "tool", "family",
		"status", "code", "reason", "address", "receipt"} {
		l.exec("UPDATE records SET "+column+" = "+column+" || 'x' WHERE sequence = $1", 1+i%tamperedRecords)
		l.check(column, 1+i%tamperedRecords, true)
	}
	// Numbers, also those that may be NULL.
	for i, column := range []string{"part", "parts", "uid", "pid", "elapsed_us", "receipt_tokens", "redactions", "payload_bytes", "artifacts"} {
		l.exec("UPDATE records SET "+column+" = "+column+" + 1 WHERE sequence = $1", 1+i%tamperedRecords)
		l.check(column, 1+i%tamperedRecords, true)
	}
	// Messages and hashes, which the hash of the row covers.
	for i, column := range []string{"canonical", "payload", "facts", "previous_hash"} {
		l.exec("UPDATE records SET "+column+" = $1 WHERE sequence = $2", []byte("something else that is stored 123"), 1+i)
		l.check(column, 1+i, true)
	}
	// A part that is removed is not the same as an empty one.
	l.exec("UPDATE records SET receipt = NULL WHERE sequence = 5")
	l.check("receipt removed", 5, true)
	l.exec("UPDATE records SET canonical = NULL WHERE sequence = 5")
	l.check("canonical removed", 5, true)
	l.exec("UPDATE artifacts SET artifact = 'x' WHERE sequence = 6")
	l.check("artifact", 6, true)
	l.exec("DELETE FROM artifacts WHERE sequence = 7")
	l.check("artifact removed", 7, true)
}

// findsMovedRows swaps, removes, inserts and copies random records, and alters hashes: Verify names the first that does
// not hold, and goes on.
func findsMovedRows(t *testing.T, p Tables) {
	l := newTamperedLog(t, p)
	const n, aside = tamperedRecords, 1 << 40
	for range 5 {
		at := 1 + rand.IntN(n-2)
		other := at + 1 + rand.IntN(n-1-at) // not the last one, which is the recorded head
		// Each record holds by itself, and follows another one.
		l.move(at, aside)
		l.move(other, at)
		l.move(aside, other)
		l.check(fmt.Sprintf("%d and %d swapped", at, other), at, false)

		l.exec("DELETE FROM records WHERE sequence = $1", at)
		l.check(fmt.Sprintf("%d removed", at), at, true)

		// All records after it move on by one, to make space for a copy of the first.
		for i := n; i > at; i-- {
			l.move(i, i+1)
		}
		copyRow(t, p, 1, at+1)
		l.check(fmt.Sprintf("inserted after %d", at), at+1, false)

		l.exec("DELETE FROM records WHERE sequence = $1", other)
		copyRow(t, p, at, other)
		l.check(fmt.Sprintf("%d in the place of %d", at, other), other, false)

		l.exec("UPDATE records SET hash = $1 WHERE sequence = $2", make([]byte, 32), at) // the record itself is as it was
		l.check(fmt.Sprintf("hash of %d", at), at, false)
	}
}

// move gives a record another sequence.
func (l tamperedLog) move(from, to int) {
	l.exec("UPDATE records SET sequence = $1 WHERE sequence = $2", to, from)
	l.exec("UPDATE artifacts SET sequence = $1 WHERE sequence = $2", to, from)
}

// copyRow inserts a copy of a record with another sequence and without its request id, which is unique.
func copyRow(t testing.TB, p Tables, from, to int) {
	p.Exec(t, "CREATE TABLE one AS SELECT * FROM records WHERE sequence = $1", from)
	p.Exec(t, "UPDATE one SET sequence = $1, request_id = ''", to)
	p.Exec(t, "INSERT INTO records SELECT * FROM one")
	p.Exec(t, "DROP TABLE one")
}

// findsRemovedEnd removes the end of a log: the recorded head shows it, no sequence is assigned twice, and the gap stays
// visible.
func findsRemovedEnd(t *testing.T, p Tables) {
	head := appendRecords(t, p, 8)
	p.Exec(t, "DELETE FROM records WHERE sequence > 5")
	p.Exec(t, "DELETE FROM artifacts WHERE sequence > 5")
	for round := range uint64(3) { // the first start notices it, and the next ones go on
		l := p.Open(t, nil)
		if s := l.Status(); round == 0 && s.Inconsistency == "" {
			t.Error("the log does not notice")
		}
		if h, err := l.Head(t.Context()); err != nil || round == 0 && h != head {
			t.Errorf("head %+v, want %+v, %v", h, head, err)
		}
		v, found := Verify(t, l)
		if len(found) != 1 || found[0].Sequence != 6 || v.Inconsistent != 3 || v.Intact != 5+round {
			t.Errorf("round %d: %+v, %v", round, v, found)
		}
		// A record that was answered and is not there is broken, not unknown.
		_, err := l.Get(t.Context(), 7)
		wantErr(t, err, auditlog.ErrBroken)
		r := Rejection("x")
		add(t, l, r)
		if r.GetSequence() != 9+round || round == 0 && r.GetPreviousHash() != head.Hash {
			t.Errorf("%v after %+v", r, head)
		}
		closeLog(t, l)
	}
}

// findsForeignRows inserts a row after the last while the log is open, and alters the hash of the last: both ends of the
// chain are compared with what the log has answered.
func findsForeignRows(t *testing.T, p Tables) {
	appendRecords(t, p, 5)
	l := p.Open(t, nil)
	copyRow(t, p, 2, 6) // while the log is open
	if _, found := Verify(t, l); len(found) != 1 || found[0].Sequence != 6 {
		t.Errorf("a row after the head: %v", found)
	}
	p.Exec(t, "DELETE FROM records WHERE sequence = 6")
	WantIntact(t, l, 5)
	// The last record has none after it that would not follow: the log knows its hash.
	p.Exec(t, "UPDATE records SET hash = $1 WHERE sequence = 5", make([]byte, 32))
	if _, found := Verify(t, l); len(found) == 0 || found[0].Sequence != 5 {
		t.Errorf("the last hash: %v", found)
	}
	closeLog(t, l)
}

// findsImpossibleRows inserts rows with sequences that no log gives: Verify finds them, lists go on, and retention deletes them
// with all others.
func findsImpossibleRows(t *testing.T, p Tables) {
	appendRecords(t, p, 5)
	l := p.Open(t, nil)
	copyRow(t, p, 2, 0)
	copyRow(t, p, 2, -7)
	if v, found := Verify(t, l); len(found) != 1 || found[0].Sequence != 0 || v.Inconsistent != 1 || v.Intact != 5 {
		t.Errorf("%+v, %v", v, found)
	}
	if list, _, err := l.List(t.Context(), auditlog.Query{}); err != nil || len(list) < 5 {
		t.Errorf("%d are listed, %v", len(list), err)
	}
	if n, err := l.Retain(t.Context(), time.Now().Add(time.Hour)); err != nil || n == 0 {
		t.Errorf("%d are deleted, %v", n, err)
	}
	if _, found := Verify(t, l); len(found) != 0 {
		t.Errorf("after retention: %v", found)
	}
	closeLog(t, l)
}

// verifiesIntact verifies an intact log from any sequence on, before, at and behind its end. A context that is done ends
// verification.
func verifiesIntact(t *testing.T, p Place) {
	l := openLog(t, p)
	WantIntact(t, l, 0)
	for i := range 150 { // more than is read at a time
		add(t, l, Projection("s", fmt.Sprint(i), "", 100))
	}
	WantIntact(t, l, 150)
	for _, from := range []uint64{1, 2, 64, 150, 151, 1 << 60} {
		v, err := l.Verify(t.Context(), from, func(b auditlog.Inconsistency) error { return fmt.Errorf("%v", b) })
		if want := 151 - min(from, 151); err != nil || v.Intact != want || v.Head.Sequence != 150 || v.First != 1 {
			t.Errorf("from %d: %+v, %v", from, v, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Verify(ctx, 0, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
