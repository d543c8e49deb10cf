package record

import (
	"math"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/durationpb"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/audittest"
)

// full returns a record that uses every part of a record.
func full() *pb.AuditRecord {
	r := audittest.Projection("session", "call", "request", 4000)
	r.Caller.Address = "127.0.0.1:9"
	r.Rejection = &pb.AuditRejection{Code: "CODE", Reason: "REASON"}
	r.Part, r.Parts = 1, 2
	return r
}

func TestColumnsRepeatTheRecord(t *testing.T) {
	t.Parallel()
	r := full()
	r.Redactions = append(r.Redactions, &pb.Redaction{Count: 3})
	r.Payloads = append(r.Payloads, &pb.AuditPayload{Bytes: 7})
	got := NewColumns(r, 5)
	want := Columns{
		Kind: "projection", Method: r.GetMethod(), CorrelationID: "c-call", Session: "session", Call: "call", RequestID: "request",
		RequestDigest: r.GetRequestDigest(), Part: 1, Parts: 2, Tool: "Bash", Family: "command", Status: "success", Code: "CODE", Reason: "REASON",
		UID: got.UID, PID: got.PID, Address: "127.0.0.1:9", ElapsedUS: 1234, ReceiptTokens: 500, Redactions: 5, PayloadBytes: 2007, ArtifactCount: 5,
	}
	if got != want || got.UID.Int64 != 1000 || got.PID.Int64 != 4711 || !got.UID.Valid || !got.PID.Valid {
		t.Errorf("%+v\nwant %+v", got, want)
	}
	if got := NewColumns(&pb.AuditRecord{}, 0); got != (Columns{Kind: "unspecified"}) {
		t.Errorf("of an empty record: %+v", got)
	}
}

func TestColumnsHaveNoNULAndNoOverflow(t *testing.T) {
	t.Parallel()
	const huge = math.MaxUint64
	got := NewColumns(&pb.AuditRecord{
		ToolName: "a\x00b", Elapsed: durationpb.New(-time.Second), Caller: &pb.AuditCaller{},
		Redactions: []*pb.Redaction{{Count: huge}, {Count: 1}}, Payloads: []*pb.AuditPayload{{Bytes: math.MaxInt64 - 1}, {Bytes: 1}},
	}, 0)
	want := Columns{Kind: "unspecified", Tool: "a\uFFFDb", Redactions: math.MaxInt64, PayloadBytes: math.MaxInt64}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestColumnListsAgree(t *testing.T) {
	t.Parallel()
	var c Columns
	names := ColumnNames()
	if len(names) != len(c.Values()) || len(names) != len(c.ScanTargets()) || len(AllColumns()) != len(names)+6 {
		t.Errorf("%d names, %d values, %d targets, %d columns", len(names), len(c.Values()), len(c.ScanTargets()), len(AllColumns()))
	}
	for i, column := range AllColumns() {
		if column.Comment == "" || i < len(names) && column.Name != names[i] {
			t.Errorf("column %d: %+v", i, column)
		}
	}
}

func TestKindNames(t *testing.T) {
	t.Parallel()
	for kind, want := range map[pb.AuditKind]string{
		pb.AuditKind_AUDIT_KIND_PROJECTION: "projection", pb.AuditKind_AUDIT_KIND_REJECTION: "refusal",
		pb.AuditKind_AUDIT_KIND_TOOL_CALL: "tool_call", pb.AuditKind_AUDIT_KIND_RETENTION: "retention",
	} {
		if got := KindName(kind); got != want {
			t.Errorf("%v is %q, want %q", kind, got, want)
		}
	}
}
