package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"
)

// results are all that was measured.
type results struct {
	began  time.Time
	commit string
	load   string
	rounds int
	long   time.Duration
	chosen []candidate
	speed  map[string]map[load][]measured
	kept   map[string]kept
	torn   map[string]torn
	damage map[string]damage
}

// Marks between which a document has the tables of a part.
const (
	beginMark = "<!-- journals %s: begin; written by integration/journals -->\n"
	endMark   = "<!-- journals %s: end -->\n"
)

// write writes the tables of the parts that were measured to a document, or to standard output.
func (r *results) write(o options) error {
	for _, p := range parts {
		if !o.has(p.name) {
			continue
		}
		text := r.head(p.name == "speed") + p.table(r)
		if o.document == "" {
			fmt.Print(text)
			continue
		}
		old, err := os.ReadFile(o.document)
		if err != nil {
			return err
		}
		begin, end := fmt.Appendf(nil, beginMark, p.name), fmt.Appendf(nil, endMark, p.name)
		before, rest, ok := bytes.Cut(old, begin)
		_, after, also := bytes.Cut(rest, end)
		if !ok || !also {
			return fmt.Errorf("%s has no place for the tables of %s", o.document, p.name)
		}
		if err := os.WriteFile(o.document, slices.Concat(before, begin, []byte(text), end, after), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// parts are what can be measured for itself.
var parts = []struct {
	name  string
	table func(*results) string
}{{"speed", (*results).speedTables}, {"kept", (*results).keptTable}, {"harm", (*results).harmTable}}

// head says when and with what it was measured, and in how many rounds if there are some.
func (r *results) head(inRounds bool) string {
	var versions []string
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			for _, name := range []string{"modernc.org/sqlite", "go.etcd.io/bbolt", "github.com/cockroachdb/pebble/v2", "github.com/hashicorp/raft-wal", "go.etcd.io/etcd/server/v3"} {
				if d.Path == name {
					versions = append(versions, "`"+name+"` "+d.Version)
				}
			}
		}
	}
	slices.Sort(versions)
	rounds := ""
	if inRounds {
		rounds = fmt.Sprintf(", %d rounds of %s each in a random order", r.rounds, r.long)
	}
	return fmt.Sprintf("Commit %s, %s, load %s before%s. %s.\n\n", r.commit, r.began.UTC().Format("2006-01-02 15:04 UTC"), r.load, rounds, strings.Join(versions, ", "))
}

// commitNow returns the commit that is checked out; empty outside of a repository.
func commitNow() string {
	out, _ := exec.Command("git", "describe", "--always", "--dirty", "--abbrev=12").Output() // it is empty then
	return strings.TrimSpace(string(out))
}

// loadAverage returns the load of the machine.
func loadAverage() string {
	b, _ := os.ReadFile("/proc/loadavg") // elsewhere there is none
	if f := strings.Fields(string(b)); len(f) > 3 {
		return strings.Join(f[:3], " ")
	}
	return "unknown"
}

// median returns the middle one of a list that is not empty.
func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return list[len(list)/2]
}

// ratio returns the median, and the range, of the ratios to the floor within each round.
func (r *results) ratio(c candidate, w load, of func(measured) float64) string {
	var list []float64
	for i, m := range r.speed[c.name][w] {
		list = append(list, of(m)/of(r.speed["floor"][w][i]))
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", median(list), slices.Min(list), slices.Max(list))
}

// middle returns the median of a value.
func (r *results) middle(c candidate, w load, of func(measured) float64) float64 {
	var list []float64
	for _, m := range r.speed[c.name][w] {
		list = append(list, of(m))
	}
	return median(list)
}

// Values of a measurement.
func p50(m measured) float64       { return float64(m.P50.Microseconds()) }
func p99(m measured) float64       { return float64(m.P99.Microseconds()) }
func perSecond(m measured) float64 { return m.PerSecond }
func cpu(m measured) float64       { return float64(m.CPU.Nanoseconds()) / 1000 }

// speedTables has a table for each load.
func (r *results) speedTables() string {
	var b strings.Builder
	for _, w := range loads() {
		fmt.Fprintf(&b, "Records of %d KiB, %d at a time:\n\n| | p50, beside the floor | p50 µs | p99 µs | appends/s | CPU µs |\n| --- | --- | --- | --- | --- | --- |\n", w.Size>>10, w.Callers)
		for _, c := range append(slices.Clone(floors), r.chosen...) {
			fmt.Fprintf(&b, "| %s | %s | %.0f | %.0f | %.0f | %.0f |\n", c.title, r.ratio(c, w, p50),
				r.middle(c, w, p50), r.middle(c, w, p99), r.middle(c, w, perSecond), r.middle(c, w, cpu))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// mega returns bytes in MB.
func mega(n int64) string { return fmt.Sprintf("%.0f", float64(n)/1e6) }

// short returns a duration with three digits.
func short(d time.Duration) string {
	switch {
	case d >= time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	}
	return fmt.Sprintf("%d µs", d.Microseconds())
}

// keptTable has what logs say of which nothing is damaged.
func (r *results) keptTable() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d records of 2 KiB (%s MB) and small artifacts of %s MB in between, by %d callers:\n\n", keptRecords, mega(keptRecords*2<<10), mega(keptRecords/smallEvery*smallSize), fillCallers)
	b.WriteString("| | MB on disk | opened after a kill | answered and lost | one by number | all, MB/s | oldest third deleted in | freed MB | one of 4 MiB |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, c := range r.chosen {
		k, ok := r.kept[c.name]
		if !ok {
			continue
		}
		large, opened := short(k.Large), short(k.Killed.Open)
		if k.LargeError != "" {
			large = "not taken"
		}
		if k.Killed.OpenError != "" {
			opened = "not at all"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %d | %s | %.0f | %s | %s | %s |\n", c.title, mega(k.Bytes), opened, k.LostKilled, short(k.Checked.Get), k.Checked.PerSecond, short(k.Retired), mega(k.Freed), large)
	}
	return b.String() + "\n"
}

// harmTable has what logs say that are damaged.
func (r *results) harmTable() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d power cuts in the append of a record with a small artifact, after %d records; and %d records, of which one page of 4 KiB is overwritten, or one bit is changed, %d times:\n\n", tailCuts, tailBefore, damageRecords, damageTrials)
	b.WriteString("| | cut: not opened | lost before it | read wrong | damage: not opened | lost, median | at most | read wrong |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, c := range r.chosen {
		t, ok := r.torn[c.name]
		if !ok {
			continue
		}
		d := r.damage[c.name]
		middle, most := "-", "-"
		if n := len(d.Lost); n > 0 {
			middle, most = fmt.Sprint(d.Lost[n/2]), fmt.Sprint(d.Lost[n-1])
		}
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %s | %s | %d |\n", c.title, t.Unopened, t.Lost, t.Wrong, d.Unopened, middle, most, d.Wrong)
	}
	return b.String() + "\n"
}

// blocks returns the space that a file takes, in bytes.
func blocks(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Blocks * 512
	}
	return info.Size()
}
