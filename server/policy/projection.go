package policy

import (
	"fmt"

	"github.com/zeebo/blake3"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
)

// DefaultHeadPercent is the part of a cut text's budget that its beginning gets, as policy.proto states it.
const DefaultHeadPercent = 25

// Projection is a ProjectionPolicy of the contract with every default in its place.
type Projection struct {
	projectors.Policy     // its budget is bounded by the window
	Limit             int // tokens that a receipt may cost where what must be kept needs more than the budget
	Handles           pb.HandleForm
	ReadTool          string                   // that receipts name; empty: read_result
	Handle            func(path string) string // names artifacts; nil: by their paths
}

// Projection resolves a projection policy for a tool of a family, whose default budget is familyTokens. A page of
// read_result is shown whole, whatever its budget: it was fitted to one when it was made, and what was read back must not be
// cut again.
func (c *Resolver) Projection(p *pb.ProjectionPolicy, tool string, familyTokens int) (Projection, error) {
	check := envelope.NewChecker("policy")
	r, err := c.Receipt(check.At("render"), p.GetRender(), c.DefaultTokens(tool, p.GetRender().GetModel(), familyTokens))
	if err != nil {
		return Projection{}, err
	}
	resolved := Projection{
		Policy: projectors.Policy{
			Budget: r.Limit, LineBytes: r.LineBytes, HeadPercent: DefaultHeadPercent, Counter: r.Render.Counter,
		},
		Limit: r.Limit.Tokens, Handles: r.Handles, ReadTool: r.ReadTool, Handle: r.Render.Handle,
	}
	resolved.Budget.Tokens = r.Tokens
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
	CheckFocus(check, p.GetFocus())
	resolved.Focus = p.GetFocus()
	check.Name("focus_session", p.GetFocusSession(), false)
	if tool == envelope.ReadTool {
		resolved.HeadPercent = 100 // it is shown without a gap
		resolved.Budget, resolved.LineBytes, resolved.Limit = envelope.Cost{Tokens: MaxTokens}, maxLineBytes, MaxTokens
	}
	return resolved, check.Err()
}

// maxFocus bounds a focus, in bytes.
const maxFocus = 8 << 10

// CheckFocus checks what an agent looks for.
func CheckFocus(check envelope.Checker, focus string) {
	if len(focus) > maxFocus {
		check.Fail("focus", pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "has %d bytes, at most %d are allowed", len(focus), maxFocus)
	}
}

// WithSessionFocus puts the focus of a session before that of the policy, on lines of their own:
// the task, and then what is looked for now.
func (p *Projection) WithSessionFocus(session string) {
	if p.Focus != "" && session != "" {
		session += "\n"
	}
	p.Focus = session + p.Focus
}

// Digest identifies a policy by what it resolved to: "blake3:" and 64 hexadecimal digits.
func (p *Projection) Digest() string {
	text := fmt.Sprintf("%+v limit=%d line_bytes=%d head=%d all=%t counter=%s handles=%d",
		p.Budget, p.Limit, p.LineBytes, p.HeadPercent, p.KeepAll, p.Counter.Name(), p.Handles)
	if p.ReadTool != "" { // digests of other policies stay those of earlier versions
		text += " read_tool=" + p.ReadTool
	}
	if p.Focus != "" {
		text += fmt.Sprintf(" focus=%q", p.Focus)
	}
	return fmt.Sprintf("blake3:%x", blake3.Sum256([]byte(text)))
}
