package salience

import (
	"fmt"
	"slices"
)

// The table of rules. Scores are relative: 95 names what broke, 60 (MustKeep)
// still comes before every line that is kept for its place alone, less is
// context. Before and After say how many lines around belong to it. A rule
// should hold for programs that nobody has tried; integration/testdata/rules.md is made from
// this table.

// Place is where in a line a literal has to be.
type Place uint8

// The places.
const (
	Anywhere Place = iota
	Word           // not inside a word, a path or a name
	First          // at the beginning, behind times, margins and tags
)

// String names the place as integration/testdata/rules.md does.
func (p Place) String() string { return [...]string{"anywhere", "as a word", "first"}[p] }

// Rule is the meaning of a literal. Of all rules that hold for a line the one
// with the highest score counts.
type Rule struct {
	Literal string // with a capital it has to be written so; otherwise ASCII letters match in any case
	Place   Place
	Next    string // the bytes of which one must follow, where the line goes on; empty: any
	Reason  Reason
	Score   uint8 // 1 to 100
	Before  uint8 // lines before it that belong to it
	After   uint8 // lines after it that do
	List    bool  // those after it matter as much as it does, up to an empty one

	only, unless *condition // nil: no condition
	cased        bool
}

// Condition returns the further condition of the rule for integration/testdata/rules.md;
// empty for most rules.
func (r *Rule) Condition() string {
	switch {
	case r.only != nil && r.unless != nil:
		return r.only.text + ", and not " + r.unless.text
	case r.only != nil:
		return r.only.text
	case r.unless != nil:
		return "not " + r.unless.text
	}
	return ""
}

// Rules returns the table, in groups. The slice is the caller's.
func Rules() []Rule {
	return slices.Concat(exits(), crashes(), failures(), numberedFailures(), counters(), messages(), statuses(), diagnostics(), places(), warnings(), values(),
		consoles(), reports(), servers(), packages(), runners())
}

// exits are how programs and steps of them end. What they said before is often all there is.
func exits() []Rule {
	return []Rule{
		{Literal: "##[error]", Reason: Exit, Score: 88, Before: 12, After: 1},
		{Literal: "exited with ", Reason: Exit, Score: 90, Before: 24, only: codeAfter},
		{Literal: "exit code ", Place: Word, Reason: Exit, Score: 62, Before: 8, only: codeAfter},
		{Literal: "exit code: ", Place: Word, Reason: Exit, Score: 62, Before: 8, only: codeAfter},
		{Literal: "exit status ", Place: Word, Reason: Exit, Score: 62, Before: 8, only: codeAfter},
		{Literal: "exit status: ", Place: Word, Reason: Exit, Score: 62, Before: 8, only: codeAfter},
		{Literal: "bad exit status", Reason: Exit, Score: 78, Before: 12}, // rpmbuild
		{Literal: "returning ", Place: Word, Next: "123456789", Reason: Exit, Score: 75, Before: 3},
		{Literal: "returned a non-zero", Reason: Exit, Score: 72, Before: 8},
		{Literal: "non-zero exit", Reason: Exit, Score: 66, Before: 8},
		{Literal: "non-zero code", Reason: Exit, Score: 66, Before: 8},
		{Literal: "*** [", Reason: Exit, Score: 75, Before: 12, only: saysError},
		{Literal: "npm ERR!", Place: First, Reason: Exit, Score: 40, Before: 12},
		{Literal: "Command failed", Place: Word, Reason: Exit, Score: 70, Before: 12},
		{Literal: "marked build as failure", Reason: Exit, Score: 70, Before: 10}, // Jenkins
		{Literal: "BUILD FAIL", Place: Word, Reason: Exit, Score: 74, Before: 3, After: 4},
		{Literal: "Build failed", Place: Word, Reason: Exit, Score: 70, Before: 3, After: 2},
		{Literal: "build stopped", Place: Word, Reason: Exit, Score: 70, Before: 6}, // Ninja
		{Literal: "build errors", Place: Word, Reason: Exit, Score: 76, After: 6},   // rpmbuild
		{Literal: "received SIG", Place: Word, Reason: Exit, Score: 80, Before: 3},
		{Literal: "Killed", Place: First, Reason: Exit, Score: 70, Before: 5},
		{Literal: "OOMKilled", Reason: Exit, Score: 84, Before: 2},
		{Literal: "CrashLoopBackOff", Reason: Exit, Score: 84, Before: 1},
	}
}

// crashes are the texts of panics, exceptions and assertions.
func crashes() []Rule {
	return []Rule{
		{Literal: "panic:", Place: Word, Reason: Crash, Score: 95, After: 10},
		{Literal: "panicked at", Reason: Crash, Score: 95, Before: 1, After: 6},
		{Literal: "kernel panic", Reason: Crash, Score: 95, Before: 4, After: 8},
		{Literal: "AddressSanitizer", Reason: Crash, Score: 94, Before: 1, After: 8},
		{Literal: "LeakSanitizer", Reason: Crash, Score: 90, Before: 1, After: 8},
		{Literal: "ThreadSanitizer", Reason: Crash, Score: 94, Before: 1, After: 8},
		{Literal: "DATA RACE", Reason: Crash, Score: 94, Before: 1, After: 10},
		{Literal: "all goroutines are asleep", Reason: Crash, Score: 94, Before: 1, After: 6},
		{Literal: "runtime error", Reason: Crash, Score: 88, Before: 2, After: 5},
		{Literal: "segmentation fault", Reason: Crash, Score: 88, Before: 6, After: 4},
		{Literal: "segfault", Place: Word, Reason: Crash, Score: 84, Before: 4, After: 2},
		{Literal: "stack overflow", Reason: Crash, Score: 84, Before: 2, After: 4},
		{Literal: "core dumped", Reason: Crash, Score: 85, Before: 6},
		{Literal: "Traceback (most recent call last)", Reason: Crash, Score: 70, Before: 3, After: 5},
		{Literal: "Caused by:", Place: First, Reason: Crash, Score: 86, After: 3},
		{Literal: "Exception in ", Reason: Crash, Score: 84, Before: 1, After: 6},
		{Literal: "Exception:", Reason: Crash, Score: 82, Before: 4, After: 10, unless: isFrame},
		{Literal: "Exception", Reason: Crash, Score: 56, Before: 1, After: 3, unless: isFrame},
		{Literal: "AssertionError", Reason: Crash, Score: 88, Before: 4, After: 6},
		{Literal: "assertion", Place: Word, Reason: Crash, Score: 72, Before: 2, After: 5},
		{Literal: "assert ", Place: Word, Reason: Crash, Score: 42, Before: 1, After: 3},
		{Literal: "** (", Place: First, Reason: Crash, Score: 84, Before: 2, After: 7}, // Elixir
		{Literal: "goroutine ", Place: First, Reason: Crash, Score: 60, After: 16, only: saysRunning},
		{Literal: "crashed", Place: Word, Reason: Crash, Score: 72, Before: 2, After: 3, unless: zeroCount},
		{Literal: "crash", Place: Word, Reason: Crash, Score: 60, Before: 1, After: 2, unless: zeroCount},
		{Literal: "leaked", Place: Word, Reason: Crash, Score: 62, Before: 1, After: 2, unless: zeroCount},
		{Literal: "leak", Place: Word, Reason: Crash, Score: 58, Before: 1, After: 2, unless: zeroCount},
		{Literal: "Call Trace:", Reason: Crash, Score: 76, Before: 4, After: 6},
		{Literal: "unhandled", Place: Word, Reason: Error, Score: 70, Before: 1, After: 4},
		{Literal: "uncaught", Place: Word, Reason: Error, Score: 70, Before: 1, After: 4},
	}
}

// failures are tests and checks that failed.
func failures() []Rule {
	return []Rule{
		{Literal: "--- FAIL", Place: First, Reason: Failure, Score: 95, After: 4},
		{Literal: "FAIL", Place: First, Next: " :\t]", Reason: Failure, Score: 92, Before: 1, After: 4, unless: zeroCount},
		{Literal: "FAILED", Place: First, Next: " :[\t](", Reason: Failure, Score: 92, Before: 1, After: 2},
		{Literal: "FAILED", Place: Word, Reason: Failure, Score: 88, Before: 1, After: 2, unless: zeroCount},
		{Literal: "FAIL", Place: Word, Reason: Failure, Score: 64, Before: 1, After: 1, unless: zeroCount},
		{Literal: "ERROR:", Place: First, Reason: Failure, Score: 92, After: 6, only: inParenthesis, unless: zeroCount},
		{Literal: "_____ ", Reason: Failure, Score: 92, After: 6, only: underlined},
		{Literal: "TEST-UNEXPECTED", Reason: Failure, Score: 92},                        // the harnesses of Mozilla
		{Literal: "<<< FAIL", Reason: Failure, Score: 91, After: 3},                     // Surefire
		{Literal: "<<< ERROR", Reason: Failure, Score: 91, After: 3},                    // Surefire
		{Literal: "Failed tests:", Reason: Failure, Score: 92, After: 20, List: true},   // Surefire to 2.12, sbt
		{Literal: "Tests in error:", Reason: Failure, Score: 92, After: 20, List: true}, // Surefire to 2.12, sbt
		{Literal: "short test summary", Reason: Summary, Score: 88, After: 20, List: true},
		{Literal: "not ok ", Place: First, Reason: Failure, Score: 90, After: 8},
		{Literal: "● ", Place: First, Reason: Failure, Score: 90, After: 8},
		{Literal: "Dubious, ", Reason: Failure, Score: 88, After: 2}, // prove
		{Literal: "There was ", Place: First, Reason: Failure, Score: 88, After: 3, only: saysFail},
		{Literal: "There were ", Place: First, Reason: Failure, Score: 88, After: 3, only: saysFail},
		{Literal: "✕ ", Place: First, Reason: Failure, Score: 86, After: 2},
		{Literal: "✗ ", Place: First, Reason: Failure, Score: 84, After: 2},
		{Literal: "✖ ", Place: First, Reason: Failure, Score: 84, After: 3},
		{Literal: "✘ ", Place: First, Reason: Failure, Score: 82, After: 2},
		{Literal: "× ", Place: First, Reason: Failure, Score: 82, After: 2},
		{Literal: "❌", Reason: Failure, Score: 84, After: 3},
		{Literal: "failed:", Place: Word, Reason: Failure, Score: 78, Before: 1, After: 4, unless: zeroCount},
		{Literal: "failing", Place: Word, Reason: Failure, Score: 72, Before: 1, After: 6, unless: noneBefore},
		{Literal: "failed", Place: Word, Reason: Failure, Score: 70, Before: 1, After: 2, unless: zeroCount},
		{Literal: "failures", Place: Word, Reason: Failure, Score: 70, Before: 1, After: 5, unless: zeroCount},
		{Literal: "failure", Place: Word, Reason: Failure, Score: 66, Before: 1, After: 4, unless: noneBefore},
		{Literal: "expected:", Place: Word, Reason: Failure, Score: 62, Before: 3, After: 4},
		{Literal: "expected ", Place: Word, Reason: Failure, Score: 58, Before: 3, After: 4},
	}
}

// numberedFailures are the titles that runners number: "  1) parses an empty file".
func numberedFailures() (list []Rule) {
	for n := 1; n <= 9; n++ {
		list = append(list, Rule{Literal: fmt.Sprintf("  %d) ", n), Reason: Failure, Score: 78, After: 7, only: atIndent})
	}
	return list
}

// counters are the counters and verdicts of runners. The last ones count.
func counters() []Rule {
	return []Rule{
		{Literal: "tests completed", Reason: Summary, Score: 88},
		{Literal: "Tests: ", Place: First, Reason: Summary, Score: 88, Before: 1, After: 2},
		{Literal: "tests in ", Reason: Summary, Score: 84, Before: 1, After: 3, only: digitAfter},
		{Literal: "Test Suites:", Place: First, Reason: Summary, Score: 84},
		{Literal: "test result:", Place: First, Reason: Summary, Score: 80},
		{Literal: "error generated", Reason: Summary, Score: 80, Before: 4},
		{Literal: "errors generated", Reason: Summary, Score: 74},
		{Literal: "problems (", Reason: Summary, Score: 76, Before: 6}, // ESLint
		{Literal: "BUILD SUCCESS", Place: Word, Reason: Summary, Score: 72},
		{Literal: " passing", Reason: Summary, Score: 66, After: 2, only: digitBefore},
		{Literal: "Tests run:", Reason: Summary, Score: 64},
		{Literal: " passed", Reason: Summary, Score: 62, only: digitBefore},
		{Literal: " examples, ", Reason: Summary, Score: 80, only: digitBefore},
		{Literal: "Total ", Place: First, Reason: Summary, Score: 30},
	}
}

// messages are errors in words.
func messages() []Rule {
	return []Rule{
		{Literal: "error", Place: First, Next: ": [(", Reason: Error, Score: 86, Before: 4, After: 6, unless: zeroCount},
		{Literal: "Error:", Reason: Error, Score: 84, Before: 4, After: 10, unless: isFrame},
		{Literal: "fatal", Place: Word, Reason: Error, Score: 84, Before: 3, After: 3},
		{Literal: "[ERROR]", Reason: Error, Score: 76, Before: 1, After: 1},
		{Literal: "critical", Place: Word, Reason: Error, Score: 64, Before: 1, After: 2},
		{Literal: "error", Place: Word, Reason: Error, Score: 60, Before: 2, After: 3, unless: zeroCount},
		{Literal: "errors", Place: Word, Reason: Error, Score: 56, Before: 2, After: 3, unless: zeroCount},
		{Literal: "no space left", Reason: Error, Score: 84, Before: 1, After: 1},
		{Literal: "out of memory", Reason: Error, Score: 82, Before: 3},
		{Literal: "not authorized", Reason: Error, Score: 80},
		{Literal: "unauthorized", Reason: Error, Score: 74},
		{Literal: "permission denied", Reason: Error, Score: 78, Before: 2, After: 1},
		{Literal: "forbidden", Place: Word, Reason: Error, Score: 66},
		{Literal: "denied", Place: Word, Reason: Error, Score: 58, Before: 1, After: 1},
		{Literal: "rate limit", Reason: Error, Score: 76, Before: 1},
		{Literal: "no such ", Place: Word, Reason: Error, Score: 74, Before: 2, After: 2},
		{Literal: " found", Reason: Error, Score: 72, Before: 1, After: 3, only: beginsWithNo},
		{Literal: "does not exist", Reason: Error, Score: 68, Before: 1, After: 1},
		{Literal: "doesn't exist", Reason: Error, Score: 66, Before: 1, After: 1},
		{Literal: "not found", Place: Word, Reason: Error, Score: 66, Before: 2, After: 2},
		{Literal: "unable to ", Place: Word, Reason: Error, Score: 66, Before: 1, After: 2},
		{Literal: "could not ", Place: Word, Reason: Error, Score: 62, Before: 1, After: 2},
		{Literal: "cannot ", Place: Word, Reason: Error, Score: 60, Before: 1, After: 2},
		{Literal: "couldn't ", Place: Word, Reason: Error, Score: 62, Before: 1, After: 2},
		{Literal: "nothing provides", Reason: Error, Score: 78, Before: 2, After: 1},
		{Literal: "can't ", Place: Word, Reason: Error, Score: 52, Before: 1, After: 2},
		{Literal: "timed out", Place: Word, Reason: Error, Score: 68, Before: 2, After: 1},
		{Literal: "timeout", Place: Word, Reason: Error, Score: 34},
		{Literal: "connection reset", Reason: Error, Score: 66, Before: 1, After: 1},
		{Literal: "broken pipe", Reason: Error, Score: 62, Before: 1, After: 1},
		{Literal: "temporary failure", Reason: Error, Score: 70, Before: 1, After: 1},
		{Literal: "refused", Place: Word, Reason: Error, Score: 62, Before: 1, After: 2},
		{Literal: "refusing", Place: Word, Reason: Error, Score: 66, Before: 1, After: 1}, // git
		{Literal: "rejected", Place: Word, Reason: Error, Score: 62, Before: 1, After: 2},
		{Literal: "unreachable", Place: Word, Reason: Error, Score: 62},
		{Literal: "giving up", Place: Word, Reason: Error, Score: 70, Before: 2, After: 1},
		{Literal: "gave up", Place: Word, Reason: Error, Score: 70, Before: 2, After: 1},
		{Literal: "aborting", Place: Word, Reason: Error, Score: 66, Before: 3, After: 1},
		{Literal: "aborted", Place: Word, Reason: Error, Score: 66, Before: 3, After: 1},
		{Literal: "abort", Place: Word, Reason: Error, Score: 62, Before: 3, After: 1},
		{Literal: "conflict", Place: Word, Reason: Error, Score: 60, Before: 1, After: 3},
		{Literal: "mismatch", Reason: Error, Score: 62, Before: 1, After: 3},
		{Literal: "does not match", Reason: Error, Score: 62, Before: 1, After: 2},
		{Literal: "did not match", Reason: Error, Score: 58, Before: 1, After: 2},
		{Literal: "unexpected", Place: Word, Reason: Error, Score: 60, Before: 2, After: 2},
		{Literal: "unsupported", Place: Word, Reason: Error, Score: 56, Before: 1},
		{Literal: "corrupt", Place: Word, Reason: Error, Score: 62, Before: 1},
		{Literal: "exceeded", Place: Word, Reason: Error, Score: 56, Before: 1},
		{Literal: "invalid", Place: Word, Reason: Error, Score: 58, Before: 1, After: 2},
		{Literal: "illegal", Place: Word, Reason: Error, Score: 58, Before: 1, After: 2},
		{Literal: "missing", Place: Word, Reason: Error, Score: 54, Before: 1, After: 1},
		{Literal: "is not ", Place: Word, Reason: Error, Score: 32},
	}
}

// statuses are those of HTTP that say that a request failed: in the first line of an answer, behind a quoted request, or
// before an address.
func statuses() []Rule {
	rules := []Rule{
		{Literal: "HTTP/1.", Reason: Error, Score: 56, Before: 1, After: 1, only: failedStatus},
		{Literal: "HTTP/2", Reason: Error, Score: 56, Before: 1, After: 1, only: failedStatus},
	}
	for _, status := range []string{"401", "403", "404", "429", "500", "502", "503", "504", "522"} {
		rules = append(rules, Rule{Literal: " " + status + " ", Reason: Error, Score: 64, Before: 1, After: 2, only: beforeAddress})
	}
	return rules
}

// diagnostics are what compilers and linters say.
func diagnostics() []Rule {
	return []Rule{
		{Literal: "required from here", Reason: Diagnostic, Score: 82, After: 1, List: true}, // GCC: the line of the user's that made a template
		{Literal: "requested here", Reason: Diagnostic, Score: 82, After: 1},                 // Clang, likewise
		{Literal: "error: ", Place: Word, Reason: Diagnostic, Score: 86, Before: 3, After: 4, unless: zeroCount},
		{Literal: "error", Place: Word, Next: " ", Reason: Diagnostic, Score: 84, Before: 2, After: 1, only: behindPosition},
		{Literal: "✖ ", Reason: Diagnostic, Score: 84, Before: 2, only: behindPosition}, // Stylelint
		{Literal: "undefined reference", Reason: Diagnostic, Score: 84, Before: 1, After: 1},
		{Literal: "syntax error", Reason: Diagnostic, Score: 84, Before: 2, After: 3},
		{Literal: "unresolved", Place: Word, Reason: Error, Score: 64, Before: 1, After: 1},
		{Literal: "undefined", Place: Word, Reason: Error, Score: 66, Before: 2, After: 2},
		{Literal: "undeclared", Place: Word, Reason: Diagnostic, Score: 66, Before: 1, After: 2},
		{Literal: "redefin", Reason: Diagnostic, Score: 62, Before: 1, After: 2},
		{Literal: "is unused", Reason: Diagnostic, Score: 66},
		{Literal: "never used", Reason: Diagnostic, Score: 62},
		{Literal: "(severity", Reason: Diagnostic, Score: 62}, // Perl::Critic
	}
}

// places are how lines begin that say what is wrong at a place in a source file, without a word such as error: linters
// mark it with a colon, as gcc does, or with a parenthesis, as msbuild does.
func places() []Rule {
	var rules []Rule
	for _, ending := range []string{
		".cc:", ".cpp:", ".cs:", ".css:", ".go:", ".hpp:", ".hs:", ".java:", ".js:", ".jsx:", ".kt:", ".md:", ".mjs:", ".php:", ".py:",
		".rb:", ".rs:", ".scala:", ".sh:", ".sv:", ".swift:", ".tf:", ".ts:", ".tsx:", ".vue:", ".yaml:", ".yml:",
		".cpp(", ".cs(", ".fs(", ".sv(", ".ts(", ".tsx(", ".vb(", ".vhd(",
	} {
		rules = append(rules, Rule{Literal: ending, Reason: Diagnostic, Score: 46, only: positioned})
	}
	// Go's compiler says so of every error, and has no warnings; t.Log indents.
	rules = append(rules, Rule{Literal: ".go:", Reason: Diagnostic, Score: 60, only: positionedFirst})
	for digit := range 9 { // ".v(" is too short to be looked for
		rules = append(rules, Rule{Literal: fmt.Sprint(".v(", digit+1), Reason: Diagnostic, Score: 46, only: positioned})
	}
	return rules
}

// warnings are what may become errors.
func warnings() []Rule {
	return []Rule{
		{Literal: "warning", Place: Word, Next: " ", Reason: Warning, Score: 56, Before: 1, only: behindPosition},
		{Literal: "warning: ", Place: Word, Reason: Warning, Score: 48, After: 2},
		{Literal: "overfull ", Place: First, Reason: Warning, Score: 44}, // TeX
		{Literal: "warning", Place: Word, Reason: Warning, Score: 40, After: 1, unless: zeroCount},
		{Literal: "[WARNING]", Reason: Warning, Score: 40},
		{Literal: "WARN", Place: Word, Reason: Warning, Score: 52, After: 1, unless: zeroCount},
		{Literal: "level=warn", Reason: Warning, Score: 52},
		{Literal: "deprecated", Place: Word, Reason: Warning, Score: 26},
	}
}

// values are the members of reports in JSON that say what is wrong.
func values() []Rule {
	return []Rule{
		{Literal: `"error":`, Place: First, Reason: Diagnostic, Score: 70},
		{Literal: `"message":`, Place: First, Reason: Diagnostic, Score: 66},
		{Literal: `"title":`, Place: First, Reason: Diagnostic, Score: 66},
		{Literal: `"description":`, Place: First, Reason: Diagnostic, Score: 50},
	}
}
