// Package policy resolves the policies of requests: what the caller says, what the operator set, and what a tool's family
// has by default become one value with nothing left to look up. It knows no store and no transport, and rejects values that
// policy.proto does not allow.
package policy

import (
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/config"
	"github.com/toolresult/toolresult/tokens"
)

// Bounds and defaults of policies, as policy.proto states them.
const (
	MinTokens, MaxTokens       = config.MinReceiptTokens, config.MaxReceiptTokens
	minLines, maxLines         = 2, 1_000_000
	minBytes, maxBytes         = 64, 16 << 20
	minLineBytes, maxLineBytes = 80, 1_000_000
	defaultLineBytes           = 2000
	maxModel                   = 256 // bytes
)

// A receipt may cost 1/windowShare of what is left of a model's window, and leastWindowTokens in any case.
const (
	windowShare       = 4
	leastWindowTokens = 256
)

// Resolver resolves policies. Safe for concurrent use.
type Resolver struct {
	estimate tokens.Counter // the other counters load their vocabularies when they are first used
	budgets  []config.Budget
	artifact func(path string) (name string, err error)
}

// NewResolver returns a Resolver. Of the operator's budgets the first that matches a tool and a model counts. artifact
// returns the name of an artifact of the store by its path, and an error for what is not in the store.
func NewResolver(artifact func(path string) (name string, err error), budgets ...config.Budget) *Resolver {
	return &Resolver{tokens.Estimate(), budgets, artifact}
}

// Receipt is a RenderPolicy of the contract with every default in its place.
type Receipt struct {
	Limit     envelope.Cost // what a receipt may cost, whatever the window
	Tokens    int           // that a projection aims at: those of Limit, or fewer because of the window
	LineBytes int           // of one line of text that is shown
	Handles   pb.HandleForm // never unspecified
	ReadTool  string        // that receipts name; empty: read_result
	Render    renderers.Policy
}

// DefaultTokens returns the token budget of a tool for which the caller sets none: the operator's for tool and model, or
// else the default of its family.
func (c *Resolver) DefaultTokens(tool, model string, family int) int {
	for _, b := range c.budgets {
		if b.Matches(tool, model) {
			return b.Tokens
		}
	}
	return family
}

// Receipt resolves a render policy; unset is the token budget of a policy that sets none. Values that are not allowed go
// to check; the error is for a vocabulary that does not load.
func (c *Resolver) Receipt(check envelope.Checker, p *pb.RenderPolicy, unset int) (Receipt, error) {
	at := check.At("budget")
	b := p.GetBudget()
	resolved := Receipt{
		Limit: envelope.Cost{
			Tokens: at.Bounded("max_tokens", b.GetMaxTokens(), unset, MinTokens, MaxTokens),
			Lines:  at.Bounded("max_lines", b.GetMaxLines(), 0, minLines, maxLines),
			Bytes:  at.Bounded("max_bytes", b.GetMaxBytes(), 0, minBytes, maxBytes),
		},
		LineBytes: at.Bounded("max_line_bytes", b.GetMaxLineBytes(), defaultLineBytes, minLineBytes, maxLineBytes),
		Handles:   handleForm(check, p.GetHandles()),
	}
	resolved.Tokens = withinWindow(check.At("window"), p.GetWindow(), resolved.Limit.Tokens)
	check.Length("model", p.GetModel(), maxModel)
	check.Name("read_tool", p.GetReadTool(), false)
	resolved.ReadTool = p.GetReadTool()
	resolved.Render.Handle = c.Handle(p)
	var err error
	resolved.Render.Counter, err = c.counter(check, p.GetTokenVocabulary())
	return resolved, err
}

// counter returns the token counter of a vocabulary.
func (c *Resolver) counter(check envelope.Checker, v pb.TokenVocabulary) (tokens.Counter, error) {
	switch v {
	case pb.TokenVocabulary_TOKEN_VOCABULARY_ESTIMATE:
		return c.estimate, nil
	case pb.TokenVocabulary_TOKEN_VOCABULARY_UNSPECIFIED, pb.TokenVocabulary_TOKEN_VOCABULARY_O200K_BASE:
		return tokens.O200k()
	case pb.TokenVocabulary_TOKEN_VOCABULARY_CL100K_BASE:
		return tokens.CL100k()
	}
	check.Fail("token_vocabulary", pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN, "is no vocabulary that this server knows")
	return c.estimate, nil
}

// withinWindow bounds a budget, in tokens, by what is left of the model's window.
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
