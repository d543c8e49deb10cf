//go:build linux

package soak_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolresult/toolresult/integration/sidecartest"
)

// The settings of the sidecar: short times, so that what goes and comes goes often.
const (
	leaseOfSessions = 40 * time.Second
	idleOfStreams   = 2 * time.Second
)

func settings(room uint64) []string {
	return []string{
		"--log-level=error", "--session-lease=" + leaseOfSessions.String(), "--keep-for=20s",
		"--gc-interval=5s", fmt.Sprintf("--store-quota=%d", room), "--stream-idle=" + idleOfStreams.String(), "--max-connections=64",
	}
}

// sidecar is a running process of the binary.
type sidecar struct{ *sidecartest.Sidecar }

// start starts a sidecar on a store and waits for its socket.
func start(t *testing.T, binary, store string, room uint64) *sidecar {
	t.Helper()
	return &sidecar{sidecartest.Start(t, sidecartest.Options{
		Binary: binary, Store: store, Args: settings(room), Env: []string{"GOTRACEBACK=all", "GODEBUG=gctrace=1"},
	})}
}

var goroutineLine = regexp.MustCompile(`(?m)^goroutine \d+ .*\[`)

// goroutines ends the sidecar with SIGQUIT, which makes the runtime of Go write every
// goroutine, and counts them. So the binary needs no port that tells its inside.
func (s *sidecar) goroutines(t *testing.T) int {
	t.Helper()
	s.Signal(syscall.SIGQUIT)
	s.Wait()
	n := len(goroutineLine.FindAllString(s.Log.String(), -1))
	if n == 0 {
		t.Fatalf("no goroutine is written:\n%.2000s", s.Log)
	}
	return n
}

var collection = regexp.MustCompile(`(?m)^gc \d+ @([0-9.]+)s .* \d+->\d+->(\d+) MB`)

// heap is what was live at each garbage collection of the process, in MiB: the runtime
// of Go writes it when it is asked to. It needs no port either.
func (s *sidecar) heap() (live []reading) {
	for _, m := range collection.FindAllStringSubmatch(s.Log.String(), -1) {
		seconds, _ := strconv.ParseFloat(m[1], 64)
		mib, _ := strconv.ParseInt(m[2], 10, 64)
		live = append(live, reading{time.Duration(seconds * float64(time.Second)), mib << 20})
	}
	return live
}

// reading is a number of bytes at a time.
type reading struct {
	at    time.Duration
	bytes int64
}

// sample is what a process holds at a time.
type sample struct {
	at               time.Duration
	rss              int64 // bytes
	fds, threads     int
	temp             int // files in tmp/ of the store
	artifacts, store int64
}

// look takes a sample. The store is walked where that is asked for, because it is large.
func (s *sidecar) look(t *testing.T, since time.Time, walk bool) sample {
	t.Helper()
	proc := fmt.Sprintf("/proc/%d/", s.PID())
	status, err := os.ReadFile(proc + "status")
	must(t, err)
	one := sample{at: time.Since(since), rss: 1024 * field(status, "RssAnon:"), threads: int(field(status, "Threads:"))}
	one.fds = entries(proc + "fd")
	one.temp = entries(filepath.Join(s.Store, "tmp"))
	if walk {
		_ = filepath.WalkDir(s.Store, func(_ string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil // it was deleted meanwhile
			}
			if info, err := d.Info(); err == nil {
				one.artifacts, one.store = one.artifacts+1, one.store+info.Size()
			}
			return nil
		})
	}
	return one
}

func entries(dir string) int {
	list, _ := os.ReadDir(dir)
	return len(list)
}

// field reads a number of /proc/PID/status.
func field(status []byte, name string) int64 {
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n
		}
	}
	return 0
}

// windows is how many parts of a run are compared.
const windows = 20

// lowest are the lowest readings of each window of a run, without its first fifth, which
// is warm-up. The lowest, because calls of 64 MiB are in memory for a moment.
func lowest(all []reading) (low []int64) {
	if len(all) == 0 {
		return nil
	}
	end := all[len(all)-1].at + 1
	begin := end / 5
	for w := range time.Duration(windows) {
		least := int64(-1)
		for _, r := range all {
			if r.at >= begin+w*(end-begin)/windows && r.at < begin+(w+1)*(end-begin)/windows && (least < 0 || r.bytes < least) {
				least = r.bytes
			}
		}
		if least >= 0 {
			low = append(low, least)
		}
	}
	return low
}

// trend is by how much readings grew over a run: along the least-squares line.
func trend(low []int64) (growth int64) {
	var mx, my, xy, xx float64
	n := float64(len(low))
	for i, bytes := range low {
		mx, my = mx+float64(i)/n, my+float64(bytes)/n
	}
	for i, bytes := range low {
		xy, xx = xy+(float64(i)-mx)*(float64(bytes)-my), xx+(float64(i)-mx)*(float64(i)-mx)
	}
	if xx == 0 {
		return 0
	}
	return int64(xy / xx * (n - 1))
}

// syncRate is how often a file of 4 KiB more is made durable in a second, by one who
// waits each time: what the disk can do at the least.
func syncRate(t *testing.T, dir string) float64 {
	t.Helper()
	f, err := os.CreateTemp(dir, "rate")
	must(t, err)
	defer func() { _ = os.Remove(f.Name()) }()
	defer func() { _ = f.Close() }()
	block := make([]byte, 4096)
	began, n := time.Now(), 0
	for ; time.Since(began) < 2*time.Second; n++ {
		_, err := f.Write(block)
		must(t, err)
		must(t, syscall.Fdatasync(int(f.Fd())))
	}
	return float64(n) / time.Since(began).Seconds()
}

// freeBytes is how much room a disk has.
func freeBytes(t *testing.T, dir string) uint64 {
	t.Helper()
	var s syscall.Statfs_t
	must(t, syscall.Statfs(dir, &s))
	return s.Bavail * uint64(s.Bsize)
}
