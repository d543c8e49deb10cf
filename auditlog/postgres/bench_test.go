package postgres_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/toolresult/toolresult/integration/audittest"
)

// BenchmarkSend sends records of 2 KiB that wait, to a server on this machine.
func BenchmarkSend(b *testing.B) {
	p := newPlace(b)
	l := mustOpen(b, p.options(b, nil))
	defer l.Close() // of a benchmark
	conn := p.connect(b)
	defer conn.Close(context.Background())
	must(b, conn.Exec(context.Background(), "BEGIN; SELECT 1 FROM logs FOR UPDATE").Close()) // for which the sender waits
	for i := range b.N {
		_, err := l.Append(context.Background(), audittest.Projection("session", fmt.Sprint("call", i), "", 1700))
		must(b, err)
	}
	b.ResetTimer()
	must(b, conn.Exec(context.Background(), "COMMIT").Close())
	sent(b, l)
	b.StopTimer()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
}

// BenchmarkAppend appends durable records of 2 KiB by 1, 8 and 64 callers. records/s are answered by the journal, and sent/s are then in the
// database on this machine, too.
func BenchmarkAppend(b *testing.B) {
	for _, callers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("callers=%d", callers), func(b *testing.B) {
			p := newPlace(b)
			l := mustOpen(b, p.options(b, nil))
			defer l.Close() // of a benchmark
			var n atomic.Int64
			var all sync.WaitGroup
			b.ResetTimer()
			for c := range callers {
				all.Go(func() {
					for i := n.Add(1); i <= int64(b.N); i = n.Add(1) {
						r := audittest.Projection(fmt.Sprint("session", c), fmt.Sprint("call", i), "", 1700)
						if _, err := l.Append(context.Background(), r); err != nil {
							b.Error(err)
						}
					}
				})
			}
			all.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "records/s")
			sent(b, l)
			b.StopTimer()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "sent/s")
		})
	}
}
