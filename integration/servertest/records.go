package servertest

import (
	"context"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Checking is what tests and properties have in common.
type Checking interface {
	Context() context.Context
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// Last returns the newest records, the newest first.
func (a *Harness) Last(t Checking, n int) (records []*pb.AuditRecord) {
	head, err := a.Log.Head(t.Context())
	for i := range uint64(n) {
		var r *pb.AuditRecord
		if err == nil {
			r, err = a.Log.Get(t.Context(), head.Sequence-i)
		}
		records = append(records, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// CheckHolds checks that a record can be made again. One with masks of registered values may not be comparable: the values are
// not on record, and what was masked may have had another form in the preview.
func CheckHolds(t Checking, resp *pb.VerifyRecordResponse) {
	complete := true
	for _, f := range resp.GetFindings() {
		complete = complete && (f.GetVerdict() != pb.Verdict_VERDICT_NOT_COMPARABLE || strings.HasPrefix(f.GetText(), "registered values"))
	}
	if !resp.GetHolds() || !complete {
		t.Fatalf("holds %t, complete %t: %v", resp.GetHolds(), resp.GetComplete(), resp.GetFindings())
	}
}

// Verify makes the result of a record again, and compares the two.
func (h *Harness) Verify(t Checking, r *pb.AuditRecord) *pb.VerifyRecordResponse {
	resp, err := h.Audit.Verify(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}
