package reports_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/preview/reports"
)

// Of a run of tests that passed, the names are by file, class or package, once each.
func TestDigestOfPassedTests(t *testing.T) {
	t.Parallel()
	repeat := func(n int, format string) (text string) {
		for i := range n {
			text += fmt.Sprintf(format, i)
		}
		return text
	}
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"pytest": {
			"collected 12 items\n\n" + repeat(10, "tests/test_a.py::TestSum::test_%d PASSED [ 10%%]\n") +
				"tests/test_b.py::test_case[x-1] PASSED [ 90%]\ntests/test_b.py::test_case[y-2] SKIPPED (no network) [100%]\n\n=== 11 passed, 1 skipped in 0.12s ===\n",
			[]string{"tests/test_a.py::TestSum (10): test_0, test_1,", "tests/test_b.py (2): test_case (2)", "=== 11 passed, 1 skipped in 0.12s ===", "test_case: [x-1], [y-2]"},
		},
		"pytest -rA": {repeat(9, "PASSED pkg/test_c.py::test_%d\n"), []string{"pkg/test_c.py (9): test_0, test_1,"}},
		"go":         {repeat(9, "=== RUN   TestA%[1]d\n--- PASS: TestA%[1]d (0.00s)\n") + "PASS\nok  \tm/p\t0.01s\n", []string{"tests (9): TestA0, TestA1,", "ok  \tm/p\t0.01s"}},
		"jest": {
			"PASS src/cart.test.js\n  total\n" + repeat(9, "    ✓ adds item %d (2 ms)\n") + "\nTests: 9 passed, 9 total\n",
			[]string{"total (9): adds item 0, adds item 1,", "Tests: 9 passed, 9 total"},
		},
		"cargo": {
			"     Running tests/v.rs (target/debug/deps/v-1)\n" + repeat(9, "test parse::number_%d ... ok\n") + "test slow ... ignored\n\ntest result: ok.\n",
			[]string{"parse (9): number_0, number_1,", "tests/v.rs (1): slow (skipped)", "test result: ok."},
		},
		"unittest": {repeat(9, "test_%[1]d (t.test_x.Sums.test_%[1]d) ... ok\n") + "\nRan 9 tests in 0.1s\n\nOK\n", []string{"t.test_x.Sums (9): test_0, test_1,", "Ran 9 tests in 0.1s"}},
		"gradle":   {repeat(9, "LedgerTest > moves %d PASSED\n") + "BUILD SUCCESSFUL in 3s\n", []string{"LedgerTest (9): moves 0, moves 1,", "BUILD SUCCESSFUL in 3s"}},
		"ctest": {
			repeat(9, "      Start  %[1]d: hull.%[1]d\n 1/9 Test  #%[1]d: hull.%[1]d ......   Passed    0.01 sec\n") + "\n100% tests passed, 0 tests failed out of 9\n",
			[]string{"tests (9): hull.0, hull.1,", "100% tests passed, 0 tests failed out of 9"},
		},
		"GoogleTest": {repeat(9, "[ RUN      ] Sum.of%[1]d\n[       OK ] Sum.of%[1]d (0 ms)\n") + "[  PASSED  ] 9 tests.\n", []string{"Sum (9): of0, of1,", "[  PASSED  ] 9 tests."}},
		"vitest":     {repeat(9, " ✓ src/a.test.ts > total > adds %d 2ms\n"), []string{"src/a.test.ts (9): total > adds 0, total > adds 1,"}},
	} {
		t.Run(name, func(t *testing.T) { checkDigest(t, c.text, c.want) })
	}
}

// Of what compilers and linters found, each message is there once, with all places.
func TestDigestOfFindings(t *testing.T) {
	t.Parallel()
	places := func(format string) (text string) {
		for i := range 9 {
			text += fmt.Sprintf(format, i, 10*i+7)
		}
		return text
	}
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"tsc": {
			places("src/f%d.ts(%d,5): error TS2551: Property 'nam' does not exist on type 'User'.\n") + "src/g.ts(3,1): error TS1005: ';' expected.\n",
			[]string{"10 errors in 10 files", "src/f0.ts(7,5): error TS2551: Property 'nam' does not exist on type 'User'.", "src/f8.ts:87:5", "src/g.ts(3,1): error TS1005: ';' expected."},
		},
		"tsc --pretty": {places("src/f%d.ts:%d:5 - error TS2551: Property 'nam' does not exist on type 'User'.\n"), []string{"9 errors in 9 files", "src/f8.ts:87:5"}},
		"flake8":       {places("app/m%d.py:%d:80: E501 line too long\n"), []string{"9 findings in 9 files", "app/m0.py:7:80: E501 line too long", "app/m8.py:87:80"}},
		"pylint":       {"************* Module app\n" + places("app/m%d.py:%d:0: C0114: Missing module docstring (missing-module-docstring)\n"), []string{"9 findings in 9 files", "app/m8.py:87:0"}},
		"mypy":         {places("app/m%d.py:%d: error: Name \"x\" is not defined  [name-defined]\n") + "Found 9 errors in 9 files (checked 9 source files)\n", []string{"9 errors in 9 files", "app/m8.py:87", "Found 9 errors in 9 files (checked 9 source files)"}},
		"msbuild":      {places("Controllers\\C%d.cs(%d,13): warning CS0168: The variable 'e' is declared but never used [/src/api.csproj]\n"), []string{"9 warnings in 9 files", "Controllers\\C8.cs:87:13"}},
		"go vet":       {"# m/p\n" + places("./f%d.go:%d:2: undefined: thing\n"), []string{"9 findings in 9 files", "./f8.go:87:2", "# m/p"}},
		"eslint": {
			"/w/a.js\n" + strings.Repeat("  3:1  error  'x' is not defined  no-undef\n", 5) + "\n/w/b.js\n" + strings.Repeat("  4:1  warning  Unexpected console statement  no-console\n", 5) + "\n✖ 10 problems (5 errors, 5 warnings)\n",
			[]string{"5 errors, 5 warnings in 2 files", "/w/a.js:3:1  error  'x' is not defined  no-undef", "/w/b.js:4:1  warning", "✖ 10 problems (5 errors, 5 warnings)"},
		},
		"gcc": {
			places("src/f%d.c:%d:9: error: 'n' undeclared\n   12 |   n = 1;\n      |   ^\n") + "make: *** [all] Error 1\n",
			[]string{"error: src/f0.c:7:9; src/f1.c:17:9;", "   12 |   n = 1;", "make: *** [all] Error 1"},
		},
		"rustc": {places("error[E0425]: cannot find value `n` in this scope\n --> src/f%d.rs:%d:5\n  |\n9 |     n\n  |     ^\n\n"), []string{"error E0425: src/f0.rs:7:5; src/f1.rs:17:5;"}},
	} {
		t.Run(name, func(t *testing.T) { checkDigest(t, c.text, c.want) })
	}
}

// checkDigest checks that the digest of a text has some strings, and no empty line at its end.
func checkDigest(t *testing.T, text string, want []string) {
	t.Helper()
	d := reports.ParseDigest([]byte(text))
	if d == nil {
		t.Fatal("no digest")
	}
	form := string(d.Text())
	for _, want := range want {
		if !strings.Contains(form, want) {
			t.Errorf("no %q in\n%s", want, form)
		}
	}
	if n := strings.Count(form, "\n"); n != d.Len() {
		t.Errorf("%d lines, and %d are stated", n, d.Len())
	}
	if strings.HasSuffix(form, "\n\n") {
		t.Errorf("an empty line ends\n%s", form)
	}
}

// A text that is something else has no digest: a run with a test that failed, matches of a search, a log with times.
func TestNoDigest(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "ok\n", strings.Repeat("PASSED a/test_b.py::test_c\n", 4),
		strings.Repeat("a/test_b.py::test_c PASSED\n", 40) + "a/test_b.py::test_d FAILED\n",
		strings.Repeat("src/main.go:12:	return nil\n", 40),
		strings.Repeat("src/main.go:12:5:	return fmt.Errorf(\"x\")\n", 40),
		strings.Repeat("12:04:05.123 INFO: (worker) done\n", 40),
		strings.Repeat("    at com.x.Y.run(Y.java:12)\n", 40),
	} {
		if d := reports.ParseDigest([]byte(text)); d != nil {
			t.Errorf("%.50q has the digest\n%s", text, d.Text())
		}
	}
}
