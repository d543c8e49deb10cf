package compaction_test

import (
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
)

// A history may name its results by their calls alone: each is the latest on record, as it
// was projected or compacted.
func TestCompactTakesRecords(t *testing.T) {
	a := newArchive(t)
	project := func(call string, text []byte) {
		if _, err := a.Project(t.Context(), &pb.ProjectRequest{
			Output: servertest.Command("make "+call, 0, string(text)), Call: &pb.CallReference{SessionId: "s", CallId: call},
		}); err != nil {
			t.Fatal(err)
		}
	}
	req := &pb.CompactRequest{SessionId: "s", Policy: &pb.CompactionPolicy{Level: pb.CompactionLevel_COMPACTION_LEVEL_TRIMMED, PreviewTokens: 100}}
	for i := range 5 {
		call := fmt.Sprintf("c%d", i)
		project(call, append([]byte(call+"\n"), servertest.LogText(6000)...))
		req.Entries = append(req.Entries, &pb.CompactEntry{CallId: call})
	}
	first := a.compacted(t, req)
	if len(first.GetResults()) != 5 {
		t.Fatalf("%d results changed", len(first.GetResults()))
	}
	if again := a.compacted(t, req); again.FirstChanged != nil {
		t.Errorf("what was compacted is not what is on record: %v", again.GetPlan())
	}
	project("c3", append([]byte("c3, again\n"), servertest.LogText(6000)...))
	if again := a.compacted(t, req); len(again.GetResults()) != 1 || again.GetResults()[0].GetIndex() != 3 ||
		again.GetResults()[0].GetCanonical().GetCommand().GetStdoutSource().GetBytes() != uint64(len("c3, again\n"))+6000 {
		t.Errorf("after a new projection %v changed", again.GetResults())
	}
	mixed := proto.CloneOf(req)
	mixed.Policy.Level = pb.CompactionLevel_COMPACTION_LEVEL_LINE
	mixed.Entries[1].Result = &pb.CompactEntry_Canonical{Canonical: first.GetResults()[1].GetCanonical()}
	streamed, err := compactStreamed(t.Context(), a, streamOf(mixed))
	if err != nil || len(streamed.GetResults()) != 5 {
		t.Errorf("%v, %v", streamed, err)
	}
	for want, req := range map[string]*pb.CompactRequest{
		"has no such record":      {SessionId: "s", Policy: req.GetPolicy(), Entries: []*pb.CompactEntry{{CallId: "c9"}}},
		"no such record":          {SessionId: "other", Policy: req.GetPolicy(), Entries: []*pb.CompactEntry{{CallId: "c1"}}},
		"session_id: is required": {Policy: req.GetPolicy(), Entries: []*pb.CompactEntry{{CallId: "c1"}}},
	} {
		if _, err := a.Compact(t.Context(), req); err == nil || !strings.Contains(servertest.ToStatus(err).Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := newHarness(t).Compact(t.Context(), req); err == nil || !strings.Contains(servertest.ToStatus(err).Error(), "keeps no audit log") {
		t.Errorf("without a log: %v", err)
	}
}

func (a harness) compacted(t *testing.T, req *pb.CompactRequest) *pb.CompactResponse {
	t.Helper()
	resp, err := a.Compact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// Many results are several records, each before its results are answered, and the last has the overview.
func TestManyCompactedResultsAreOnRecord(t *testing.T) {
	a := newArchive(t)
	full := a.Canonical(t, servertest.Command("make", 0, string(servertest.LogText(2000))))
	var list []*pb.CompactEntry
	for i := range 1300 {
		list = append(list, &pb.CompactEntry{CallId: fmt.Sprintf("c%d", i), Result: &pb.CompactEntry_Canonical{Canonical: full}, Subject: fmt.Sprint(i)})
	}
	resp := a.compacted(t, &pb.CompactRequest{SessionId: "many", Entries: list, Policy: &pb.CompactionPolicy{Level: pb.CompactionLevel_COMPACTION_LEVEL_LINE}})
	records, err := a.Audit.ListRecords(t.Context(), &pb.ListRecordsRequest{SessionId: "many", Kinds: []pb.AuditKind{pb.AuditKind_AUDIT_KIND_COMPACTION}})
	if err != nil {
		t.Fatal(err)
	}
	var got []*pb.AuditCompacted
	var overview string
	for i := range records.GetRecords() { // the newest first
		record, err := a.Audit.GetRecord(t.Context(), &pb.GetRecordRequest{Sequence: records.GetRecords()[len(records.GetRecords())-1-i].GetSequence()})
		if err != nil {
			t.Fatal(err)
		}
		if overview != "" {
			t.Error("a record has an overview, and is not the last")
		}
		got, overview = append(got, record.GetRecord().GetCompacted()...), record.GetRecord().GetReceipt().GetText()
	}
	if overview == "" || overview != resp.GetOverview().GetText() {
		t.Errorf("the overview on record is\n%s", overview)
	}
	if len(records.GetRecords()) < 2 || len(got) != 1300 {
		t.Fatalf("%d results in %d records", len(got), len(records.GetRecords()))
	}
	for i, r := range resp.GetResults() {
		if got[i].GetIndex() != r.GetIndex() || got[i].GetCallId() != list[i].GetCallId() || !proto.Equal(got[i].GetCanonical(), r.GetCanonical()) {
			t.Fatalf("result %d is %v on record", i, got[i])
		}
	}
}
