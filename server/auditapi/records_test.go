package auditapi_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
)

// asked is the canonical result of a record as its policy asked for it.
func (a harness) asked(r *pb.AuditRecord) *pb.CanonicalToolResult {
	c := proto.CloneOf(r.GetCanonical())
	if !r.GetPolicy().GetSegments() {
		a.Types.WithoutSegments(c)
	}
	return c
}

// Every answer has one record, which has the answer, and can be made again from what was stored.
func TestEveryRecordVerifies(t *testing.T) {
	a := newArchive(t)
	for i, family := range append(a.Names(), "") {
		if servertest.Race && i%6 > 0 { // what is raced for is the same for all
			continue
		}
		t.Run(family, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				req, resp := a.ProjectAny(t, family, servertest.Policies().Draw(t, "policy"))
				record := a.Last(t, 1)[0]
				if diff := cmp.Diff(resp.GetCanonical(), a.asked(record), protocmp.Transform()); diff != "" {
					t.Fatalf("the record is not of the answer:\n%s", diff)
				}
				if diff := cmp.Diff(resp.GetReceipt(), record.GetReceipt(), protocmp.Transform()); diff != "" {
					t.Fatalf("the record is not of the answer:\n%s", diff)
				}
				if record.GetToolName() != req.GetOutput().GetToolName() || !proto.Equal(record.GetPolicy(), req.GetPolicy()) {
					t.Fatalf("the record is not of the request: %v", record)
				}
				servertest.CheckHolds(t, a.Verify(t, record))
			})
		})
	}
}

// Streams in any chunks, snapshots of them, and the order of arrival.
func TestStreamedRecordsVerify(t *testing.T) {
	a := newArchive(t)
	rapid.Check(t, func(t *rapid.T) {
		list, policy := servertest.Pieces().Draw(t, "pieces"), servertest.Policies().Draw(t, "policy")
		at := map[string]uint64{}
		requests := append([]*pb.ProjectStreamRequest{servertest.Ordered(policy)}, servertest.ChunksOf(t, list, at)...)
		answers, err := a.Stream(t.Context(), append(requests, servertest.Snapshot(servertest.Completed()), servertest.Finish(servertest.Completed())))
		if _, short := errors.AsType[*envelope.ShortfallError](err); short {
			return
		}
		if err != nil || len(answers) != 2 {
			t.Fatalf("%d answers, %v", len(answers), err)
		}
		for i, record := range a.Last(t, 2) {
			want := []*pb.ProjectResponse{answers[1].GetResult(), answers[0].GetSnapshot()}[i]
			if !proto.Equal(a.asked(record), want.GetCanonical()) {
				t.Fatalf("record %d is not of the answer", i)
			}
			servertest.CheckHolds(t, a.Verify(t, record))
		}
	})
}

// A turn has one record for each output, with its share of the budget.
func TestTurnRecordsVerify(t *testing.T) {
	a := newArchive(t)
	rapid.Check(t, func(t *rapid.T) {
		req := a.TurnOf(t)
		req.TotalTokens = rapid.SampledFrom([]uint32{400, 3000, 1_000_000}).Draw(t, "total")
		resp, short := a.ProjectAnyTurn(t, req)
		if short != nil {
			return
		}
		records := a.Last(t, len(resp.GetResults()))
		for i, result := range resp.GetResults() {
			record := records[len(records)-1-i]
			if record.GetPart() != uint32(i+1) || record.GetParts() != uint32(len(records)) || !proto.Equal(record.GetReceipt(), result.GetReceipt()) {
				t.Fatalf("record %d is not of output %d", record.GetSequence(), i)
			}
			servertest.CheckHolds(t, a.Verify(t, record))
		}
	})
}

// What was compacted and what was rendered again is on record, too.
func TestRenderedRecordsVerify(t *testing.T) {
	a := newArchive(t)
	rapid.Check(t, func(t *rapid.T) {
		_, resp := a.ProjectAny(t, "command", servertest.Policies().Draw(t, "policy"))
		compacted := a.CompactOne(t, resp.GetCanonical(), pb.CompactionLevel_COMPACTION_LEVEL_LINE, 16)
		record := a.Last(t, 1)[0]
		if changed := len(record.GetCompacted()) == 1; changed != (len(compacted.GetResults()) == 1) {
			t.Fatalf("changed %t: %v", !changed, record)
		}
		servertest.CheckHolds(t, a.Verify(t, record))
		rendered, err := a.Render(t.Context(), &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: a.Only(t, resp.GetCanonical(), compacted).GetCanonical()}})
		if err != nil {
			t.Fatal(err)
		}
		record = a.Last(t, 1)[0]
		if record.GetKind() != pb.AuditKind_AUDIT_KIND_RENDERING || !proto.Equal(record.GetReceipt(), rendered.GetReceipt()) {
			t.Fatalf("the record is not of the answer: %v", record)
		}
		servertest.CheckHolds(t, a.Verify(t, record))
	})
}

// Whatever of a record is altered, it does not hold, and the finding says where.
func TestAlteredRecordsDoNotHold(t *testing.T) {
	a := newArchive(t)
	out := servertest.Command("make", 1, string(servertest.LogText(60_000)))
	if _, err := a.Project(t.Context(), &pb.ProjectRequest{Output: out}); err != nil {
		t.Fatal(err)
	}
	record := a.Last(t, 1)[0]
	altered := 0
	eachLeaf(record.GetCanonical().ProtoReflect(), "canonical", func(path string, alter func()) {
		alter()
		resp := a.Verify(t, record)
		said := false
		for _, f := range resp.GetFindings() {
			said = said || f.GetSubject() == "canonical" && f.GetVerdict() == pb.Verdict_VERDICT_DIFFERENT && strings.HasPrefix(f.GetText(), path)
		}
		if resp.GetHolds() || !said {
			t.Errorf("%s was altered: %v", path, resp)
		}
		altered++
	})
	if altered < 20 {
		t.Errorf("only %d fields were altered", altered)
	}
	record.Receipt.Text = strings.Replace(record.GetReceipt().GetText(), "1", "0", 1)
	if resp := a.Verify(t, record); resp.GetHolds() {
		t.Errorf("the receipt was altered: %v", resp)
	}
}

// eachLeaf visits the fields of a message that can be altered one by one.
func eachLeaf(m protoreflect.Message, path string, visit func(path string, alter func())) {
	given, fields := proto.Clone(m.Interface()), m.Descriptor().Fields()
	restoring := func(path string, alter func()) {
		visit(path, alter)
		proto.Reset(m.Interface())
		proto.Merge(m.Interface(), given)
	}
	for i := range fields.Len() {
		f := fields.Get(i)
		at := path + "." + string(f.Name())
		switch {
		case !m.Has(f):
		case f.IsList():
			restoring(at, func() { m.Mutable(f).List().Truncate(m.Get(f).List().Len() - 1) })
		case f.Message() != nil:
			eachLeaf(m.Get(f).Message(), at, visit)
		case f.Kind() == protoreflect.StringKind:
			restoring(at, func() { m.Set(f, protoreflect.ValueOfString(m.Get(f).String()+"x")) })
		default:
			restoring(at, func() { m.Clear(f) })
		}
	}
}

// What cannot be compared is said to be so, and why.
// What is left beside a registered value may look like a secret only there: it is in the artifact, and in the projection that
// is compared with it.
func TestRecordsOfSecretsBesideSecretsVerify(t *testing.T) {
	const glued = "A3-3F7SG2-NG5S58TD0J0-2YY1F-55PQ1-Y70EShunter22hunter"
	a := newArchive(t)
	for name, out := range map[string]*pb.CompleteToolOutput{
		"command": servertest.Command("make", 1, string(servertest.LogText(60_000))+glued+"\n"),
		"image": {ToolName: "View", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_ImageView{ImageView: &pb.ImageViewOutput{
			Content: &pb.ImageContent{Image: &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(glued + "\n")}}, MediaType: "text/plain"},
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := a.Project(t.Context(), &pb.ProjectRequest{Output: out}); err != nil {
				t.Fatal(err)
			}
			record := a.Last(t, 1)[0]
			if text := record.String(); !strings.Contains(text, "[redacted:x]") && !strings.Contains(text, `kind:"x"`) || strings.Contains(text, "hunter22") {
				t.Errorf("the value is not replaced: %s", text)
			}
			servertest.CheckHolds(t, a.Verify(t, record))
		})
	}
}

func TestIncomparableRecords(t *testing.T) {
	a := newArchive(t)
	if _, err := a.Project(t.Context(), &pb.ProjectRequest{Output: servertest.Command("make", 1, string(servertest.LogText(60_000)))}); err != nil {
		t.Fatal(err)
	}
	record := a.Last(t, 1)[0]
	for name, c := range map[string]struct {
		alter         func(*pb.AuditRecord)
		subject, want string
	}{
		"grammar":   {func(r *pb.AuditRecord) { r.Receipt.RendererVersion = 3 }, "receipt", "version 3 of the grammar"},
		"projector": {func(r *pb.AuditRecord) { r.Versions.Projector, r.Canonical.SummaryText = 99, "x" }, "canonical", "version 99 of the projectors"},
		"profiles":  {func(r *pb.AuditRecord) { r.Versions.ProfileDigest, r.Canonical.SummaryText = "x", "x" }, "canonical", "profiles are others"},
		"policy":    {func(r *pb.AuditRecord) { r.PolicyDigest = "x" }, "canonical", "defaults of policies"},
		"counter":   {func(r *pb.AuditRecord) { r.Receipt.TokenCounter = "abacus" }, "receipt", "abacus"},
		"artifact":  {func(r *pb.AuditRecord) { r.Payloads[0].Artifact += "0" }, "output.command.stdout", "no such artifact"},
	} {
		t.Run(name, func(t *testing.T) {
			altered := proto.CloneOf(record)
			c.alter(altered)
			resp := a.Verify(t, altered)
			if !resp.GetHolds() || resp.GetComplete() {
				t.Errorf("holds %t, complete %t", resp.GetHolds(), resp.GetComplete())
			}
			for _, f := range resp.GetFindings() {
				if f.GetSubject() == c.subject && (f.GetVerdict() != pb.Verdict_VERDICT_NOT_COMPARABLE || !strings.Contains(f.GetText(), c.want)) {
					t.Errorf("%v, want %q", f, c.want)
				}
			}
		})
	}
}

// Without a log there is nothing to ask, and no call can be made twice safely.
func TestWithoutAuditLog(t *testing.T) {
	h := newHarness(t)
	if _, err := h.Project(t.Context(), &pb.ProjectRequest{Output: servertest.Command("ls", 0, "a\n")}); err != nil {
		t.Error(err)
	}
	_, err := h.Project(t.Context(), &pb.ProjectRequest{Output: servertest.Command("ls", 0, "a\n"), RequestId: "r"})
	_, failed := h.Audit.GetRecord(t.Context(), &pb.GetRecordRequest{Sequence: 1})
	for _, err := range []error{err, failed} {
		if text := fmt.Sprint(status.Convert(servertest.ToStatus(err)).Details()...); !strings.Contains(text, "AUDIT_DISABLED") {
			t.Errorf("%v: %s", err, text)
		}
	}
}
