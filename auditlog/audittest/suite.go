// Package audittest is the contract of package auditlog as a test suite: what every [auditlog.Log] must do, whatever
// it keeps its records in. A bug found in a log becomes a case here before it is fixed.
package audittest

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

// Place is where a log is kept.
type Place interface {
	// Open opens the log of the place, which is empty at first.
	Open(t testing.TB, now func() time.Time) auditlog.Log
	// Exec changes the tables behind the back of the log, which is closed. Arguments are $1, $2 and so on.
	Exec(t testing.TB, statement string, args ...any)
	// Lasts reports whether what is appended is there when the log is opened again.
	Persistent() bool
}

// Run runs every case of the contract. place returns a new place each time; what it needs to clean up it registers with
// t.Cleanup.
func Run(t *testing.T, place func(t testing.TB) Place) {
	for _, c := range []struct {
		name string
		run  func(t *testing.T, p Place)
	}{
		{"order", order},
		{"all or none", allOrNone},
		{"get", get},
		{"find", find},
		{"request ids are used once", reused},
		{"list", list},
		{"any record", anyRecord},
		{"what is no record", noRecord},
		{"retention", retention},
		{"retention and clocks that go back", retentionByOrder},
		{"verify", verify},
		{"many callers", manyCallers},
		{"cancellation", cancellation},
		{"status", status},
		{"closed", closed},
		{"restart", restart},
		{"tampering is found", tampering},
		{"tail removed while it was closed", tailRemoved},
		{"rows of others", strangers},
	} {
		t.Run(c.name, func(t *testing.T) { c.run(t, place(t)) })
	}
}

// Verify follows the whole chain and returns what is broken.
func Verify(t testing.TB, l auditlog.Log) (auditlog.Verified, []auditlog.Inconsistency) {
	t.Helper()
	var broken []auditlog.Inconsistency
	v, err := l.Verify(context.Background(), 0, func(b auditlog.Inconsistency) error {
		broken = append(broken, b)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return v, broken
}

// WantIntact fails unless the whole chain holds and has so many records.
func WantIntact(t testing.TB, l auditlog.Log, records uint64) {
	t.Helper()
	v, broken := Verify(t, l)
	if len(broken) > 0 || v.Inconsistent > 0 || v.Intact != records {
		t.Fatalf("%d sound of %d, broken: %v", v.Intact, records, broken)
	}
}

func openLog(t testing.TB, p Place) auditlog.Log {
	l := p.Open(t, nil)
	t.Cleanup(func() { closeLog(t, l) })
	return l
}

func closeLog(t testing.TB, l auditlog.Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func add(t testing.TB, l auditlog.Log, records ...*pb.AuditRecord) auditlog.Head {
	t.Helper()
	h, err := l.Append(context.Background(), records...)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func same(t testing.TB, got, want proto.Message) {
	t.Helper()
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
}

func wantErr(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
}

func order(t *testing.T, p Place) {
	l := openLog(t, p)
	h, err := l.Head(t.Context())
	if err != nil || h.Sequence != 0 || h.Log == "" || len(h.Hash) != len("blake3:")+64 {
		t.Fatalf("%+v, %v", h, err)
	}
	before := h.Hash
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

func allOrNone(t *testing.T, p Place) {
	l := openLog(t, p)
	one, two := Projection("s", "a", "turn", 100), Projection("s", "b", "turn", 100)
	one.Part, two.Part, one.Parts, two.Parts = 1, 2, 2, 2
	if h := add(t, l, one, two); h.Sequence != 2 || h.Hash != two.GetHash() || two.GetPreviousHash() != one.GetHash() {
		t.Fatalf("%+v", h)
	}
	three := Projection("s", "c", "", 100)
	again := proto.CloneOf(two)
	_, err := l.Append(t.Context(), three, again)
	wantErr(t, err, auditlog.ErrReused)
	if three.GetSequence() != 0 {
		t.Error("a record that was not appended has a sequence")
	}
	twice := Projection("s", "d", "own", 100)
	_, err = l.Append(t.Context(), twice, proto.CloneOf(twice))
	wantErr(t, err, auditlog.ErrReused)
	if h, _ := l.Head(t.Context()); h.Sequence != 2 {
		t.Fatalf("%+v", h)
	}
	add(t, l, Projection("s", "e", "own", 100))
	WantIntact(t, l, 3)
}

func get(t *testing.T, p Place) {
	l := openLog(t, p)
	r := Projection("s", "c", "r", 5000)
	add(t, l, Rejection("FIELD_MISSING"), r)
	got, err := l.Get(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	same(t, got, r)
	for _, sequence := range []uint64{0, 3, 1 << 63, 1<<64 - 1} {
		_, err = l.Get(t.Context(), sequence)
		wantErr(t, err, auditlog.ErrUnknown)
	}
}

func find(t *testing.T, p Place) {
	l := openLog(t, p)
	var parts []*pb.AuditRecord
	for i := range uint32(3) {
		r := Projection("s", fmt.Sprint(i), "turn", 700)
		r.Part, r.Parts = i+1, 3
		parts = append(parts, r)
	}
	add(t, l, Projection("s", "x", "other", 10), parts[2], parts[0], parts[1])
	add(t, l, Projection("another", "x", "turn", 10), Projection("s", "x", "", 10))
	got, err := l.Find(t.Context(), "s", "turn")
	if err != nil || len(got) != 3 {
		t.Fatalf("%d, %v", len(got), err)
	}
	for i, r := range got {
		same(t, r, parts[i])
	}
	for _, c := range [][2]string{{"s", "no"}, {"no", "turn"}, {"s", ""}, {"", "turn"}} {
		if got, err := l.Find(t.Context(), c[0], c[1]); err != nil || got != nil {
			t.Errorf("%q: %v, %v", c, got, err)
		}
	}
}

func reused(t *testing.T, p Place) {
	l := openLog(t, p)
	add(t, l, Projection("s", "c", "r", 10))
	_, err := l.Append(t.Context(), Projection("s", "another call", "r", 10))
	wantErr(t, err, auditlog.ErrReused)
	add(t, l, Projection("another", "c", "r", 10))
	add(t, l, Projection("s", "c", "", 10), Projection("s", "c", "", 10))
	var ok, refused atomic.Int64
	var callers sync.WaitGroup
	for range 20 { // of those that race, one wins, and no other call is harmed
		callers.Go(func() {
			_, err := l.Append(context.Background(), Projection("s", "c", "race", 10))
			switch {
			case err == nil:
				ok.Add(1)
			case errors.Is(err, auditlog.ErrReused):
				refused.Add(1)
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
	if ok.Load() != 1 || refused.Load() != 19 {
		t.Errorf("%d appended, %d refused", ok.Load(), refused.Load())
	}
	WantIntact(t, l, 25)
}

// outline is a record as a list has it.
func outline(r *pb.AuditRecord) *pb.AuditRecord {
	r = proto.CloneOf(r)
	r.Output, r.Canonical, r.Compacted, r.Details = nil, nil, nil, nil
	if r.Receipt != nil {
		r.Receipt.Text = ""
	}
	return r
}

func list(t *testing.T, p Place) {
	clock := newClock()
	l := p.Open(t, clock.now)
	defer closeLog(t, l)
	var all []*pb.AuditRecord
	for i := range 60 {
		r := Projection(fmt.Sprint("s", i%3), fmt.Sprint("c", i%5), "", 300)
		r.ToolName = []string{"Bash", "Read"}[i%2]
		if i%7 == 0 {
			r.RequestId = fmt.Sprint("r", i)
		}
		if i%10 == 9 {
			r = Rejection("FIELD_MISSING")
		}
		if i%11 == 3 {
			r.Kind = pb.AuditKind_AUDIT_KIND_RENDERING
			r.Payloads = append(r.Payloads, &pb.AuditPayload{OriginalArtifact: "raw"})
			r.Compacted = []*pb.AuditCompacted{{Canonical: r.Canonical}}
		}
		clock.move(time.Second)
		add(t, l, r)
		all = append(all, r)
	}
	at := func(i int) time.Time { return all[i].GetRecordedAt().AsTime() }
	artifacts := func(r *pb.AuditRecord) (names []string) {
		for _, p := range r.GetPayloads() {
			names = append(names, p.GetArtifact(), p.GetOriginalArtifact())
		}
		return names
	}
	kinds := []pb.AuditKind{pb.AuditKind_AUDIT_KIND_REJECTION, pb.AuditKind_AUDIT_KIND_RENDERING}
	for name, c := range map[string]struct {
		q     auditlog.Query
		holds func(*pb.AuditRecord) bool
	}{
		"all":     {auditlog.Query{}, func(*pb.AuditRecord) bool { return true }},
		"session": {auditlog.Query{Session: "s1"}, func(r *pb.AuditRecord) bool { return r.GetCall().GetSessionId() == "s1" }},
		"call": {auditlog.Query{Session: "s1", Call: "c2"}, func(r *pb.AuditRecord) bool {
			return r.GetCall().GetSessionId() == "s1" && r.GetCall().GetCallId() == "c2"
		}},
		"request":  {auditlog.Query{RequestID: "r14"}, func(r *pb.AuditRecord) bool { return r.GetRequestId() == "r14" }},
		"tool":     {auditlog.Query{Tool: "Read"}, func(r *pb.AuditRecord) bool { return r.GetToolName() == "Read" }},
		"kinds":    {auditlog.Query{Kinds: kinds}, func(r *pb.AuditRecord) bool { return slices.Contains(kinds, r.GetKind()) }},
		"from":     {auditlog.Query{From: at(40)}, func(r *pb.AuditRecord) bool { return r.GetSequence() >= 41 }},
		"until":    {auditlog.Query{Until: at(40)}, func(r *pb.AuditRecord) bool { return r.GetSequence() < 41 }},
		"both":     {auditlog.Query{From: at(10), Until: at(20)}, func(r *pb.AuditRecord) bool { return r.GetSequence() > 10 && r.GetSequence() < 21 }},
		"artifact": {auditlog.Query{Artifact: "/store/abc/c3"}, func(r *pb.AuditRecord) bool { return slices.Contains(artifacts(r), "/store/abc/c3") }},
		"raw": {auditlog.Query{Artifact: "raw", Session: "s0"}, func(r *pb.AuditRecord) bool {
			return slices.Contains(artifacts(r), "raw") && r.GetCall().GetSessionId() == "s0"
		}},
		"none":  {auditlog.Query{Session: "nobody"}, func(*pb.AuditRecord) bool { return false }},
		"below": {auditlog.Query{Below: 7}, func(r *pb.AuditRecord) bool { return r.GetSequence() < 7 }},
	} {
		var want []*pb.AuditRecord
		for _, r := range slices.Backward(all) {
			if c.holds(r) {
				want = append(want, outline(r))
			}
		}
		for _, page := range []int{1, 7, 0} {
			var got []*pb.AuditRecord
			for q, next := c.q, uint64(1); next > 0; q.Below = next {
				q.Limit = page
				var records []*pb.AuditRecord
				var err error
				if records, next, err = l.List(t.Context(), q); err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				if page > 0 && len(records) > page || next > 0 && len(records) == 0 {
					t.Fatalf("%s: a page of %d, next %d", name, len(records), next)
				}
				got = append(got, records...)
			}
			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Fatalf("%s in pages of %d (-want +got):\n%s", name, page, diff)
			}
		}
	}
}

func anyRecord(t *testing.T, p Place) {
	l := openLog(t, p)
	n := uint64(0)
	rapid.Check(t, func(t *rapid.T) {
		r := Records().Draw(t, "record")
		want := proto.CloneOf(r)
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

func noRecord(t *testing.T, p Place) {
	l := openLog(t, p)
	long := string(make([]byte, 4000))
	for name, r := range map[string]*pb.AuditRecord{
		"no UTF-8":            {ToolName: "\xff"},
		"receipt of no UTF-8": {Receipt: &pb.Receipt{Text: "\xff"}},
		"long session":        {Call: &pb.CallReference{SessionId: long}},
		"long artifact":       {Payloads: []*pb.AuditPayload{{Artifact: long + long}}},
		"too large":           {Details: &pb.AuditDetails{ToolInput: strings.Repeat("x", 65<<20)}},
	} {
		_, err := l.Append(t.Context(), Rejection("x"), r)
		if !errors.Is(err, auditlog.ErrInvalidRecord) {
			t.Errorf("%s: %v", name, err)
		}
	}
	WantIntact(t, l, 0)
}

func retention(t *testing.T, p Place) {
	clock := newClock()
	l := p.Open(t, clock.now)
	defer func() { closeLog(t, l) }()
	begin := clock.now()
	var last *pb.AuditRecord
	for i := range 10 {
		last = Projection("s", "c", fmt.Sprint("r", i), 100)
		add(t, l, last)
		clock.move(time.Hour)
	}
	if n, err := l.Retain(t.Context(), begin); n != 0 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	n, err := l.Retain(t.Context(), begin.Add(4*time.Hour))
	if n != 4 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	if n, err := l.Retain(t.Context(), begin.Add(4*time.Hour)); n != 0 || err != nil {
		t.Fatalf("again: %d, %v", n, err)
	}
	for i := range uint64(4) {
		_, err := l.Get(t.Context(), i+1)
		wantErr(t, err, auditlog.ErrUnknown)
	}
	r, err := l.Get(t.Context(), 11)
	if err != nil || r.GetKind() != pb.AuditKind_AUDIT_KIND_RETENTION || r.GetRetention().GetFirst() != 1 || r.GetRetention().GetLast() != 4 {
		t.Fatalf("%v, %v", r, err)
	}
	fifth, err := l.Get(t.Context(), 5)
	if err != nil || fifth.GetPreviousHash() != r.GetRetention().GetLastHash() {
		t.Fatalf("%v, %v", fifth, err)
	}
	if got, _, err := l.List(t.Context(), auditlog.Query{Artifact: "/store/abc/c"}); len(got) != 6 || err != nil {
		t.Errorf("%d records with the artifact, %v", len(got), err)
	}
	if found, err := l.Find(t.Context(), "s", "r0"); found != nil || err != nil {
		t.Errorf("%v, %v", found, err)
	}
	add(t, l, Projection("s", "c", "r0", 100))
	if v, broken := Verify(t, l); v.First != 5 || v.Intact != 8 || broken != nil || v.Head.Sequence != 12 {
		t.Fatalf("%+v, %v", v, broken)
	}
	if p.Persistent() {
		closeLog(t, l)
		l = p.Open(t, clock.now)
	}
	if n, err := l.Retain(t.Context(), clock.now().Add(time.Hour)); n != 8 || err != nil { // all that there is
		t.Fatalf("%d, %v", n, err)
	}
	if v, broken := Verify(t, l); v.First != 13 || v.Intact != 1 || broken != nil {
		t.Fatalf("%+v, %v", v, broken)
	}
	if s := l.Status(); s.Records != 1 {
		t.Errorf("%+v", s)
	}
	if p.Persistent() {
		closeLog(t, l)
		l = p.Open(t, clock.now)
		WantIntact(t, l, 1)
		if s := l.Status(); s.Records != 1 || s.Inconsistency != "" {
			t.Errorf("%+v", s)
		}
	}
}

func retentionByOrder(t *testing.T, p Place) {
	clock := newClock()
	l := p.Open(t, clock.now)
	defer closeLog(t, l)
	begin := clock.now()
	for _, move := range []time.Duration{0, 1000 * time.Hour, -1000 * time.Hour, 0} {
		clock.move(move)
		add(t, l, Rejection("x"))
	}
	clock.move(time.Hour)
	if n, err := l.Retain(t.Context(), begin.Add(time.Hour)); n != 1 || err != nil {
		t.Errorf("%d deleted, %v: what is behind a younger record stays", n, err)
	}
	WantIntact(t, l, 4)
}

func verify(t *testing.T, p Place) {
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

func manyCallers(t *testing.T, p Place) {
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
	all.Go(func() {
		for range 10 {
			Verify(t, l)
			l.Status()
		}
	})
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

func cancellation(t *testing.T, p Place) {
	l := openLog(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
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
	if _, broken := Verify(t, l); broken != nil {
		t.Error(broken)
	}
}

func status(t *testing.T, p Place) {
	l := openLog(t, p)
	h := add(t, l, Projection("s", "c", "", 3000), Rejection("x"))
	s := l.Status()
	if s.Log != h.Log || s.Records != 2 || s.Bytes < 1000 || s.LastCommit <= 0 || s.Waiting != 0 || s.Inconsistency != "" || s.Failure != nil || s.OnReserve {
		t.Errorf("%+v", s)
	}
}

func closed(t *testing.T, p Place) {
	l := p.Open(t, nil)
	add(t, l, Rejection("x"))
	closeLog(t, l)
	closeLog(t, l)
	_, err := l.Append(t.Context(), Rejection("x"))
	wantErr(t, err, auditlog.ErrClosed)
	_, err = l.Get(t.Context(), 1)
	wantErr(t, err, auditlog.ErrClosed)
	_, _, err = l.List(t.Context(), auditlog.Query{})
	wantErr(t, err, auditlog.ErrClosed)
	_, err = l.Retain(t.Context(), time.Now())
	wantErr(t, err, auditlog.ErrClosed)
}

func restart(t *testing.T, p Place) {
	if !p.Persistent() {
		t.Skip("it does not last")
	}
	var all []*pb.AuditRecord
	var head auditlog.Head
	for range 4 {
		l := p.Open(t, nil)
		if h, err := l.Head(t.Context()); err != nil || len(all) > 0 && h != head {
			t.Fatalf("%+v, want %+v, %v", h, head, err)
		}
		if s := l.Status(); s.Inconsistency != "" || s.Records != int64(len(all)) {
			t.Fatalf("%+v", s)
		}
		WantIntact(t, l, uint64(len(all)))
		for range 3 {
			r := Projection("s", "c", fmt.Sprint(len(all)), 2000)
			head = add(t, l, r)
			all = append(all, r)
		}
		_, err := l.Append(t.Context(), Projection("s", "c", "0", 10))
		wantErr(t, err, auditlog.ErrReused)
		for _, r := range all {
			got, err := l.Get(t.Context(), r.GetSequence())
			if err != nil {
				t.Fatal(err)
			}
			same(t, got, r)
		}
		closeLog(t, l)
	}
}

// clock is a clock that tests move.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *clock { return &clock{at: time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)} }

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) move(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}
