package bench_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// plain is a sidecar that keeps no records and looks for no secrets but registered ones, of which there are none.
var plain = []string{"--audit=off", "--redaction=values"}

// BenchmarkAudit compares a sidecar that records, or that looks for secrets, with one that does neither: fresh
// commands of 4 KB and 64 KB, in turns. In memory it is what the processor does; on disk a record waits for its sync.
func BenchmarkAudit(b *testing.B) {
	for _, sort := range []struct {
		name  string
		flags []string
	}{
		{"records/memory", []string{"--store=memory", "--redaction=values"}},
		{"patterns/memory", []string{"--store=memory", "--audit=off"}},
		{"both/memory", []string{"--store=memory"}},
		{"both/disk", nil},
		{"same/memory", append([]string{"--store=memory"}, plain...)}, // how much of a difference is none
	} {
		for _, size := range []int{4 << 10, 64 << 10} {
			for _, callers := range []int{1, 8} {
				b.Run(fmt.Sprintf("%s/%dKB/callers=%d", sort.name, size>>10, callers), func(b *testing.B) {
					const calls = 400
					reqs := make([]*pb.ProjectRequest, calls)
					for i := range reqs {
						reqs[i] = request(unknown, logOf(size, i))
					}
					on := startSidecar(b, b.TempDir(), sort.flags...)
					off := startSidecar(b, b.TempDir(), append(slices.Clone(sort.flags), plain...)...)
					compare(b, on, off, callers, calls, func(i int) *pb.ProjectRequest { return reqs[i] })
				})
			}
		}
	}
}

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
