package pipeline_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/compactor"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
)

// Within an ample budget the answers are those of Project; in a smaller one each is
// that of Project with the tokens that it had; and the order makes no difference.
func TestTurnsShareTheirBudget(t *testing.T) {
	h := newHarness(t)
	rapid.Check(t, func(t *rapid.T) {
		req := h.TurnOf(t)
		ample, short := h.ProjectAnyTurn(t, req)
		if short != nil {
			t.Skip("an output does not fit in its own budget")
		}
		h.checkTurn(t, req, ample)
		if n := len(ample.GetResults()); n != len(req.GetOutputs()) {
			t.Fatalf("%d outputs became %d results", len(req.GetOutputs()), n)
		}
		share := rapid.Uint32Range(0, 110).Draw(t, "share")
		req.TotalTokens = max(16, ample.GetTokens()*share/100)
		resp, short := h.ProjectAnyTurn(t, req)
		if short != nil {
			if short.Budget != int(req.GetTotalTokens()) || short.Needed <= short.Budget {
				t.Fatalf("%v for a budget of %d", short, req.GetTotalTokens())
			}
			req.TotalTokens = uint32(short.Needed)
			if resp, short = h.ProjectAnyTurn(t, req); short != nil {
				t.Fatalf("what is needed is not enough: %v", short)
			}
		}
		h.checkTurn(t, req, resp)
		h.checkShares(t, req, ample, resp)
		checkOrder(t, h, req, resp)
	})
}

// checkTurn checks the sum, and each answer against that of Project.
func (h harness) checkTurn(t *rapid.T, req *pb.ProjectTurnRequest, resp *pb.ProjectTurnResponse) {
	sum := uint32(0)
	for i, r := range resp.GetResults() {
		sum += r.GetReceipt().GetTokens()
		one := proto.CloneOf(req.GetOutputs()[i])
		one.Policy.Render.Budget.MaxTokens = resp.GetBudgets()[i]
		one.Call = nil // it was answered once
		want, err := h.Project(t.Context(), one)
		if err != nil || !proto.Equal(want, r) {
			t.Fatalf("output %d with %d tokens: %v\n%s\nnot\n%s", i, resp.GetBudgets()[i], err, r.GetReceipt().GetText(), want.GetReceipt().GetText())
		}
	}
	if sum != resp.GetTokens() || sum > req.GetTotalTokens() {
		t.Fatalf("%d tokens, said to be %d, of %d", sum, resp.GetTokens(), req.GetTotalTokens())
	}
}

// checkShares checks that shares are max-min fair: who has less than it wants has no
// less than anybody else, but for failures and for what the smallest receipts need.
func (h harness) checkShares(t *rapid.T, req *pb.ProjectTurnRequest, ample, resp *pb.ProjectTurnResponse) {
	floor := uint32(1000)
	if req.FailureTokens != nil {
		floor = req.GetFailureTokens()
	}
	traits, err := compactor.New(h.Types, nil)
	if err != nil {
		t.Fatal(err)
	}
	failed := func(i int) bool { return traits.Failed(ample.GetResults()[i].GetCanonical()) } // before anything was cut
	for i := range resp.GetResults() {
		if resp.GetBudgets()[i] >= ample.GetBudgets()[i] {
			continue
		}
		for j := range resp.GetResults() {
			had := min(resp.GetBudgets()[j], ample.GetResults()[j].GetReceipt().GetTokens())
			if had > resp.GetBudgets()[i]+1 && !(failed(j) && had <= floor) && resp.GetBudgets()[j] < ample.GetBudgets()[j] && !h.isLeast(t, req.GetOutputs()[j], had) {
				t.Fatalf("output %d has %d tokens and wants more, and output %d has %d", i, resp.GetBudgets()[i], j, had)
			}
		}
	}
}

// isLeast reports whether an output is said to need at least n tokens.
func (h harness) isLeast(t *rapid.T, out *pb.ProjectRequest, n uint32) bool {
	out = proto.CloneOf(out)
	out.Call, out.Policy.Render.Budget.MaxTokens = nil, 16
	_, err := h.Project(t.Context(), out)
	short, ok := errors.AsType[*envelope.ShortfallError](err)
	return ok && short.Needed >= int(n)
}

// checkOrder projects the outputs in another order.
func checkOrder(t *rapid.T, h harness, req *pb.ProjectTurnRequest, resp *pb.ProjectTurnResponse) {
	order := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "order"), 1)).Perm(len(req.GetOutputs()))
	other := proto.CloneOf(req)
	for i, from := range order {
		other.Outputs[i] = proto.CloneOf(req.GetOutputs()[from])
		other.Outputs[i].Call = nil
	}
	got, short := h.ProjectAnyTurn(t, other)
	if short != nil {
		t.Fatal(short)
	}
	for i, from := range order {
		if !proto.Equal(got.GetResults()[i], resp.GetResults()[from]) || got.GetBudgets()[i] != resp.GetBudgets()[from] {
			t.Fatalf("the order %v makes another receipt\n%s", order, got.GetResults()[i].GetReceipt().GetText())
		}
	}
}

// A failure comes before long outputs of success.
func TestTurnsGiveFailuresTheirShareFirst(t *testing.T) {
	h := newHarness(t)
	long := func(exit int32) *pb.ProjectRequest {
		return &pb.ProjectRequest{Output: servertest.Command("make", exit, string(servertest.LogText(60_000)))}
	}
	req := &pb.ProjectTurnRequest{TotalTokens: 2000, Outputs: []*pb.ProjectRequest{long(0), long(2), long(0), long(0)}}
	resp, err := h.ProjectTurn(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if got := resp.GetBudgets(); !slices.Equal(got, []uint32{333, 1000, 333, 333}) {
		t.Errorf("budgets are %v", got)
	}
	req.FailureTokens = new(uint32(0))
	if resp, err = h.ProjectTurn(t.Context(), req); err != nil || resp.GetBudgets()[1] != 500 {
		t.Errorf("without a floor budgets are %v, %v", resp.GetBudgets(), err)
	}
}

// The budget of the turn alone bounds an output without a budget, however small the default of
// its family is.
func TestTurnsBoundOutputsByTheirTotal(t *testing.T) {
	h := newHarness(t)
	text := &pb.CompleteToolOutput{ToolName: "build", Result: &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{Content: servertest.Inline(servertest.LogText(40_000))}}}
	alone, err := h.Project(t.Context(), &pb.ProjectRequest{Output: text})
	if err != nil {
		t.Fatal(err)
	}
	budget := &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 300}}}
	resp, err := h.ProjectTurn(t.Context(), &pb.ProjectTurnRequest{TotalTokens: 5000, Outputs: []*pb.ProjectRequest{{Output: text}, {Output: text, Policy: budget}}})
	if err != nil {
		t.Fatal(err)
	}
	first, second := resp.GetResults()[0].GetReceipt().GetTokens(), resp.GetResults()[1].GetReceipt().GetTokens()
	if first < 3*alone.GetReceipt().GetTokens()/2 || second > 300 || first+second > 5000 {
		t.Errorf("%d tokens without a budget, and alone %d; %d with one of 300", first, alone.GetReceipt().GetTokens(), second)
	}
}

// What is wrong with one output is said of that, and nothing is answered.
func TestTurnsAreRejectedAsAWhole(t *testing.T) {
	h := newHarness(t)
	good := &pb.ProjectRequest{Output: servertest.Command("make", 0, "ok\n"), Call: &pb.CallReference{SessionId: "s", CallId: "c1"}}
	estimate := proto.CloneOf(good)
	estimate.Policy = &pb.ProjectionPolicy{Render: &pb.RenderPolicy{TokenVocabulary: pb.TokenVocabulary_TOKEN_VOCABULARY_ESTIMATE}}
	for name, c := range map[string]struct {
		req  *pb.ProjectTurnRequest
		want string
	}{
		"no outputs":   {&pb.ProjectTurnRequest{TotalTokens: 100}, "outputs: has 0 outputs"},
		"too many":     {&pb.ProjectTurnRequest{TotalTokens: 100, Outputs: slices.Repeat([]*pb.ProjectRequest{good}, 65)}, "outputs: has 65 outputs"},
		"no budget":    {&pb.ProjectTurnRequest{Outputs: []*pb.ProjectRequest{good}}, "total_tokens: is required"},
		"empty output": {&pb.ProjectTurnRequest{TotalTokens: 100, Outputs: []*pb.ProjectRequest{good, {}}}, "outputs[1].output"},
		"policy": {&pb.ProjectTurnRequest{TotalTokens: 100, Outputs: []*pb.ProjectRequest{good, {
			Output: good.Output, Policy: &pb.ProjectionPolicy{HeadPercent: new(uint32(101))},
		}}}, "outputs[1].policy.head_percent"},
		"vocabularies": {&pb.ProjectTurnRequest{TotalTokens: 100, Outputs: []*pb.ProjectRequest{good, estimate}}, "outputs[1].policy.render.token_vocabulary: is estimate-1"},
		"floor":        {&pb.ProjectTurnRequest{TotalTokens: 100, Outputs: []*pb.ProjectRequest{good}, FailureTokens: new(uint32(200_001))}, "failure_tokens: is 200001"},
		"shortfall":    {&pb.ProjectTurnRequest{TotalTokens: 16, Outputs: []*pb.ProjectRequest{good, good, good}}, "total_tokens: what must be kept does not fit a budget of 16 tokens: "},
	} {
		_, err := h.ProjectTurn(t.Context(), c.req)
		if err == nil || !strings.Contains(servertest.ToStatus(err).Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	resp, err := h.Project(t.Context(), &pb.ProjectRequest{Output: good.Output, Call: &pb.CallReference{SessionId: "s", CallId: "c2"}})
	if err != nil || resp.GetCanonical().GetCommand().GetUnchanged() != nil {
		t.Errorf("a turn that was rejected is remembered: %v, %v", resp, err)
	}
}

// Outputs of one turn are not compared with each other, and are with later ones.
func TestTurnsAreRemembered(t *testing.T) {
	h := newHarness(t)
	of := func(call string) *pb.ProjectRequest {
		return &pb.ProjectRequest{Output: servertest.Command("make", 0, string(servertest.LogText(3000))), Call: &pb.CallReference{SessionId: "s", CallId: call}}
	}
	resp, err := h.ProjectTurn(t.Context(), &pb.ProjectTurnRequest{TotalTokens: 100_000, Outputs: []*pb.ProjectRequest{of("a"), of("b")}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range resp.GetResults() {
		if r.GetCanonical().GetCommand().GetUnchanged() != nil {
			t.Error("an output is said to be unchanged since a parallel one")
		}
	}
	next, err := h.Project(t.Context(), of("c"))
	if u := next.GetCanonical().GetCommand().GetUnchanged(); err != nil || u.GetCallId() != "b" || u.GetCallsAgo() != 1 {
		t.Errorf("%v, %v", u, err)
	}
}
