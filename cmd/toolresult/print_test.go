package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

var errFull = errors.New("no space left")

// fullWriter takes a number of writes, and fails from then on, as a full disk or a closed pipe does.
type fullWriter struct{ writes int }

func (w *fullWriter) Write(p []byte) (int, error) {
	if w.writes--; w.writes < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// canonical is the smallest canonical result.
func canonical(text string) *pb.CanonicalToolResult {
	return &pb.CanonicalToolResult{ToolName: "x", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: text,
		Result: &pb.CanonicalToolResult_Text{Text: &pb.TextResult{Empty: true}}}
}

func TestResultsArePrintedInTheirForm(t *testing.T) {
	t.Parallel()
	resp := &pb.ProjectTurnResponse{Results: []*pb.ProjectResponse{
		{Canonical: canonical("a"), Receipt: &pb.Receipt{Text: "one"}}, {Canonical: canonical("b"), Receipt: &pb.Receipt{Text: "two"}},
	}}
	for form, want := range map[string][]string{
		"receipt": {"one\n\ntwo\n"}, "json": {"{\n  \"canonical\": {", `"summary_text": "a"`, `"text": "two"`}, "textproto": {"results"},
	} {
		var out bytes.Buffer
		if err := printAll(&out, form, resp, resp.GetResults()); err != nil {
			t.Fatal(err)
		}
		for _, text := range want {
			if !strings.Contains(out.String(), text) {
				t.Errorf("%s: no %q in %s", form, text, &out)
			}
		}
	}
	var out bytes.Buffer
	if err := printAll(&out, "receipt", resp, resp.GetResults()); err != nil || out.String() != "one\n\ntwo\n" {
		t.Errorf("%q, %v", &out, err)
	}
	if err := printMessage(&out, "xml", "", resp); err == nil || !strings.Contains(err.Error(), "--output xml") {
		t.Errorf("an unknown form is %v", err)
	}
}

// Output that cannot be written is an error of the command, in every form and at every write.
func TestErrorsOfOutputAreReturned(t *testing.T) {
	t.Parallel()
	resp := &pb.ProjectTurnResponse{Results: []*pb.ProjectResponse{{Canonical: canonical("a"), Receipt: &pb.Receipt{Text: "one"}}}}
	resp.Results = append(resp.Results, resp.GetResults()[0])
	record := &pb.AuditRecord{Sequence: 1}
	findings := &pb.LintTranscriptResponse{Findings: []*pb.TranscriptFinding{{Detail: "x"}}, Total: 1}
	for name, print := range map[string]func(*fullWriter) error{
		"receipts":  func(w *fullWriter) error { return printAll(w, "receipt", resp, resp.GetResults()) },
		"results":   func(w *fullWriter) error { return printAll(w, "json", resp, resp.GetResults()) },
		"textproto": func(w *fullWriter) error { return printAll(w, "textproto", resp, resp.GetResults()) },
		"a result":  func(w *fullWriter) error { return printProjection(w, "json", resp.GetResults()[0]) },
		"a receipt": func(w *fullWriter) error { return printProjection(w, "receipt", resp.GetResults()[0]) },
		"a record":  func(w *fullWriter) error { return printRecord(w, record) },
		"a plan": func(w *fullWriter) error {
			return explainPlan(w, &compactInput{req: &pb.CompactRequest{}}, &pb.CompactionPlan{})
		},
		"a finding": func(w *fullWriter) error { return printFindings(w, w, findings) },
		"a repair": func(w *fullWriter) error {
			return printFindings(w, &fullWriter{9}, &pb.LintTranscriptResponse{RepairedJson: new("[]")})
		},
	} {
		if err := print(&fullWriter{}); !errors.Is(err, errFull) {
			t.Errorf("%s: the first write fails, and the error is %v", name, err)
		}
	}
	if err := printAll(&fullWriter{1}, "receipt", resp, resp.GetResults()); !errors.Is(err, errFull) {
		t.Errorf("the second write fails, and the error is %v", err)
	}
}

// Findings go beside a repaired transcript, and are exit code 1 without one.
func TestFindingsArePrinted(t *testing.T) {
	t.Parallel()
	finding := &pb.TranscriptFinding{Message: 3, Rule: pb.TranscriptRule_TRANSCRIPT_RULE_ORPHAN_RESULT, CallId: "c1", Detail: "no call"}
	for _, c := range []struct {
		resp     *pb.LintTranscriptResponse
		out, err string
		exit     int
	}{
		{resp: &pb.LintTranscriptResponse{}},
		{resp: &pb.LintTranscriptResponse{Findings: []*pb.TranscriptFinding{finding}, Total: 1}, out: "message 3: orphan_result: c1 no call\n", exit: 1},
		{resp: &pb.LintTranscriptResponse{Findings: []*pb.TranscriptFinding{finding}, Total: 1, RepairedJson: new("[]")},
			out: "[]\n", err: "message 3: orphan_result: c1 no call\n"},
		{resp: &pb.LintTranscriptResponse{RepairedJson: new("[1]")}, out: "[1]\n"},
	} {
		var out, errs bytes.Buffer
		exit, _ := errors.AsType[exitError](printFindings(&out, &errs, c.resp))
		if exit.code != c.exit || out.String() != c.out || errs.String() != c.err {
			t.Errorf("%v: %q, %q, exit %d", c.resp, &out, &errs, exit.code)
		}
	}
}

// The state of an artifact is a note; one that was cut off says so before anything else.
func TestEntriesHaveTheirState(t *testing.T) {
	t.Parallel()
	at := timestamppb.New(time.Unix(1_000_000_000, 0))
	for _, c := range []struct {
		entry *pb.ArtifactEntry
		want  string
	}{
		{&pb.ArtifactEntry{StoredAt: at, Bytes: 2048, CallId: "c", Path: "/a"}, "2001-09-09T01:46:40Z\t2.0 KiB\tc\t/a\t\n"},
		{&pb.ArtifactEntry{StoredAt: at, Path: "/a", State: pb.ArtifactState_ARTIFACT_STATE_LIVE}, "2001-09-09T01:46:40Z\t0 B\t-\t/a\tstill written\n"},
		{&pb.ArtifactEntry{Path: "/a", State: pb.ArtifactState_ARTIFACT_STATE_EXPIRED, DeletedAt: at, DeletionReason: "age"},
			"\t0 B\t-\t/a\tdeleted at 2001-09-09T01:46:40Z: age\n"},
		{&pb.ArtifactEntry{Path: "/a", Partial: true, State: pb.ArtifactState_ARTIFACT_STATE_LIVE}, "\t0 B\t-\t/a\tcut off still written\n"},
	} {
		var out bytes.Buffer
		if err := printEntry(&out, c.entry); err != nil || out.String() != c.want {
			t.Errorf("%q, want %q", &out, c.want)
		}
	}
}
