// Command performance measures what users get: the built sidecar, in a process of its own, beside floors that do what
// nothing can do without. It writes the tables of docs/reference/performance.md and of calls.md.
//
//	performance                measure, and print the tables
//	performance -write         and write the results and the document; some seven minutes
//	performance -quick         the same in two minutes, too short for the document
//	performance -only log,disk  some parts alone: calls, log, disk, bulk
//	performance -render        write the document again from the results, without measuring
//	performance -profile FILE  write a CPU profile of the sidecar under these calls, for a profile-guided build
//
// It is a command and no test, because it starts itself as the floors, has no time limit, and cannot fail because a machine
// is busy. All sides of a comparison are measured in the same rounds, in shuffled order, by the same stock gRPC client. A
// ratio is the median of the ratios of rounds. The results have every number of every round, and TestDocument fails when the
// document says another one.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/toolresult/toolresult/artifactstore/dir"
	"github.com/toolresult/toolresult/integration/sidecartest"
)

// Paths in the repository.
const (
	documentPath = "docs/reference/performance.md"
	callsPath    = "integration/performance/calls.md"
	resultsPath  = "integration/performance/results.json"
)

func main() {
	var err error
	if len(os.Args) > 1 && os.Args[1] == floorCommand {
		err = runFloor(os.Args[2:])
	} else {
		err = run()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "performance:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	write, quick, render bool
	only, base           string
	profile, payload     string
}

func run() (err error) {
	var o options
	flag.BoolVar(&o.write, "write", false, "write the results and the tables of "+documentPath)
	flag.BoolVar(&o.quick, "quick", false, "measure for two minutes; for developers")
	flag.BoolVar(&o.render, "render", false, "write the tables again from the results, without measuring")
	flag.StringVar(&o.only, "only", "", "parts to measure: calls, log, disk, bulk, with commas between them; empty: all")
	flag.StringVar(&o.base, "dir", os.TempDir(), "directory on the disk that is measured")
	flag.StringVar(&o.profile, "profile", "", "write a CPU profile of the sidecar to this file, and measure nothing")
	flag.StringVar(&o.payload, "payload", "", "profile calls with this payload alone, such as \"4 KB whole\", or \"bulk\"")
	flag.Parse()
	if o.render {
		return renderAgain()
	}
	if o.write && (o.quick || o.only != "") {
		return errors.New("-write needs a whole run: neither -quick nor -only")
	}
	b, err := newBench(o.base, o.profile != "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.stopAll(), os.RemoveAll(b.dir)) }()
	go b.endBySignal()
	if o.profile != "" {
		return b.profile(o.profile, o.payload)
	}
	r, err := b.measure(o)
	if err != nil {
		fmt.Print(r.text()) // what was measured until then
		return err
	}
	if o.write {
		return writeDocument(r)
	}
	fmt.Print(r.text())
	return nil
}

// bench is one run.
type bench struct {
	dir       string // for everything that is written
	self      string // path of this program, for floors
	binary    string // path of the sidecar
	env       []string
	logs      *logs
	rounds    int
	burstTime time.Duration
	servers   []*server // that run
}

// logsBytes is the size of the generated logs: many times what the caches of a processor have.
const logsBytes = 48 << 20

// newBench builds the sidecar; with hooks for a profile if it is profiled.
func newBench(base string, profiled bool) (*bench, error) {
	on, err := dir.DetectFileSystem(base)
	if err != nil {
		return nil, err
	}
	if on.Volatile {
		return nil, fmt.Errorf("%s is on %s, which is no disk: name another directory with -dir", base, on.Kind)
	}
	b := &bench{logs: newLogs(logsBytes, 1)}
	if b.self, err = os.Executable(); err != nil {
		return nil, err
	}
	if b.dir, err = os.MkdirTemp(base, "perf"); err != nil {
		return nil, err
	}
	if profiled {
		b.binary, err = buildProfiled(b.dir)
	} else {
		b.binary, err = sidecartest.Build(b.dir)
	}
	return b, err
}

// measure measures the parts.
func (b *bench) measure(o options) (r Results, err error) {
	bulkBytes, mixedBytes, bulkRounds, diskCalls := int64(1<<30), int64(256<<20), 5, 12_000
	b.rounds, b.burstTime = 7, 300*time.Millisecond
	if o.quick {
		bulkBytes, mixedBytes, bulkRounds, diskCalls = 128<<20, 32<<20, 3, 4_000
		b.rounds, b.burstTime = 3, 100*time.Millisecond
	}
	begin := b.beginRun(&r.Run, o.quick)
	parts := []struct {
		name    string
		measure func() error
	}{
		{"calls", func() error { r.Calls, err = b.measureCalls(); return err }},
		{"log", func() error { r.Log, err = b.measureLog(); return err }},
		{"disk", func() error { r.Disk, err = b.measureDisk(diskCalls); return err }},
		{"bulk", func() error {
			quiet, err := b.measureBulk(quietLog, quietText(), bulkBytes, bulkRounds)
			if err != nil {
				return err
			}
			mixed, err := b.measureBulk(mixedLogs, b.logs.text, mixedBytes, bulkRounds)
			r.Bulk = []Bulk{quiet, mixed}
			return err
		}},
	}
	for _, p := range parts {
		if o.only != "" && !strings.Contains(","+o.only+",", ","+p.name+",") {
			continue
		}
		if err := p.measure(); err != nil {
			return r, fmt.Errorf("%s: %w", p.name, err)
		}
	}
	begin.end(&r.Run)
	return r, nil
}

// endBySignal removes what was written when a signal ends the run, and ends the servers.
func (b *bench) endBySignal() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGINT, syscall.SIGTERM)
	<-ended
	for _, s := range b.servers {
		_ = syscall.Kill(s.pid, syscall.SIGKILL) // it may have ended
	}
	_ = os.RemoveAll(b.dir) // is all that can be done
	os.Exit(1)
}

// say prints a line of progress.
func (b *bench) say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// renderAgain writes the documents from the results.
func renderAgain() error {
	r, err := readResults(resultsPath)
	if err != nil {
		return err
	}
	for path, blocks := range r.documents() {
		if err := rewriteDocument(path, blocks); err != nil {
			return err
		}
	}
	return nil
}

// writeDocument writes the results, and the documents from what they say: they have fewer digits than what was measured.
func writeDocument(r Results) error {
	if err := writeResults(resultsPath, r); err != nil {
		return err
	}
	fmt.Println(resultsPath+",", documentPath, "and", callsPath, "were written; review the diff")
	return renderAgain()
}
