package audittest

// Cases of appending: what a log answers holds for ever, what it rejects leaves no trace, and callers that come together
// do not harm each other.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// appendsInOrder appends records one by one: sequences count from 1, each record has the hash of the one before, and times
// are in milliseconds. Append sets all of that in the records of its caller, and an append of nothing returns the head.
func appendsInOrder(t *testing.T, p Place) {
	l := openLog(t, p)
	h, err := l.Head(t.Context())
	if err != nil || h.Sequence != 0 || h.Log == "" || len(h.Hash) != len("blake3:")+64 {
		t.Fatalf("%+v, %v", h, err)
	}
	before := h.Hash // of an empty chain
	for i := range uint64(5) {
		r := Projection("s", fmt.Sprint(i), "", 500)
		h = add(t, l, r)
		if r.GetSequence() != i+1 || r.GetPreviousHash() != before || r.GetHash() != h.Hash || r.GetLogId() != h.Log || h.Sequence != i+1 {
			t.Fatalf("record %v, head %+v", r, h)
		}
		if at := r.GetRecordedAt().AsTime(); time.Since(at).Abs() > time.Hour || at != at.Truncate(time.Millisecond) {
			t.Fatalf("recorded at %s", at)
		}
		before = h.Hash
	}
	if again, err := l.Head(t.Context()); err != nil || again != h {
		t.Fatalf("%+v, %v", again, err)
	}
	if none, err := l.Append(t.Context()); err != nil || none != h {
		t.Fatalf("nothing appended: %+v, %v", none, err)
	}
}

// appendsAllOrNone appends several records with one call, as for a turn: in order, and none of them if one cannot be, be it
// because of a record from before or of another one of the same call.
func appendsAllOrNone(t *testing.T, p Place) {
	l := openLog(t, p)
	one, two := Projection("s", "a", "turn", 100), Projection("s", "b", "turn", 100)
	one.Part, two.Part, one.Parts, two.Parts = 1, 2, 2, 2
	if h := add(t, l, one, two); h.Sequence != 2 || h.Hash != two.GetHash() || two.GetPreviousHash() != one.GetHash() {
		t.Fatalf("%+v", h)
	}
	// The second record of the call is one from before, and takes the first with it.
	three := Projection("s", "c", "", 100)
	again := proto.CloneOf(two)
	_, err := l.Append(t.Context(), three, again)
	wantErr(t, err, auditlog.ErrReused)
	if three.GetSequence() != 0 {
		t.Error("a record that was not appended has a sequence")
	}
	// Within a call, too, an id is used once.
	twice := Projection("s", "d", "own", 100)
	_, err = l.Append(t.Context(), twice, proto.CloneOf(twice))
	wantErr(t, err, auditlog.ErrReused)
	if h, _ := l.Head(t.Context()); h.Sequence != 2 {
		t.Fatalf("%+v", h)
	}
	add(t, l, Projection("s", "e", "own", 100)) // the id of what was not appended is free
	WantIntact(t, l, 3)
}

// rejectsReusedRequest uses request ids again. They are unique within a session, and a record without one is never
// rejected. Of callers that race with one id one wins, while no other call fails.
func rejectsReusedRequest(t *testing.T, p Place) {
	l := openLog(t, p)
	add(t, l, Projection("s", "c", "r", 10))
	_, err := l.Append(t.Context(), Projection("s", "another call", "r", 10))
	wantErr(t, err, auditlog.ErrReused)
	add(t, l, Projection("another", "c", "r", 10)) // another session has ids of its own
	add(t, l, Projection("s", "c", "", 10), Projection("s", "c", "", 10))
	var ok, rejected atomic.Int64
	var callers sync.WaitGroup
	for range 20 { // of those that race, one wins, and no other call is harmed
		callers.Go(func() {
			_, err := l.Append(context.Background(), Projection("s", "c", "race", 10))
			switch {
			case err == nil:
				ok.Add(1)
			case errors.Is(err, auditlog.ErrReused):
				rejected.Add(1)
			default:
				t.Error(err)
			}
		})
		callers.Go(func() {
			if _, err := l.Append(context.Background(), Projection("s", "c", "", 10)); err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()
	if ok.Load() != 1 || rejected.Load() != 19 {
		t.Errorf("%d appended, %d rejected", ok.Load(), rejected.Load())
	}
	WantIntact(t, l, 25)
}

// keepsAnyRecord appends records of any content and reads them back, whole and as a list has them. It finds what a database
// or an encoding does not keep: NUL, empty bytes, orders of maps, numbers at their bounds.
func keepsAnyRecord(t *testing.T, p Place) {
	l := openLog(t, p)
	n := uint64(0)
	rapid.Check(t, func(t *rapid.T) {
		r := Records().Draw(t, "record")
		want := proto.CloneOf(r) // Append sets fields of r
		if _, err := l.Append(context.Background(), r); err != nil {
			t.Fatal(err)
		}
		n++
		got, err := l.Get(context.Background(), r.GetSequence())
		if err != nil {
			t.Fatal(err)
		}
		want.LogId, want.Sequence, want.RecordedAt, want.PreviousHash, want.Hash = r.LogId, r.Sequence, r.RecordedAt, r.PreviousHash, r.Hash
		if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		short, _, err := l.List(context.Background(), auditlog.Query{Limit: 1})
		if err != nil || len(short) != 1 {
			t.Fatalf("%v, %v", short, err)
		}
		if diff := cmp.Diff(outline(want), short[0], protocmp.Transform()); diff != "" {
			t.Fatalf("list (-want +got):\n%s", diff)
		}
	})
	WantIntact(t, l, n)
}

// rejectsInvalidRecord appends records that no log stores, each beside a valid one, which must not be stored either.
func rejectsInvalidRecord(t *testing.T, p Place) {
	l := openLog(t, p)
	long := string(make([]byte, 4000))
	for name, r := range map[string]*pb.AuditRecord{
		"no UTF-8":            {ToolName: "\xff"},
		"receipt of no UTF-8": {Receipt: &pb.Receipt{Text: "\xff"}},
		"long session":        {Call: &pb.CallReference{SessionId: long}},
		"long artifact":       {Payloads: []*pb.AuditPayload{{Artifact: long + long}}},
		// The largest message of a record has 64 MiB.
		"too large": {Details: &pb.AuditDetails{ToolInput: strings.Repeat("x", 65<<20)}},
	} {
		_, err := l.Append(t.Context(), Rejection("x"), r)
		if !errors.Is(err, auditlog.ErrInvalidRecord) {
			t.Errorf("%s: %v", name, err)
		}
	}
	WantIntact(t, l, 0)
}

// appendsConcurrently appends, reads, verifies and deletes from many goroutines. The records of a call stay together, and
// what a caller was answered it can read at once.
func appendsConcurrently(t *testing.T, p Place) {
	l := openLog(t, p)
	const callers, each = 16, 20
	var mu sync.Mutex
	heads := map[uint64]string{}
	var all sync.WaitGroup
	for c := range callers {
		all.Go(func() {
			for i := range each {
				two := []*pb.AuditRecord{Projection(fmt.Sprint(c), fmt.Sprint(i), fmt.Sprint(i), 200), Rejection("x")}
				h, err := l.Append(context.Background(), two...)
				if err != nil {
					t.Error(err)
					return
				}
				if two[1].GetSequence() != two[0].GetSequence()+1 || h.Sequence != two[1].GetSequence() || h.Hash != two[1].GetHash() {
					t.Errorf("%d, %d, head %d", two[0].GetSequence(), two[1].GetSequence(), h.Sequence)
				}
				mu.Lock()
				heads[h.Sequence] = h.Hash
				mu.Unlock()
				if got, err := l.Get(context.Background(), h.Sequence); err != nil || got.GetHash() != h.Hash {
					t.Errorf("%v, %v", got, err)
				}
			}
		})
	}
	// A chain that grows meanwhile verifies: what is appended after the end was read is not an inconsistency.
	all.Go(func() {
		for range 10 {
			Verify(t, l)
			l.Status()
		}
	})
	// Retention finds nothing that is old enough, and must not disturb the appends.
	all.Go(func() {
		for range 5 {
			if _, err := l.Retain(context.Background(), time.Now().Add(-time.Hour)); err != nil {
				t.Error(err)
			}
		}
	})
	all.Wait()
	WantIntact(t, l, callers*each*2)
	if len(heads) != callers*each {
		t.Errorf("%d heads", len(heads))
	}
}

// survivesCancellation appends with a context that is done. Whether a record is appended is up to the log, but the answer
// is true: an append that reports success is there.
func survivesCancellation(t *testing.T, p Place) {
	l := openLog(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // before the first call: an idle worker may take it all the same
	appended := uint64(0)
	for range 20 {
		r := Rejection("x")
		if _, err := l.Append(ctx, r); err == nil {
			appended++
		} else if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	add(t, l, Rejection("x"))
	if h, _ := l.Head(t.Context()); h.Sequence < appended+1 {
		t.Errorf("%d appended, head %+v", appended, h)
	}
	if _, found := Verify(t, l); found != nil {
		t.Error(found)
	}
}
