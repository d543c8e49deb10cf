package daily_test

// command is one row: a command, how it ended, and what its reader needs next.
type command struct {
	name string // of the output: testdata/NAME.txt
	line string // as it was given to the shell
	exit int32
	need string // what is needed next, for a person who reads "..., and"
	// needles are texts of the output that answer the need, in its order. Each is within one line.
	needles []string
}

// commands are grouped by what they are about.
var commands = []command{
	// git
	{
		name: "git-status", line: "git status", exit: 0,
		need:    "which files of the merge are in conflict, and which nobody added",
		needles: []string{"You have unmerged paths.", "both modified:   projectors/fit_test.go", "both modified:   renderers/writer.go", "preview/window.go", "projectors/fetch.go"},
	},
	{
		name: "git-log", line: "git log -60", exit: 0,
		need: "what was done last, and by which commits",
		needles: []string{
			"66f16d85f028b2ff284a4e41e5420a13822d37f3", "all: say the licence in every file", "docs: measure calls on this code",
			"docs, compactor: state the memory of the mix as it is now, say omitted", "compactor: draw plans that must make nothing dearer",
			"compactor: allow a trimmed result the lines that say so", "docs, server: say the bounds as they are now",
			"projectors/profile: see what a reader prints of other commands", "integration/readme: print all of a command that failed",
			"projectors/profile, transports: mend what fuzzing found",
		},
	},
	{
		name: "git-show", line: "git show HEAD~29", exit: 0,
		need: "what the commit is for, and which files it touches",
		needles: []string{
			"server/rpc: name connections of unknown callers in plain terms", "CHANGELOG.md", "docs/adr/0053-connections-of-unknown-callers.md",
			"integration/unknown_callers_test.go", "server/rpc/gate.go", "server/rpc/limitlistener.go", "server/rpc/preauth.go", "server/rpc/tap.go", "server/server.go",
		},
	},
	{
		name: "git-diff", line: "git diff HEAD~13 HEAD~1", exit: 0,
		need: "which files are different",
		needles: []string{
			"CHANGELOG.md", "artifactstore/catalog/catalog.go", "artifactstore/dir/vanished.go", "compactor/ledger_test.go", "docs/reference/limits.md",
			"gen/toolresult/v1/artifact_grpc.pb.go", "projectors/profile/explain.go", "proto/toolresult/v1/artifact.proto", "redact/assigned.go",
			"server/identity/access.go", "transports/internal/dialect/ollama.go", "transports/internal/dialect/read_test.go",
		},
	},
	{
		name: "git-diff-stat", line: "git diff --stat HEAD~61 HEAD~1", exit: 0,
		need: "how much is different, and where most of it is",
		needles: []string{
			"177 files changed, 4158 insertions(+), 1337 deletions(-)", "integration/secrets_hidden_test.go", "468 ++", "server/rpc/limitlistener_test.go",
		},
	},
	{
		name: "git-branch", line: "git branch -avv", exit: 0,
		need:    "which branch is checked out, and which are behind",
		needles: []string{"* fix/ledger-overflow", "[main-daily: ahead 1, behind 100]", "fix/lease-clock", "[release/1.1: behind 32]"},
	},
	{
		name: "git-merge", line: "git merge rename-receipts", exit: 1,
		need: "which files have conflicts",
		needles: []string{
			"Merge conflict in projectors/fit_test.go", "Merge conflict in renderers/writer.go", "fix conflicts and then commit the result.",
		},
	},

	// Files and folders
	{
		name: "ls-laR", line: "ls -laR preview projectors renderers tokens", exit: 0,
		need: "which files each of the four folders has",
		needles: []string{
			"preview:", "choose.go", "selection.go", "projectors:", "command.go", "profile", "renderers:", "file_read.go", "tokens:", "estimate.go",
		},
	},
	{
		name: "find", line: `find . -type f -not -path "./.git/*"`, exit: 0,
		need: "what the repository consists of: its folders, and the files beside them",
		needles: []string{
			"./go.mod", "./Makefile", "./README.md", "./artifactstore/", "./auditlog/", "./cmd/", "./integration/", "./preview/", "./projectors/", "./proto/",
			"./server/", "./transports/",
		},
	},
	{
		name: "du", line: "du -ah --exclude=.git . | sort -h", exit: 0,
		need:    "what takes the space",
		needles: []string{"27M\t.", "13M\t./integration", "8.8M\t./integration/testdata/golden", "2.6M\t./transports", "1.9M\t./server"},
	},
	{
		name: "wc", line: `wc -l $(git ls-files "*.go")`, exit: 0,
		need:    "how many lines there are, and which file is the longest",
		needles: []string{"209752 total", "3668 gen/toolresult/v1/service.pb.go"},
	},
	{
		name: "grep", line: `grep -rn "Budget" --include=*.go renderers compactor preview server`, exit: 0,
		need: "where the type is declared, and which files use it",
		needles: []string{
			"preview/budget.go", "9:type Budget struct {", "server/config/budget.go", "23:type Budget struct {", "39:func ParseBudget(text string) (Budget, error) {",
			"compactor/planner.go", "server/families/families.go",
		},
	},
	{
		name: "rg", line: `rg -n "ErrClosed"`, exit: 0,
		need: "where the errors are declared, and which files return them",
		needles: []string{
			"internal/groupcommit/groupcommit.go", `17:var ErrClosed = errors.New("closed")`, "auditlog/auditlog.go", `42:	ErrClosed = errors.New("audit log is closed")`,
			"artifactstore/errors.go", `34:	ErrClosed = errors.New("closed")`, "server/apierror/status.go",
		},
	},
	{
		name: "cat", line: "cat preview/selection.go", exit: 0,
		need: "how the file begins, without a gap, to read on behind it: its purpose, its types and its first functions",
		needles: []string{
			"package preview", "type Focus struct {", "func (e *Excerpt) Select(", "func (e *Excerpt) isLog(", "func (s *selection) choice(", "type selection struct {",
		},
	},
	{
		name: "unzip", line: "unzip -l SQLAlchemy-2.0.30-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl", exit: 0,
		need:    "how large it is, and what it holds beside the package",
		needles: []string{"12547717", "299 files", "sqlalchemy/", "SQLAlchemy-2.0.30.dist-info/", "SQLAlchemy.libs/"},
	},

	// The system
	{
		name: "ps", line: "ps aux", exit: 0,
		need:    "which process is busy, and which is a zombie",
		needles: []string{"%CPU", "97.2", "reindex.py --tenant=acme", "[python3] <defunct>"},
	},
	{
		name: "apt-get", line: "apt-get install -s gimp", exit: 0,
		need: "how many packages change, and which of those that are installed",
		needles: []string{
			"The following packages will be upgraded:", "libegl-mesa0 libgbm1", "11 upgraded, 165 newly installed, 0 to remove and 123 not upgraded.",
		},
	},

	// Go
	{
		name: "go-test", line: "go test -v ./...", exit: 1,
		need: "which tests failed, and what was expected there",
		needles: []string{
			"--- FAIL: TestSuggestions", "command_test.go:1472: Unexpected response.",
			`"Error: unknown command \"counts\" for \"root\"\n\nDid you mean this?\n\ttimes\n\nRun 'root --help' for usage.\n"`,
			`"Error: unknown command \"counts\" for \"root\"\n\nDid you mean:\n\ttimes\n\nRun 'root --help' for usage.\n"`,
		},
	},
	{
		name: "go-test-panic", line: "go test -v ./...", exit: 1,
		need: "what panicked, in which test, and in which line of the project",
		needles: []string{
			"--- FAIL: TestTraverseWithParentFlags", "panic: assignment to entry in nil map", "/srv/work/cobra/command.go:824", "/srv/work/cobra/command_test.go:2332",
			"FAIL\tgithub.com/spf13/cobra",
		},
	},
	{
		name: "go-build", line: "go build -gcflags=-e ./...", exit: 1,
		need: "which methods are missing, and which call has the wrong arguments",
		needles: []string{
			"./args.go:30:10: cmd.HasSubCommands undefined", "cmd.CommandPath undefined", "c.LocalFlags undefined", "cmd.InheritedFlags undefined",
			"./command.go:1973:28: not enough arguments in call to c.UseLine", "want (int)",
		},
	},

	// Python
	{
		name: "pytest", line: "PYTHONPATH=src python -m pytest -v --ignore tests/test_cli.py", exit: 1,
		need: "which tests failed, where, and with which values",
		needles: []string{
			"tests/test_basic.py::test_session_vary_cookie", "assert 0 == 1", "tests/test_basic.py:533: AssertionError", "tests/test_basic.py::test_session_refresh_vary",
			"werkzeug.exceptions.BadRequestKeyError: 400 Bad Request", "tests/test_reqctx.py::test_bad_environ_raises_bad_request", "assert 404 == 400",
			"tests/test_reqctx.py:293: AssertionError", "3 failed, 413 passed, 3 skipped",
		},
	},
	{
		name: "unittest", line: "python -m unittest -v", exit: 1,
		need: "which tests failed, and why",
		needles: []string{
			"test_even (tests.test_more.IchunkedTests", "TypeError: unsupported operand type(s) for -: 'NoneType' and 'int'",
			"test_out_of_order (tests.test_more.IchunkedTests", "FAIL: test_strict_being_true_with_size_none (tests.test_more.ChunkedTests",
			`AssertionError: "n must not be None when using strict mode." does not match "iterable is not divisible by n."`,
			"FAIL: ichunked (more_itertools.more)", "FAILED (failures=2, errors=5, skipped=1)",
		},
	},
	{
		name: "py-recursion", line: "python3 render.py site.json", exit: 1,
		need: "what was raised, where it was called from, and which functions call each other",
		needles: []string{
			`File "/srv/work/sys/render.py", line 26, in <module>`, `line 22, in main`, "line 13, in page", "line 16, in children",
			"RecursionError: maximum recursion depth exceeded",
		},
	},
	{
		name: "mypy", line: "mypy --strict src/flask", exit: 1,
		need: "how many errors there are, and which are more than a comment that is not needed",
		needles: []string{
			"src/flask/json/provider.py:116: error: Argument 1 to", "src/flask/helpers.py:94: error: Incompatible return value type",
			"src/flask/sessions.py:30: error: Returning Any", "src/flask/cli.py:762: error: Missing type arguments", "Found 19 errors in 10 files",
		},
	},
	{
		name: "ruff", line: "ruff check --select E,F,B,UP,SIM .", exit: 1,
		need:    "how many findings are left, and the first ones with their places",
		needles: []string{"SIM105", "SIM108", "examples/tutorial/flaskr/__init__.py:24:5", "Found 48 errors (22 fixed, 26 remaining)."},
	},
	{
		name: "pip-conflict", line: "pip install -r req2.txt", exit: 1,
		need: "which requirements exclude each other",
		needles: []string{
			"ERROR: Cannot install -r req2.txt (line 1) and werkzeug<3", "The user requested werkzeug<3", "flask 3.0.3 depends on Werkzeug>=3.0.0",
		},
	},

	// JavaScript
	{
		name: "npm-test", line: "npm test", exit: 1,
		need: "which tests failed, where, and with which values",
		needles: []string{
			"discount › ignores case in codes", "unknown code pct10", "src/cart/price.js:12:9", "discount › rejects a negative amount",
			`Expected substring: "negative"`, "total › keeps the lines of an order", `-   "total": 1774,`, `+   "total": 1773,`, "test/price.test.js:28:19",
			"3 failed, 102 passed, 105 total",
		},
	},
	{
		name: "vitest", line: "npx vitest run --reporter=verbose", exit: 1,
		need: "which tests failed, where, and with which values",
		needles: []string{
			"discount > ignores case in codes", "Error: unknown code pct10", "src/cart/price.js:12:9", "discount > rejects a negative amount",
			"AssertionError: expected [Function] to throw an error", "total > keeps the lines of an order", `-   "total": 1774,`, `+   "total": 1773,`,
			"test/price.test.js:29:19", "3 failed | 102 passed (105)",
		},
	},
	{
		name: "eslint", line: "npx eslint .", exit: 1,
		need: "how many problems there are, and which errors are not the one that is everywhere",
		needles: []string{
			"'exports' is not defined", "'colonIndex' is already defined", "Unexpected lexical declaration in case block", "'testError' is already defined",
			"92 problems (68 errors, 24 warnings)",
		},
	},
	{
		name: "tsc", line: "npx tsc --noEmit", exit: 2,
		need: "what was renamed, in which files it is missing, and what else is wrong",
		needles: []string{
			"src/archive.ts(6,73): error TS2339: Property 'price' does not exist on type 'Line'.", "src/customs.ts", "src/voucher.ts",
			"src/orders.ts(9,23): error TS2345: Argument of type 'string' is not assignable to parameter of type 'Order'.",
			"src/refund.ts(16,10): error TS18048: 'order.cancelledBy' is possibly 'undefined'.",
		},
	},
	{
		name: "npm-ls", line: "npm ls --all", exit: 1,
		need: "which packages are wrong, and who asks for what",
		needles: []string{
			"invalid: react-dom@19.3.1", "invalid: react@19.3.1", "invalid: @types/react@19.3.0", "missing: enzyme@^3.0.0, required by enzyme-adapter-react-16@1.15.8",
			`"^16.8.0 || ^17.0.0" from node_modules/@material-ui/core`,
		},
	},

	// Rust
	{
		name: "cargo-test", line: "cargo test --offline --no-fail-fast", exit: 101,
		need: "which tests failed, where, and with which values",
		needles: []string{
			"tests/test_version.rs:16:5", `left: "no version given"`, `right: "empty string, expected a semver version"`, "test_greater_than",
			"tests/test_version_req.rs:82:5", "did not match 1.0.0", "tests/test_version_req.rs:152:5", "did not match 0.5.1-alpha3",
			"18 passed; 2 failed",
		},
	},
	{
		name: "cargo-build", line: "cargo build --offline", exit: 101,
		need: "how many errors there are, one of each kind, and what was expected",
		needles: []string{
			"no method named `as_bytes` found", "no method named `valid_up_to` found", "no method named `trim_start` found", "no method named `char_indices` found",
			"this method takes 2 arguments but 1 argument was supplied", "mismatched types", "src/utf8.rs:429:9", "expected `u32`, found `usize`",
			"could not compile `bstr` (lib) due to 86 previous errors",
		},
	},

	// Java
	{
		name: "javac", line: `javac -Xmaxerrs 200 -d out $(find src -name "*.java" | sort)`, exit: 1,
		need: "what cannot be found, in which files, and what else is wrong",
		needles: []string{
			"src/Carrier.java:14: error: invalid method reference", "symbol:   method grams(T)", "location: class Item", "src/Route.java:18: error: cannot find symbol",
			"symbol:   method empty()", "17 errors",
		},
	},
	{
		name: "mvn-test", line: "mvn -B -o test", exit: 1,
		need: "which tests failed, where, and with which values",
		needles: []string{
			"LedgerTest.keepsMoneyWhenTargetIsUnknown", "nothing may leave the account ==> expected: <500> but was: <400>", "LedgerTest.java:32",
			"LedgerTest.transfersAll", "account alice has only 500", "Tests run: 45, Failures: 1, Errors: 1, Skipped: 0",
		},
	},

	// C and C++
	{
		name: "make", line: "make -j8", exit: 2,
		need: "which file did not compile, and why",
		needles: []string{
			"src/net_alarm.c:6:48: error: ‘const struct sample’ has no member named ‘level’", "total += s[i].level;", "make: *** [Makefile:8: build/net_alarm.o] Error 1",
		},
	},
	{
		name: "gxx", line: "g++ -std=c++17 -c registry.cpp", exit: 1,
		need: "which lines of the program ask for what its types do not have",
		needles: []string{
			"registry.cpp:28:12: error: use of deleted function ‘Registry::Registry()’", "registry.cpp:20:26:   required from here",
			"registry.cpp:19:44:   required from here",
		},
	},
	{
		name: "ctest", line: "ctest --output-on-failure", exit: 8,
		need: "which tests failed, how, and with which values",
		needles: []string{
			"geo_test.cpp:9: FAILED: distance(179,-179): got 358.000000, want 2.000000", "3 tests failed out of 70", "distance.antimeridian (Failed)",
			"clip.hole (SEGFAULT)", "hull.pole (Timeout)",
		},
	},

	// Services
	{
		name: "curl-json", line: "curl -s http://localhost:8099/orders | jq .", exit: 0,
		need: "what a row has, how many there are, and which is not like the others",
		needles: []string{
			"currency", "updated", "1117", "payment_failed", "card_declined", "The issuer declined the card: insufficient funds", "count", "200", "/orders?page=2",
		},
	},
	{
		name: "curl-500", line: "curl -v http://localhost:8099/quote/B-7", exit: 0,
		need: "which status the server sent, what it raised, and in which line",
		needles: []string{
			"500 INTERNAL SERVER ERROR", "no price for B-7 in list winter-2026", `File "/srv/work/sys/api.py", line 22, in price`,
		},
	},
	{
		name: "psql", line: `psql -c "SELECT * FROM orders ORDER BY id"`, exit: 0,
		need:    "which columns there are, how many rows, and which row is not like the others",
		needles: []string{"id", "customer", "total_cents", "created", "c-161", "disputed", "(500 rows)"},
	},
	{
		name: "log", line: "cat api.log", exit: 0,
		need: "what failed, and in which lines of the program",
		needles: []string{
			"ERROR api", "Exception on /quote/B-7 [GET]", `File "/srv/work/sys/api.py", line 20, in price`, "KeyError: 'B-7'",
			`File "/srv/work/sys/api.py", line 27, in quote`, `File "/srv/work/sys/api.py", line 22, in price`, "PriceMissing: 'no price for B-7 in list winter-2026'",
		},
	},
	{
		name: "shellcheck", line: "shellcheck pyenv-*", exit: 1,
		need: "which finding is an error, and where it is",
		needles: []string{
			"In pyenv-latest line 68:", `grep -Ee "^$prefix_re[-.].*$suffix_re\$" || true))`, "SC1087 (error): Use braces when expanding arrays",
		},
	},
}
