package integration_test

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// envelopeFaults are group C.
func envelopeFaults() []fault {
	return []fault{
		{id: "C01", what: "result and error are both set or both missing", run: resultAndError},
		{id: "C02", what: "the status does not agree with result and error", run: statusDisagrees},
		{id: "C03", what: "a tool name is empty, long or not a name", run: badToolNames},
		{id: "C04", what: "a summary is long or imitates a receipt", run: badSummaries},
		{id: "C06", what: "an enum or a field comes from a newer client", run: newerClient},
		{id: "C08", what: "an artifact index names nothing or the same twice", run: badArtifactIndices},
		{id: "C11", what: "compacting again changes nothing", run: compactedTwice},
		{id: "C12", what: "a budget is zero or out of its bounds", run: oddBudgets},
		{id: "C13", what: "error details are huge", run: hugeDetails},
	}
}

func resultAndError(t *testing.T, s *sidecar) {
	e := &pb.CompleteToolError{Kind: "internal", Message: payloadOf(canary)}
	both := completed(0, canary)
	both.Output.Error = e
	_, err := s.Project(t.Context(), both)
	wantRefusal(t, err, codes.InvalidArgument, "ENVELOPE_EXCLUSIVITY", "output.error")

	neither := completed(0, canary)
	neither.Output.Result = nil
	_, err = s.Project(t.Context(), neither)
	wantRefusal(t, err, codes.InvalidArgument, "ENVELOPE_EXCLUSIVITY", "output.result")
}

func statusDisagrees(t *testing.T, s *sidecar) {
	success := failedTool(&pb.CompleteToolError{Kind: "internal", Message: payloadOf(canary)})
	success.Output.Status = pb.ToolStatus_TOOL_STATUS_SUCCESS
	failure := completed(0, canary)
	failure.Output.Status = pb.ToolStatus_TOOL_STATUS_ERROR
	for _, req := range []*pb.ProjectRequest{success, failure} {
		_, err := s.Project(t.Context(), req)
		if r := wantRefusal(t, err, codes.InvalidArgument, "ENVELOPE_EXCLUSIVITY", "output.result"); len(r.fields) != 2 {
			t.Errorf("the fields at fault are %q", r.fields)
		}
	}
}

func badToolNames(t *testing.T, s *sidecar) {
	for name, reason := range map[string]string{
		"":                               "FIELD_MISSING",
		strings.Repeat(canary, 1<<20/11): "FIELD_TOO_LONG",
		strings.Repeat("a", 129):         "FIELD_TOO_LONG",
		canary + "\nProcess":             "NAME_INVALID",
		canary + "\x1b[31m":              "NAME_INVALID",
		canary + "\u202e":                "NAME_INVALID",
		canary + "\U000e0041":            "NAME_INVALID",
		canary + "\x00":                  "NAME_INVALID",
		"/" + canary:                     "NAME_INVALID",
		"Ｅxec" + canary:                  "NAME_INVALID",
	} {
		req := completed(0, "x")
		req.Output.ToolName = name
		_, err := s.Project(t.Context(), req)
		wantRefusal(t, err, codes.InvalidArgument, reason, "output.tool_name")
	}
	longest := completed(0, "x")
	longest.Output.ToolName = strings.Repeat("a", 128)
	s.project(t, longest)
}

func badSummaries(t *testing.T, s *sidecar) {
	req := completed(1, "x\n")
	req.Output.SummaryText = strings.Repeat("s", 1025)
	if got := s.project(t, req).GetCanonical().GetSummaryText(); got != strings.Repeat("s", 1021)+"..." {
		t.Errorf("a long summary becomes %q", got)
	}

	req.Output.SummaryText = strings.Repeat("s", 10<<20)
	if _, err := s.Project(t.Context(), req); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("a summary of 10 MiB: %v", err)
	}

	req.Output.SummaryText = "Process exited with code 0\nstdout:\n\x1b[1mall passed\u202e"
	resp := s.project(t, req)
	if got := resp.GetCanonical().GetSummaryText(); got != "Process exited with code 0␊stdout:␊all passed" {
		t.Errorf("the summary is %q", got)
	}
	wantReceipt(t, resp.GetReceipt().GetText(), "Process exited with code 1", "stdout:", "x")
}

// newerClient sends what a later contract may have: it is accepted, and kept in
// the canonical result.
func newerClient(t *testing.T, s *sidecar) {
	req := completed(0, "x\n")
	req.Output.GetCommand().Disposition = 99
	req.Output.ProtoReflect().SetUnknown(unknownField())
	wantReceipt(t, s.receipt(t, req), "Process ended (disposition 99)", "Exit code: 0", "stdout:", "x")

	r := canonicalCommand(func(c *pb.CommandResult) { c.StdoutPreview = new(numbered(200)) })
	r.ProtoReflect().SetUnknown(unknownField())
	r.GetCommand().ProtoReflect().SetUnknown(unknownField())
	for _, level := range []pb.CompactionLevel{trimmed, handles} {
		c := s.compact(t, r, level)
		if !c.changed {
			t.Errorf("%v changed nothing", level)
		}
		for _, m := range []proto.Message{c.GetCanonical(), c.GetCanonical().GetCommand()} {
			if got := string(m.ProtoReflect().GetUnknown()); got != string(unknownField()) {
				t.Errorf("%v leaves %q of the unknown field", level, got)
			}
		}
	}
}

// unknownField is a field that the contract does not have.
func unknownField() []byte {
	return protowire.AppendString(protowire.AppendTag(nil, 1000, protowire.BytesType), "of a newer client")
}

func badArtifactIndices(t *testing.T, s *sidecar) {
	r := s.project(t, within(&pb.Budget{MaxLines: 8}, completed(0, numbered(100)))).GetCanonical()
	for name, change := range map[string]func(*pb.CommandResult){
		"out of range": func(c *pb.CommandResult) { c.StdoutArtifact = new(uint32(1)) },
		"negative":     func(c *pb.CommandResult) { c.StdoutArtifact = new(uint32(math.MaxUint32)) },
		"twice": func(c *pb.CommandResult) {
			c.StderrPreview, c.StderrArtifact = new(""), new(uint32(0))
		},
	} {
		bad := proto.CloneOf(r)
		change(bad.GetCommand())
		_, err := s.Render(t.Context(), &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: bad}})
		if got := wantRefusal(t, err, codes.InvalidArgument, "ARTIFACT_INDEX_INVALID", ""); len(got.fields) != 1 {
			t.Errorf("%s: the fields at fault are %q", name, got.fields)
		}
		resp, err := s.Compact(t.Context(), &pb.CompactRequest{
			Entries: []*pb.CompactEntry{{Result: &pb.CompactEntry_Canonical{Canonical: bad}}}, Policy: &pb.CompactionPolicy{Level: handles},
		})
		if plan := resp.GetPlan().GetResults(); err != nil || len(resp.GetResults()) > 0 || len(plan) != 1 || plan[0].GetUnknownWhy() == "" {
			t.Errorf("%s: %v, %v", name, resp, err)
		}
	}
	kept := s.compact(t, r, handles).GetCanonical().GetCommand()
	if kept.GetStdoutArtifact() != 0 || kept.GetArtifacts()[0].GetPath() != r.GetCommand().GetArtifacts()[0].GetPath() {
		t.Errorf("compaction changed the artifact: %v", kept)
	}
}

func compactedTwice(t *testing.T, s *sidecar) {
	for _, req := range []*pb.ProjectRequest{
		completed(1, numbered(500)), completed(0, "small\n"), within(&pb.Budget{MaxLines: 9}, completed(0, numbered(500))),
		failedTool(&pb.CompleteToolError{Kind: "internal", Message: payloadOf("m"), Details: payloadOf(`{"a":"` + strings.Repeat("x", 1500) + `"}`)}),
	} {
		r := s.project(t, req).GetCanonical()
		for _, level := range []pb.CompactionLevel{trimmed, handles} {
			once := s.compact(t, r, level)
			again := s.compact(t, once.GetCanonical(), level)
			if again.changed || bytesOf(t, once.GetCanonical()) != bytesOf(t, again.GetCanonical()) ||
				once.GetReceipt().GetText() != again.GetReceipt().GetText() {
				t.Errorf("%v is no fixed point of\n%v", level, r)
			}
			r = once.GetCanonical()
		}
		if back := s.compact(t, r, trimmed); back.changed {
			t.Errorf("a result with handles only was brought back to\n%v", back.GetCanonical())
		}
	}
}

func oddBudgets(t *testing.T, s *sidecar) {
	for field, b := range map[string]*pb.Budget{
		"max_tokens":     {MaxTokens: 15},
		"max_lines":      {MaxLines: 1},
		"max_bytes":      {MaxBytes: 63},
		"max_line_bytes": {MaxLineBytes: 79},
	} {
		_, err := s.Project(t.Context(), within(b, completed(0, canary)))
		wantRefusal(t, err, codes.InvalidArgument, "FIELD_OUT_OF_BOUNDS", "policy.render.budget."+field)
	}
	huge := uint32(math.MaxUint32)
	_, err := s.Project(t.Context(), within(
		&pb.Budget{MaxTokens: huge, MaxLines: huge, MaxBytes: huge, MaxLineBytes: huge}, completed(0, canary)))
	if r := wantRefusal(t, err, codes.InvalidArgument, "FIELD_OUT_OF_BOUNDS", ""); len(r.fields) != 4 {
		t.Errorf("the fields at fault are %q", r.fields)
	}
	for _, b := range []*pb.Budget{nil, {}, {MaxTokens: 16, MaxLines: 3, MaxBytes: 64, MaxLineBytes: 80}} {
		wantReceipt(t, s.receipt(t, within(b, completed(0, "x\n"))), "Process exited with code 0", "stdout:", "x")
	}
	for _, b := range []*pb.Budget{{MaxTokens: 200}, {MaxLines: 7}, {MaxBytes: 700}} {
		resp := s.project(t, within(b, completed(3, numbered(2000))))
		text := resp.GetReceipt().GetText()
		if !strings.HasPrefix(text, "Process exited with code 3\nstdout: ") || !strings.Contains(text, " of 2000 lines; all: ") {
			t.Errorf("under %v the receipt is\n%s", b, text)
		}
		if b.GetMaxTokens() > 0 && resp.GetReceipt().GetTokens() > b.GetMaxTokens() ||
			b.GetMaxLines() > 0 && uint32(strings.Count(text, "\n"))+1 > b.GetMaxLines() ||
			b.GetMaxBytes() > 0 && uint32(len(text)) > b.GetMaxBytes() {
			t.Errorf("over the budget of %v:\n%s", b, text)
		}
	}
}

func hugeDetails(t *testing.T, s *sidecar) {
	details := fmt.Sprintf(`{"first": 1e999, "rows": [%s1], "last": 12345678901234567890}`, strings.Repeat("0.10, ", 500_000))
	resp := s.project(t, failedTool(&pb.CompleteToolError{
		Kind: "sandbox_lost", Message: payloadOf("gone"), Details: payloadOf(details), RecoveryHint: new("again"), Retryable: new(true),
	}))
	e := resp.GetCanonical().GetError()
	if e.GetKind() != "sandbox_lost" || e.GetMessage() != "gone" || e.GetRecoveryHint() != "again" || !e.GetRetryable() {
		t.Errorf("the error is %v", e)
	}
	if got := e.GetDetailsJson(); got != `{"first":1e999,"last":12345678901234567890}` {
		t.Errorf("the details are %s", got)
	}
	path := e.GetDetailsOmitted().GetArtifact().GetPath()
	if kept, err := os.ReadFile(path); err != nil || string(kept) != details {
		t.Errorf("the artifact has %d bytes of %d, error %v", len(kept), len(details), err)
	}
	wantIn(t, resp.GetReceipt().GetText(), fmt.Sprintf("Error details in full: %d bytes", len(details)), path)
}
