package projectors_test

import (
	"context"
	"fmt"

	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/projectors/profile"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/tokens"
)

// A projection is a canonical result with the receipt that fits the budget. What the receipt
// does not show is in the store.
func ExampleCommand() {
	counter := tokens.Estimate()
	store := memory.New()
	p, err := projectors.Command(profile.BuiltIn()).Project(context.Background(), projectors.Input{
		Output: &pb.CompleteToolOutput{
			ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
			Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
				CommandLine: "grep -c TODO notes", ExitStatus: new(int32(1)), Stdout: &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte("0\n")}},
			}},
		},
		Policy: projectors.Policy{Budget: envelope.Cost{Tokens: 500}, LineBytes: 2000, HeadPercent: 25, Counter: counter},
		Measure: func(r *pb.CanonicalToolResult) (envelope.Receipt, error) {
			return renderers.Command().Render(r, renderers.Policy{Counter: counter})
		},
	}, store)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p.Canonical.GetSummaryText())
	fmt.Println(p.Receipt.Text)
	// Output:
	// command exited with status 1
	// Process exited with code 1
	// Exit meaning: grep: no lines matched (an answer, not a failure)
	// stdout:
	// 0
}
