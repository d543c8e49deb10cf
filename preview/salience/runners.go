package salience

import (
	"bytes"
	"slices"

	"github.com/toolresult/toolresult/preview/frames"
)

// Rules of test runners, checkers and build tools: their last counters, the
// lines that name what failed, the values that an assertion compared, and the
// places in the user's code. Each rule names the program whose documented output
// it is for.

// runners are all rules of this file.
func runners() []Rule {
	return slices.Concat(runnerSummaries(), noTests(), failedTests(), buildEnds(), comparisons(), codePlaces(), checkers(), deployments(), packageManagers())
}

// runnerSummaries are the counters and verdicts of runs.
func runnerSummaries() []Rule {
	return []Rule{
		{Literal: "BUILD FAILURE", Place: Word, Reason: Summary, Score: 86},                                            // Maven
		{Literal: "# fail ", Place: First, Reason: Summary, Score: 84, Before: 2, only: countAfter},                    // node --test, TAP
		{Literal: "ℹ fail ", Place: First, Reason: Summary, Score: 84, Before: 2, only: countAfter},                    // node --test, spec
		{Literal: "# tests ", Place: First, Reason: Summary, Score: 62, After: 4, only: digitAfter},                    // node --test, TAP
		{Literal: "ℹ tests ", Place: First, Reason: Summary, Score: 62, After: 4, only: digitAfter},                    // node --test, spec
		{Literal: " tests successful", Reason: Summary, Score: 66, Before: 1, After: 2, only: digitBefore},             // JUnit console
		{Literal: " tests passed", Reason: Summary, Score: 68, only: digitBefore},                                      // many scripts
		{Literal: "% tests passed", Reason: Summary, Score: 88},                                                        // CTest
		{Literal: "[  PASSED  ] ", Reason: Summary, Score: 62, After: 3},                                               // GoogleTest
		{Literal: " Specs in ", Reason: Summary, Score: 82, After: 1, only: digitBefore},                               // Ginkgo
		{Literal: "Tests Passed: ", Place: First, Reason: Summary, Score: 84, only: digitAfter},                        // Pester
		{Literal: "Total tests: ", Place: First, Reason: Summary, Score: 76, After: 3, only: digitAfter},               // dotnet test
		{Literal: "Executed ", Place: First, Reason: Summary, Score: 84, only: saysFail},                               // Bazel
		{Literal: "Build completed, ", Place: Word, Reason: Summary, Score: 80},                                        // Bazel
		{Literal: " assertions", Reason: Summary, Score: 66, only: digitBefore},                                        // minitest, PHPUnit
		{Literal: "Files=", Place: First, Reason: Summary, Score: 66, After: 1, only: digitAfter},                      // prove
		{Literal: " Error(s)", Reason: Summary, Score: 78, Before: 1, After: 2, only: digitBefore, unless: noneBefore}, // MSBuild
	}
}

// noTests say that nothing was run, which is seldom what was wanted.
func noTests() (list []Rule) {
	for _, literal := range []string{
		"no tests ran",      // pytest, unittest
		"no tests found",    // Jest, Gradle
		"no tests were",     // CTest
		"no tests to run",   // nextest
		"no tests executed", // PHPUnit
		"no test files",     // Vitest, Mocha
		"no examples found", // RSpec
	} {
		list = append(list, Rule{Literal: literal, Place: Word, Reason: Summary, Score: 82, Before: 1, After: 2})
	}
	return list
}

// failedTests name tests that failed.
func failedTests() []Rule {
	return []Rule{
		{Literal: "The following tests FAILED:", Reason: Failure, Score: 92, After: 20, List: true},       // CTest
		{Literal: "Failed Tests (", Place: First, Reason: Failure, Score: 92, After: 20, List: true},      // lit
		{Literal: "Timed Out Tests (", Place: First, Reason: Failure, Score: 92, After: 20, List: true},   // lit
		{Literal: "Failed examples:", Place: First, Reason: Failure, Score: 88, After: 20, List: true},    // RSpec
		{Literal: "***Failed", Reason: Failure, Score: 90},                                                // CTest
		{Literal: "***Timeout", Reason: Failure, Score: 90},                                               // CTest
		{Literal: "***Exception", Reason: Failure, Score: 90},                                             // CTest
		{Literal: "***Not Run", Reason: Failure, Score: 88},                                               // CTest
		{Literal: "TIMEOUT [", Place: First, Reason: Failure, Score: 90},                                  // nextest
		{Literal: "SIGABRT", Place: Word, Reason: Crash, Score: 86, Before: 2, After: 2},                  // nextest, Go
		{Literal: "SIGBUS", Place: Word, Reason: Crash, Score: 86, Before: 2, After: 2},                   // nextest, Go
		{Literal: "(most recent call first)", Reason: Crash, Score: 78, Before: 1, After: 8},              // Python's faulthandler
		{Literal: "[-] ", Reason: Failure, Score: 88, After: 5, only: endsInDuration},                     // Pester
		{Literal: "...Failed", Reason: Failure, Score: 90, After: 8, only: atEnd},                         // pre-commit
		{Literal: "::test", Reason: Failure, Score: 88, After: 4, only: numberedTitle},                    // PHPUnit
		{Literal: "There was ", Place: First, Reason: Failure, Score: 84, After: 3, only: saysErrors},     // PHPUnit
		{Literal: "There were ", Place: First, Reason: Failure, Score: 84, After: 3, only: saysErrors},    // PHPUnit
		{Literal: "ERRORS!", Place: First, Reason: Failure, Score: 70, After: 1},                          // PHPUnit
		{Literal: "Failed example:", Place: First, Reason: Failure, Score: 86, Before: 1, After: 5},       // doctest
		{Literal: "Error at ", Reason: Crash, Score: 72, Before: 1, only: placed},                         // Gradle
		{Literal: "Exception at ", Reason: Crash, Score: 72, Before: 1, only: placed},                     // Gradle
		{Literal: "_test.go:", Reason: Failure, Score: 78, After: 3, only: comparesAt},                    // go test
		{Literal: "Error Trace:", Place: First, Reason: Failure, Score: 74, Before: 1, After: 6},          // testify
		{Literal: "location: '", Place: First, Reason: Failure, Score: 62, After: 3},                      // node --test, TAP
		{Literal: ".py:", Reason: Failure, Score: 74, only: raisesAt},                                     // pytest
		{Literal: "assert ", Reason: Failure, Score: 70, After: 3, only: pytestDetail},                    // pytest
		{Literal: "assert ", Reason: Failure, Score: 62, Before: 1, After: 2, only: pytestSource},         // pytest
		{Literal: "Tests failed", Place: Word, Reason: Failure, Score: 78, Before: 1, After: 2},           // many
		{Literal: "Test Run Failed", Place: Word, Reason: Failure, Score: 80, After: 4},                   // dotnet test
		{Literal: "Failure/Error:", Place: First, Reason: Failure, Score: 84, After: 5},                   // RSpec
		{Literal: "Failed asserting that", Place: First, Reason: Failure, Score: 86, Before: 1, After: 4}, // PHPUnit
	}
}

// buildEnds are the last lines of builds in Java that failed. They say all of it: the tests by name, what they count, the
// module, and the step.
func buildEnds() []Rule {
	return []Rule{
		{Literal: "[ERROR] Failures:", Place: First, Reason: Failure, Score: 93, After: 32, List: true}, // Surefire
		{Literal: "[ERROR] Errors:", Place: First, Reason: Failure, Score: 93, After: 32, List: true},   // Surefire
		{Literal: "[ERROR] Tests run:", Place: First, Reason: Summary, Score: 88},                       // Surefire
		{Literal: " FAILURE [", Reason: Summary, Score: 84, only: inReactor},                            // Maven: a module
		{Literal: "[ERROR] Failed to execute goal", Place: First, Reason: Exit, Score: 93, After: 1},    // Maven
		{Literal: " error", Reason: Summary, Score: 80, only: countAlone},                               // javac
		{Literal: " errors", Reason: Summary, Score: 80, only: countAlone},                              // javac
	}
}

// comparisons are the values that an assertion compared. The one that was
// wanted is "expected", for which others rules are.
func comparisons() []Rule {
	return []Rule{
		{Literal: "Expected equality of", Place: First, Reason: Failure, Score: 66, Before: 1, After: 5},        // GoogleTest
		{Literal: "Which is: ", Place: First, Reason: Failure, Score: 62},                                       // GoogleTest
		{Literal: "with expansion:", Place: First, Reason: Failure, Score: 64, Before: 2, After: 2},             // Catch2
		{Literal: "due to unexpected exception", Place: First, Reason: Failure, Score: 70, Before: 2, After: 2}, // Catch2
		{Literal: "Received: ", Place: First, Reason: Failure, Score: 62, Before: 1},                            // Jest
		{Literal: "- Expected  -", Place: First, Reason: Failure, Score: 66, After: 10},                         // Jest
		{Literal: "Actual: ", Place: First, Reason: Failure, Score: 62, Before: 1},                              // minitest, xUnit, NUnit
		{Literal: "actual  : ", Place: First, Reason: Failure, Score: 62, Before: 1},                            // testify
		{Literal: "actual: ", Place: First, Reason: Failure, Score: 62, Before: 1},                              // TAP
		{Literal: "got: ", Place: Word, Reason: Failure, Score: 62, Before: 1},                                  // RSpec, Test::More
		{Literal: "left: ", Place: First, Reason: Failure, Score: 60, Before: 1, After: 1},                      // Rust, ExUnit
		{Literal: "right: ", Place: First, Reason: Failure, Score: 60, Before: 1},                               // Rust, ExUnit
	}
}

// codePlaces are lines that say nothing but where in the user's code something
// happened. A goroutine has few of them.
func codePlaces() (list []Rule) {
	list = append(list, Rule{Literal: ".go:", Reason: Crash, Score: 80, Before: 1, only: goFrame})
	for _, ending := range []string{
		".go:",                                    // goroutines, Ginkgo
		".php:",                                   // PHPUnit
		".exs:",                                   // ExUnit
		".rb:",                                    // RSpec, minitest
		".js:", ".mjs:", ".ts:", ".tsx:", ".jsx:", // Vitest
	} {
		list = append(list, Rule{Literal: ending, Reason: Crash, Score: 62, Before: 1, only: placeAlone})
	}
	return list
}

// checkers are the verdicts of linters and formatters.
func checkers() []Rule {
	return []Rule{
		{Literal: "Found ", Place: First, Reason: Summary, Score: 82, only: countsFindings},            // mypy, ruff, tsc
		{Literal: "errors, ", Reason: Summary, Score: 78, only: countFirst},                            // pyright, hadolint
		{Literal: " offenses detected", Reason: Summary, Score: 82},                                    // RuboCop
		{Literal: " offense detected", Reason: Summary, Score: 82},                                     // RuboCop
		{Literal: "has been rated at", Reason: Summary, Score: 64},                                     // Pylint
		{Literal: "would be reformatted", Reason: Failure, Score: 74, Before: 1},                       // Black, ruff format
		{Literal: "would reformat", Place: First, Reason: Failure, Score: 70},                          // Black
		{Literal: "Code style issues", Reason: Summary, Score: 76, Before: 2},                          // Prettier
		{Literal: "files were modified by this hook", Reason: Failure, Score: 74, Before: 2, After: 3}, // pre-commit
		{Literal: "hook id: ", Reason: Failure, Score: 64, Before: 1, After: 4},                        // pre-commit
		{Literal: "generated ", Place: Word, Reason: Summary, Score: 62, only: countsFindings},         // cargo, clang
		{Literal: "previous errors", Place: Word, Reason: Summary, Score: 84, Before: 2},               // rustc
		{Literal: "expected string not found in input", Reason: Diagnostic, Score: 88, After: 6},       // FileCheck
	}
}

// deployments are the verdicts of tools that bring about a state of things.
func deployments() []Rule {
	return []Rule{
		{Literal: " to add, ", Place: Anywhere, Reason: Summary, Score: 82, only: digitBefore},            // Terraform
		{Literal: "Apply complete!", Place: Word, Reason: Summary, Score: 78, After: 1},                   // Terraform
		{Literal: "Destroy complete!", Place: Word, Reason: Summary, Score: 78},                           // Terraform
		{Literal: "PLAY RECAP", Place: First, Reason: Summary, Score: 78, After: 8, List: true},           // Ansible
		{Literal: "failed=", Reason: Failure, Score: 88, only: countAfter},                                // Ansible
		{Literal: "unreachable=", Reason: Failure, Score: 88, only: countAfter},                           // Ansible
		{Literal: "Dockerfile:", Place: First, Reason: Diagnostic, Score: 68, After: 6, only: digitAfter}, // BuildKit
		{Literal: " chart(s) failed", Reason: Summary, Score: 80, Before: 3, unless: noneBefore},          // Helm
	}
}

// packageManagers say why packages cannot be installed.
func packageManagers() []Rule {
	return []Rule{
		{Literal: "npm ERR! code ", Place: First, Reason: Exit, Score: 74, After: 1},           // npm to 9
		{Literal: "npm error code ", Place: First, Reason: Exit, Score: 74, After: 1},          // npm from 10
		{Literal: "ERR_PNPM_", Reason: Exit, Score: 86, After: 3},                              // pnpm
		{Literal: "ELIFECYCLE", Place: Word, Reason: Exit, Score: 62, Before: 4},               // npm, pnpm
		{Literal: "No candidates found", Reason: Error, Score: 78},                             // Yarn
		{Literal: "Couldn't find ", Place: Word, Reason: Error, Score: 76, After: 1},           // Yarn
		{Literal: "The conflict is caused by", Reason: Error, Score: 80, After: 8, List: true}, // pip
		{Literal: "unmet dependencies", Reason: Error, Score: 80, After: 8, List: true},        // apt
		{Literal: "to be installed", Place: Word, Reason: Error, Score: 76, only: saysDepends}, // apt
		{Literal: "can be installed", Place: Word, Reason: Error, Score: 78, only: saysNone},   // dnf
	}
}

// The conditions of these rules.
var (
	countAfter     = &condition{"right before a number that is not 0", func(l line, _, end int) bool { return end < len(l.text) && l.text[end] >= '1' && l.text[end] <= '9' }}
	countFirst     = &condition{"right behind a number that is not 0, at the beginning", func(l line, at, _ int) bool { return isCountWord(l.text[min(l.body, at):at]) }}
	countAlone     = &condition{"right behind a number that is not 0, in a line with nothing else", func(l line, at, end int) bool { return l.countAlone(at, end) }}
	countsFindings = &condition{"before a number that is not 0, and what is counted", func(l line, _, end int) bool { return countsFinding(l.text[end:]) }}
	atEnd          = &condition{"at the end of the line", func(l line, _, end int) bool { return len(blanksAndReturns.TrimRight(l.text[end:])) == 0 }}
	endsInDuration = &condition{"behind blanks alone, in a line that ends with a time in ms", func(l line, at, _ int) bool { return l.onlyBlanks(at) && (l.endsWith("ms") || l.endsWith("ms)")) }}
	inReactor      = &condition{"behind the name of a module and dots", func(l line, at, _ int) bool {
		return at > l.body && l.text[at-1] == '.' && contains(l.text[:l.body], "[INFO]")
	}}
	placed        = &condition{"in a line with a place in a file", func(l line, _, _ int) bool { return l.hasPlace() }}
	placeAlone    = &condition{"in a line that is a place in the user's code, and nothing else", func(l line, at, end int) bool { return l.placeAlone(at, end) }}
	goFrame       = &condition{"in a line that is a place in the user's code behind a tab, and nothing else", func(l line, at, end int) bool { return l.text[TimeLength(l.text)] == '\t' && l.placeAlone(at, end) }}
	raisesAt      = &condition{"before a position and the name of an exception alone", func(l line, at, end int) bool { return l.positioned(at, end) && endsAsException(l.text[end:]) }}
	comparesAt    = &condition{"before a position and a text with \"want\", \"got\" or \"expected\"", func(l line, at, end int) bool { return l.positioned(at, end) && compares(l.text[end:]) }}
	numberedTitle = &condition{"in the first word behind a number and a parenthesis", func(l line, at, _ int) bool { return isNumbered(l.text[min(l.body, at):at]) }}
	saysDepends   = &condition{"in a line that says what a package depends on", func(l line, _, _ int) bool { return contains(l.text, "Depends: ") || contains(l.text, "Breaks: ") }}
	saysNone      = &condition{"behind \"none of\" or \"nothing\"", func(l line, at, _ int) bool {
		return contains(l.text[:at], "none of ") || contains(l.text[:at], "nothing ")
	}}
	saysErrors   = &condition{"before the word error", func(l line, _, end int) bool { return contains(l.text[end:], "error") }}
	pytestDetail = &condition{"behind pytest's margin of an explanation, E", func(l line, _, _ int) bool { return l.hasMargin('E') }}
	pytestSource = &condition{"behind pytest's margin of the line that failed, >", func(l line, _, _ int) bool { return l.hasMargin('>') }}
)

// hasMargin reports whether the line begins with a letter and blanks, as lines of
// pytest's explanations do.
func (l line) hasMargin(margin byte) bool {
	text := l.text[TimeLength(l.text):]
	return len(text) > 4 && text[0] == margin && string(text[1:4]) == "   "
}

// isNumbered reports whether a text is a number, a parenthesis and a part of a
// word, as "12) Cart" is.
func isNumbered(text []byte) bool {
	rest := digitSet.TrimLeft(text)
	word, found := bytes.CutPrefix(rest, []byte(") "))
	return found && len(rest) < len(text) && bytes.IndexByte(word, ' ') < 0
}

// countAlone reports whether a count that is not 0 and the word after it are all of the line, but for blanks.
func (l line) countAlone(at, end int) bool {
	return isCountWord(append(l.text[min(l.body, at):at:at], ' ')) && len(blanksAndReturns.TrimRight(l.text[end:])) == 0
}

// isCountWord reports whether a text is a number that is not 0, and a blank.
func isCountWord(text []byte) bool {
	digits, found := bytes.CutSuffix(text, []byte{' '})
	return found && len(digitSet.Trim(digits)) == 0 && len(bytes.Trim(digits, "0")) > 0
}

// findings are what checkers count.
var findings = [...]string{"error", "problem", "issue", "warning", "violation", "fixable"}

// countsFinding reports whether a text begins as "3 errors in 2 files" does.
func countsFinding(text []byte) bool {
	rest := digitSet.TrimLeft(text)
	if len(bytes.Trim(text[:len(text)-len(rest)], "0")) == 0 || len(rest) == 0 || rest[0] != ' ' {
		return false
	}
	for _, word := range findings {
		if bytes.HasPrefix(rest[1:], []byte(word)) {
			return true
		}
	}
	return false
}

// compares reports whether a message of a test says what it wanted: "got 3, want
// 4", "expected nil".
func compares(text []byte) bool {
	for _, word := range [...]string{"want", "expect", "got ", "got:", "should ", " != ", "unexpected", "mismatch"} {
		if contains(text, word) {
			return true
		}
	}
	return false
}

// endsAsException reports whether a text ends with the name of an exception, and
// has but a position before it: "12: ValueError".
func endsAsException(text []byte) bool {
	name := bytes.TrimSpace(text)
	name = name[bytes.LastIndexByte(name, ' ')+1:]
	return len(timesAndBlanks.Trim(bytes.TrimSuffix(bytes.TrimSpace(text), name))) == 0 &&
		(bytes.HasSuffix(name, []byte("Error")) || bytes.HasSuffix(name, []byte("Exception")) || string(name) == "Failed")
}

// leads are what may come before a place that a line consists of: signs of
// Vitest, comments of RSpec.
var leads = [...]string{"❯ ", "# "}

// placeAlone reports whether the line is a path that ends at an offset and a
// position, with at most what a frame has around them, and no library's.
func (l line) placeAlone(at, end int) bool {
	body := l.text[l.body:]
	if frames.Library(body) {
		return false
	}
	before := l.text[l.body:at]
	for _, lead := range leads {
		before = bytes.TrimPrefix(before, []byte(lead))
	}
	rest := timeSigns.TrimLeft(l.text[end:])
	if len(before) == 0 || bytes.IndexByte(before, ' ') >= 0 || len(rest) == len(l.text[end:]) {
		return false
	}
	rest = blanksAndReturns.TrimRight(rest)
	return len(rest) == 0 || bytes.HasPrefix(rest, []byte(" +0x")) || bytes.HasPrefix(rest, []byte("in `")) || bytes.HasPrefix(rest, []byte("in '"))
}
