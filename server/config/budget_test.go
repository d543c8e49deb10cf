package config_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/server/config"
)

func TestBudgetMatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		budget, tool, model string
		want                bool
	}{
		{"Bash=100", "Bash", "", true},
		{"Bash=100", "Bash", "gpt-5", true},
		{"Bash=100", "bash", "", false},
		{"Bash=100", "Bash2", "", false},
		{"*=100", "mcp:github/search", "", true},
		{"mcp:*=100", "mcp:github/search", "", true},
		{"mcp:git???/*=100", "mcp:github/search", "", true},
		{"[A-Z]*=100", "Grep", "", true},
		{"[A-Z]*=100", "grep", "", false},
		{"*@claude-*=100", "Bash", "claude-sonnet-4-5", true},
		{"*@claude-*=100", "Bash", "anthropic/claude-sonnet-4-5", false},
		{"*@*claude-*=100", "Bash", "anthropic/claude-sonnet-4-5", true},
		{"*@claude-*=100", "Bash", "", false},
		{"*@*=100", "Bash", "", true},
		{"Bash@claude-4@2025=100", "Bash", "claude-4@2025", true},
		{"Bash@a=b=100", "Bash", "a=b", true},
	} {
		b, err := config.ParseBudget(c.budget)
		if err != nil {
			t.Errorf("%s: %v", c.budget, err)
			continue
		}
		if got := b.Matches(c.tool, c.model); got != c.want || b.Tokens != 100 {
			t.Errorf("%s for %s of %q: %t, want %t", c.budget, c.tool, c.model, got, c.want)
		}
	}
}

func TestBudgetForms(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "Bash", "Bash=", "Bash=x", "Bash=1.5", "Bash@=100", "=", "Bash@gpt"} {
		if b, err := config.ParseBudget(text); err == nil {
			t.Errorf("%q is %+v", text, b)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		b := config.Budget{
			Tool:   rapid.StringMatching(`[A-Za-z0-9_:/.*?\[\]-]{1,20}`).Draw(t, "tool"),
			Model:  rapid.StringMatching(`[A-Za-z0-9_:/.*@=-]{0,20}`).Draw(t, "model"),
			Tokens: rapid.IntRange(config.MinReceiptTokens, config.MaxReceiptTokens).Draw(t, "tokens"),
		}
		if again, err := config.ParseBudget(b.String()); err != nil || again != b {
			t.Fatalf("%+v is written as %s, which is %+v, %v", b, b, again, err)
		}
	})
}
