package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolresult/toolresult/artifactstore/dir"
)

// started is the state of the machine at the beginning of a run.
type started struct {
	at         time.Time
	busy, own  time.Duration // processor time: of all programs, and of this one with its children that ended
	processors int
}

// beginRun describes the run as far as that is known when it begins.
func (b *bench) beginRun(r *Run, quick bool) started {
	r.Date = time.Now().UTC().Format("2006-01-02 15:04")
	r.Commit, r.Go, r.Processor, r.Cores = commit(), runtime.Version(), processor(), runtime.NumCPU()
	if on, err := dir.DetectFileSystem(b.dir); err == nil {
		r.FileSystem = on.Kind
	}
	r.Quick, r.Rounds, r.Burst = quick, b.rounds, b.burstTime.String()
	r.Load[0] = load()
	return started{time.Now(), busy(), own(), r.Cores}
}

// end adds what is known at the end of a run, when all servers have ended.
func (s started) end(r *Run) {
	took := time.Since(s.at)
	r.Took = took.Round(time.Second).String()
	r.Load[1] = load()
	others := busy() - s.busy - (own() - s.own)
	r.Others = max(0, float64(others)/float64(took)/float64(s.processors))
}

// commit returns the commit of the working tree, with "+" if files differ from it; empty without git.
func commit() string {
	name, err := exec.Command("git", "rev-parse", "--short=10", "HEAD").Output()
	if err != nil {
		return ""
	}
	changed, err := exec.Command("git", "status", "--porcelain", "--", "*.go", "go.mod", "*.pgo").Output()
	if err != nil || len(changed) > 0 {
		return strings.TrimSpace(string(name)) + "+"
	}
	return strings.TrimSpace(string(name))
}

// processor returns the model of the processor; empty: not known.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo") // not known
	_, after, _ := strings.Cut(string(text), "model name")
	line, _, _ := strings.Cut(after, "\n")
	return strings.Trim(line, " \t:")
}

// load returns the load average of the last minute.
func load() float64 {
	text, _ := os.ReadFile("/proc/loadavg") // 0: not known
	v, _ := strconv.ParseFloat(strings.SplitN(string(text)+" ", " ", 2)[0], 64)
	return v
}

// busy returns the processor time that all programs used since the machine started, and that others on the same hardware took.
func busy() (total time.Duration) {
	text, _ := os.ReadFile("/proc/stat") // 0: not known
	line, _, _ := strings.Cut(string(text), "\n")
	for i, field := range strings.Fields(line) {
		const idle, iowait, guest = 4, 5, 9 // guest and guest_nice are in user
		if i == 0 || i == idle || i == iowait || i >= guest {
			continue
		}
		ticks, _ := strconv.ParseInt(field, 10, 64)
		total += time.Duration(ticks) * 10 * time.Millisecond
	}
	return total
}

// own returns the processor time of this process and its children that ended.
func own() (total time.Duration) {
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var u unix.Rusage
		if err := unix.Getrusage(who, &u); err == nil {
			total += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return total
}

// String describes a run in a sentence.
func (r Run) String() string {
	quick := ""
	if r.Quick {
		quick = " A quick run, whose numbers are no more than a hint."
	}
	return fmt.Sprintf("Commit %s, %s UTC, %s, %d cores (%s), %s. %d rounds of %s for each side; the run took %s. Load average %.2f before and %.2f after; other programs used %.0f %% of the processors.%s",
		r.Commit, r.Date, r.Go, r.Cores, r.Processor, r.FileSystem, r.Rounds, r.Burst, r.Took, r.Load[0], r.Load[1], 100*r.Others, quick)
}
