package main

// This file runs fuzz targets. go test fuzzes one target of one package in a run, and calls a package without targets,
// or a target that had no input, a success; here both are failures.

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
)

// executions is what a fuzz target says of itself, again and again.
var executions = regexp.MustCompile(`fuzz: elapsed: .*execs: (\d+)`)

// fuzzAll runs every fuzz target of the packages of a job.
func (j *job) fuzzAll(out io.Writer) *result {
	r := &result{tests: true}
	for _, pattern := range j.command {
		// A package that cannot be listed is a problem, and no reason to skip the others.
		packages, err := lines("go", "list", pattern)
		if err != nil {
			r.problems = append(r.problems, err.Error())
		}
		for _, pkg := range packages {
			targets, err := targetsOf(pkg)
			if err != nil {
				r.problems = append(r.problems, fmt.Sprintf("%s: %v", short(pkg), err))
			}
			for _, target := range targets {
				j.fuzzOne(out, r, pkg, target)
			}
		}
	}
	if r.ran == 0 {
		r.problems = append(r.problems, "no fuzz target ran")
	}
	return r
}

// targetsOf lists the fuzz targets of a package. One that does not build is an error.
func targetsOf(pkg string) (targets []string, err error) {
	all, err := lines("go", "test", "-list", "^Fuzz", pkg)
	for _, line := range all {
		if strings.HasPrefix(line, "Fuzz") {
			targets = append(targets, line)
		}
	}
	return targets, err
}

// fuzzOne runs one target, which must have had inputs.
func (j *job) fuzzOne(out io.Writer, r *result, pkg, target string) {
	cmd := exec.Command("go", "test", "-run", "^$", "-fuzz", "^"+target+"$", "-fuzztime", j.fuzz, "-fuzzminimizetime", "1s", pkg)
	text, err := cmd.CombinedOutput()
	inputs := 0 // the last report has the sum
	for _, m := range executions.FindAllSubmatch(text, -1) {
		inputs, _ = strconv.Atoi(string(m[1]))
	}
	fmt.Fprintf(out, "%s.%s: %d inputs\n", short(pkg), target, inputs)
	switch {
	case err != nil:
		fmt.Fprintf(out, "%s", text)
		r.problems = append(r.problems, fmt.Sprintf("%s.%s: %v", short(pkg), target, err))
	case inputs == 0:
		r.problems = append(r.problems, fmt.Sprintf("%s.%s had no input", short(pkg), target))
	default: // a target counts as a test
		r.ran++
	}
}

// lines returns the lines that a program prints. The error has what it printed before it failed.
func lines(name string, args ...string) ([]string, error) {
	cmd := exec.Command(name, args...)
	var errors bytes.Buffer
	cmd.Env, cmd.Stderr = os.Environ(), &errors
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s%s", name, err, text, &errors)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n"), nil
}
