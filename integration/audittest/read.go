package audittest

// Cases of reading: by sequence, by request, and by query. Get and Find return records as they were appended; lists omit the
// parts that are large, so that a page of them stays small.

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/toolresult/toolresult/auditlog"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// getsBySequence gets a record that exists, and sequences that no record has, also ones that no database can store.
func getsBySequence(t *testing.T, p Place) {
	l := openLog(t, p)
	r := Projection("s", "c", "r", 5000)
	add(t, l, Rejection("FIELD_MISSING"), r)
	got, err := l.Get(t.Context(), 2)
	if err != nil {
		t.Fatal(err)
	}
	wantSame(t, got, r)
	for _, sequence := range []uint64{0, 3, 1 << 63, 1<<64 - 1} {
		_, err = l.Get(t.Context(), sequence)
		wantErr(t, err, auditlog.ErrUnknown)
	}
}

// findsByRequest finds the parts of a request in their order, whatever order they were appended in, and no others. An
// empty session or request id finds nothing.
func findsByRequest(t *testing.T, p Place) {
	l := openLog(t, p)
	var parts []*pb.AuditRecord
	for i := range uint32(3) {
		r := Projection("s", fmt.Sprint(i), "turn", 700)
		r.Part, r.Parts = i+1, 3
		parts = append(parts, r)
	}
	// Not in their order, and beside others of the same session, the same id, and no id.
	add(t, l, Projection("s", "x", "other", 10), parts[2], parts[0], parts[1])
	add(t, l, Projection("another", "x", "turn", 10), Projection("s", "x", "", 10))
	got, err := l.Find(t.Context(), "s", "turn") // whole records, unlike those of a list
	if err != nil || len(got) != 3 {
		t.Fatalf("%d, %v", len(got), err)
	}
	for i, r := range got {
		wantSame(t, r, parts[i])
	}
	for _, c := range [][2]string{{"s", "no"}, {"no", "turn"}, {"s", ""}, {"", "turn"}} {
		if got, err := l.Find(t.Context(), c[0], c[1]); err != nil || got != nil {
			t.Errorf("%q: %v, %v", c, got, err)
		}
	}
}

// listsByQuery lists 60 records by each field of a query, in pages of several sizes: the pages in order are all that match,
// the newest first.
func listsByQuery(t *testing.T, p Place) {
	clock := newClock()
	l := p.Open(t, clock.now)
	defer closeLog(t, l)
	var all []*pb.AuditRecord
	for i := range 60 {
		clock.move(time.Second)
		r := listedRecord(i)
		add(t, l, r)
		all = append(all, r)
	}
	// Each query is compared with a filter of the same meaning, over all records.
	for name, c := range listCases(all) {
		var want []*pb.AuditRecord
		for _, r := range slices.Backward(all) {
			if c.matches(r) {
				want = append(want, outline(r))
			}
		}
		for _, page := range []int{1, 7, 0} { // 0: the log chooses
			got := listPages(t, l, c.query, page)
			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" {
				t.Fatalf("%s in pages of %d (-want +got):\n%s", name, page, diff)
			}
		}
	}
}

// listedRecord returns the record with index i: sessions, calls, tools, kinds and request ids repeat in different periods.
func listedRecord(i int) *pb.AuditRecord {
	r := Projection(fmt.Sprint("s", i%3), fmt.Sprint("c", i%5), "", 300)
	r.ToolName = []string{"Bash", "Read"}[i%2]
	if i%7 == 0 { // most have none
		r.RequestId = fmt.Sprint("r", i)
	}
	if i%10 == 9 { // without session, call and tool
		r = Rejection("FIELD_MISSING")
	}
	if i%11 == 3 {
		r.Kind = pb.AuditKind_AUDIT_KIND_RENDERING
		// An artifact counts whether it is that of the payload or of its original, before redaction.
		r.Payloads = append(r.Payloads, &pb.AuditPayload{OriginalArtifact: "raw"})
		r.Compacted = []*pb.AuditCompacted{{Canonical: r.Canonical}}
	}
	return r
}

// listCase is a query and the records that match it.
type listCase struct {
	query   auditlog.Query
	matches func(*pb.AuditRecord) bool
}

// listCases returns a query for each of its fields, and for those that are meant to be used together.
func listCases(all []*pb.AuditRecord) map[string]listCase {
	at := func(i int) time.Time { return all[i].GetRecordedAt().AsTime() }
	names := func(r *pb.AuditRecord, artifact string) bool {
		return slices.ContainsFunc(r.GetPayloads(), func(p *pb.AuditPayload) bool {
			return p.GetArtifact() == artifact || p.GetOriginalArtifact() == artifact
		})
	}
	kinds := []pb.AuditKind{pb.AuditKind_AUDIT_KIND_REJECTION, pb.AuditKind_AUDIT_KIND_RENDERING}
	return map[string]listCase{
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
		"artifact": {auditlog.Query{Artifact: "/store/abc/c3"}, func(r *pb.AuditRecord) bool { return names(r, "/store/abc/c3") }},
		"original": {auditlog.Query{Artifact: "raw", Session: "s0"}, func(r *pb.AuditRecord) bool {
			return names(r, "raw") && r.GetCall().GetSessionId() == "s0"
		}},
		"none":  {auditlog.Query{Session: "nobody"}, func(*pb.AuditRecord) bool { return false }},
		"below": {auditlog.Query{Below: 7}, func(r *pb.AuditRecord) bool { return r.GetSequence() < 7 }},
	}
}

// listPages lists all pages of a query, each below the last record of the one before. A page that promises more is never
// empty, and none is larger than its limit.
func listPages(t *testing.T, l auditlog.Reader, q auditlog.Query, page int) (all []*pb.AuditRecord) {
	t.Helper()
	q.Limit = page
	for {
		records, next, err := l.List(t.Context(), q)
		if err != nil {
			t.Fatalf("%+v: %v", q, err)
		}
		if page > 0 && len(records) > page || next > 0 && len(records) == 0 {
			t.Fatalf("%+v: a page of %d, next %d", q, len(records), next)
		}
		all = append(all, records...)
		if q.Below = next; next == 0 {
			return all
		}
	}
}

// outline returns a record as a list has it: without output, canonical results, details, and the text of the receipt.
func outline(r *pb.AuditRecord) *pb.AuditRecord {
	r = proto.CloneOf(r)
	r.Output, r.Canonical, r.Compacted, r.Details = nil, nil, nil, nil
	if r.Receipt != nil {
		r.Receipt.Text = ""
	}
	return r
}
