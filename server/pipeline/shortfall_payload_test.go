package pipeline_test

import (
	"fmt"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// A small budget has the facts cut and the parts fitted again: a payload that is not shown is not shown as empty then.
func TestShortfallLosesNoPayload(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	hosts := strings.Repeat(`{"host":"a-machine-with-a-name-of-some-length.example.com"},`, 8)
	json := fmt.Sprintf(`{"deploymentId":"d-1","environment":%q,"state":"DEPLOY_STATE_LIVE","replicas":[%s],"log":{"inline":"bG9n"}}`,
		strings.Repeat("production in several regions, ", 20), strings.TrimSuffix(hosts, ","))
	for tokens := uint32(16); tokens < 600; tokens += 3 {
		resp, err := h.Project(t.Context(), &pb.ProjectRequest{
			Output: &pb.CompleteToolOutput{ToolName: "Deploy", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Result: &pb.CompleteToolOutput_Custom{
				Custom: &pb.CustomOutput{Type: "acme.v1.DeployResult", Encoding: &pb.CustomOutput_MessageJson{MessageJson: json}},
			}},
			Policy: &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: tokens}}},
		})
		if err != nil {
			if !strings.Contains(err.Error(), "budget") {
				t.Fatal(err)
			}
			continue
		}
		if text := resp.GetReceipt().GetText(); strings.Contains(text, "0 bytes") || !strings.Contains(text, "Deployment log") {
			t.Errorf("with %d tokens the receipt is %q", tokens, text)
		}
	}
}
