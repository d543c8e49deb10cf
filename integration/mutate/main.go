// Command mutate changes the code of packages in random places, one at a time, and runs the package's own tests: a
// change that they do not notice is code that no test needs.
//
//	mutate [flags] PACKAGES
//
// The places are found in the syntax: conditions, returned errors, calls whose error is checked, bounds. Which of them
// are tried follows from the seed and from their text, not from their lines, so that a run can be repeated after
// unrelated edits. The source is not touched: the go command builds with an overlay.
//
// Changes that no test can notice, because the program does the same, are named in equivalents.txt with the reason.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

func main() {
	err := run(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// options are those of a run.
type options struct {
	seeds       int           // mutants of a package, at most
	seed        uint64        // which of them
	workers     int           // tests at the same time
	least       float64       // percentage of mutants that must be killed
	timeout     time.Duration // of the tests of one mutant, at the least
	equivalents string        // file of changes that change nothing
	verbose     bool          // print killed mutants too
}

// run is the command.
func run(args []string, out io.Writer) error {
	var o options
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	flags.IntVar(&o.seeds, "seeds", 60, "mutants of each package, at most")
	flags.Uint64Var(&o.seed, "seed", 1, "another number tries other mutants")
	flags.IntVar(&o.workers, "workers", 2, "mutants that are tested at the same time")
	flags.Float64Var(&o.least, "least", 90, "percentage of mutants of each package that must be killed")
	flags.DurationVar(&o.timeout, "timeout", time.Minute, "time limit of the tests of one mutant; more if they are slow without it")
	flags.StringVar(&o.equivalents, "equivalents", "integration/mutate/equivalents.txt", "file with changes that change nothing")
	flags.BoolVar(&o.verbose, "v", false, "print the mutants that were killed")
	if err := flags.Parse(args); err != nil {
		return err
	}
	known, err := readEquivalents(o.equivalents)
	if err != nil {
		return err
	}
	packages, err := list(flags.Args())
	if err != nil {
		return err
	}
	var weak error
	for _, p := range packages {
		tally, err := o.try(out, p, known)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name(), err)
		}
		if share := tally.share(); share < o.least {
			weak = errors.Join(weak, fmt.Errorf("%s: %.0f %% of the mutants are killed, and %.0f %% should be", p.name(), share, o.least))
		}
	}
	return weak
}
