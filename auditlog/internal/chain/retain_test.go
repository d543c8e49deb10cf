package chain

import (
	"errors"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/auditlog/audittest"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

func TestOldestIsBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var marks []*Row
		size := rapid.OneOf(rapid.Int64Range(1, retainBytes*3/2), rapid.SampledFrom([]int64{retainBytes / 2, retainBytes / 4, retainBytes}))
		for i, n := range rapid.SliceOfN(size, 0, 8).Draw(t, "sizes") {
			marks = append(marks, &Row{Sequence: uint64(i + 1), At: rapid.Int64Range(0, 20).Draw(t, "at"), Bytes: n, Hash: Hash{byte(i)}})
		}
		before, stop := rapid.Int64Range(0, 30).Draw(t, "before"), Tip{Sequence: rapid.Uint64Range(0, 9).Draw(t, "stop")}
		got, err := oldest(t.Context(), marksReader(marks), before, stop)
		if err != nil {
			t.Fatal(err)
		}
		total := int64(0)
		for i, m := range marks {
			wanted := m.At < before && m.Sequence <= stop.Sequence && (i == 0 || total+m.Bytes <= retainBytes)
			if !wanted {
				marks = marks[:i]
				break
			}
			total += m.Bytes
		}
		want := Retired{Count: int64(len(marks))}
		if n := len(marks); n > 0 {
			want.Last = Tip{marks[n-1].Sequence, marks[n-1].Hash}
		}
		if got != want {
			t.Fatalf("%+v, want %+v", got, want)
		}
	})
}

// TestRetainDeletesInTransactions deletes more than one transaction may: each has a record of its own.
func TestRetainDeletesInTransactions(t *testing.T) {
	t.Parallel()
	l := newFixture(t, &memory{})
	records := make([]*pb.AuditRecord, 300)
	for range 8 {
		for i := range records {
			records[i] = rejection()
		}
		if _, err := l.Append(t.Context(), records...); err != nil {
			t.Fatal(err)
		}
	}
	n, err := l.Retain(t.Context(), time.UnixMilli(1e12+100))
	if n != 8*300 || err != nil {
		t.Fatalf("%d deleted, %v", n, err)
	}
	v, found := audittest.Verify(t, l)
	if v.First != 2401 || v.Intact != 3 || found != nil {
		t.Errorf("%+v, %v", v, found)
	}
	first := uint64(1)
	for sequence := v.First; sequence <= v.Head.Sequence; sequence++ {
		r, err := l.Get(t.Context(), sequence)
		if err != nil || r.GetRetention().GetFirst() != first || r.GetRetention().GetLast()-first >= retainRows {
			t.Errorf("%v, %v", r, err)
		}
		first = r.GetRetention().GetLast() + 1
	}
}

func TestRetainCountsWhatWasDeletedBeforeAnError(t *testing.T) {
	t.Parallel()
	l := newFixture(t, &memory{})
	for range 2 {
		if _, err := l.Append(t.Context(), &pb.AuditRecord{Canonical: &pb.CanonicalToolResult{SummaryText: string(make([]byte, retainBytes))}}); err != nil {
			t.Fatal(err)
		}
	}
	commits := 0
	l.b.onCommit = func([]*Append) error {
		if commits++; commits == 2 {
			return errInjected
		}
		return nil
	}
	n, err := l.Retain(t.Context(), time.UnixMilli(1e12+100))
	if n != 1 || !errors.Is(err, errInjected) {
		t.Errorf("%d deleted, %v", n, err)
	}
	audittest.WantIntact(t, l, 2)
}
