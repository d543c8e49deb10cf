package streams_test

import (
	"fmt"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/streams"
)

// noReceipts is a ReceiptFinder for callers that do not look for receipts in files.
func noReceipts(string) []streams.ReceiptLine { return nil }

// A connection that breaks in the middle of a call leaves no call to make, and a notice for the model.
func ExampleAssembler() {
	a, err := streams.NewAssembler(&pb.AssembleHeader{Provider: pb.Provider_PROVIDER_OPENAI_CHAT}, noReceipts)
	if err != nil {
		panic(err)
	}
	for _, chunk := range []string{
		`data: {"choices":[{"delta":{"content":"I delete it."}}]}` + "\n\n",
		`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_1","function":{"name":"fs___remove","arg`,
		`uments":"{\"path\":\"/tmp/x"}}]}}]}` + "\n\n",
	} {
		if err := a.Body([]byte(chunk)); err != nil {
			panic(err)
		}
	}
	answer := a.Finish()
	fmt.Println(answer.GetEnd(), len(answer.GetAssistant().GetToolCalls()))
	fmt.Println(answer.GetNotice())
	// Output:
	// STREAM_END_TRUNCATED 0
	// Not made, because it is not complete: fs___remove (the stream ended before the call did). Nothing of this was done.
}
