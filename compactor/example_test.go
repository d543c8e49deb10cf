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

// A plan takes tokens from the results that lose the least: an old answer that a later one supersedes goes before the rest.
func ExampleCompactor_Plan() {
	place := func(payload []byte) (path, digest string) { return fmt.Sprintf("/store/%d", len(payload)), "blake3:00" }
	c, err := compactor.New(nil, place)
	if err != nil {
		fmt.Println(err)
		return
	}
	var results []*pb.CanonicalToolResult
	for _, command := range []string{"go test ./...", "git log", "go test ./..."} {
		log := strings.Repeat(command+" prints one more line\n", 60)
		results = append(results, &pb.CanonicalToolResult{
			ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: command,
			Result: &pb.CanonicalToolResult_Command{Command: &pb.CommandResult{CommandPreview: command, ExitStatus: new(int32(0)), StdoutPreview: &log}},
		})
	}
	plan, err := c.Plan(compactor.InMemory(make([]compactor.Entry, len(results)), results), compactor.Policy{
		Level: pb.CompactionLevel_COMPACTION_LEVEL_LINE, PreviewTokens: 16, Budget: 900,
		// A runtime measures the receipt; here a token is four bytes of what is shown.
		Measure: func(_ int, r *pb.CanonicalToolResult) (int, error) {
			return 10 + len(r.GetCommand().GetStdoutPreview())/4, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, r := range plan.Results {
		fmt.Printf("%d: %d to %d tokens, superseded by %d\n", i, r.Before, r.After, r.SupersededBy)
	}
	fmt.Println("within the budget:", plan.Shortfall == 0)
	// Output:
	// 0: 535 to 10 tokens, superseded by 2
	// 1: 445 to 227 tokens, superseded by -1
	// 2: 535 to 535 tokens, superseded by -1
	// within the budget: true
}
