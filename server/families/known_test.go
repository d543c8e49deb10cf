package families_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/artifactstore/memory"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/families"
)

// plan is what terraform plans for many resources, of which one in the middle is replaced.
func plan() string {
	var b strings.Builder
	b.WriteString("Terraform will perform the following actions:\n\n")
	for i := range 80 {
		what := "will be updated in-place"
		if i == 37 {
			what = "must be replaced"
		}
		fmt.Fprintf(&b, "  # shop_queue.q%d %s\n  ~ resource \"shop_queue\" \"q%d\" {\n", i, what, i)
		for k := range 20 {
			fmt.Fprintf(&b, "      + attribute_%d = \"value %d\"\n", k, i*k)
		}
		b.WriteString("    }\n\n")
	}
	b.WriteString("Plan: 1 to add, 79 to change, 1 to destroy.\n")
	return b.String()
}

// A text is known by its lines, whatever it comes by: each shows what matters in it, and spends its budget.
func TestTextIsKnownWhateverItComesBy(t *testing.T) {
	registry, err := families.NewRegistry(families.BuiltIn()...)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := json.Marshal(map[string]any{"content": []any{map[string]any{"type": "text", "text": plan()}}})
	if err != nil {
		t.Fatal(err)
	}
	inline := func(text string) *pb.Payload { return &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(text)}} }
	command := func(line string) *pb.CompleteToolOutput {
		return &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32), CommandLine: line, CombinedOutput: inline(plan()),
		}}}
	}
	for name, out := range map[string]*pb.CompleteToolOutput{
		"terraform": command("terraform plan"), "make": command("make plan"), "a script": command("./ci.sh"), "a file": command("cat plan.txt"),
		"text": {Result: &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{Content: inline(plan())}}},
		"MCP":  {Result: &pb.CompleteToolOutput_ExternalMcp{ExternalMcp: &pb.ExternalMcpOutput{Server: "infra", Result: inline(string(answer))}}},
	} {
		t.Run(name, func(t *testing.T) {
			out.ToolName, out.Status = "tool", pb.ToolStatus_TOOL_STATUS_SUCCESS
			policy := &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 2000}}}
			_, receipt, err := newBare(t, registry).Project(&pb.ProjectRequest{Output: out, Policy: policy}, received{}, memory.New())
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(receipt.Text, "  # shop_queue."); n < 60 || !strings.Contains(receipt.Text, "must be replaced") || !strings.Contains(receipt.Text, "Plan: 1 to add") {
				t.Errorf("%d of 80 resources, in\n%s", n, receipt.Text)
			}
			if receipt.Tokens < 1800 {
				t.Errorf("of 2000 tokens %d are spent", receipt.Tokens)
			}
		})
	}
}
