package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// options are the flags.
type options struct {
	document string
	on       string
	only     string
	parts    string
	rounds   int
	long     time.Duration
}

// has reports whether a part is measured.
func (o options) has(part string) bool { return slices.Contains(strings.Split(o.parts, ","), part) }

func main() {
	if len(os.Args) > 4 && os.Args[1] == "child" {
		fail(runChild(os.Args[2:]))
		return
	}
	var o options
	flag.StringVar(&o.document, "document", "", "the document in which the tables are written; empty: standard output")
	flag.StringVar(&o.on, "on", ".", "a directory of the disk that is measured")
	flag.StringVar(&o.only, "only", "", "names of candidates, with commas; empty: all")
	flag.StringVar(&o.parts, "parts", "speed,kept,harm", "what is measured, with commas")
	flag.IntVar(&o.rounds, "rounds", 5, "number of rounds")
	flag.DurationVar(&o.long, "long", 1500*time.Millisecond, "how long one measurement takes")
	flag.Parse()
	fail(run(o))
}

// fail ends the process if there is an error.
func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run measures all candidates and writes the tables.
func run(o options) error {
	dir, err := os.MkdirTemp(o.on, "journals-*.tmp")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	chosen := libraries
	if o.only != "" {
		chosen = nil
		for name := range strings.SplitSeq(o.only, ",") {
			c, err := find(name)
			if err != nil {
				return err
			}
			chosen = append(chosen, c)
		}
	}
	r := results{began: time.Now(), commit: commitNow(), load: loadAverage(), rounds: o.rounds, long: o.long, speed: map[string]map[load][]measured{}, kept: map[string]kept{}, torn: map[string]torn{}, damage: map[string]damage{}, chosen: chosen}
	for round := range o.rounds {
		if !o.has("speed") {
			break
		}
		if err := r.round(append(floors, chosen...), filepath.Join(dir, "log"), o.long); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "round %d of %d, %s\n", round+1, o.rounds, time.Since(r.began).Round(time.Second))
	}
	for _, c := range chosen {
		if c.name == "batch" {
			continue // its files are those of the other one
		}
		if err := r.harm(o, c, filepath.Join(dir, "log")); err != nil {
			return err
		}
	}
	return r.write(o)
}

// round measures each candidate once with each load, in a random order of the loads and of the candidates within.
func (r *results) round(list []candidate, dir string, long time.Duration) error {
	all := loads()
	rand.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	for _, w := range all {
		rand.Shuffle(len(list), func(i, k int) { list[i], list[k] = list[k], list[i] })
		for _, c := range list {
			if err := empty(dir); err != nil {
				return err
			}
			var m measured
			if err := do(&m, "measure", c, dir, w.Size, w.Callers, int(long.Milliseconds())); err != nil {
				return err
			}
			if r.speed[c.name] == nil {
				r.speed[c.name] = map[load][]measured{}
			}
			r.speed[c.name][w] = append(r.speed[c.name][w], m)
		}
	}
	return nil
}

// harm looks at what a candidate keeps.
func (r *results) harm(o options, c candidate, dir string) (err error) {
	for _, f := range []struct {
		part string
		do   func() error
	}{
		{"kept", func() error { r.kept[c.name], err = keep(c, dir); return err }},
		{"harm", func() error { r.torn[c.name], err = tearTails(c, dir); return err }},
		{"harm", func() error { r.damage[c.name], err = damagePages(c, dir); return err }},
	} {
		if !o.has(f.part) {
			continue
		}
		if err := empty(dir); err != nil {
			return err
		}
		if err := f.do(); err != nil {
			return err
		}
	}
	fmt.Fprintf(os.Stderr, "%s, %s\n", c.name, time.Since(r.began).Round(time.Second))
	return nil
}
