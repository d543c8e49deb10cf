// Command job runs one CI job and says what it did: name, seconds, seconds of CPU, how many tests ran, and what was
// skipped and why. The seconds depend on what else the machine does; those of CPU are what the job costs.
//
//	job [flags] NAME COMMAND...   run a command; a go test among its words is counted
//	job -fuzz COUNT NAME PACKAGES run every fuzz target of some packages, each for COUNT inputs (20000x) or a time (10m)
//	job -table                    print what the jobs of one `make ci` did, and forget it
//
// A job fails when its command does, when a go test ran no test at all and, with -all, when a test was skipped that
// the job is there to run. A job whose -needs is missing has not run: that is a failure too, unless it is -optional.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

// main exits with the code of run.
func main() {
	code, err := run(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "job:", err)
	}
	os.Exit(code)
}

// job is a CI job as the command line describes it.
type job struct {
	name     string
	command  []string
	all      bool           // no test may be skipped
	but      *regexp.Regexp // reasons of skips that -all permits; nil: none
	needs    string         // path that must be there; empty: none
	optional bool           // a job whose needs are missing succeeds
	fuzz     string         // count or time for each fuzz target; empty: no fuzzing
	ledger   string         // file that gets a line for the job; empty: none
	record   string         // document whose line of the job is written anew; empty: none
}

// run is the command. It returns the exit code; an error is a usage that makes no sense.
func run(args []string, out io.Writer) (int, error) {
	var j job
	flags := flag.NewFlagSet("job", flag.ContinueOnError)
	flags.BoolVar(&j.all, "all", false, "fail when a test is skipped")
	but := flags.String("but", "", "reasons (regexp) for which -all permits a skip")
	flags.StringVar(&j.needs, "needs", "", "path without which the job cannot run")
	flags.BoolVar(&j.optional, "optional", false, "succeed, and say so, when the job cannot run")
	flags.StringVar(&j.fuzz, "fuzz", "", "run fuzz targets, each for this count of inputs or time")
	flags.StringVar(&j.ledger, "ledger", ".run/jobs.txt", "file that gets a line for the job")
	flags.StringVar(&j.record, "record", "", "document whose line of the job is written anew")
	table := flags.Bool("table", false, "print the ledger, and remove it")
	if err := flags.Parse(args); err != nil {
		return 2, nil // Parse has said why
	}
	if *table {
		return 0, printTable(out, j.ledger)
	}
	if flags.NArg() < 2 {
		return 2, errors.New("usage: job [flags] NAME COMMAND")
	}
	j.name, j.command = flags.Arg(0), flags.Args()[1:]
	if *but != "" {
		var err error
		if j.but, err = regexp.Compile(*but); err != nil {
			return 2, err
		}
	}
	return j.run(out)
}

// result is what a job did.
type result struct {
	ran, skipped int      // tests of the top level
	tests        bool     // it was a go test, so that ran and skipped count
	problems     []string // why the job failed; empty: it did not
	note         string   // why it did not run
}

// run runs the job, prints what it did and enters that into the ledger. It returns the exit code of the command.
func (j *job) run(out io.Writer) (int, error) {
	began, before := time.Now(), cpu()
	r, state := &result{}, "ok"
	_, missing := os.Stat(j.needs)
	switch {
	case j.needs != "" && missing != nil:
		state, r.note = "NOT RUN", j.needs+" is missing"
		if !j.optional {
			r.problems = []string{r.note}
		}
	case j.fuzz != "":
		r = j.fuzzAll(out)
	default:
		r = j.execute(out)
	}
	code := 0
	if len(r.problems) > 0 {
		code = 1
		if state == "ok" {
			state = "FAILED"
		}
	}
	for _, p := range r.problems {
		fmt.Fprintf(out, "%s: %s\n", j.name, p)
	}
	line := []string{j.name, state, fmt.Sprintf("%.0f s", time.Since(began).Seconds()), fmt.Sprintf("%.0f s of CPU", (cpu() - before).Seconds()), "", "", r.note}
	if r.tests {
		line[4], line[5] = fmt.Sprint(r.ran, " ran"), fmt.Sprint(r.skipped, " skipped")
	}
	// The ledger has a column for each, and a reader of one job only what there is.
	fmt.Fprintln(out, "job", strings.Join(slices.DeleteFunc(slices.Clone(line), func(s string) bool { return s == "" }), ", "))
	err := j.enter(line)
	if j.record != "" {
		err = errors.Join(err, j.writeRecord(began, state, r))
	}
	return code, err
}

// cpu returns the CPU time of all processes that have ended and were waited for, by this one or by its children.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
		return 0 // the job is what matters
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// execute runs the command. The events of a go test among its words are counted.
func (j *job) execute(out io.Writer) *result {
	words, isTest := withEvents(j.command)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdin, cmd.Stderr = os.Stdin, os.Stderr
	if !isTest {
		cmd.Stdout = out
		r := &result{}
		if err := cmd.Run(); err != nil {
			r.problems = []string{err.Error()}
		}
		return r
	}
	events, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return &result{problems: []string{err.Error()}}
	}
	// Events are read to their end before Wait, which closes the pipe.
	c := newCounter(out, slices.Contains(words, "-v"))
	c.read(events)
	r := c.result(j)
	if err := cmd.Wait(); err != nil {
		r.problems = append(r.problems, err.Error())
	}
	return r
}

// withEvents makes the first go test among the words print events. It reports whether there is one.
func withEvents(words []string) ([]string, bool) {
	for i := range words {
		at := i + 1
		if filepath.Base(words[i]) == "go" && at+1 < len(words) && words[at] == "-C" {
			at += 2
		}
		if filepath.Base(words[i]) == "go" && at < len(words) && words[at] == "test" {
			return slices.Insert(slices.Clone(words), at+1, "-json"), true
		}
	}
	return words, false
}

// enter appends a line to the ledger.
func (j *job) enter(line []string) error {
	if j.ledger == "" {
		return nil
	}
	// Jobs of one make run one after the other; appending keeps the lines of those before.
	if err := os.MkdirAll(filepath.Dir(j.ledger), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(j.ledger, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, strings.Join(line, "\t"))
	return errors.Join(err, f.Close())
}

// printTable prints the lines of a ledger as a table, and removes it.
func printTable(out io.Writer, ledger string) error {
	text, err := os.ReadFile(ledger)
	if err != nil {
		return err
	}
	// Short jobs have empty cells, so that the columns are the same for all.
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if _, err := fmt.Fprint(w, string(text)); err != nil {
		return err
	}
	return errors.Join(w.Flush(), os.Remove(ledger))
}
