package compactor_test

import (
	"fmt"
	"strings"

	"github.com/toolresult/toolresult/compactor"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// A result at the level of handles keeps its facts, and names what has to be stored.
func ExampleCompactor_Compact() {
	place := func(payload []byte) (path, digest string) { return fmt.Sprintf("/store/%d", len(payload)), "blake3:00" }
	c, err := compactor.New(nil, place)
	if err != nil {
		fmt.Println(err)
		return
	}
	log := strings.Repeat("compiling one more package\n", 40)
	got := c.Compact(&pb.CanonicalToolResult{
		ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "built",
		Result: &pb.CanonicalToolResult_Command{Command: &pb.CommandResult{ExitStatus: new(int32(0)), StdoutPreview: &log}},
	}, compactor.Target{Level: pb.CompactionLevel_COMPACTION_LEVEL_HANDLES})
	r := got.Result.GetCommand()
	fmt.Printf("exit %d, %d bytes shown, %d lines at %s\n", r.GetExitStatus(), len(r.GetStdoutPreview()), r.GetStdoutSource().GetLines(), got.Needs[0].Path)
	// Output: exit 0, 0 bytes shown, 40 lines at /store/1080
}
