package pipeline_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/server"
	"github.com/toolresult/toolresult/tokens"
)

// vocabularies are those of the contract that count exactly, and the counter that
// each means; TestProjection has the estimate.
func vocabularies(t *testing.T) map[pb.TokenVocabulary]tokens.Counter {
	t.Helper()
	o200k, err := tokens.O200k()
	if err != nil {
		t.Fatal(err)
	}
	cl100k, err := tokens.CL100k()
	if err != nil {
		t.Fatal(err)
	}
	counters := map[pb.TokenVocabulary]tokens.Counter{
		pb.TokenVocabulary_TOKEN_VOCABULARY_O200K_BASE:  o200k,
		pb.TokenVocabulary_TOKEN_VOCABULARY_CL100K_BASE: cl100k,
	}
	if got := len(pb.TokenVocabulary_name) - 2; got != len(counters) {
		t.Fatalf("the contract has %d exact vocabularies, and %d are tested", got, len(counters))
	}
	return counters
}

// TestVocabularies: the budget of a receipt is met in the tokens of the vocabulary
// that the policy names, and the receipt says whose they are.
func TestVocabularies(t *testing.T) {
	h := newHarness(t)
	offered := server.Info("").GetTokenCounters()
	for vocabulary, counter := range vocabularies(t) {
		if !slices.Contains(offered, counter.Name()) {
			t.Errorf("%s is not among the counters that the server offers, %q", counter.Name(), offered)
		}
		t.Run(counter.Name(), func(t *testing.T) {
			h.EachFamily(t, func(t *testing.T, family string) {
				rapid.Check(t, func(t *rapid.T) {
					policy := servertest.Policies().Draw(t, "policy")
					policy.Render.TokenVocabulary = vocabulary
					_, resp := h.ProjectAny(t, family, policy)
					r, limit := resp.GetReceipt(), int(policy.GetRender().GetBudget().GetMaxTokens())
					if r.GetTokenCounter() != counter.Name() {
						t.Fatalf("the counter is said to be %q", r.GetTokenCounter())
					}
					if n := counter.Count(r.GetText()); n != int(r.GetTokens()) || limit > 0 && n > limit {
						t.Fatalf("%d tokens, said to be %d, of %d", n, r.GetTokens(), limit)
					}
				})
			})
		})
	}
}
