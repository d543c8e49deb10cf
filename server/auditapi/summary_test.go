package auditapi_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
)

// A summary begins as the receipt does and is one line, whatever the tool wrote; without the request for it the list is the same.
func TestSummariesAreOfTheReceipt(t *testing.T) {
	a := newArchive(t)
	for i, family := range append(a.Names(), "") {
		if servertest.Race && i%6 > 0 {
			continue
		}
		t.Run(family, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				_, resp := a.ProjectAny(t, family, servertest.Policies().Draw(t, "policy"))
				list := func(summaries bool) *pb.AuditRecord {
					got, err := a.Audit.ListRecords(t.Context(), &pb.ListRecordsRequest{PageSize: 1, Summaries: summaries})
					if err != nil {
						t.Fatal(err)
					}
					return got.GetRecords()[0]
				}
				record := list(true)
				s := record.GetSummary()
				outcome, _, _ := strings.Cut(resp.GetReceipt().GetText(), "\n")
				if begin := strings.TrimSuffix(s.GetOutcome(), "…"); s.GetOutcome() == "" || !strings.HasPrefix(outcome, begin) && !strings.Contains(outcome, "\t") {
					t.Errorf("the outcome is %q, and the receipt begins with %q", s.GetOutcome(), outcome)
				}
				for _, text := range []string{s.GetOutcome(), s.GetSubject()} {
					if len(text) > 200 || strings.ContainsAny(text, "\n\r\x1b") || !utf8.ValidString(text) {
						t.Errorf("%q", text)
					}
				}
				if failed := resp.GetCanonical().GetError() != nil || resp.GetCanonical().GetCommand().GetExitStatus() != 0 &&
					resp.GetCanonical().GetCommand().GetExitMeaning() == nil; failed && !s.GetFailed() {
					t.Errorf("a failure is none in the summary: %v", resp.GetCanonical())
				}
				record.Summary = nil
				if !proto.Equal(record, list(false)) {
					t.Error("the list has other records with summaries than without")
				}
			})
		})
	}
}
