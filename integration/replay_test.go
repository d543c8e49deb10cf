package integration_test

import (
	"path/filepath"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// TestEveryRecordIsMadeAgain is L09: whatever the corpus of golden cases makes of results, receipts and compactions, the
// record of each call holds all that is needed to make them again, byte for byte, after another start too.
func TestEveryRecordIsMadeAgain(t *testing.T) {
	t.Parallel()
	store := filepath.Join(t.TempDir(), "store")
	s := startSidecar(t, launch{Store: store, Args: withFamilies(t)})
	made := 0
	for _, c := range goldenCases(t) {
		dir := filepath.Dir(c)
		if earlier := filepath.Join(dir, "earlier.textproto"); exists(t, earlier) {
			s.project(t, readRequest(t, earlier))
			made++
		}
		req := readRequest(t, c)
		resp, err := s.Project(t.Context(), req)
		if err != nil {
			continue // its refusal is recorded
		}
		if !s.compact(t, resp.GetCanonical(), handles).changed {
			made++ // its receipt was rendered
		}
		render := &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: resp.GetCanonical()}, Policy: req.GetPolicy().GetRender()}
		if _, err := s.Render(t.Context(), render); err != nil {
			t.Fatal(c, err)
		}
		made += 3
	}
	s.Terminate()
	again := pb.NewAuditServiceClient(startSidecar(t, launch{Store: store, Args: withFamilies(t)}).conn)
	verified := 0
	for cursor, more := "", true; more; more = cursor != "" {
		list, err := again.ListRecords(t.Context(), &pb.ListRecordsRequest{PageSize: 1000, PageToken: cursor})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list.GetRecords() {
			v, err := again.VerifyRecord(t.Context(), &pb.VerifyRecordRequest{Sequence: r.GetSequence()})
			if err != nil || !v.GetHolds() || !v.GetComplete() {
				t.Errorf("record %d of %s for %s: %v, %v", r.GetSequence(), r.GetMethod(), r.GetToolName(), v, err)
			}
			if r.GetKind() != pb.AuditKind_AUDIT_KIND_REJECTION {
				verified++
			}
		}
		cursor = list.GetNextPageToken()
	}
	if verified != made {
		t.Errorf("%d records were made again, of %d calls", verified, made)
	}
}
