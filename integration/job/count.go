package main

// This file reads the events of go test -json. It sums up what a job must know and go test does not say: how many tests
// ran, which packages ran none, and why tests were skipped.

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// module is the prefix of packages that is not printed.
const module = "github.com/toolresult/toolresult/"

// event is a line of go test -json (go doc test2json).
type event struct {
	Action, Package, Test, Output string
	ImportPath                    string // of build output
	Elapsed                       float64
}

// counter reads the events of a go test and prints what a reader wants: everything when it is verbose, else a line
// for each package and the output of what failed.
type counter struct {
	out      io.Writer
	verbose  bool
	output   map[[2]string][]string // of a test that has not ended, by package and name
	packages map[string]*counted    // by import path
	skips    map[string]int         // by reason
	ends     []string               // of what tests printed that failed
	names    []string               // of those tests
	failed   bool                   // a test, a package or a build
}

// counted is what happened to the tests of a package.
type counted struct {
	ran, skipped int
	noTests      bool // it has no test files
}

// newCounter returns a counter that prints to out.
func newCounter(out io.Writer, verbose bool) *counter {
	return &counter{out: out, verbose: verbose, output: map[[2]string][]string{}, packages: map[string]*counted{}, skips: map[string]int{}}
}

// read reads events to the end. Lines that are none are printed as they are.
func (c *counter) read(r io.Reader) {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			var e event
			if json.Unmarshal([]byte(line), &e) != nil {
				fmt.Fprint(c.out, line)
			} else {
				c.take(e)
			}
		}
		if err != nil {
			return
		}
	}
}

// take counts one event.
func (c *counter) take(e event) {
	key := [2]string{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(c.out, e.Output)
	case "output": // is printed when the test has failed, and has the reason when it was skipped
		if c.verbose {
			fmt.Fprint(c.out, e.Output)
		}
		c.output[key] = append(c.output[key], e.Output)
	case "pass", "fail", "skip":
		c.end(e, c.output[key])
		delete(c.output, key)
	}
}

// end counts the end of a test or of a package.
func (c *counter) end(e event, output []string) {
	p := c.packages[e.Package]
	if p == nil {
		p = &counted{}
		c.packages[e.Package] = p
	}
	if e.Action == "fail" {
		c.failed = true
		if !c.verbose {
			fmt.Fprint(c.out, strings.Join(output, ""))
		}
		if said := lastLines(output); e.Test != "" && said != "" { // where it says nothing, a subtest did
			name := e.Test + " (" + short(e.Package) + ")"
			c.names, c.ends = append(c.names, name), append(c.ends, name+said)
		}
	}
	// Subtests are no tests of their own: a table of a thousand rows is one test.
	top := e.Test != "" && !strings.Contains(e.Test, "/")
	switch {
	case e.Test == "" && e.Action == "skip":
		p.noTests = true
	case e.Test == "":
		fmt.Fprintf(c.out, "%-4s %-50s %6.1f s %5d ran %4d skipped\n", state(e.Action), short(e.Package), e.Elapsed, p.ran, p.skipped)
	case e.Action == "skip":
		p.skipped++
		c.skips[reason(output)+" ("+short(e.Package)+")"]++
	case top:
		p.ran++
	}
}

// state returns the word that go test prints for an action.
func state(action string) string {
	if action == "fail" {
		return "FAIL"
	}
	return "ok"
}

// mostLastLines is how many of the last lines of a failed test the summary repeats.
const mostLastLines = 12

// lastLines returns the end of what a test printed, each line behind a line end: where only the end of a log is kept, the
// summary is all that is left of it.
func lastLines(output []string) string {
	var said []string
	for _, line := range output {
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "=== ") && !strings.HasPrefix(text, "--- FAIL: ") {
			said = append(said, "\n    "+text)
		}
	}
	return strings.Join(said[max(0, len(said)-mostLastLines):], "")
}

// short returns the path of a package below the module.
func short(pkg string) string { return strings.TrimPrefix(pkg, module) }

// position is where a test said something.
var position = regexp.MustCompile(`^\s*\w+\.go:\d+: `)

// reason returns the message of a skip: the last that the test has logged.
func reason(output []string) string {
	for _, line := range slices.Backward(output) {
		if position.MatchString(line) {
			return strings.TrimSpace(position.ReplaceAllString(line, ""))
		}
	}
	return "no reason"
}

// result adds up the packages, and says what a job must not have done.
func (c *counter) result(j *job) *result {
	r := &result{tests: true}
	var empty []string
	for name, p := range c.packages {
		r.ran, r.skipped = r.ran+p.ran, r.skipped+p.skipped
		if p.ran == 0 && !p.noTests {
			empty = append(empty, short(name))
		}
	}
	if slices.Sort(empty); len(empty) > 0 {
		fmt.Fprintf(c.out, "nothing ran in: %s\n", strings.Join(empty, ", "))
	}
	for _, why := range slices.SortedFunc(maps.Keys(c.skips), func(a, b string) int { return cmp.Or(c.skips[b]-c.skips[a], cmp.Compare(a, b)) }) {
		fmt.Fprintf(c.out, "%4d skipped: %s\n", c.skips[why], why)
		if j.all && (j.but == nil || !j.but.MatchString(why)) {
			r.problems = append(r.problems, "it must skip nothing, and skipped: "+why)
		}
	}
	if r.ran == 0 {
		r.problems = append(r.problems, "no test ran")
	}
	for _, end := range c.ends {
		r.problems = append(r.problems, "failed: "+end)
	}
	if c.failed { // the names again, in the last line: a job inside another one shows its last lines only
		r.problems = append(r.problems, strings.TrimSuffix("tests failed: "+strings.Join(c.names, ", "), ": "))
	}
	return r
}
