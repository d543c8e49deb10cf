package server_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/server/families"
)

func TestRegistryRefuses(t *testing.T) {
	good := families.BuiltIn()
	for name, c := range map[string]struct {
		change func([]families.Family) []families.Family
		says   string
	}{
		"a family without a projector": {func(f []families.Family) []families.Family { f[0].Projector = nil; return f }, `"text": has no projector`},
		"a family without a renderer":  {func(f []families.Family) []families.Family { f[1].Renderer = nil; return f }, `"command": has no renderer`},
		"a case without a family":      {func(f []families.Family) []families.Family { return f[:1] }, "1 families for "},
		"a family without a case":      {func(f []families.Family) []families.Family { f[1].Name = "cmd"; return f }, `case "command" of the contract has no family`},
		"a family that is there twice": {func(f []families.Family) []families.Family { return append(f, f[0]) }, `"text": is there twice`},
		"a family without a budget":    {func(f []families.Family) []families.Family { f[0].Tokens = 0; return f }, "default budget of 0 tokens"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := families.NewRegistry(c.change(slices.Clone(good))...)
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %q", err, c.says)
			}
		})
	}
	if _, err := families.NewRegistry(good...); err != nil {
		t.Error(err)
	}
}
