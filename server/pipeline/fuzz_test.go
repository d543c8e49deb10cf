package pipeline_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
)

// FuzzCanonical gives canonical results that nobody projected to Render and
// Compact: they are rejected, or their receipts can be read back.
func FuzzCanonical(f *testing.F) {
	h := newHarness(f)
	for _, size := range []int{10, 5000, 60_000} {
		resp, err := h.Project(f.Context(), &pb.ProjectRequest{Output: &pb.CompleteToolOutput{
			ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
			Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
				Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32(1)),
				Stdout: &pb.Payload{Source: &pb.Payload_Inline{Inline: append(servertest.LogText(size), "\x1b[1m\xff\r\n"...)}},
			}},
		}})
		if err != nil {
			f.Fatal(err)
		}
		seed, err := proto.Marshal(resp.GetCanonical())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed)
	}
	for _, family := range h.Families { // and a small one of every family
		resp, err := h.Project(f.Context(), &pb.ProjectRequest{Output: h.OutputOf(family.Name).Example(1)})
		if err != nil {
			continue // what this seed generates is rejected
		}
		seed, err := proto.Marshal(resp.GetCanonical())
		if err != nil {
			f.Fatal(err)
		}
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var r pb.CanonicalToolResult
		if proto.Unmarshal(data, &r) != nil {
			return
		}
		ample := &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 200_000}}
		if resp, err := h.Render(t.Context(), &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: &r}, Policy: ample}); err == nil {
			family, _ := h.Types.Open(&r)
			if _, err := h.Renderer(t, family).Parse(resp.GetReceipt().GetText()); err != nil {
				t.Errorf("%v:\n%s", err, resp.GetReceipt().GetText())
			}
		}
		for _, level := range []pb.CompactionLevel{pb.CompactionLevel_COMPACTION_LEVEL_TRIMMED, pb.CompactionLevel_COMPACTION_LEVEL_HANDLES} {
			_, _ = h.Compact(t.Context(), &pb.CompactRequest{
				Entries: []*pb.CompactEntry{{Result: &pb.CompactEntry_Canonical{Canonical: &r}}}, Policy: &pb.CompactionPolicy{Level: level, PreviewTokens: 40},
			})
		}
	})
}
