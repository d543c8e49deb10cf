package server_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server"
	"github.com/toolresult/toolresult/server/auditapi"
	"github.com/toolresult/toolresult/server/recorder"
)

// checking is what tests and properties have in common.
type checking interface {
	Context() context.Context
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// archive is a house with an audit log.
type archive struct {
	house
	log   auditlog.Log
	audit pb.AuditServiceServer
}

func newArchive(t testing.TB) archive {
	t.Helper()
	return archive{house: newHouse(t), log: newLog(t)}.reopened(t)
}

// reopened is the archive after a start: the store and the log stay, and nothing else.
func (a archive) reopened(t testing.TB) archive {
	t.Helper()
	a.house = a.with(t, withLog(a.log))
	a.audit = a.services.Audit
	return a
}

// withLog has the services keep an audit log.
func withLog(log auditlog.Log) func(*server.Parts) {
	return func(p *server.Parts) { p.Recorder = recorder.New(log, p.Metrics, p.Logger, p.Info) }
}

// verify compares a record with what it is of.
func verify(t checking, s *server.Services, r *pb.AuditRecord) *pb.VerifyRecordResponse {
	resp, err := s.Audit.(*auditapi.Service).Verify(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// last are the newest records, the newest first.
func (a archive) last(t checking, n int) (records []*pb.AuditRecord) {
	head, err := a.log.Head(t.Context())
	for i := range uint64(n) {
		var r *pb.AuditRecord
		if err == nil {
			r, err = a.log.Get(t.Context(), head.Sequence-i)
		}
		records = append(records, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// asked is the canonical result of a record as its policy asked for it.
func (a archive) asked(r *pb.AuditRecord) *pb.CanonicalToolResult {
	c := proto.CloneOf(r.GetCanonical())
	if !r.GetPolicy().GetSegments() {
		a.types.WithoutSegments(c)
	}
	return c
}

// checkHolds checks that a record can be made again. One with masks of registered values may not be comparable: the values are
// not on record, and what was masked may have had another form in the preview.
func checkHolds(t checking, resp *pb.VerifyRecordResponse) {
	complete := true
	for _, f := range resp.GetFindings() {
		complete = complete && (f.GetVerdict() != pb.Verdict_VERDICT_NOT_COMPARABLE || strings.HasPrefix(f.GetText(), "registered values"))
	}
	if !resp.GetHolds() || !complete {
		t.Fatalf("holds %t, complete %t: %v", resp.GetHolds(), resp.GetComplete(), resp.GetFindings())
	}
}

// Every answer has one record, which has the answer, and can be made again from what was stored.
func TestEveryRecordVerifies(t *testing.T) {
	a := newArchive(t)
	for i, family := range append(a.names(), "") {
		if raceDetector && i%6 > 0 { // what is raced for is the same for all
			continue
		}
		t.Run(family, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				req, resp := a.project(t, family, policies().Draw(t, "policy"))
				record := a.last(t, 1)[0]
				if diff := cmp.Diff(resp.GetCanonical(), a.asked(record), protocmp.Transform()); diff != "" {
					t.Fatalf("the record is not of the answer:\n%s", diff)
				}
				if diff := cmp.Diff(resp.GetReceipt(), record.GetReceipt(), protocmp.Transform()); diff != "" {
					t.Fatalf("the record is not of the answer:\n%s", diff)
				}
				if record.GetToolName() != req.GetOutput().GetToolName() || !proto.Equal(record.GetPolicy(), req.GetPolicy()) {
					t.Fatalf("the record is not of the request: %v", record)
				}
				checkHolds(t, verify(t, a.services, record))
			})
		})
	}
}

// Streams in any chunks, snapshots of them, and the order in which they came.
func TestStreamedRecordsVerify(t *testing.T) {
	a := newArchive(t)
	rapid.Check(t, func(t *rapid.T) {
		list, policy := pieces().Draw(t, "pieces"), policies().Draw(t, "policy")
		at := map[string]uint64{}
		requests := append([]*pb.ProjectStreamRequest{ordered(policy)}, chunksOf(t, list, at)...)
		answers, err := a.stream(t.Context(), append(requests, snapshot(completed()), finish(completed())))
		if _, short := errors.AsType[*envelope.ShortfallError](err); short {
			return
		}
		if err != nil || len(answers) != 2 {
			t.Fatalf("%d answers, %v", len(answers), err)
		}
		for i, record := range a.last(t, 2) {
			want := []*pb.ProjectResponse{answers[1].GetResult(), answers[0].GetSnapshot()}[i]
			if !proto.Equal(a.asked(record), want.GetCanonical()) {
				t.Fatalf("record %d is not of the answer", i)
			}
			checkHolds(t, verify(t, a.services, record))
		}
	})
}

// A turn has one record for each output, with its share of the budget.
func TestTurnRecordsVerify(t *testing.T) {
	a := newArchive(t)
	rapid.Check(t, func(t *rapid.T) {
		req := a.turnOf(t)
		req.TotalTokens = rapid.SampledFrom([]uint32{400, 3000, 1_000_000}).Draw(t, "total")
		resp, short := a.projectTurn(t, req)
		if short != nil {
			return
		}
		records := a.last(t, len(resp.GetResults()))
		for i, result := range resp.GetResults() {
			record := records[len(records)-1-i]
			if record.GetPart() != uint32(i+1) || record.GetParts() != uint32(len(records)) || !proto.Equal(record.GetReceipt(), result.GetReceipt()) {
				t.Fatalf("record %d is not of output %d", record.GetSequence(), i)
			}
			checkHolds(t, verify(t, a.services, record))
		}
	})
}

// What was compacted and what was rendered again is on record, too.
func TestRenderedRecordsVerify(t *testing.T) {
	a := newArchive(t)
	rapid.Check(t, func(t *rapid.T) {
		_, resp := a.project(t, "command", policies().Draw(t, "policy"))
		compacted := a.compact(t, resp.GetCanonical(), pb.CompactionLevel_COMPACTION_LEVEL_LINE, 16)
		record := a.last(t, 1)[0]
		if changed := len(record.GetCompacted()) == 1; changed != (len(compacted.GetResults()) == 1) {
			t.Fatalf("changed %t: %v", !changed, record)
		}
		checkHolds(t, verify(t, a.services, record))
		rendered, err := a.Render(t.Context(), &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: a.only(t, resp.GetCanonical(), compacted).GetCanonical()}})
		if err != nil {
			t.Fatal(err)
		}
		record = a.last(t, 1)[0]
		if record.GetKind() != pb.AuditKind_AUDIT_KIND_RENDERING || !proto.Equal(record.GetReceipt(), rendered.GetReceipt()) {
			t.Fatalf("the record is not of the answer: %v", record)
		}
		checkHolds(t, verify(t, a.services, record))
	})
}

// Whatever of a record is altered, it does not hold, and the finding says where.
func TestAlteredRecordsDoNotHold(t *testing.T) {
	a := newArchive(t)
	out := command("make", 1, string(logText(60_000)))
	if _, err := a.Project(t.Context(), &pb.ProjectRequest{Output: out}); err != nil {
		t.Fatal(err)
	}
	record := a.last(t, 1)[0]
	altered := 0
	eachLeaf(record.GetCanonical().ProtoReflect(), "canonical", func(path string, alter func()) {
		alter()
		resp := verify(t, a.services, record)
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
	if resp := verify(t, a.services, record); resp.GetHolds() {
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
		"command": command("make", 1, string(logText(60_000))+glued+"\n"),
		"image": {ToolName: "View", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_ImageView{ImageView: &pb.ImageViewOutput{
			Content: &pb.ImageContent{Image: &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(glued + "\n")}}, MediaType: "text/plain"},
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := a.Project(t.Context(), &pb.ProjectRequest{Output: out}); err != nil {
				t.Fatal(err)
			}
			record := a.last(t, 1)[0]
			if text := record.String(); !strings.Contains(text, "[redacted:x]") && !strings.Contains(text, `kind:"x"`) || strings.Contains(text, "hunter22") {
				t.Errorf("the value is not replaced: %s", text)
			}
			checkHolds(t, verify(t, a.services, record))
		})
	}
}

func TestIncomparableRecords(t *testing.T) {
	a := newArchive(t)
	if _, err := a.Project(t.Context(), &pb.ProjectRequest{Output: command("make", 1, string(logText(60_000)))}); err != nil {
		t.Fatal(err)
	}
	record := a.last(t, 1)[0]
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
			resp := verify(t, a.services, altered)
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

// A request that is made again has its answer again, byte for byte and once on record, also
// after a start and at the same time; another one with its id is rejected.
func TestRequestIDs(t *testing.T) {
	a := newArchive(t)
	request := func(text string) *pb.ProjectRequest {
		return &pb.ProjectRequest{
			Output: command("make", 1, text), RequestId: "r-1", Call: &pb.CallReference{SessionId: "s", CallId: "c"},
			Audit: &pb.AuditDetails{ToolInput: `{"cmd":"make"}`},
		}
	}
	text := string(logText(9000))
	answers := make([]*pb.ProjectResponse, 8)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() {
			resp, err := a.Project(t.Context(), request(text))
			if err != nil {
				t.Error(err)
			}
			answers[i] = resp
		})
	}
	all.Wait()
	again, err := a.reopened(t).Project(t.Context(), request(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, resp := range append(answers, again) {
		if diff := cmp.Diff(answers[0], resp, protocmp.Transform()); diff != "" {
			t.Errorf("the answer differs:\n%s", diff)
		}
	}
	if head, err := a.log.Head(t.Context()); err != nil || head.Sequence != 1 {
		t.Errorf("%d records, %v", head.Sequence, err)
	}
	_, err = a.Project(t.Context(), request(text+"x"))
	if s := status.Convert(toStatus(err)); s.Code() != codes.AlreadyExists {
		t.Errorf("another output: %v", s)
	}
	other := request(text + "x")
	other.Call.SessionId = "t"
	if _, err := a.Project(t.Context(), other); err != nil {
		t.Errorf("another session: %v", err)
	}
}

// A turn and a stream have ids like that, too.
func TestRequestIDsOfTurnsAndStreams(t *testing.T) {
	a := newArchive(t)
	turn := &pb.ProjectTurnRequest{TotalTokens: 600, RequestId: "turn", Outputs: []*pb.ProjectRequest{
		{Output: command("make", 1, string(logText(60_000)))}, {Output: command("ls", 0, "a\n")}, {Output: command("cat", 0, string(logText(4000)))},
	}}
	first, err := a.ProjectTurn(t.Context(), proto.CloneOf(turn))
	if err != nil {
		t.Fatal(err)
	}
	second, err := a.reopened(t).ProjectTurn(t.Context(), proto.CloneOf(turn))
	if diff := cmp.Diff(first, second, protocmp.Transform()); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	turn.TotalTokens++
	if _, err := a.ProjectTurn(t.Context(), turn); status.Code(toStatus(err)) != codes.AlreadyExists {
		t.Errorf("another turn: %v", err)
	}
	stream := func(data ...string) (*pb.ProjectResponse, error) {
		header := ordered(nil)
		header.GetHeader().RequestId = "stream"
		requests := []*pb.ProjectStreamRequest{header}
		for _, d := range data {
			requests = append(requests, chunk("stdout", []byte(d)))
		}
		answers, err := a.stream(t.Context(), append(requests, finish(completed())))
		if err != nil {
			return nil, err
		}
		return answers[len(answers)-1].GetResult(), nil
	}
	one, err := stream("a line\nanother\n")
	if err != nil {
		t.Fatal(err)
	}
	two, err := stream("a l", "ine\nanother", "\n") // the chunks do not count
	if diff := cmp.Diff(one, two, protocmp.Transform()); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	if head, err := a.log.Head(t.Context()); err != nil || head.Sequence != 4 {
		t.Errorf("%d records, %v", head.Sequence, err)
	}
	if _, err := stream("a line\n"); status.Code(toStatus(err)) != codes.AlreadyExists {
		t.Errorf("another stream: %v", err)
	}
}

// Without a log there is nothing to ask, and no call can be made twice safely.
func TestWithoutAuditLog(t *testing.T) {
	h := newHouse(t)
	results, records := h.services.Results, h.services.Audit
	if _, err := results.Project(t.Context(), &pb.ProjectRequest{Output: command("ls", 0, "a\n")}); err != nil {
		t.Error(err)
	}
	_, err := results.Project(t.Context(), &pb.ProjectRequest{Output: command("ls", 0, "a\n"), RequestId: "r"})
	_, failed := records.GetRecord(t.Context(), &pb.GetRecordRequest{Sequence: 1})
	for _, err := range []error{err, failed} {
		if text := fmt.Sprint(status.Convert(toStatus(err)).Details()...); !strings.Contains(text, "AUDIT_DISABLED") {
			t.Errorf("%v: %s", err, text)
		}
	}
}
