// Package salience says which lines of tool output decide what a reader does next: errors, tests that failed, the text of
// panics and assertions, diagnostics of compilers, the last counters. It looks at one line at a time, and says how much it
// matters, why, and how many of the lines around it belong to it.
//
// What it knows is one table of rules, which integration/testdata/rules.md shows. A rule begins with a literal, so that a search for
// all literals at once (package literal) can pass over the lines that hold none of them, which are nearly all. Then come
// the place in the line, what must be around it, and what must not: a counter of zero, a name with the word in it, a
// test that passed. No regular expression is used: the standard library's are over 500 times slower.
//
// The result depends on the line alone, and is the same on every platform.
package salience

// Reason is why a line matters.
type Reason uint8

// The reasons that a line has by itself.
const (
	None       Reason = iota
	Error             // a message that something went wrong
	Failure           // a test or a check that failed, by name
	Crash             // text of a panic, an exception, an assertion
	Diagnostic        // of a compiler or linter, with its place
	Warning           // what may become an error
	Summary           // counters and verdicts
	Exit              // how a step or a program ended
)

// String names the reason as integration/testdata/rules.md does.
func (r Reason) String() string {
	return [...]string{"", "error", "failure", "crash", "diagnostic", "warning", "summary", "exit"}[r]
}

// Mark is the verdict on one line. The zero Mark says nothing.
type Mark struct {
	Reason Reason
	Score  uint8 // 0 to 100; 0 when nothing is said
	Before uint8 // lines before it that belong to it
	After  uint8 // lines after it that do
	List   bool  // those after it matter as much as it does, up to an empty one
}

// Scores that others go by.
const (
	// MustKeep is the least score of a line that comes before all that are kept for their place alone.
	MustKeep = 60
	// Named is the least score of a failure that has a name of its own.
	Named = 86
	// highest is that of a line that is no verdict of a test by name.
	highest = 90
)
