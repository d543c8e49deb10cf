package pipeline_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
)

// TestShortfall holds a rejected budget to what it says: the amount that it names is enough.
func TestShortfall(t *testing.T) {
	h := newHarness(t)
	h.EachFamily(t, func(t *testing.T, family string) {
		rapid.Check(t, func(t *rapid.T) {
			out := h.OutputOf(family).Draw(t, "output")
			budget := &pb.Budget{MaxTokens: rapid.Uint32Range(16, 80).Draw(t, "tokens")}
			policy := &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: budget}}
			_, err := h.Project(t.Context(), &pb.ProjectRequest{Output: out, Policy: policy})
			short, ok := errors.AsType[*envelope.ShortfallError](err)
			if !ok {
				return
			}
			budget.MaxTokens = uint32(short.Needed)
			if _, err := h.Project(t.Context(), &pb.ProjectRequest{Output: out, Policy: policy}); err != nil {
				t.Fatalf("with %d tokens: %v", short.Needed, err)
			}
		})
	})
}

// TestShortfallOfForms does so with texts for which the form depends on the budget: tables of records, JSON between lines, a line as
// long as a page before a log.
func TestShortfallOfForms(t *testing.T) {
	h := newHarness(t)
	var wide strings.Builder
	for i := range 40 {
		fmt.Fprintf(&wide, `{"name":"pod-%d","state":"Running","zone":"eu","image":"a","restarts":1,"node":"n","started":%d}`+"\n", i, i)
	}
	texts := []string{wide.String(), "Fetching\n" + wide.String(), `{"Alevel":"info","msg":"LTAIMY8te6vi4MI7i25tf7df","n":1}` + "\nA3-3F7SG2-NG5S58TD0J0-2YY1F-55PQ1-Y70ES"}
	var outputs []*pb.CompleteToolOutput
	for _, text := range texts {
		command := &pb.CommandOutput{TaskHandle: &pb.TaskHandle{TaskId: "task_1"}, InitialOutput: servertest.Inline([]byte(text))}
		outputs = append(outputs, &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_Command{Command: command}})
	}
	lossy, page := servertest.Inline([]byte("\n\r\n")), strings.Repeat("long line ", 400)+"\n"+strings.Repeat("line of a log\n", 300)
	lossy.SourceLoss = &pb.SourceLoss{}
	result := &pb.CommandOutput{Stdout: lossy, Stderr: servertest.Inline([]byte("\xff\xfe" + page))}
	batch := &pb.CommandBatchOutput{Items: []*pb.CommandBatchItemOutput{{Result: result}}}
	outputs = append(outputs, &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_CommandBatch{CommandBatch: batch}})
	for i, out := range outputs {
		out.ToolName, out.Status = "SomeTool", pb.ToolStatus_TOOL_STATUS_SUCCESS
		project := func(tokens int) (needed int) {
			policy := &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: uint32(tokens)}}}
			_, err := h.Project(t.Context(), &pb.ProjectRequest{Output: out, Policy: policy})
			if short, ok := errors.AsType[*envelope.ShortfallError](err); ok {
				return short.Needed
			}
			if err != nil {
				t.Fatal(err)
			}
			return 0
		}
		first := project(16)
		for tokens := 16; tokens < first; tokens++ {
			if enough := project(tokens); enough == 0 || project(enough) != 0 {
				t.Fatalf("output %d: %d tokens are said to be enough with %d", i, enough, tokens)
			}
		}
	}
}
