package server

import (
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/tokens"
	"github.com/toolresult/toolresult/projectors"
)

// Bounds and defaults of policies, as policy.proto states them.
const (
	minTokens, maxTokens       = 16, 200_000
	minLines, maxLines         = 2, 1_000_000
	minBytes, maxBytes         = 64, 16 << 20
	minLineBytes, maxLineBytes = 80, 1_000_000
	defaultLineBytes           = 2000
	defaultHeadPercent         = 25
)

// counters are the token counters that a policy can name.
type counters struct {
	estimate tokens.Counter // the others load their vocabularies at their first use
}

func newCounters() counters {
	return counters{tokens.Estimate()}
}

// budget is a Budget of the contract with every default in its place.
type budget struct {
	receipt   envelope.Cost
	lineBytes int
}

// render resolves a render policy for a family.
func (c counters) render(check envelope.Checker, p *pb.RenderPolicy, familyTokens int) (budget, tokens.Counter, error) {
	at := check.At("budget")
	b := p.GetBudget()
	resolved := budget{
		receipt: envelope.Cost{
			Tokens: bounded(at, "max_tokens", b.GetMaxTokens(), familyTokens, minTokens, maxTokens),
			Lines:  bounded(at, "max_lines", b.GetMaxLines(), 0, minLines, maxLines),
			Bytes:  bounded(at, "max_bytes", b.GetMaxBytes(), 0, minBytes, maxBytes),
		},
		lineBytes: bounded(at, "max_line_bytes", b.GetMaxLineBytes(), defaultLineBytes, minLineBytes, maxLineBytes),
	}
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

// bounded is a value of a policy, or its default when it is 0.
func bounded(check envelope.Checker, field string, value uint32, missing, lowest, highest int) int {
	n := int(value)
	if n == 0 {
		return missing
	}
	if n < lowest || n > highest {
		check.Fail(field, pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "is %d, and %d to %d are allowed", n, lowest, highest)
	}
	return n
}

// projection resolves a projection policy for a family.
func (c counters) projection(p *pb.ProjectionPolicy, familyTokens int) (projectors.Policy, error) {
	check := envelope.NewChecker("policy")
	b, counter, err := c.render(check.At("render"), p.GetRender(), familyTokens)
	if err != nil {
		return projectors.Policy{}, err
	}
	resolved := projectors.Policy{
		Budget:    b.receipt,
		LineBytes: b.lineBytes, HeadPercent: defaultHeadPercent, Counter: counter,
	}
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
