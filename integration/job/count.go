package main

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

// module is left out where packages are named.
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
	held     map[[2]string][]string // output of a test that runs, by package and name
	packages map[string]*counted
	skips    map[string]int // by reason
	failed   bool
}

// counted is what happened to the tests of a package.
type counted struct {
	ran, skipped int
	noTests      bool // it has no test files
}

func newCounter(out io.Writer, verbose bool) *counter {
	return &counter{out: out, verbose: verbose, held: map[[2]string][]string{}, packages: map[string]*counted{}, skips: map[string]int{}}
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
	case "output":
		if c.verbose {
			fmt.Fprint(c.out, e.Output)
		}
		c.held[key] = append(c.held[key], e.Output)
	case "pass", "fail", "skip":
		c.end(e, c.held[key])
		delete(c.held, key)
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
	}
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

func state(action string) string {
	if action == "fail" {
		return "FAIL"
	}
	return "ok"
}

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
	if c.failed {
		r.problems = append(r.problems, "tests failed")
	}
	return r
}
