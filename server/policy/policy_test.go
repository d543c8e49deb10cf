package policy

import (
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/config"
)

// TestOperatorBudgets resolves policies of tools and models that the operator has budgets for, and of others.
func TestOperatorBudgets(t *testing.T) {
	t.Parallel()
	var list []config.Budget
	for _, text := range []string{"Bash@claude-*=9000", "Bash=3000", "mcp:*=800", "*@tiny-*=300"} {
		b, err := config.ParseBudget(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, b)
	}
	c := NewResolver(nil, list...)
	const family = 2000
	for _, want := range []struct {
		tool, model string
		set         uint32
		window      *pb.ContextWindow
		fitted      int
		limit       int
	}{
		{"Bash", "", 0, nil, 3000, 3000},
		{"Bash", "claude-5", 0, nil, 9000, 9000},
		{"Bash", "gpt-5", 0, nil, 3000, 3000},
		{"mcp:github/search", "", 0, nil, 800, 800},
		{"mcp:github/search", "tiny-1", 0, nil, 800, 800}, // the first that matches
		{"Grep", "tiny-1", 0, nil, 300, 300},
		{"Grep", "", 0, nil, family, family},
		{"Bash", "claude-5", 500, nil, 500, 500},
		{"Bash", "claude-5", 0, &pb.ContextWindow{WindowTokens: 20_000, UsedTokens: 10_000}, 2500, 9000},
		{"Bash", "claude-5", 0, &pb.ContextWindow{WindowTokens: 20_003}, 5000, 9000},
		{"Bash", "claude-5", 0, &pb.ContextWindow{WindowTokens: 1 << 62}, 9000, 9000},
		{"Bash", "claude-5", 0, &pb.ContextWindow{WindowTokens: 20_000, UsedTokens: 1 << 63}, 256, 9000},
		{"Grep", "tiny-1", 0, &pb.ContextWindow{WindowTokens: 1}, 256, 300},
		{"Grep", "", 60, &pb.ContextWindow{WindowTokens: 1}, 60, 60},
		{"Grep", "", 5000, &pb.ContextWindow{WindowTokens: 1}, 256, 5000},
		{"", "", 0, nil, family, family}, // not known yet
	} {
		p := &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: want.set}, Window: want.window, Model: want.model}}
		got, err := c.Projection(p, want.tool, family)
		if err != nil || got.Budget.Tokens != want.fitted || got.Limit != want.limit {
			t.Errorf("%q of %q with %d and %v: %d, at most %d, %v; want %d, %d",
				want.tool, want.model, want.set, want.window, got.Budget.Tokens, got.Limit, err, want.fitted, want.limit)
		}
	}
}

// TestPolicyDigestsTellApart: what was resolved is in the digest of a record, wherever it came from.
func TestPolicyDigestsTellApart(t *testing.T) {
	t.Parallel()
	digest := func(c *Resolver, p *pb.RenderPolicy) string {
		got, err := c.Projection(&pb.ProjectionPolicy{Render: p}, "Bash", 2000)
		if err != nil {
			t.Fatal(err)
		}
		return got.Digest()
	}
	none, set := NewResolver(nil), NewResolver(nil, config.Budget{Tool: "*", Tokens: 500})
	same := digest(none, nil)
	if digest(none, &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 2000}, Handles: pb.HandleForm_HANDLE_FORM_PATH, Model: "m"}) != same {
		t.Error("the defaults that are said have another digest")
	}
	for name, other := range map[string]string{
		"the operator's budget": digest(set, nil),
		"a window":              digest(none, &pb.RenderPolicy{Window: &pb.ContextWindow{WindowTokens: 4000}}),
		"handles":               digest(none, &pb.RenderPolicy{Handles: pb.HandleForm_HANDLE_FORM_CALL}),
	} {
		if other == same {
			t.Errorf("%s makes no difference", name)
		}
	}
}

// TestFocusOfSessionComesFirst joins the focus of a session and that of a call, and compares the
// digests of what they become.
func TestFocusOfSessionComesFirst(t *testing.T) {
	t.Parallel()
	digests := map[string]string{}
	for _, c := range []struct{ session, own, want string }{
		{"", "", ""}, {"task", "", "task"}, {"", "now", "now"}, {"task", "now", "task\nnow"},
	} {
		p, err := NewResolver(nil).Projection(&pb.ProjectionPolicy{Focus: c.own}, "Bash", 2000)
		if err != nil {
			t.Fatal(err)
		}
		if p.WithSessionFocus(c.session); p.Policy.Focus != c.want {
			t.Errorf("%q and %q: %q", c.session, c.own, p.Policy.Focus)
		}
		if other, ok := digests[p.Digest()]; ok {
			t.Errorf("%q has the digest of %q", c.want, other)
		}
		digests[p.Digest()] = c.want
	}
}
