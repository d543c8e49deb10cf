package shape

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The reason of the first failure comes before the name of the tenth, as runners of several
// languages print them.
func TestMessageBeforeManyNames(t *testing.T) {
	t.Parallel()
	for runner, c := range map[string]struct{ one, message string }{
		"pytest": {"____________ test_name_%[1]d ____________\n\n    def test_name_%[1]d():\n>       run(%[1]d)\nE       TypeError: run() got an unexpected keyword argument 'strict'\n\ntest_all.py:%[1]d: TypeError\n", "TypeError: run()"},
		"go":     {"--- FAIL: TestName%d (0.00s)\n    name_test.go:%[1]d: got 3\n    name_test.go:30: error: connection refused by the server\n", "connection refused"},
		"jest":   {"  ● name %d › adds\n\n    TypeError: Cannot read properties of undefined (reading 'id')\n\n      %[1]d |   add(1)\n        |   ^\n", "Cannot read properties"},
	} {
		text := &strings.Builder{}
		for i := range 20 {
			fmt.Fprintf(text, c.one, i)
		}
		best, _, _ := ranked(text.String(), Options{})
		at := slices.IndexFunc(best, func(line string) bool { return strings.Contains(line, c.message) })
		if at < 0 || at > 10 {
			t.Errorf("%s: the message is line %d:\n%s", runner, at+1, strings.Join(best[:12], "\n"))
		}
	}
}
