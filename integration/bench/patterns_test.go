package bench_test

import (
	"testing"
	"time"
)

// plain is a sidecar that keeps no records and looks for no secrets but registered ones, of which there are none.
var plain = []string{"--audit=off", "--redaction=values"}

// BenchmarkStreamPatterns compares streams to a sidecar that looks for secrets with those to one that does not.
func BenchmarkStreamPatterns(b *testing.B) {
	for name, chunk := range shapes() {
		b.Run(name, func(b *testing.B) {
			total := streamBytes(b)
			on := startSidecar(b, b.TempDir(), "--volatile=true")
			off := startSidecar(b, b.TempDir(), append([]string{"--volatile=true"}, plain...)...)
			var with, without []float64
			var used [2]time.Duration
			for b.Loop() {
				for i, s := range []side{on, off} {
					before := cpuTime(b, s.pid)
					took := withOurPool(s.send)(b, chunk, total).Seconds()
					used[i] += cpuTime(b, s.pid) - before
					if i == 0 {
						with = append(with, took)
					} else {
						without = append(without, took)
					}
				}
			}
			gib := float64(len(with)) * float64(total) / (1 << 30)
			b.ReportMetric(median(with)/median(without), "x/without")
			b.ReportMetric(used[0].Seconds()/gib, "cpu-s/GiB")
			b.ReportMetric(used[1].Seconds()/gib, "without-cpu-s/GiB")
			b.ReportMetric(0, "ns/op")
		})
	}
}
