package salience_test

import (
	"testing"

	"github.com/toolresult/toolresult/preview/salience"
)

// Lines as runners and checkers print them, by the program, and the least score that they need.
func TestRunnersLines(t *testing.T) {
	for program, lines := range map[string]map[string]uint8{
		"pytest": {
			"========================= 3 failed, 122 passed in 1.52s =========================": 70,
			"============================ no tests ran in 0.01s =============================":  80,
			"E       assert 25 == 20":                                   70,
			">       assert total([10, 20], discount=5) == 20":          60,
			"shop/cart.py:15: IndexError":                               70,
			"FAILED tests/test_cart.py::TotalTest::test_discount - x":   90,
			"tests/test_cart.py::test_discount FAILED           [ 98%]": 86,
		},
		"unittest":     {"FAILED (failures=1, errors=2)": 90, "test_comma (test_cart.ParseTest.test_comma) ... ERROR": 60, "NO TESTS RAN": 80},
		"doctest":      {"Failed example:": 86, "***Test Failed*** 1 failures.": 70},
		"Jest":         {"Tests:       3 failed, 60 passed, 63 total": 88, "    Received: 25": 60, "    - Expected  - 1": 66, "    Expected: 20": 60, "No tests found, exiting with code 1": 80},
		"Vitest":       {"      Tests  3 failed | 40 passed (43)": 70, " ❯ tests/cart.test.mjs:3:65": 60, "No test files found, exiting with code 1": 80},
		"Mocha":        {"  3 failing": 70, "  60 passing (13ms)": 60},
		"node":         {"# fail 3": 80, "ℹ fail 3": 80, "# tests 43": 60, "      location: '/src/cart.test.js:4:3'": 60},
		"Maven":        {"[INFO] BUILD FAILURE": 78, "[ERROR] Tests run: 14, Failures: 1, Errors: 1, Skipped: 0": 86, "[ERROR] Failures: ": 92, "[ERROR] Errors: ": 92, "[INFO] Shop core ........... FAILURE [ 17.553 s]": 84, "[INFO] 3 errors ": 80},
		"Gradle":       {"* What went wrong:": 80, "    org.opentest4j.AssertionFailedError at CartTest.java:9": 70, "14 tests completed, 2 failed": 88},
		"JUnit":        {"[        12 tests successful      ]": 60, "[         2 tests failed          ]": 70},
		"Bazel":        {"Executed 3 out of 3 tests: 2 tests pass and 1 fails locally.": 80, "//src:cart_test                     FAILED in 0.3s": 86},
		"CTest":        {"91% tests passed, 3 tests failed out of 34": 88, "32/34 Test #32: cart ......***Failed    0.00 sec": 88, " 3/34 Test  #3: slow ......***Timeout  10.01 sec": 88, "No tests were found!!!": 80},
		"Catch2":       {"test cases:  3 |  1 passed | 2 failed": 70, "with expansion:": 60, "due to unexpected exception with message:": 70},
		"GoogleTest":   {"[  FAILED  ] Cart.Discount (0 ms)": 88, "[  PASSED  ] 61 tests.": 60, "cart_test.cc:8: Failure": 60, "Expected equality of these values:": 60},
		"lit":          {"Failed Tests (1):": 90, "FAIL: cart :: discount.txt (3 of 41)": 90},
		"FileCheck":    {"discount.txt:3:10: error: CHECK: expected string not found in input": 86},
		"cargo":        {"test result: FAILED. 14 passed; 2 failed; 0 ignored": 80, "error: could not compile `cart` (lib) due to 2 previous errors; 1 warning emitted": 80, "warning: `cart` (lib) generated 3 warnings": 60, "  left: 25": 60},
		"nextest":      {"     Summary [   0.012s] 16 tests run: 14 passed, 2 failed, 0 skipped": 70, "     SIGSEGV [   0.010s] cart tests::crash": 80, "     TIMEOUT [  60.010s] cart tests::slow": 80},
		"go test":      {"    split_test.go:19: Split(x) = 3, want 4": 70, "	/src/split/split.go:14 +0x1c": 80, "        	Error Trace:	/src/cart_test.go:21": 70, "        	            	actual  : 25": 60},
		"Ginkgo":       {"Ran 31 of 31 Specs in 0.001 seconds": 80, "FAIL! -- 30 Passed | 1 Failed | 0 Pending | 0 Skipped": 70},
		"RSpec":        {"32 examples, 2 failures": 70, "            got: 25": 60, "     # ./cart_spec.rb:4:in `block (2 levels) in <top (required)>'": 60, "Failed examples:": 86},
		"minitest":     {"32 runs, 31 assertions, 1 failures, 1 errors, 0 skips": 66, "  Actual: 25": 60, "  1) Failure:": 70},
		"PHPUnit":      {"1) CartTest::testDiscount": 86, "/src/CartTest.php:9": 60, "There were 2 errors:": 84, "Tests: 83, Assertions: 82, Errors: 1, Failures: 1.": 88, "ERRORS!": 66},
		"ExUnit":       {"32 tests, 2 failures": 70, "     cart_test.exs:13": 60, "     right: 20": 60},
		"Pester":       {"Tests Passed: 40, Failed: 2, Skipped: 0 NotRun: 0": 80, "  [-] subtracts a discount 5ms (4ms|1ms)": 86},
		"dotnet":       {"Total tests: 42": 70, "Failed!  - Failed:     2, Passed:    40, Skipped:     0, Total:    42": 70, "    1 Error(s)": 70, "Test Run Failed.": 70},
		"pre-commit":   {"no tabs in sources.......................................................Failed": 88, "- hook id: tabs": 60, "- files were modified by this hook": 70},
		"mypy":         {"Found 4 errors in 2 files (checked 2 source files)": 80},
		"ruff":         {"Found 4 errors.": 80},
		"pyright":      {"3 errors, 0 warnings, 0 informations": 78},
		"Black":        {"1 file would be reformatted, 1 file would be left unchanged.": 70},
		"Prettier":     {"[warn] Code style issues found in the above file. Run Prettier with --write to fix.": 70},
		"RuboCop":      {"3 files inspected, 2 offenses detected": 80},
		"Terraform":    {"Plan: 3 to add, 0 to change, 1 to destroy.": 80, "Apply complete! Resources: 3 added, 0 changed, 1 destroyed.": 70},
		"Ansible":      {"localhost   : ok=2    changed=0    unreachable=0    failed=1    skipped=0    rescued=0    ignored=0": 86, "web1  : ok=2    changed=0    unreachable=1    failed=0": 86, "PLAY RECAP *******": 70},
		"Helm":         {"Error: INSTALLATION FAILED: cannot re-use a name that is still in use": 80, "2 chart(s) linted, 1 chart(s) failed": 70},
		"Docker":       {"ERROR: failed to solve: process \"/bin/sh -c make\" did not complete successfully: exit code: 2": 70, "Dockerfile:3": 60},
		"npm":          {"npm error code ETARGET": 70, "npm ERR! code ERESOLVE": 70},
		"pnpm":         {" ERR_PNPM_NO_MATCHING_VERSION  No matching version found for left-pad@99": 80, " ELIFECYCLE  Test failed. See above for more details.": 70},
		"Yarn":         {"➤ YN0082: │ left-pad@npm:99: No candidates found": 70, "error Couldn't find any versions for \"left-pad\" that matches \"99\"": 70},
		"pip":          {"ERROR: No matching distribution found for x==1.0": 80, "The conflict is caused by:": 80},
		"apt":          {"E: Package 'x' has no installation candidate": 80, " x : Depends: y (>= 2) but 1 is to be installed": 70, "The following packages have unmet dependencies:": 80},
		"dnf":          {"No match for argument: nosuchpkg": 80, " Problem: package a-1 requires b >= 2, but none of the providers can be installed": 70},
		"faulthandler": {"Current thread 0x00007f1 (most recent call first):": 70},
	} {
		for line, least := range lines {
			if m := classifier.Classify([]byte(line)); m.Score < least {
				t.Errorf("%s: %q is %v with %d, want %d", program, line, m.Reason, m.Score, least)
			}
		}
	}
}

// Lines of runs that went well, or that only resemble those of failures.
func TestRunnersLinesThatSayLittle(t *testing.T) {
	for _, line := range []string{
		"# fail 0", "ℹ fail 0", "localhost : ok=2 changed=0 unreachable=0 failed=0", "Found 0 errors in 2 files", "0 errors, 0 warnings, 0 informations",
		"Found 12 files in 3 folders", "    split_test.go:12: splitting 3 of 4", "=== RUN   TestErrorIsShown", "--- PASS: TestPanicIsRecovered (0.00s)",
		"	/usr/local/go/src/testing/testing.go:1974 +0x232", "	/home/me/go/pkg/mod/example.org/x@v1.2.3/x.go:12 +0x20", "testing.tRunner(0xc0000b8000, 0x593f78)",
		"	at org.junit.jupiter.api.AssertionUtils.fail(AssertionUtils.java:55)", "     # /var/lib/gems/3.1.0/gems/rspec-core-3.12/lib/rspec/core/example.rb:263:in `run'",
		"see cart.rb:4 for more", "[-] an item of a list", "- [-] - nested", "1) read the manual::test", "  ● Console", "no tabs....Failed once, then passed", "    0 Error(s)", "0 chart(s) failed",
		"all packages are to be installed", "it can be installed", "the rest: 3 + left: x", "assert x", "cart.py:15: all is well",
	} {
		if m := classifier.Classify([]byte(line)); m.Score >= salience.MustKeep {
			t.Errorf("%q is %v with %d", line, m.Reason, m.Score)
		}
	}
}

// Frames of libraries say little by themselves, those of the user's code do not.
func TestLibraryFramesAreHollow(t *testing.T) {
	for line, want := range map[string]bool{
		"	at org.junit.Assert.fail(Assert.java:89)":                         true,
		"	at java.base/java.util.Collections.min(Collections.java:601)":     true,
		"	at shop.CartTest.discount(CartTest.java:9)":                       false,
		"   at Xunit.Assert.Equal(Int32 a, Int32 b)":                        true,
		"   at Cart.Tests.Discount() in /src/CartTests.cs:line 9":           false,
		"  File \"/venv/lib/python3.11/site-packages/x/y.py\", line 3":      true,
		"  File \"/src/shop/cart.py\", line 15, in cheapest":                false,
		"    at Test.<anonymous> (/srv/shop/test/order.js:58:7)":            false,
		"             at /rustc/90b35a6/library/std/src/panicking.rs:593:5": true,
		"             at ./src/cart.rs:41:9":                                false,
		"panic({0x575540?, 0x1bdfe81a50c8?})":                               true,
		"created by testing.(*T).Run in goroutine 1":                        true,
		"example.org/text.First(...)":                                       false,
		"	/src/text/split.go:14 +0x1c":                                      false,
		"/usr/bin/make":                                                     false,
		"=== RUN   TestSplit":                                               true,
	} {
		if got := salience.Hollow([]byte(line)); got != want {
			t.Errorf("Hollow(%q) = %v", line, got)
		}
	}
}
