// Command ci runs a job of CI and appends a line to .run/jobs.txt: name, state, seconds, CPU seconds,
// tests, note.
//
//	ci [-all] [-but REGEXP] NAME COMMAND...   run a command; a go test in it runs under gotestsum
//	ci -fuzz COUNT NAME FOLDERS...            run every fuzz target for COUNT inputs (500x) or a time (10m)
//
// A job fails if its command fails, if a go test runs no test and, with -all, if a test is skipped
// for a reason that does not match REGEXP.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const ledger = ".run/jobs.txt"

var (
	position   = regexp.MustCompile(`^\s*\w+\.go:\d+: `)             // of a message of a test
	executions = regexp.MustCompile(`fuzz: elapsed: .*execs: (\d+)`) // the sum, again and again
	target     = regexp.MustCompile(`(?m)^func (Fuzz\w+)\(\w+ \*testing\.F\)`)
)

func main() {
	all := flag.Bool("all", false, "fail if a test is skipped")
	but := flag.String("but", "^$", "reasons for which -all permits a skip")
	inputs := flag.String("fuzz", "", "count of inputs or time of each fuzz target")
	flag.Parse()
	if flag.NArg() < 2 {
		fmt.Fprintln(os.Stderr, "ci: want a name and a command")
		os.Exit(2)
	}
	j := job{out: os.Stdout, all: *all, but: regexp.MustCompile(*but)}
	began, name := time.Now(), flag.Arg(0)
	if *inputs != "" {
		j.fuzz(*inputs, flag.Args()[1:])
	} else {
		j.execute(flag.Args()[1:])
	}
	if err := j.enter(name, time.Since(began)); err != nil || len(j.problems) > 0 {
		fmt.Fprintf(os.Stderr, "%s: failed: %s\n", name, strings.Join(j.problems, "\n\t"))
		os.Exit(1)
	}
}

// job is a job and its result.
type job struct {
	out          io.Writer
	all          bool           // a skipped test is a problem
	but          *regexp.Regexp // unless its reason matches
	ran, skipped int            // tests, without subtests
	tests        bool           // ran and skipped count
	problems     []string
}

// execute runs a command. A go test among its words runs under gotestsum, whose events it counts.
func (j *job) execute(words []string) {
	events := ""
	for i, word := range words {
		at := i + 1
		if at+1 < len(words) && words[at] == "-C" {
			at += 2
		}
		if filepath.Base(word) != "go" || at >= len(words) || words[at] != "test" {
			continue
		}
		format := "standard-quiet"
		if slices.Contains(words, "-v") {
			format = "standard-verbose"
		}
		events = filepath.Join(os.TempDir(), fmt.Sprintf("events-%d.json", os.Getpid()))
		words = append([]string{
			cmp.Or(os.Getenv("GOTESTSUM"), "gotestsum"), "--format", format, "--hide-summary=skipped", "--jsonfile", events, "--raw-command", "--",
		}, slices.Insert(slices.Clone(words), at+1, "-json")...)
		break
	}
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, j.out, os.Stderr
	if err := cmd.Run(); err != nil {
		j.problems = append(j.problems, err.Error())
	}
	if events != "" {
		file, err := os.ReadFile(events)
		j.count(file)
		if err = errors.Join(err, os.Remove(events)); err != nil {
			j.problems = append(j.problems, err.Error())
		}
	}
}

// count counts the tests in events of go test -json. A job without a test, and a skip that it does not
// permit, are problems.
func (j *job) count(events []byte) {
	j.tests = true
	reasons, skips := map[string]string{}, map[string]int{}
	for d := json.NewDecoder(bytes.NewReader(events)); ; {
		var e struct{ Action, Package, Test, Output string }
		if err := d.Decode(&e); err == io.EOF {
			break
		} else if err != nil {
			j.problems = append(j.problems, "events of go test: "+err.Error())
			break
		}
		id := e.Package + " " + e.Test
		switch {
		case e.Action == "output" && position.MatchString(e.Output):
			reasons[id] = strings.TrimSpace(position.ReplaceAllString(e.Output, ""))
		case e.Test != "" && e.Action == "skip":
			j.skipped++
			skips[cmp.Or(reasons[id], "no reason")]++
		case e.Test != "" && !strings.Contains(e.Test, "/") && (e.Action == "pass" || e.Action == "fail"):
			j.ran++
		}
	}
	for _, why := range slices.Sorted(maps.Keys(skips)) {
		fmt.Fprintf(j.out, "%4d skipped: %s\n", skips[why], why)
		if j.all && !j.but.MatchString(why) {
			j.problems = append(j.problems, "must not be skipped: "+why)
		}
	}
	if j.ran == 0 {
		j.problems = append(j.problems, "no test ran")
	}
}

// fuzz runs each fuzz target below some folders. A target without an input passes go test, and fails
// here.
func (j *job) fuzz(inputs string, folders []string) {
	j.tests = true
	files, _ := exec.Command("git", append([]string{"ls-files", "--"}, folders...)...).Output() // without files no target runs
	for _, file := range strings.Fields(string(files)) {
		if !strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, _ := os.ReadFile(file) // nil if the file was deleted
		for _, m := range target.FindAllSubmatch(source, -1) {
			pkg, name, n := "./"+filepath.Dir(file), string(m[1]), 0
			text, err := exec.Command("go", "test", "-vet=off", "-run", "^$", "-fuzz", "^"+name+"$", "-fuzztime", inputs,
				"-fuzzminimizetime", "1s", pkg).CombinedOutput()
			for _, m := range executions.FindAllSubmatch(text, -1) {
				n, _ = strconv.Atoi(string(m[1])) // digits
			}
			fmt.Fprintf(j.out, "%s.%s: %d inputs\n", pkg, name, n)
			if err != nil || n == 0 {
				j.problems = append(j.problems, fmt.Sprintf("%s.%s: %d inputs, %v\n%s", pkg, name, n, err, text))
				continue
			}
			j.ran++
		}
	}
	if j.ran == 0 {
		j.problems = append(j.problems, "no fuzz target ran")
	}
}

// enter appends a line to the ledger, and prints it.
func (j *job) enter(name string, took time.Duration) error {
	state, tests := "ok", ""
	if len(j.problems) > 0 {
		state = "FAILED"
	}
	if j.tests {
		tests = fmt.Sprintf("%d ran, %d skipped", j.ran, j.skipped)
	}
	var u syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u)
	cpu := time.Duration(u.Utime.Nano() + u.Stime.Nano())
	fmt.Fprintf(j.out, "%s: %s, %.0f s, %.0f s of CPU %s\n", name, state, took.Seconds(), cpu.Seconds(), tests)
	err = errors.Join(err, os.MkdirAll(filepath.Dir(ledger), 0o755))
	f, openErr := os.OpenFile(ledger, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err = errors.Join(err, openErr); err != nil {
		return err
	}
	_, err = fmt.Fprintf(f, "%s\t%s\t%.0f\t%.0f\t%s\t\n", name, state, took.Seconds(), cpu.Seconds(), tests)
	return errors.Join(err, f.Close())
}
