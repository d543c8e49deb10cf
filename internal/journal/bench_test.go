package journal

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/toolresult/toolresult/integration/cputime"
)

// BenchmarkAppend appends records of 2 KiB, and with every eighth a small artifact of 64 KiB, by callers who wait for each. It
// reports percentiles of the wait and processor time, in microseconds. JOURNAL_DIR is a directory on the disk to measure.
func BenchmarkAppend(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	records := make([][]byte, 256)
	for i := range records {
		records[i] = []byte(output(random, 700))[:2<<10]
	}
	small := make([]byte, 64<<10)
	for i := range small {
		small[i] = byte(random.Uint32())
	}
	for _, callers := range []int{1, 8, 64} {
		b.Run(fmt.Sprint(callers), func(b *testing.B) {
			dir := b.TempDir()
			if on := os.Getenv("JOURNAL_DIR"); on != "" {
				var err error
				if dir, err = os.MkdirTemp(on, "journal"); err != nil {
					b.Fatal(err)
				}
				defer os.RemoveAll(dir) // is thrown away
			}
			j, err := Open(Options{Dir: filepath.Join(dir, "journal"), Logger: quiet()})
			if err != nil {
				b.Fatal(err)
			}
			waits := make([][]time.Duration, callers)
			var next atomic.Int64
			used := cputime.Used(b)
			b.ResetTimer()
			var all sync.WaitGroup
			for c := range callers {
				all.Go(func() {
					for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
						entries := []*Entry{NewEntry(Records, records[i%int64(len(records))])}
						if i%8 == 0 {
							entries = append(entries, NewEntry(Temporary, small))
						}
						began := time.Now()
						if err := j.Append(b.Context(), Append{Entries: entries}); err != nil {
							b.Error(err)
							return
						}
						waits[c] = append(waits[c], time.Since(began))
					}
				})
			}
			all.Wait()
			b.StopTimer()
			if err := j.keeper.sealAll(b.Context()); err != nil {
				b.Error(err)
			}
			used = cputime.Used(b) - used
			if err := j.Close(); err != nil {
				b.Error(err)
			}
			list := slices.Concat(waits...)
			slices.Sort(list)
			b.ReportMetric(float64(list[len(list)/2].Microseconds()), "p50-us")
			b.ReportMetric(float64(list[len(list)*99/100].Microseconds()), "p99-us")
			b.ReportMetric(float64(used.Microseconds())/float64(b.N), "cpu-us")
		})
	}
}
