package config_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolresult/toolresult/server/config"
)

func TestDifferences(t *testing.T) {
	t.Parallel()
	a := config.Default(nil)
	b := a
	if got := config.Differences(a, b); len(got) > 0 {
		t.Errorf("of equal ones: %q", got)
	}
	b.Token, b.MaxConnections, b.AllowGroups, b.LogLevel = secret, 7, []string{"staff"}, "debug"
	if diff := cmp.Diff([]string{"allow_groups", "token", "log_level", "max_connections"}, config.Differences(a, b)); diff != "" {
		t.Errorf("differs (-want +got):\n%s", diff)
	}
}
