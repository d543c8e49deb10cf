package bench_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// BenchmarkFile gives the sidecar a file that is in the page cache, and copies the same
// file with `cat src > dst`, in turns. It reports the ratio of the median times.
func BenchmarkFile(b *testing.B) {
	total := streamBytes(b)
	for name, chunk := range shapes() {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			source, copied := filepath.Join(dir, "source"), filepath.Join(dir, "copied")
			ours := startSidecar(b, dir, "--volatile=true", "--roots", dir)
			idle := peak(b, ours.pid)
			b.SetBytes(total)
			writeFile(b, source, chunk, total)
			var own, floor []float64
			var used time.Duration
			takes := []func(){
				func() { floor = append(floor, cat(b, source, copied).Seconds()) },
				func() {
					before := cpuTime(b, ours.pid)
					own = append(own, ours.project(b, source).Seconds())
					used += cpuTime(b, ours.pid) - before
				},
			}
			for b.Loop() {
				for _, i := range rand.Perm(len(takes)) { // as in BenchmarkStream
					takes[i]()
				}
			}
			b.ReportMetric(median(own)/median(floor), "x/cat")
			b.ReportMetric(median(floor), "cat-s")
			b.ReportMetric(used.Seconds()/float64(len(own))/float64(total)*(1<<30), "cpu-s/GiB")
			b.ReportMetric(float64(peak(b, ours.pid)-idle)/1024, "MiB-over-idle")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// cat copies a file, and removes the copy.
func cat(b *testing.B, source, copied string) time.Duration {
	b.Helper()
	begin := time.Now()
	if out, err := exec.Command("sh", "-c", "cat '"+source+"' > '"+copied+"'").CombinedOutput(); err != nil {
		b.Fatalf("%s: %v", out, err)
	}
	took := time.Since(begin)
	if err := os.Remove(copied); err != nil {
		b.Fatal(err)
	}
	return took
}

// writeFile makes a file of chunks.
func writeFile(b *testing.B, path string, chunk []byte, total int64) {
	b.Helper()
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	for written := int64(0); written < total; written += int64(len(chunk)) {
		if _, err := f.Write(chunk); err != nil {
			b.Fatal(err)
		}
	}
}

// project has the sidecar take a file, and removes what was stored.
func (s side) project(b *testing.B, path string) time.Duration {
	b.Helper()
	req := request(unknown, nil)
	req.GetOutput().GetCommand().Stdout = &pb.Payload{Source: &pb.Payload_File{File: &pb.FileReference{Path: path}}}
	begin := time.Now()
	answer, err := s.Project(b.Context(), req)
	if err != nil {
		b.Fatal(err)
	}
	took := time.Since(begin)
	for _, a := range answer.GetCanonical().GetCommand().GetArtifacts() {
		_ = os.Remove(a.GetPath())
	}
	return took
}
