package pipeline_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/renderers"
)

// Bytes that show nothing are no empty output: the receipt has their number and their place. An output without a byte has neither.
func TestInvisibleOutputIsNotEmpty(t *testing.T) {
	h := newHarness(t)
	rapid.Check(t, func(t *rapid.T) {
		bytes := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"\r", "\x1b[31m", "\x1b[0m", "\x1b[K"}), 0, 5).Draw(t, "bytes"), "")
		for family, out := range map[string]*pb.CompleteToolOutput{
			"stdout":      servertest.Command("x", 0, bytes),
			"Tool output": {ToolName: "T", Result: &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{Content: servertest.InlineText(bytes)}}},
			"Tool text":   {ToolName: "T", Result: &pb.CompleteToolOutput_ExternalJson{ExternalJson: &pb.ExternalJsonOutput{Result: servertest.InlineText(bytes)}}},
		} {
			resp, err := h.Project(t.Context(), &pb.ProjectRequest{Output: out})
			if err != nil {
				t.Fatal(err)
			}
			d, err := renderers.ParseReceipt(resp.GetReceipt().GetText())
			if err != nil {
				t.Fatal(err)
			}
			said := false
			for _, s := range d.Sections {
				said = said || s.Label == family && s.Extent != nil && (s.Extent.Lines > 0 || s.Extent.Bytes == int64(len(bytes))) && s.Extent.Notes != nil && s.Extent.Artifact != "" && len(s.Body) == 0
			}
			if said != (bytes != "") {
				t.Fatalf("%s, %q:\n%s", family, bytes, resp.GetReceipt().GetText())
			}
			if bytes != "" && (strings.Contains(resp.GetReceipt().GetText(), "none") || strings.Contains(resp.GetReceipt().GetText(), "nothing")) {
				t.Fatalf("%s, %q is said to be nothing:\n%s", family, bytes, resp.GetReceipt().GetText())
			}
		}
	})
}
