package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/audittest"
	"github.com/toolresult/toolresult/auditlog/sqlite"
)

// BenchmarkAppend appends durable records of 2 KiB by 1, 8 and 64 callers. x_fdatasync is how many times faster that is
// than the same bytes appended to a file with an fdatasync each: both are measured in turn, and it is the median of
// rounds. p99_x is the 99th percentile of one call, in such fdatasyncs; cpu-us what a record costs the processors.
func BenchmarkAppend(b *testing.B) {
	for _, callers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) { benchmarkAppend(b, callers) })
	}
}

func benchmarkAppend(b *testing.B, callers int) {
	l, err := sqlite.Open(sqlite.Options{Path: filepath.Join(b.TempDir(), "audit.db"), Logger: quiet()})
	must(b, err)
	defer l.Close() // of a benchmark
	f, err := os.Create(filepath.Join(b.TempDir(), "floor"))
	must(b, err)
	defer f.Close() // of a benchmark
	const rounds = 9
	var ratios, tails []float64
	var cpu time.Duration
	each := max(b.N/rounds, 1)
	b.ResetTimer()
	for range rounds {
		b.StopTimer()
		floor := floorOf(b, f)
		used := processorTime(b)
		b.StartTimer()
		begin := time.Now()
		calls := run(b, l, callers, each)
		took := time.Since(begin) / time.Duration(each)
		cpu += processorTime(b) - used
		ratios = append(ratios, float64(floor)/float64(took))
		tails = append(tails, float64(calls[len(calls)*99/100])/float64(floor))
	}
	slices.Sort(ratios)
	slices.Sort(tails)
	b.ReportMetric(ratios[rounds/2], "x_fdatasync")
	b.ReportMetric(tails[rounds/2], "p99_x")
	b.ReportMetric(float64(cpu.Microseconds())/float64(rounds*each), "cpu-us/record")
}

// run appends n records by callers, and returns how long each call took, sorted.
func run(b *testing.B, l auditlog.Log, callers, n int) []time.Duration {
	calls := make([]time.Duration, n)
	var all sync.WaitGroup
	var done atomic.Int64
	for c := range callers {
		all.Go(func() {
			for i := done.Add(1); i <= int64(n); i = done.Add(1) {
				r := audittest.Projection(fmt.Sprint("session", c), fmt.Sprint("call", i), "", 1700)
				begin := time.Now()
				if _, err := l.Append(context.Background(), r); err != nil {
					b.Error(err)
				}
				calls[i-1] = time.Since(begin)
			}
		})
	}
	all.Wait()
	slices.Sort(calls)
	return calls
}

// processorTime is what this process has used.
func processorTime(b *testing.B) time.Duration {
	var u unix.Rusage
	must(b, unix.Getrusage(unix.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// floorOf is how long it takes to append 2 KiB to a file and make them durable.
func floorOf(b *testing.B, f *os.File) time.Duration {
	record := make([]byte, 2<<10)
	const times = 64
	begin := time.Now()
	for range times {
		if _, err := f.Write(record); err != nil {
			b.Fatal(err)
		}
		must(b, unix.Fdatasync(int(f.Fd())))
	}
	return time.Since(begin) / times
}
