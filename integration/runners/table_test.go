package runners_test

// run is a run of a test runner or of a checker that failed.
type run struct {
	name    string // of its output in testdata
	line    string // that was typed
	exit    int32
	needles []string // what a reader needs: what failed, the expected and the actual value, where, and the counts
}

// runs are real ones of small projects that were written for them.
var runs = []run{
	{"go-v", "go test -v ./...", 1, []string{"--- FAIL: TestSplit/between_3 ", "split_test.go:19: Split(\"a,b,3\") = [\"a\" \"b\" \"3\"], want [\"a\" \"b\" \"3!\"]", "--- FAIL: TestFirst", "panic: runtime error: index out of range [0] with length 0", "split.go:14", "split_test.go:32", "FAIL\texample.org/text"}},
	{"go", "go test ./...", 1, []string{"--- FAIL: TestSplit/between_3 ", "split_test.go:19: Split(\"a,b,3\") = [\"a\" \"b\" \"3\"], want [\"a\" \"b\" \"3!\"]", "--- FAIL: TestFirst", "panic: runtime error: index out of range [0] with length 0", "split.go:14", "split_test.go:32", "FAIL\texample.org/text"}},
	{"ginkgo", "go test -v ./...", 1, []string{"[It] subtracts a discount", "to equal", "<int>: 20", "cart_test.go:27", "30 Passed", "1 Failed", "TestTestify", "expected: 20", "actual  : 25", "cart_test.go:21"}},
	{"pytest-v", "pytest -v", 1, []string{"FAILED tests/test_cart.py::ParseTest::test_comma", "FAILED tests/test_cart.py::TotalTest::test_discount", "FAILED tests/test_cart.py::TotalTest::test_cheapest_of_none", "AssertionError: 25 != 20", "IndexError: list index out of range", "shop/cart.py:15: IndexError", "tests/test_cart.py:11: AssertionError", "shop/cart.py:20: ValueError", "3 failed, 122 passed"}},
	{"pytest-xdist", "pytest -n 2 -v", 1, []string{"FAILED tests/test_cart.py::ParseTest::test_comma", "AssertionError: 25 != 20", "shop/cart.py:15: IndexError", "tests/test_cart.py:11: AssertionError", "3 failed, 122 passed"}},
	{"unittest-v", "python3 -m unittest discover -v tests", 1, []string{"ERROR: test_comma", "FAIL: test_discount", "ERROR: test_cheapest_of_none", "AssertionError: 25 != 20", "ValueError: could not convert", "test_cart.py\", line 11", "cart.py\", line 15", "Ran 125 tests", "FAILED (failures=1, errors=2)"}},
	{"nose2", "nose2 -v", 1, []string{"ERROR: test_comma", "FAIL: test_discount", "AssertionError: 25 != 20", "test_cart.py\", line 11", "Ran 125 tests", "FAILED (failures=1, errors=2)"}},
	{"doctest", "python3 -m doctest shop/cart.py", 1, []string{"File \"", "Failed example:", "total([2.5, 2.5])", "Expected:", "Got:", "5.0", "1 items had failures"}},
	{"jest-v", "jest --verbose", 1, []string{"✕ subtracts a discount", "● cart › subtracts a discount", "Expected: 20", "Received: 25", "cart.test.js:3", "TypeError: Cannot read properties of undefined", "src/cart.js:5", "\"plum\"", "3 failed, 60 passed, 63 total"}},
	{"jest", "jest", 1, []string{"● cart › subtracts a discount", "Expected: 20", "Received: 25", "cart.test.js:3", "TypeError: Cannot read properties of undefined", "src/cart.js:5", "3 failed, 60 passed, 63 total"}},
	{"mocha", "mocha tm", 3, []string{"60 passing", "3 failing", "subtracts a discount", "25 !== 20", "TypeError: Cannot read properties of undefined", "tm/cart.js:4", "src/cart.js:5"}},
	{"vitest", "vitest run", 1, []string{"subtracts a discount", "expected 25 to be 20", "cart.test.mjs:3", "TypeError: Cannot read properties", "src/cart.js:5", "3 failed", "40 passed"}},
	{"node-test", "node --test tn/", 1, []string{"subtracts a discount", "25 !== 20", "tn/cart.test.js:4", "# pass 40", "# fail 3"}},
	{"eslint", "eslint .", 1, []string{"lint.js", "'unused' is assigned a value but never used", "'y' is not defined", "7 problems (6 errors, 1 warning)"}},
	{"rspec", "rspec", 1, []string{"subtracts a discount", "expected: 20", "got: 25", "cart_spec.rb:4", "undefined method `round' for nil", "cart.rb:2", "32 examples, 2 failures", "rspec ./cart_spec.rb:4"}},
	{"minitest-v", "ruby cart_test.rb -v", 1, []string{"CartTest#test_discount", "Expected: 20", "Actual: 25", "cart_test.rb:5", "32 runs, 31 assertions, 1 failures, 1 errors"}},
	{"phpunit", "phpunit", 2, []string{"CartTest::testCheapestOfNone", "CartTest::testDiscount", "Failed asserting that 25 is identical to 20", "CartTest.php:9", "ValueError", "Tests: 83, Assertions: 82, Errors: 1, Failures: 1"}},
	{"phpunit-testdox", "phpunit --testdox", 2, []string{"Discount", "Failed asserting that 25 is identical to 20", "CartTest.php:9", "Tests: 83, Assertions: 82, Errors: 1, Failures: 1"}},
	{"exunit", "elixir cart_test.exs", 2, []string{"subtracts a discount", "left:  25", "right: 20", "cart_test.exs:14", "Enum.EmptyError", "32 tests, 2 failures"}},
	{"gtest", "./gt", 1, []string{"gtest.cc:8: Failure", "25", "the discount counts twice", "[  FAILED  ] Cart.Discount", "[  FAILED  ] Cart.Items", "\"pear\"", "[  PASSED  ] 61 tests", " 2 FAILED TESTS"}},
	{"catch2", "./ct", 2, []string{"a discount is subtracted once", "catch.cc:7", "25 == 20", "none has a total", "catch.cc:8", "vector::_M_range_check", "test cases:  3 |  1 passed | 2 failed"}},
	{"ctest-out", "ctest --output-on-failure", 8, []string{"gtest_cart", "gtest.cc:8: Failure", "catch.cc:7", "25 == 20", "missing", "91% tests passed, 3 tests failed out of 34"}},
	{"ctest-v", "ctest -V", 8, []string{"gtest_cart", "gtest.cc:8: Failure", "catch.cc:7", "25 == 20", "91% tests passed, 3 tests failed out of 34"}},
	{"lit-v", "lit -v .", 1, []string{"FAIL: cart :: discount.txt", "Failed Tests (1):"}},
	{"cargo-test", "cargo test", 101, []string{"tests::discount", "the discount counts twice", "left: 25", "right: 20", "src/lib.rs:6", "tests::cheapest_of_none", "src/lib.rs:2", "14 passed; 2 failed"}},
	{"clippy", "cargo clippy -- -D warnings", 101, []string{"the loop variable `i` is only used to index `v`", "src/main.rs:1", "error: could not compile"}},
	{"rustc", "cargo build", 101, []string{"error[E0425]", "error[E0308]", "src/main.rs:1", "2 previous errors"}},
	{"maven", "mvn -B test", 1, []string{"CartTest.discount", "the discount counts twice", "expected: <20> but was: <25>", "CartTest.java:9", "CartTest.cheapestOfNone", "NoSuchElement", "Tests run: 14, Failures: 1, Errors: 1", "BUILD FAILURE"}},
	{"junit-console", "java -jar junit-platform-console-standalone.jar execute", 1, []string{"discount", "the discount counts twice ==> expected: <20> but was: <25>", "CartTest.java:9", "cheapestOfNone()", "2 tests failed", "12 tests successful"}},
	{"mypy", "mypy .", 1, []string{"bad.py:7", "error: Incompatible return value", "Name \"undefined_name\" is not defined", "Found 4"}},
	{"ruff", "ruff check", 1, []string{"F821", "bad.py:11:40", "F401", "Found"}},
	{"pyright", "pyright", 1, []string{"bad.py:7", "\"undefined_name\" is not defined", "errors,"}},
	{"pre-commit", "pre-commit run -a", 1, []string{"no tabs in sources", "hook id: bad", "exit code: 2", "a.txt:1:a tab here", "hook id: ruff", "F821", "bad.py:11:40", "Found 4 errors"}},
	{"ansible", "ansible-playbook play.yml", 2, []string{"TASK [Copy the configuration]", "Could not find or access '/nonexistent/app.conf'", "failed=1"}},
	{"terraform", "terraform validate", 1, []string{"Reference to undeclared input variable", "main.tf line 4", "Reference to undeclared resource", "main.tf line 6"}},
}
