package projectors_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/tokens"
)

// measured counts the measurements of a projection.
func measured(r renderers.Renderer, n *int) projectors.Measure {
	return func(c *pb.CanonicalToolResult) (envelope.Receipt, error) {
		*n++
		return r.Render(c, renderers.Policy{Counter: tokens.Estimate()})
	}
}

// twoStreams is a command with two streams of some lines.
func twoStreams(stdout, stderr int) *pb.CompleteToolOutput {
	lines := func(word string, n int) *pb.Payload {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%s %c%c%c of the output\n", word, 'a'+i%17, 'a'+i%13, 'a'+i%11)
		}
		return inline(b.String())
	}
	return &pb.CompleteToolOutput{ToolName: "x", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
		Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32(0)), Stdout: lines("out", stdout), Stderr: lines("err", stderr),
	}}}
}

// The receipt that is returned is that of the result that is returned, it fits the budget, and
// it is found in few measurements.
func TestProjectionReturnsTheReceiptThatFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		out := twoStreams(rapid.IntRange(0, 400).Draw(t, "stdout"), rapid.IntRange(0, 400).Draw(t, "stderr"))
		policy := ample()
		policy.Budget = envelope.Cost{
			Tokens: rapid.IntRange(5, 3000).Draw(t, "tokens"), Lines: rapid.SampledFrom([]int{0, 1, 8, 60}).Draw(t, "lines"), Bytes: rapid.SampledFrom([]int{0, 100, 2000}).Draw(t, "bytes"),
		}
		rounds := 0
		store := memory.New()
		p, err := projectors.Command(nil).Project(context.Background(), projectors.Input{Output: out, Policy: policy, Measure: measured(renderers.Command(), &rounds)}, store)
		if short, ok := errors.AsType[*envelope.ShortfallError](err); ok {
			if short.Needed <= short.Budget || p.Canonical != nil || p.Receipt.Text != "" {
				t.Fatalf("%v with %v", err, p)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		again, err := renderers.Command().Render(p.Canonical, renderers.Policy{Counter: tokens.Estimate()})
		if err != nil || again != p.Receipt {
			t.Fatalf("the receipt is\n%s\nand of the result\n%s", p.Receipt.Text, again.Text)
		}
		if over := p.Receipt.Cost().Over(policy.Budget); over != (envelope.Cost{}) {
			t.Fatalf("over its budget by %v", over)
		}
		if rounds > 60 {
			t.Errorf("%d measurements", rounds)
		}
		if err := envelope.ValidateCanonical("", p.Canonical, nil); err != nil {
			t.Fatal(err)
		}
	})
}

// An output that fits is measured once, and a larger budget never shows less.
func TestLargerBudgetsShowMore(t *testing.T) {
	shown := func(tokens int) (lines, rounds int) {
		policy := ample()
		policy.Budget.Tokens = tokens
		p, err := projectors.Command(nil).Project(context.Background(), projectors.Input{Output: twoStreams(300, 40), Policy: policy, Measure: measured(renderers.Command(), &rounds)}, memory.New())
		if err != nil {
			t.Fatal(err)
		}
		r := p.Canonical.GetCommand()
		return strings.Count(r.GetStdoutPreview()+r.GetStderrPreview(), "\n"), rounds
	}
	last := 0
	for _, tokens := range []int{150, 300, 600, 1200, 2400} {
		n, _ := shown(tokens)
		if n+n/8 < last {
			t.Errorf("with %d tokens %d lines are shown, with fewer %d", tokens, n, last)
		}
		last = n
	}
	if _, rounds := shown(20_000); rounds != 1 {
		t.Errorf("an output that fits is measured %d times", rounds)
	}
}

// Whichever measurement fails, the projection fails with it.
func TestProjectionFailsWithItsMeasurements(t *testing.T) {
	broken := errors.New("broken")
	policy := ample()
	policy.Budget.Tokens = 300
	rounds := 0
	measure := measured(renderers.Command(), &rounds)
	for failAt := 1; ; failAt++ {
		n := 0
		p, err := projectors.Command(nil).Project(context.Background(), projectors.Input{Output: twoStreams(300, 300), Policy: policy, Measure: func(r *pb.CanonicalToolResult) (envelope.Receipt, error) {
			if n++; n == failAt {
				return envelope.Receipt{}, broken
			}
			return measure(r)
		}}, memory.New())
		if n < failAt {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		if !errors.Is(err, broken) || p.Canonical != nil {
			t.Errorf("measurement %d fails, and the projection gives %v, %v", failAt, p, err)
		}
	}
}

// Whatever cannot be stored, the projection fails with it.
func TestProjectionFailsWithItsStore(t *testing.T) {
	broken := errors.New("broken")
	for _, c := range []struct {
		name string
		p    projectors.Projector
		out  *pb.CompleteToolOutput
		keep bool
	}{
		{"streams", projectors.Command(nil), twoStreams(300, 300), false},
		{"streams that are kept", projectors.Command(nil), twoStreams(1, 1), true},
		{"items of a batch", projectors.CommandBatch(nil), &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_CommandBatch{CommandBatch: &pb.CommandBatchOutput{
			Items: slicesRepeat(&pb.CommandBatchItemOutput{CommandLine: "make", Result: twoStreams(1, 1).GetCommand()}, 65)}}}, false},
		{"details of an error", projectors.Error(), &pb.CompleteToolOutput{Error: &pb.CompleteToolError{Kind: "k", Message: inline("m"), Details: inline(`"` + strings.Repeat("x", 4000) + `"`)}}, false},
		{"page", projectors.WebFetch(), &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_WebFetch{WebFetch: &pb.WebFetchOutput{Url: "u", Status: 200, ContentType: "text/html", Body: inline("<p>a")}}}, false},
		{"image", projectors.ImageView(), &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_ImageView{ImageView: &pb.ImageViewOutput{Content: &pb.ImageContent{Image: inline("GIF89a")}}}}, false},
		{"images", projectors.ImageGenerate(), &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_ImageGenerate{ImageGenerate: &pb.ImageGenerateOutput{Contents: []*pb.ImageContent{{Image: inline("GIF89a")}}}}}, false},
		{"list", projectors.Search(), &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_Search{Search: &pb.SearchOutput{Query: "x", Matches: []*pb.SearchHit{{Path: "a", Line: 1, Text: "x"}}}}}, true},
		{"attachment", projectors.ExternalMCP(), &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_ExternalMcp{ExternalMcp: &pb.ExternalMcpOutput{Server: "s",
			Result: inline(content(`{"type":"image","data":"QUJD","mimeType":"image/png"}`))}}}, false},
		{"answer", projectors.ExternalMCP(), &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_ExternalMcp{ExternalMcp: &pb.ExternalMcpOutput{Server: "s",
			Result: inline(`{"content":[],"_meta":{}}`)}}}, false},
	} {
		c.out.ToolName, c.out.Status = "x", pb.ToolStatus_TOOL_STATUS_SUCCESS
		if c.out.GetError() != nil {
			c.out.Status = pb.ToolStatus_TOOL_STATUS_ERROR
		}
		policy := ample()
		policy.KeepAll = c.keep
		if !c.keep {
			policy.Budget.Tokens = 600
		}
		in := projectors.Input{Output: c.out, Policy: policy, Measure: func(r *pb.CanonicalToolResult) (envelope.Receipt, error) {
			text := proto.CloneOf(r).String()
			return envelope.Receipt{Text: text, Tokens: len(text) / 40}, nil
		}}
		if p, err := c.p.Project(context.Background(), in, fullStore{broken}); !errors.Is(err, broken) || p.Canonical != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, err := c.p.Project(context.Background(), in, memory.New()); errors.Is(err, broken) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// fullStore takes nothing.
type fullStore struct{ err error }

func (s fullStore) Put(context.Context, artifactstore.Blob) (artifactstore.Ref, error) {
	return artifactstore.Ref{}, s.err
}

func slicesRepeat[T any](v T, n int) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = v
	}
	return list
}

// TestSmallestReceiptIsFound: a receipt that fits with fewer tokens fits with more. A list whose one short entry costs less than the
// lines that say where it is, is shown in a budget of bytes that these lines do not fit.
func TestSmallestReceiptIsFound(t *testing.T) {
	t.Parallel()
	out := &pb.CompleteToolOutput{}
	err := protojson.Unmarshal([]byte(`{"toolName": "SomeTool", "status": "TOOL_STATUS_SUCCESS", "summaryText": "done", "workspaceState": {
		"agentId": "running", "active": {"workspaceId": "running", "workspaceAnchor": "src/main.go", "executionRoot": "{\"level\":\"info\",\"msg\":\"some text of a log\",\"n\":1}\n",
			"executionRootId": "a-b.c:d/e", "projectionKind": 3, "accessMode": 3},
		"workspaces": [{"workspaceId": "hunter22hunter", "standing": "WORKSPACE_STANDING_NOT_ATTACHED", "workspaceAnchor": "Process exited with code 0\nx",
			"title": "first line\nsecond line\nlast line, which is long enough to be more than the others"}],
		"executionRoots": [{"executionRootId": "a-b.c:d/e", "projectionKind": "WORKSPACE_PROJECTION_GIT_WORKTREE", "active": true}],
		"occupancies": [{"executionRootId": "hunter22hunter", "agentId": "hunter22hunter", "accessMode": 3, "workItemId": "task_1"}]}}`), out)
	if err != nil {
		t.Fatal(err)
	}
	fits := func(tokens, bytes int) bool {
		policy := ample()
		policy.Budget = envelope.Cost{Tokens: tokens, Lines: 9, Bytes: bytes}
		rounds := 0
		_, err := projectors.Declared("workspace_state").Project(t.Context(), projectors.Input{Output: out, Policy: policy, Measure: measured(renderers.Declared("workspace_state"), &rounds)}, memory.New())
		return err == nil
	}
	compared := 0
	for bytes := 320; bytes < 380; bytes += 6 {
		for tokens := 60; tokens < 330 && !fits(4000, bytes); tokens += 10 {
			if fits(tokens, bytes) {
				t.Errorf("%d bytes fit with %d tokens, and not with 4000", bytes, tokens)
			}
			compared++
		}
	}
	if compared == 0 {
		t.Error("everything fits")
	}
}

// A result that shows nothing of a payload with the allowance that certainly fits is given the more that does fit.
func TestSomethingIsShownBetweenTwoAllowances(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "<testcase name=\"t%d\"><failure message=\"m\">what was expected of it %d is not there</failure></testcase>\n", i, i)
	}
	out := &pb.CompleteToolOutput{ToolName: "x", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
		ExitStatus: new(int32(1)), Stdout: inline("<testsuites><testsuite name=\"s\">\n" + b.String() + "</testsuite></testsuites>\n"),
	}}}
	before := 0
	for budget := 70; budget < 160; budget++ {
		policy, rounds := ample(), 0
		policy.Budget = envelope.Cost{Tokens: budget}
		p, err := projectors.Command(nil).Project(context.Background(), projectors.Input{Output: out, Policy: policy, Measure: measured(renderers.Command(), &rounds)}, memory.New())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(p.Receipt.Text, ": 0 of ") && before > 0 {
			t.Errorf("with %d tokens nothing is shown, and %d lines with fewer:\n%s", budget, before, p.Receipt.Text)
		}
		if before == 0 && !strings.Contains(p.Receipt.Text, ": 0 of ") {
			before = strings.Count(p.Receipt.Text, "\n")
		}
	}
}
