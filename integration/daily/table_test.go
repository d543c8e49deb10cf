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
			"registry.cpp:28:12: error: use of deleted function ‘Registry::Registry()’",
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

	// More of the same kinds: runs that passed, data that a reader prints, machines and clusters
	{
		name: "git-log-stat", line: "git log --stat -8", exit: 0,
		need:    "which commits there are, and how much each changes",
		needles: []string{"preview: call what is known beside the bytes hints, not focus", "integration/ci: name what the Go client imports as inputs of clients", "ed555d50e7"},
	},
	{
		name: "git-log-graph", line: "git log --oneline --graph -90", exit: 0,
		need:    "what was done last",
		needles: []string{"ed555d50 preview: call what is known", "f123f12d integration/cputime"},
	},
	{
		name: "diff-u", line: "diff -u old/selection.go new/selection.go", exit: 1,
		need:    "what is different in the type, and where",
		needles: []string{"+// Hints tell what matters where not all of a payload fits.", "+type Hints struct {", "-type Focus struct {"},
	},
	{
		name: "go-test-pass", line: "go test -v ./preview/textscan", exit: 0,
		need:    "which tests ran, and that all passed",
		needles: []string{"TestLeadsOfInvisibleCharacters", "TestBareTextIsWhatIsLeft", "TestBareTextOfTornSequences", "ok  \tgithub.com/toolresult/toolresult/preview/textscan"},
	},
	{
		name: "unittest-pass", line: "python3 -m unittest discover -v -s tests", exit: 0,
		need:    "which tests ran, and how many",
		needles: []string{"test_negative_quantity", "test_total.TotalBasics", "test_parse.ParseRegressions", "Ran 90 tests"},
	},
	{
		name: "cargo-test-pass", line: "cargo test --offline", exit: 0,
		need:    "which tests ran, and how many",
		needles: []string{"rejects_overdraft", "interest", "journal", "80 passed; 0 failed"},
	},
	{
		name: "node-test-pass", line: "node --test --test-reporter=spec", exit: 0,
		need:    "which tests ran, and that none failed",
		needles: []string{"removes an item", "tax by country", "fail 0"},
	},
	{
		name: "cargo-warnings", line: "cargo build --offline", exit: 0,
		need:    "what is unused, and how many warnings there are",
		needles: []string{"unused import: `std::fs::File`", "unused variable", "generated 17 warnings"},
	},
	{
		name: "gcc-warnings", line: "gcc -Wall -Wextra -O2 -c queue.c", exit: 1,
		need:    "which error stops the build, and which warnings are bugs",
		needles: []string{"queue.c:10:99: error: expected", "function returns address of local variable"},
	},
	{
		name: "valgrind", line: "valgrind --leak-check=full ./ok", exit: 134,
		need:    "what is written where, and how much is lost",
		needles: []string{"Invalid write of size 8", "main (ok.c:11)", "ERROR SUMMARY"},
	},
	{
		name: "gdb-bt", line: "gdb -batch -ex run -ex bt ./crash", exit: 0,
		need:    "where it crashed, and who called it",
		needles: []string{"SIGSEGV", "crash.c:3", "in walk", "main () at crash.c:5"},
	},
	{
		name: "readelf", line: "readelf -S -l ok", exit: 0,
		need:    "what the headers are, and where the entry is",
		needles: []string{"Section Headers:"},
	},
	{
		name: "strace", line: "strace -f ./ok", exit: 134,
		need:    "which library was loaded, and which signal ended it",
		needles: []string{"execve(\"./ok\"", "killed by SIGABRT"},
	},
	{
		name: "openssl-x509", line: "openssl x509 -in c.pem -text -noout", exit: 0,
		need:    "who it is for, and until when it is valid",
		needles: []string{"Subject: C = DE, O = Example, CN = shop.example.org", "Not After", "DNS:www.shop.example.org"},
	},
	{
		name: "tar-tvf", line: "tar tvf doc.tar", exit: 0,
		need:    "what the archive has",
		needles: []string{"./"},
	},
	{
		name: "pytest-pass", line: "pytest -v", exit: 0,
		need:    "which tests ran, by file, and how many",
		needles: []string{"tests/test_billing.py", "test_rejects_3", "tests/test_search.py", "128 passed in 4.31s"},
	},
	{
		name: "jest-pass", line: "npx jest --verbose", exit: 0,
		need:    "which tests ran, by file, and how many",
		needles: []string{"src/orders.test.js", "rejects a total of 3", "Tests:       64 passed, 64 total"},
	},
	{
		name: "gradle-test", line: "./gradlew test", exit: 0,
		need:    "which tests ran, by class",
		needles: []string{"OrdersTest", "MailTest", "BUILD SUCCESSFUL in 14s"},
	},
	{
		name: "cat-table", line: "cat s.txt", exit: 0,
		need:    "which service is not like the others",
		needles: []string{"SERVICE", "unhealthy", "search-us-2"},
	},
	{
		name: "cat-json", line: "cat pods.json", exit: 0,
		need:    "which pod does not run, and why",
		needles: []string{"CrashLoopBackOff"},
	},
	{
		name: "head-csv", line: "head -90 users.csv", exit: 0,
		need:    "which columns there are, and which row is not like the others",
		needles: []string{"email", "suspended"},
	},
	{
		name: "tail-log", line: "tail -90 /var/lib/app/current", exit: 0,
		need:    "what failed, and for which order",
		needles: []string{"payment provider timed out", "8061"},
	},
	{
		name: "sed-log", line: "sed -n '1,90p' app/today", exit: 0,
		need:    "what the program warned of before it failed",
		needles: []string{"pool exhausted", "panic: send on closed channel", "queue.go:88"},
	},
	{
		name: "kubectl-get", line: "kubectl get pods -A", exit: 0,
		need:    "which pods do not run",
		needles: []string{"NAMESPACE", "CrashLoopBackOff", "ImagePullBackOff", "0/1"},
	},
	{
		name: "kubectl-describe", line: "kubectl describe pod export-eu-7d9c", exit: 0,
		need:    "why the pod does not start",
		needles: []string{"OOMKilled", "Exit Code:    137", "Back-off restarting failed container"},
	},
	{
		name: "kubectl-events", line: "kubectl get events", exit: 0,
		need:    "what is wrong beside what is scheduled and pulled",
		needles: []string{"FailedMount", "secret \"tls-shop\" not found", "Evicted"},
	},
	{
		name: "docker-ps", line: "docker ps -a", exit: 0,
		need:    "which containers ended badly or are unhealthy",
		needles: []string{"Exited (137)", "(unhealthy)"},
	},
	{
		name: "docker-build", line: "docker build .", exit: 1,
		need:    "which step failed, and why",
		needles: []string{"npm ERR! code ERESOLVE", "Dockerfile:9", "exit code: 1"},
	},
	{
		name: "terraform-plan", line: "terraform plan", exit: 0,
		need:    "what is destroyed or replaced, and the total",
		needles: []string{"aws_db_instance.main must be replaced", "aws_s3_bucket.old will be destroyed", "Plan: 13 to add, 0 to change, 2 to destroy."},
	},
	{
		name: "aws-ec2", line: "aws ec2 describe-instances | jq -c .", exit: 0,
		need:    "which instance is stopped",
		needles: []string{"stopped"},
	},
	{
		name: "ansible", line: "ansible-playbook site.yml", exit: 2,
		need:    "which host failed in which task, and why",
		needles: []string{"fatal: [web-us]", "No space left on device", "failed=1"},
	},
	{
		name: "systemctl", line: "systemctl list-units --all", exit: 0,
		need:    "which units failed",
		needles: []string{"backup.service", "failed", "UNIT"},
	},
	{
		name: "journalctl", line: "journalctl -u shop --no-pager", exit: 0,
		need:    "why the service ended",
		needles: []string{"Main process exited, code=exited, status=1/FAILURE", "bind: address already in use"},
	},
	{
		name: "dmesg", line: "dmesg", exit: 0,
		need:    "what the kernel killed, and which disk has errors",
		needles: []string{"Out of memory: Killed process 4411 (java)", "I/O error, dev sdb, sector 81920"},
	},
	{
		name: "df", line: "df -h", exit: 0,
		need:    "which disk is full",
		needles: []string{"Filesystem", "/var/lib/docker", "99%"},
	},
	{
		name: "ss", line: "ss -tan", exit: 0,
		need:    "which ports are listened on",
		needles: []string{"LISTEN", "0.0.0.0:5432"},
	},
	{
		name: "rsync", line: "rsync -av src/ backup:/srv/src/", exit: 23,
		need:    "what could not be copied, and why",
		needles: []string{"Permission denied (13)", "some files/attrs were not transferred"},
	},
	{
		name: "ssh-v", line: "ssh -vv deploy@web-eu", exit: 255,
		need:    "why the login failed, and with which key",
		needles: []string{"/home/ada/.ssh/id_ed25519", "Permission denied (publickey)"},
	},
	{
		name: "npm-install", line: "npm install", exit: 1,
		need:    "which packages exclude each other",
		needles: []string{"npm ERR! code ERESOLVE", "peer react@\"^17.0.0\" from old-widget@2.1.0"},
	},
	{
		name: "mvn-tree", line: "mvn dependency:tree", exit: 0,
		need:    "which conflict there is, and who asks for the old version",
		needles: []string{"omitted for conflict with 2.17.1", "BUILD SUCCESS"},
	},
	{
		name: "cmake", line: "cmake ..", exit: 1,
		need:    "what was not found, and where it is asked for",
		needles: []string{"Could NOT find OpenSSL", "CMakeLists.txt:41 (find_package)"},
	},
	{
		name: "ninja", line: "ninja", exit: 1,
		need:    "which file failed, and why",
		needles: []string{"FAILED: src/pool.o", "src/pool.cpp:88:14: error: no member named"},
	},
	{
		name: "pylint", line: "pylint shop", exit: 6,
		need:    "which messages are errors, and where",
		needles: []string{"E1101: Module", "E0602: Undefined variable", "shop/orders.py:88"},
	},
	{
		name: "flake8", line: "flake8 shop", exit: 1,
		need:    "what is wrong beside long lines",
		needles: []string{"F821 undefined name 'amount'", "shop/billing.py:54:9", "F401 'os' imported but unused"},
	},
	{
		name: "golangci", line: "golangci-lint run", exit: 1,
		need:    "which findings are bugs, and where",
		needles: []string{"nilness", "server/pool.go:77:12"},
	},
	{
		name: "tsc-58", line: "npx tsc --noEmit", exit: 2,
		need:    "which errors there are, and every place of the common one",
		needles: []string{"TS2339: Property 'amount' does not exist on type 'Cart'", "src/page27.ts", "src/page3.ts", "TS2554: Expected 2 arguments, but got 1."},
	},
	{
		name: "msbuild", line: "dotnet build", exit: 1,
		need:    "which error stops the build, and how many warnings there are",
		needles: []string{"error CS1002: ; expected", "OrdersController.cs", "1 Error(s)"},
	},
	{
		name: "gh-pr-list", line: "gh pr list", exit: 0,
		need:    "which are the newest requests",
		needles: []string{"#412", "Fix the rounding of totals 0"},
	},
	{
		name: "sqlite", line: "sqlite3 -header -column shop.db \"select * from jobs\"", exit: 0,
		need:    "which columns there are, and which job failed",
		needles: []string{"id", "failed", "disk quota exceeded"},
	},
	{
		name: "perf-report", line: "perf report --stdio", exit: 0,
		need:    "where the time goes",
		needles: []string{"41.20%", "parse_row"},
	},
	{
		name: "git-blame", line: "git blame preview/budget.go", exit: 0,
		need:    "which commits wrote the beginning of the file",
		needles: []string{"package preview", "5898363f8", "type Budget struct {"},
	},
	{
		name: "dpkg-l", line: "dpkg -l", exit: 0,
		need:    "which packages are installed, from the first on",
		needles: []string{"Version", "adduser"},
	},
	{
		name: "objdump", line: "objdump -d --no-show-raw-insn ok", exit: 0,
		need:    "where the code begins",
		needles: []string{"file format elf64-x86-64"},
	},
	{
		name: "npm-outdated", line: "npm outdated", exit: 1,
		need:    "which columns there are, and the first packages",
		needles: []string{"Package", "Wanted", "lib-0"},
	},
	{
		name: "compose-logs", line: "docker compose logs", exit: 0,
		need:    "which service failed, and why",
		needles: []string{"FATAL:  password authentication failed for user \"shop\""},
	},
	{
		name: "kubectl-logs", line: "kubectl logs deploy/api", exit: 0,
		need:    "what failed, and of which tenant",
		needles: []string{"error", "tenant t99 has no plan"},
	},
	{
		name: "pip-list", line: "pip list", exit: 0,
		need:    "which packages are installed, from the first on",
		needles: []string{"Package", "Version"},
	},
}
