package projectors_test

import (
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/tokens"
)

// A result is omitted only where the last lines of the output are that result.
func TestTaskResultIsShownOnce(t *testing.T) {
	for _, c := range []struct {
		output, result string
		once           bool
	}{
		{"log\nok\n", "ok", true}, {"ok", "ok\n", true}, {"log\r\n  a\r\nb", "a\r\nb\r\n", true},
		{"all is ok\n", "ok", false}, {"12", "2", false}, {"log\nok\nmore\n", "ok", false}, {"log\n", "", false},
	} {
		r, err := projectAny(projectors.TaskOutput(), "task_output", ample(), &pb.CompleteToolOutput{
			Result: &pb.CompleteToolOutput_TaskOutput{TaskOutput: &pb.TaskOutputOutput{
				RetrievalStatus: pb.TaskRetrieval_TASK_RETRIEVAL_SUCCESS,
				Task:            &pb.TaskSnapshot{TaskId: "t", Status: pb.TaskStatus_TASK_STATUS_COMPLETED},
				Output:          inline(c.output), TaskResult: inline(c.result),
			}},
		})
		if err != nil {
			t.Fatal(err)
		}
		got := r.GetTaskOutput()
		if got.GetOutputHasTaskResult() != c.once || (got.TaskResultPreview == nil) != c.once {
			t.Errorf("%q, %q: %v", c.output, c.result, got)
		}
	}
}

// A loss that is larger than a signed number is not said as a negative one.
func TestLargeSourceLossIsSaidAsItIs(t *testing.T) {
	r, err := projectAny(projectors.TaskOutput(), "task_output", ample(), &pb.CompleteToolOutput{
		Result: &pb.CompleteToolOutput_TaskOutput{TaskOutput: &pb.TaskOutputOutput{
			RetrievalStatus: pb.TaskRetrieval_TASK_RETRIEVAL_SUCCESS,
			Task:            &pb.TaskSnapshot{TaskId: "t", Status: pb.TaskStatus_TASK_STATUS_COMPLETED},
			Output:          &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte("a\n")}, SourceLoss: &pb.SourceLoss{LostBytes: 1<<64 - 1}},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	receipt, err := renderers.Declared("task_output").Render(r, renderers.Policy{Counter: tokens.Estimate()})
	if err != nil || !strings.Contains(receipt.Text, "; 18446744073709551615 bytes lost at the source at byte 0") {
		t.Errorf("%q, %v", receipt.Text, err)
	}
}
