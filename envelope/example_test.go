package envelope_test

import (
	"fmt"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// The RFC's JSON does not name the family of a result, so the caller does.
func ExampleFromJSON() {
	r, err := envelope.FromJSON([]byte(`{
		"tool_name": "ExecCommand", "status": "success", "summary_text": "tests failed",
		"result": {"disposition": "completed", "exit_status": 1}, "error": null
	}`), "command")
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := envelope.ToCompactJSON(r)
	fmt.Println(r.GetCommand().GetExitStatus(), err)
	fmt.Println(string(text))
	// Output:
	// 1 <nil>
	// {"tool_name":"ExecCommand","status":"success","summary_text":"tests failed","result":{"disposition":"completed","exit_status":1},"error":null}
}

// A result from outside is checked before anything is derived from it.
func ExampleValidateCanonical() {
	err := envelope.ValidateCanonical("result", &pb.CanonicalToolResult{
		ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "done",
		Result: &pb.CanonicalToolResult_Command{Command: &pb.CommandResult{StdoutArtifact: new(uint32(4))}},
	}, nil)
	fmt.Println(err)
	// Output: result.command.stdout_artifact: is 4, and there are 0 artifacts
}

func ExampleCost_Fits() {
	fmt.Println(envelope.Cost{Tokens: 120, Lines: 9}.Fits(envelope.Cost{Tokens: 100}))
	// Output: what must be kept does not fit a budget of 100 tokens: 120 are enough, raise it by 20
}
