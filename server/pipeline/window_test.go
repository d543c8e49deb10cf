package pipeline_test

import (
	"context"
	"errors"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/google/go-cmp/cmp"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/server/config"
	"github.com/toolresult/toolresult/server/families"
)

// TestWindowBoundsReceipts: a window makes a receipt fit a quarter of what is left, as a budget of that does; where what
// must be kept needs more it gets that; and it never fails a call that would be served without it.
func TestWindowBoundsReceipts(t *testing.T) {
	h := newHarness(t)
	h.EachFamily(t, func(t *testing.T, family string) {
		rapid.Check(t, func(t *rapid.T) {
			req := &pb.ProjectRequest{Output: h.OutputOf(family).Draw(t, "output"), Policy: servertest.Policies().Draw(t, "policy")}
			window := &pb.ContextWindow{WindowTokens: rapid.Uint64Range(1, 20_000).Draw(t, "window"), UsedTokens: rapid.Uint64Range(0, 30_000).Draw(t, "used")}
			without := proto.CloneOf(req)
			without.Policy.Render.Window = nil
			limit, rejected := h.Project(t.Context(), without)
			req.Policy.Render.Window = window
			got, err := h.Project(t.Context(), req)
			if (err == nil) != (rejected == nil) {
				t.Fatalf("without a window: %v; with one: %v", rejected, err)
			}
			if err != nil {
				return
			}
			quarter := uint32(256)
			if window.GetUsedTokens() < window.GetWindowTokens() {
				quarter = max(quarter, uint32(window.GetWindowTokens()-window.GetUsedTokens())/4)
			}
			bounded := proto.CloneOf(without)
			if b := bounded.Policy.Render.Budget; b.GetMaxTokens() == 0 || b.GetMaxTokens() > quarter {
				b.MaxTokens = min(quarter, h.defaultTokens(family, req.GetOutput(), b.GetMaxTokens()))
			}
			as, err := h.Project(t.Context(), bounded)
			switch short, ok := errors.AsType[*envelope.ShortfallError](err); {
			case err == nil && !proto.Equal(as, got):
				t.Fatalf("with the window:\n%s\nwith a budget of a quarter:\n%s", got.GetReceipt().GetText(), as.GetReceipt().GetText())
			case ok && short.Unit == "tokens" && got.GetReceipt().GetTokens() > uint32(short.Needed):
				t.Fatalf("%d tokens, and %d suffice", got.GetReceipt().GetTokens(), short.Needed)
			case err != nil && !ok:
				t.Fatal(err)
			}
			if got.GetReceipt().GetTokens() > max(quarter, limit.GetReceipt().GetTokens()) {
				t.Fatalf("%d tokens with a window, %d without", got.GetReceipt().GetTokens(), limit.GetReceipt().GetTokens())
			}
		})
	})
}

// defaultTokens is what a receipt may cost without a window.
func (h harness) defaultTokens(family string, out *pb.CompleteToolOutput, set uint32) uint32 {
	if set > 0 {
		return set
	}
	if out.GetError() != nil {
		return uint32(families.ErrorTokens)
	}
	for _, f := range h.Families {
		if f.Name == family {
			return uint32(f.Tokens)
		}
	}
	return 0
}

// TestFullWindowFailsNoCall renders and compacts what is there under a window that is full.
func TestFullWindowFailsNoCall(t *testing.T) {
	h := newHarness(t)
	full := &pb.RenderPolicy{Window: &pb.ContextWindow{WindowTokens: 1, UsedTokens: 5}}
	h.EachFamily(t, func(t *testing.T, family string) {
		rapid.Check(t, func(t *rapid.T) {
			_, resp := h.ProjectAny(t, family, &pb.ProjectionPolicy{})
			rendered, err := h.Render(t.Context(), &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: resp.GetCanonical()}, Policy: full})
			if err != nil || rendered.GetReceipt().GetText() != resp.GetReceipt().GetText() {
				t.Fatalf("Render: %v, %v", rendered, err)
			}
			_, err = h.Compact(t.Context(), &pb.CompactRequest{
				Entries: []*pb.CompactEntry{{Result: &pb.CompactEntry_Canonical{Canonical: resp.GetCanonical()}}},
				Policy:  &pb.CompactionPolicy{Level: pb.CompactionLevel_COMPACTION_LEVEL_TRIMMED, Render: full},
			})
			if err != nil {
				t.Fatalf("Compact: %v", err)
			}
		})
	})
}

// TestWindowAndModelAreChecked has policies that are mistakes of the caller.
func TestWindowAndModelAreChecked(t *testing.T) {
	h := newHarness(t)
	for field, p := range map[string]*pb.RenderPolicy{
		"policy.render.window.window_tokens": {Window: &pb.ContextWindow{UsedTokens: 5}},
		"policy.render.model":                {Model: string(make([]byte, 257))},
		"policy.render.handles":              {Handles: 9},
	} {
		_, err := h.Project(context.Background(), &pb.ProjectRequest{Output: servertest.Command("true", 0, ""), Policy: &pb.ProjectionPolicy{Render: p}})
		if invalid, ok := errors.AsType[*envelope.InvalidError](err); !ok || invalid.Violations[0].Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
}

// TestToolBudgetsOfStreams: a stream is shown by the budget of its tool, whether its header names the tool or not.
func TestToolBudgetsOfStreams(t *testing.T) {
	h := newHarness(t)
	budgeted := map[int]harness{}
	for _, tokens := range []int{150, 700, 6000} {
		budgeted[tokens] = h.with(t, func(p *servertest.Options) { p.Budgets = []config.Budget{{Tool: "?*", Tokens: tokens}} })
	}
	rapid.Check(t, func(t *rapid.T) {
		h := budgeted[rapid.SampledFrom([]int{150, 700, 6000}).Draw(t, "budget")]
		out, policy := h.OutputOf("command").Draw(t, "output"), servertest.Policies().Draw(t, "policy")
		policy.Render.Budget = nil
		want, unary := h.Project(t.Context(), &pb.ProjectRequest{Output: out, Policy: policy})
		requests := h.requestsOf(t, "command", out, policy)
		if rapid.Bool().Draw(t, "named") {
			requests[0].GetHeader().ToolName = out.GetToolName()
		}
		answers, stream := h.Stream(t.Context(), requests)
		if (unary == nil) != (stream == nil) {
			t.Fatalf("unary: %v, streaming: %v", unary, stream)
		}
		if unary == nil && !proto.Equal(want, answers[0].GetResult()) {
			t.Fatal(cmp.Diff(want, answers[0].GetResult(), protocmp.Transform()))
		}
	})
}
