package projectors_test

import (
	"context"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/artifactstore/memory"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/renderers"
)

// inline is a payload in the request.
func inline(text string) *pb.Payload {
	return &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(text)}}
}

// Marks that are piled on one character are counted in the ledger and stated in the receipt.
func TestPiledMarksAreStated(t *testing.T) {
	out := &pb.CompleteToolOutput{ToolName: "x", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
		Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32(0)), Stdout: inline("covered" + strings.Repeat("\u0301", 20) + "\n"),
	}}}
	n := 0
	p, err := projectors.Command(nil).Project(context.Background(), projectors.Input{Output: out, Policy: ample(), Measure: measured(renderers.Command(), &n)}, memory.New())
	if err != nil {
		t.Fatal(err)
	}
	r := p.Canonical.GetCommand()
	if got := r.GetStdoutSource().GetInvisible().GetCombiningMarks(); got != 12 || r.GetStdoutSource().GetVisibleBytes() != uint64(len("covered\n")+2*8) {
		t.Errorf("%d marks, %v", got, r.GetStdoutSource())
	}
	if cuts := r.GetStdoutCuts(); len(cuts) != 1 || cuts[0].GetKind() != pb.CutKind_CUT_KIND_INVISIBLE || cuts[0].GetOmittedBytes() != 24 || r.GetStdoutTruncated() {
		t.Errorf("%v", cuts)
	}
	if !strings.Contains(p.Receipt.Text, "; 12 combining marks removed") {
		t.Error(p.Receipt.Text)
	}
}
