package compactor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// The rest of a ladder, from any rung on, is the ladder of the result at that rung, with the
// same prices.
func TestRestOfTheLadder(t *testing.T) {
	var matter, list strings.Builder
	for i := range 200 {
		fmt.Fprintf(&matter, "reading testdata/in-%04d.txt\n", i)
		if i%3 == 0 {
			fmt.Fprintf(&matter, "parse_test.go:%d: error: unexpected token\n", i)
		}
		fmt.Fprintf(&list, "@@ -%d,3 +%d,9 @@\n+\tadded line %d\n", i, i, i)
	}
	var changes []*pb.FileChange
	for i := range 40 {
		changes = append(changes, &pb.FileChange{Path: fmt.Sprintf("src/a/long/path/file%d.go", i), Action: pb.FileChangeAction_FILE_CHANGE_ACTION_ADD})
	}
	ran := func(exit int32, stdout, stderr string) *pb.CanonicalToolResult {
		return &pb.CanonicalToolResult{ToolName: "Bash", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "s", Result: &pb.CanonicalToolResult_Command{Command: &pb.CommandResult{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: &exit, StdoutPreview: &stdout, StderrPreview: &stderr,
		}}}
	}
	for name, r := range map[string]*pb.CanonicalToolResult{
		"lines that matter among others": ran(1, matter.String(), ""),
		"lines that matter alike":        ran(0, matter.String(), "a warning\n"),
		"both streams":                   ran(1, list.String(), matter.String()),
		"a list": {ToolName: "Edit", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "s", Result: &pb.CanonicalToolResult_FileMutation{FileMutation: &pb.FileMutationResult{
			Changes: changes, ChangesTotal: new(uint64(len(changes))), DiffPreview: new(list.String()),
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := New(envelope.Types{}, func([]byte) (string, string) { return "/store/3f8/a9c1e2", "blake3:" + strings.Repeat("0", 64) })
			if err != nil {
				t.Fatal(err)
			}
			ladder := func(r *pb.CanonicalToolResult) []step {
				l := c.decode(r)
				f := c.newFacts(&Entry{}, l)
				return (&Policy{Level: line, PreviewTokens: 16}).steps(&f, l)
			}
			all := ladder(r)
			if len(all) < 3 {
				t.Fatalf("%d steps", len(all))
			}
			for n, s := range all[:len(all)-1] {
				rest := ladder(c.Compact(r, s.to.target()).Result)
				if got, want := prices(rest), prices(all[n+1:]); got != want {
					t.Errorf("behind step %d: %s\nand in one go: %s", n+1, got, want)
				}
			}
		})
	}
}

func prices(steps []step) string {
	var b strings.Builder
	for _, s := range steps {
		fmt.Fprintf(&b, "%v %d: %d for %d; ", s.to.level, s.to.previewTokens, s.loss, s.saved)
	}
	return b.String()
}
