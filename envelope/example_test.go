package envelope_test

import (
	"fmt"
	"strings"

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

// Text from a tool can be long or odd; kinds of errors have one form.
func ExampleNormalizeErrorKind() {
	fmt.Println(envelope.NormalizeErrorKind("TimeoutError"), envelope.NormalizeErrorKind("HTTP 404: Not Found"))
	// Output: timeout_error http_404_not_found
}

// A Checker collects what is wrong with a request, with the path of each field.
func ExampleChecker() {
	check := envelope.NewChecker("options")
	check.Required("name", "", 128)
	limit := check.AtMost("limit", 5000, 1000)
	fmt.Println(limit, check.Err())
	// Output: 0 options.name: is required (and 1 more)
}

// Details of an error stay valid JSON when they are too large: members that fit are kept whole.
func ExampleBoundDetails() {
	bounded, whole := envelope.BoundDetails([]byte(fmt.Sprintf(`{"line": 12, "log": %q, "file": "a.go"}`, strings.Repeat("words ", 500))))
	fmt.Println(bounded, whole)
	// Output: {"line":12,"file":"a.go"} false
}
