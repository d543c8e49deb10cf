package audittest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/toolresult/toolresult/auditlog"
)

// made opens the log of a place, appends n records of a kind that use every column, and closes it.
func made(t testing.TB, p Place, n int) auditlog.Head {
	l := p.Open(t, nil)
	defer closeLog(t, l)
	for i := range n {
		r := Projection("s", fmt.Sprint(i), fmt.Sprint("r", i), 900)
		r.Caller.Address = "127.0.0.1:9"
		add(t, l, r)
	}
	h, err := l.Head(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// shift is what a row is moved out of the way by.
const shift = 1 << 40

// tampering edits, removes, swaps and inserts records behind the back of the log: Verify names the first that does not
// hold, and goes on.
func tampering(t *testing.T, p Place) {
	if !p.Persistent() {
		t.Skip("nobody can change it")
	}
	const n = 12
	texts := []string{"kind", "method", "correlation_id", "session", "call", "request_id", "request_digest", "tool", "family", "status",
		"code", "reason", "address", "receipt"}
	numbers := []string{"part", "parts", "uid", "pid", "elapsed_us", "receipt_tokens", "redactions", "payload_bytes", "artifacts"}
	blobs := []string{"canonical", "payload", "facts", "previous_hash"}
	made(t, p, n)
	p.Exec(t, "CREATE TABLE kept AS SELECT * FROM records")
	p.Exec(t, "CREATE TABLE kept_artifacts AS SELECT * FROM artifacts")
	check := func(t testing.TB, what string, first uint64, only bool) {
		t.Helper()
		l := p.Open(t, nil)
		v, broken := Verify(t, l)
		broken = slices.DeleteFunc(broken, func(b auditlog.Inconsistency) bool { return b.Sequence > n }) // an inserted one that is gone again
		if len(broken) == 0 || broken[0].Sequence != first {
			t.Errorf("%s: broken %v, want %d first", what, broken, first)
		}
		if only && (len(broken) != 1 || v.Intact != n-1) {
			t.Errorf("%s: %d sound, broken %v, want one", what, v.Intact, broken)
		}
		_, err := l.Get(context.Background(), first)
		if err == nil {
			t.Errorf("%s: the record is read", what)
		}
		closeLog(t, l)
		p.Exec(t, "DELETE FROM records")
		p.Exec(t, "DELETE FROM artifacts")
		p.Exec(t, "INSERT INTO records SELECT * FROM kept")
		p.Exec(t, "INSERT INTO artifacts SELECT * FROM kept_artifacts")
	}
	for i, column := range texts {
		p.Exec(t, "UPDATE records SET "+column+" = "+column+" || 'x' WHERE sequence = $1", 1+i%n)
		check(t, column, uint64(1+i%n), true)
	}
	for i, column := range numbers {
		p.Exec(t, "UPDATE records SET "+column+" = "+column+" + 1 WHERE sequence = $1", 1+i%n)
		check(t, column, uint64(1+i%n), true)
	}
	for i, column := range blobs {
		p.Exec(t, "UPDATE records SET "+column+" = $1 WHERE sequence = $2", []byte("something else that is stored 123"), 1+i)
		check(t, column, uint64(1+i), true)
	}
	p.Exec(t, "UPDATE records SET receipt = NULL WHERE sequence = 5")
	check(t, "receipt removed", 5, true)
	p.Exec(t, "UPDATE records SET canonical = NULL WHERE sequence = 5")
	check(t, "canonical removed", 5, true)
	p.Exec(t, "UPDATE artifacts SET artifact = 'x' WHERE sequence = 6")
	check(t, "artifact", 6, true)
	p.Exec(t, "DELETE FROM artifacts WHERE sequence = 7")
	check(t, "artifact removed", 7, true)
	for round := range 25 {
		at := 1 + rand.IntN(n-2)
		other := at + 1 + rand.IntN(n-1-at) // not the last one, which is the head that is kept outside
		switch []string{"swap", "remove", "insert", "copy", "hash"}[round%5] {
		case "swap":
			move(t, p, at, shift)
			move(t, p, other, at)
			move(t, p, shift, other)
			check(t, fmt.Sprintf("%d and %d swapped", at, other), uint64(at), false)
		case "remove":
			p.Exec(t, "DELETE FROM records WHERE sequence = $1", at)
			check(t, fmt.Sprintf("%d removed", at), uint64(at), true)
		case "insert": // all after it are moved
			for i := n; i > at; i-- {
				move(t, p, i, i+1)
			}
			copyRow(t, p, 1, at+1)
			check(t, fmt.Sprintf("inserted after %d", at), uint64(at+1), false)
		case "copy":
			p.Exec(t, "DELETE FROM records WHERE sequence = $1", other)
			copyRow(t, p, at, other)
			check(t, fmt.Sprintf("%d in the place of %d", at, other), uint64(other), false)
		case "hash": // the record is as it was, but not what the next one follows
			p.Exec(t, "UPDATE records SET hash = $1 WHERE sequence = $2", make([]byte, 32), at)
			check(t, fmt.Sprintf("hash of %d", at), uint64(at), false)
		}
	}
}

// move gives a record another place.
func move(t testing.TB, p Place, from, to int) {
	p.Exec(t, "UPDATE records SET sequence = $1 WHERE sequence = $2", to, from)
	p.Exec(t, "UPDATE artifacts SET sequence = $1 WHERE sequence = $2", to, from)
}

// copyRow puts a copy of a record at another place, under another request id.
func copyRow(t testing.TB, p Place, from, to int) {
	p.Exec(t, "CREATE TABLE one AS SELECT * FROM records WHERE sequence = $1", from)
	p.Exec(t, "UPDATE one SET sequence = $1, request_id = ''", to)
	p.Exec(t, "INSERT INTO records SELECT * FROM one")
	p.Exec(t, "DROP TABLE one")
}

// tailRemoved removes the end of a log: the head that was kept outside shows it, no sequence is given twice, and the
// gap stays to be seen.
func tailRemoved(t *testing.T, p Place) {
	if !p.Persistent() {
		t.Skip("nobody can change it")
	}
	head := made(t, p, 8)
	p.Exec(t, "DELETE FROM records WHERE sequence > 5")
	p.Exec(t, "DELETE FROM artifacts WHERE sequence > 5")
	for round := range uint64(3) {
		l := p.Open(t, nil)
		if s := l.Status(); round == 0 && s.Inconsistency == "" {
			t.Error("the log does not notice")
		}
		if h, err := l.Head(t.Context()); err != nil || round == 0 && h != head {
			t.Errorf("head %+v, want %+v, %v", h, head, err)
		}
		v, broken := Verify(t, l)
		if len(broken) != 1 || broken[0].Sequence != 6 || v.Inconsistent != 3 || v.Intact != 5+round {
			t.Errorf("round %d: %+v, %v", round, v, broken)
		}
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

// strangers are rows before the first and after the last, and an anchor that nobody set.
func strangers(t *testing.T, p Place) {
	if !p.Persistent() {
		t.Skip("nobody can change it")
	}
	made(t, p, 5)
	l := p.Open(t, nil)
	copyRow(t, p, 2, 6)
	if _, broken := Verify(t, l); len(broken) != 1 || broken[0].Sequence != 6 {
		t.Errorf("a row after the head: %v", broken)
	}
	p.Exec(t, "DELETE FROM records WHERE sequence = 6")
	WantIntact(t, l, 5)
	p.Exec(t, "UPDATE records SET hash = $1 WHERE sequence = 5", make([]byte, 32))
	if _, broken := Verify(t, l); len(broken) == 0 || broken[0].Sequence != 5 {
		t.Errorf("the last hash: %v", broken)
	}
	closeLog(t, l)
}
