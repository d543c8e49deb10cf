package integration_test

import (
	"testing"

	"google.golang.org/grpc/codes"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// TestBudgetsOfToolsAndModels starts the sidecar with budgets of an operator, and projects the same output for tools and
// models, at once and in a stream.
func TestBudgetsOfToolsAndModels(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Args: []string{"--budgets", "Exec*@tiny-*=150,Exec*=600"}})
	text := numbered(20_000)
	for _, c := range []struct {
		tool  string
		p     *pb.RenderPolicy
		most  uint32
		least uint32
	}{
		{"ExecCommand", nil, 600, 151},
		{"ExecCommand", &pb.RenderPolicy{Model: "tiny-1"}, 150, 50},
		{"Other", &pb.RenderPolicy{Model: "tiny-1"}, 2000, 601},
		{"ExecCommand", &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 1000}}, 1000, 601},
		{"Other", &pb.RenderPolicy{Window: &pb.ContextWindow{WindowTokens: 100_000, UsedTokens: 98_000}}, 500, 151},
		{"Other", &pb.RenderPolicy{Window: &pb.ContextWindow{WindowTokens: 100_000, UsedTokens: 100_000}}, 256, 100},
	} {
		req := completed(0, text)
		req.Output.ToolName, req.Policy = c.tool, &pb.ProjectionPolicy{Render: c.p}
		resp := s.project(t, req)
		if n := resp.GetReceipt().GetTokens(); n > c.most || n < c.least {
			t.Errorf("%s with %v: %d tokens, want %d to %d", c.tool, c.p, n, c.least, c.most)
		}
		header := headerOf(&pb.StreamHeader{Family: "command", Policy: req.GetPolicy()})
		out := exited(0)
		out.ToolName = c.tool
		answers, err := streams(t.Context(), s, header, chunkOf("stdout", text), finishOf(out))
		if err != nil {
			t.Fatal(err)
		}
		if got := answers[len(answers)-1].GetResult().GetReceipt().GetText(); got != resp.GetReceipt().GetText() {
			t.Errorf("%s with %v: the receipt of the stream is another:\n%s\n%s", c.tool, c.p, got, resp.GetReceipt().GetText())
		}
	}
	_, err := s.Project(t.Context(), &pb.ProjectRequest{Output: completed(0, "").GetOutput(), Policy: &pb.ProjectionPolicy{
		Render: &pb.RenderPolicy{Window: &pb.ContextWindow{UsedTokens: 1}},
	}})
	wantRefusal(t, err, codes.InvalidArgument, "FIELD_MISSING", "policy.render.window.window_tokens")
}
