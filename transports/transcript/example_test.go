package transcript_test

import (
	"fmt"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/transcript"
)

// A run that was interrupted leaves a call without a result, which providers reject.
func ExampleLint() {
	resp, err := transcript.Lint(&pb.LintTranscriptRequest{
		Provider: pb.Provider_PROVIDER_ANTHROPIC_MESSAGES,
		TranscriptJson: `[{"role":"user","content":"Go."},` +
			`{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"fs___read","input":{}}]}]`,
		Repair: true,
	})
	if err != nil {
		panic(err)
	}
	for _, f := range resp.GetFindings() {
		fmt.Printf("message %d: %v: %s\n", f.GetMessage(), f.GetRule(), f.GetDetail())
	}
	fmt.Println("changed from message", resp.GetFirstChanged())
	// Output:
	// message 1: TRANSCRIPT_RULE_UNANSWERED_CALL: the call of fs___read has no result
	// changed from message 2
}
