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
		"pytest": {"____________ test_name_%[1]d ____________\n\n    def test_name_%[1]d():\n" + strings.Repeat("        step(%[1]d)\n", 30) + ">       run(%[1]d)\nE       TypeError: run() got an unexpected keyword argument 'strict'\n\ntest_all.py:%[1]d: TypeError\n", "TypeError: run()"},
		"jest":   {"  ● name %d › adds\n\n    TypeError: Cannot read properties of undefined (reading 'id')\n\n      %[1]d |   add(1)\n        |   ^\n", "Cannot read properties"},
	} {
		text := &strings.Builder{}
		for i := range 20 {
			fmt.Fprintf(text, c.one, i)
		}
		best, _, _ := ranked(text.String(), Options{})
		at := slices.IndexFunc(best, func(line string) bool { return strings.Contains(line, c.message) })
		if at < 0 || at > 2 {
			t.Errorf("%s: the message is line %d:\n%s", runner, at+1, strings.Join(best[:6], "\n"))
		}
	}
}

// The lines in which two values differ come before those that are equal in both.
func TestDifferencesComeFirst(t *testing.T) {
	t.Parallel()
	text := " FAIL  price.test.js > total\nAssertionError: expected { total: 3 } to deeply equal { total: 4 }\n\n- Expected\n+ Received\n\n  Object {\n" +
		strings.Repeat("    \"count\": 2,\n", 30) + "-   \"total\": 4,\n+   \"total\": 3,\n  }\n"
	best, _, _ := ranked(text, Options{})
	for _, line := range []string{"-   \"total\": 4,", "+   \"total\": 3,"} {
		if at := slices.Index(best, line); at < 0 || at > 8 {
			t.Errorf("%q is line %d:\n%s", line, at+1, strings.Join(best[:10], "\n"))
		}
	}
}
