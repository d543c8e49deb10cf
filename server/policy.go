package server

import (
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/server/config"
	"github.com/toolresult/toolresult/tokens"
)

// Bounds and defaults of policies, as policy.proto states them.
const (
	minTokens, maxTokens       = config.MinReceiptTokens, config.MaxReceiptTokens
	minLines, maxLines         = 2, 1_000_000
	minBytes, maxBytes         = 64, 16 << 20
	minLineBytes, maxLineBytes = 80, 1_000_000
	defaultLineBytes           = 2000
	defaultHeadPercent         = 25
	maxModel                   = 256
)

// windowShare is which part of what is left of a model's window a receipt may cost, and leastWindowTokens what it may
// cost in any case.
const (
	windowShare       = 4
	leastWindowTokens = 256
)

// counters resolve policies: what the caller says, what the operator set, and what the family has by default.
type counters struct {
	estimate tokens.Counter  // the others load their vocabularies at their first use
	budgets  []config.Budget // of the operator, the first that matches counts
}

func newCounters(budgets ...config.Budget) counters { return counters{tokens.Estimate(), budgets} }

// unsetTokens is the budget of a tool whose caller sets none: the operator's for tool and model, or else the family's.
func (c counters) unsetTokens(tool, model string, family int) int {
	for _, b := range c.budgets {
		if b.Matches(tool, model) {
			return b.Tokens
		}
	}
	return family
}

// budget is a RenderPolicy of the contract with every default in its place.
type budget struct {
	receipt   envelope.Cost // what a receipt may cost, whatever the window
	fitted    int           // tokens that a projection aims at: those of receipt, or fewer because of the window
	lineBytes int
	handles   pb.HandleForm
}

// render resolves a render policy. The tokens are those of a policy that sets none.
func (c counters) render(check envelope.Checker, p *pb.RenderPolicy, unset int) (budget, tokens.Counter, error) {
	at := check.At("budget")
	b := p.GetBudget()
	resolved := budget{
		receipt: envelope.Cost{
			Tokens: at.Bounded("max_tokens", b.GetMaxTokens(), unset, minTokens, maxTokens),
			Lines:  at.Bounded("max_lines", b.GetMaxLines(), 0, minLines, maxLines),
			Bytes:  at.Bounded("max_bytes", b.GetMaxBytes(), 0, minBytes, maxBytes),
		},
		lineBytes: at.Bounded("max_line_bytes", b.GetMaxLineBytes(), defaultLineBytes, minLineBytes, maxLineBytes),
		handles:   handleForm(check, p.GetHandles()),
	}
	resolved.fitted = withinWindow(check.At("window"), p.GetWindow(), resolved.receipt.Tokens)
	check.Length("model", p.GetModel(), maxModel)
	switch p.GetTokenVocabulary() {
	case pb.TokenVocabulary_TOKEN_VOCABULARY_ESTIMATE:
		return resolved, c.estimate, nil
	case pb.TokenVocabulary_TOKEN_VOCABULARY_UNSPECIFIED, pb.TokenVocabulary_TOKEN_VOCABULARY_O200K_BASE:
		counter, err := tokens.O200k()
		return resolved, counter, err
	case pb.TokenVocabulary_TOKEN_VOCABULARY_CL100K_BASE:
		counter, err := tokens.CL100k()
		return resolved, counter, err
	}
	check.Fail("token_vocabulary", pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN, "is no vocabulary that this server knows")
	return resolved, c.estimate, nil
}

// withinWindow bounds a budget by what is left of the model's window.
func withinWindow(check envelope.Checker, w *pb.ContextWindow, budget int) int {
	if w == nil {
		return budget
	}
	if w.GetWindowTokens() == 0 {
		check.Fail("window_tokens", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required")
	}
	left := w.GetWindowTokens() - min(w.GetUsedTokens(), w.GetWindowTokens())
	return int(min(uint64(budget), max(left/windowShare, leastWindowTokens)))
}

func handleForm(check envelope.Checker, form pb.HandleForm) pb.HandleForm {
	switch form {
	case pb.HandleForm_HANDLE_FORM_UNSPECIFIED:
		return pb.HandleForm_HANDLE_FORM_PATH
	case pb.HandleForm_HANDLE_FORM_PATH, pb.HandleForm_HANDLE_FORM_CALL:
		return form
	}
	check.Fail("handles", pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN, "is no form that this server knows")
	return pb.HandleForm_HANDLE_FORM_PATH
}

// projectionPolicy is a ProjectionPolicy of the contract with every default in its place.
type projectionPolicy struct {
	projectors.Policy     // its budget is bounded by the window
	limit             int // tokens that a receipt may cost where what must be kept needs more than that
	handles           pb.HandleForm
}

// projection resolves a projection policy for a tool of a family.
func (c counters) projection(p *pb.ProjectionPolicy, tool string, familyTokens int) (projectionPolicy, error) {
	check := envelope.NewChecker("policy")
	unset := c.unsetTokens(tool, p.GetRender().GetModel(), familyTokens)
	b, counter, err := c.render(check.At("render"), p.GetRender(), unset)
	if err != nil {
		return projectionPolicy{}, err
	}
	resolved := projectionPolicy{
		Policy: projectors.Policy{
			Budget:    b.receipt,
			LineBytes: b.lineBytes, HeadPercent: defaultHeadPercent, Counter: counter,
		},
		limit: b.receipt.Tokens, handles: b.handles,
	}
	resolved.Budget.Tokens = b.fitted
	if p.GetHeadPercent() > 100 {
		check.Fail("head_percent", pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "is %d, and 0 to 100 are allowed", p.GetHeadPercent())
	} else if p != nil && p.HeadPercent != nil {
		resolved.HeadPercent = int(p.GetHeadPercent())
	}
	switch p.GetArtifactPolicy() {
	case pb.ArtifactPolicy_ARTIFACT_POLICY_UNSPECIFIED, pb.ArtifactPolicy_ARTIFACT_POLICY_WHEN_LOSSY:
	case pb.ArtifactPolicy_ARTIFACT_POLICY_ALWAYS:
		resolved.KeepAll = true
	default:
		check.Fail("artifact_policy", pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN, "is no policy that this server knows")
	}
	switch p.GetUnchanged() {
	case pb.UnchangedPolicy_UNCHANGED_POLICY_UNSPECIFIED, pb.UnchangedPolicy_UNCHANGED_POLICY_STATE, pb.UnchangedPolicy_UNCHANGED_POLICY_IGNORE:
	default:
		check.Fail("unchanged", pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN, "is no policy that this server knows")
	}
	return resolved, check.Err()
}
