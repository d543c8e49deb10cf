//go:build linux

package faults_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// place is a kind of call of the kernel on one file or directory of a store, by a process of a role.
type place struct {
	role       string
	call, path string // relative to the root of the store
	times      int
}

func (p place) String() string { return p.call + " " + p.path }

// count is how often a run came to a place.
func (r traced) count(p place) (n int) {
	for _, line := range r.calls {
		if at := r.at(line); at.call == p.call && at.path == p.path {
			n++
		}
	}
	return n
}

// at is the place of a call; none when the call has nothing to do with a file of the store whose name is known.
func (r traced) at(line string) place {
	m := placed.FindStringSubmatch(line)
	if m == nil || strings.Contains(line, "put-") || strings.Contains(line, " resumed>") {
		return place{}
	}
	path := m[2] + m[3]
	rest, inside := strings.CutPrefix(path, r.root)
	if !inside {
		return place{}
	}
	return place{call: m[1], path: "." + rest}
}

// placed finds the call, and the path that it has or that its first file has.
var placed = regexp.MustCompile(`^\d+ +([a-z0-9]+)\((?:AT_FDCWD<[^>]*>, )?(?:"(/[^"]*)"|\d+<([^>]*)>|NULL, \d+, [A-Z_|]+, [A-Z_]+, \d+<([^>]*)>)`)

// places are those of the calls of a kind, in a whole run of a role.
func places(t *testing.T, role string, calls ...string) (list []place) {
	t.Helper()
	r := underStrace(t, role, "trace="+strings.Join(calls, ","))
	if !r.ok {
		t.Fatalf("nothing was injected, and it failed after %q", r.said)
	}
	times := map[place]int{}
	for _, line := range r.calls {
		if p := r.at(line); p.call != "" {
			times[p]++
		}
	}
	for p, n := range times {
		p.role, p.times = role, n
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b place) int { return strings.Compare(a.String(), b.String()) })
	return list
}

// everyStep reports whether a place is to be visited each time.
func everyStep() bool { return os.Getenv(stepsVar) != "" }

// visits are which times of a place are visited: so many, from the first to the last, or all of them.
func (p place) visits(some int) (list []int) {
	if !everyStep() {
		for i := range some {
			list = append(list, 1+i*(p.times-1)/(some-1))
		}
		return slices.Compact(list)
	}
	for n := range p.times {
		list = append(list, n+1)
	}
	return list
}

// meddled is a run with something injected at a place.
func (p place) meddled(t *testing.T, n int, injected string) traced {
	t.Helper()
	return underStrace(t, p.role, "path="+p.path, "trace="+p.call, fmt.Sprintf("inject=%s:%s:when=%d", p.call, injected, n))
}

// databaseKillable are the calls at which a process with databases is killed.
var databaseKillable = append([]string{"fallocate", "unlink"}, killable...)

// TestKilledAtEverySystemCallOfARecord is K02, K05 and L08 for the order of a server: put, commit, record, collect,
// retain, and what happens when databases are opened and closed. A process that does it all is killed at its calls of
// the kernel, each kind of each file; the calls of putting alone are those of TestKilledAtEverySystemCall.
func TestKilledAtEverySystemCallOfARecord(t *testing.T) {
	leg(t, "strace")
	killAtPlaces(t, places(t, "recorder", databaseKillable...), func(t *testing.T, r traced) { verifyBooks(t, r.root, r.said) })
}

// killAtPlaces kills at each place, and has look verify the store after each kill.
func killAtPlaces(t *testing.T, list []place, look func(t *testing.T, r traced)) {
	t.Helper()
	began := time.Now()
	var kills, records, points, all atomic.Int64
	t.Run("calls", func(t *testing.T) {
		for _, p := range list {
			t.Run(p.String(), func(t *testing.T) {
				t.Parallel()
				visited := map[int]bool{}
				killAt := func(n int) {
					r := p.meddled(t, n, "signal=KILL")
					if r.ok {
						return // several threads called, and each counts its own
					}
					kills.Add(1)
					visited[r.count(p)] = true
					look(t, r)
					records.Add(int64(len(recordsOf(r.said))))
					must(t, os.RemoveAll(filepath.Dir(r.root)))
					if t.Failed() {
						t.Fatalf("killed at number %d: %q", n, r.said)
					}
				}
				for _, n := range p.visits(4) {
					killAt(n)
				}
				for pass := 0; everyStep() && pass < 12 && len(visited) < p.times; pass++ {
					for n := range p.times {
						if !visited[n+1] { // threads share the calls in another way each time
							killAt(1 + n/2 + rand.IntN(n/2+1))
						}
					}
				}
				if len(visited) == 0 {
					t.Errorf("never killed there")
				}
				points.Add(int64(len(visited)))
				all.Add(int64(p.times))
			})
		}
	})
	if kills.Load() < int64(len(list)) {
		t.Errorf("only %d kills at %d places", kills.Load(), len(list))
	}
	if everyStep() && points.Load() < all.Load()*9/10 {
		t.Errorf("only %d of %d calls were visited", points.Load(), all.Load())
	}
	note := fmt.Sprintf("at %d of %d calls", points.Load(), all.Load())
	total(t, tally{kills: int(kills.Load()), found: found{records: int(records.Load())}, note: note, took: time.Since(began)})
}

// recordErrors are the errors that calls fail with, once each.
var recordErrors = map[string][]string{
	"openat":    {"ENOSPC", "EMFILE", "EIO"},
	"pwrite64":  {"ENOSPC", "EDQUOT", "EIO", "EROFS", "EFBIG", "EINTR"},
	"write":     {"ENOSPC", "EDQUOT", "EIO", "EINTR"},
	"fsync":     {"ENOSPC", "EDQUOT", "EIO", "EINTR"},
	"ftruncate": {"EIO", "EFBIG", "EINTR"},
	"fallocate": {"ENOSPC", "EDQUOT", "EIO", "EFBIG", "EOPNOTSUPP"},
	"unlink":    {"EIO", "EROFS"},
	"unlinkat":  {"EIO", "EROFS"},
	"linkat":    {"ENOSPC", "EDQUOT", "EIO", "EROFS"},
	"mkdirat":   {"ENOSPC", "EDQUOT", "EIO"},
	"fchmod":    {"EIO", "EROFS"},
	"flock":     {"EIO"},
	"mmap":      {"ENOMEM"},
}

// TestEveryErrorOfTheKernelAtARecord is J01, J04, J07 and L03 for the order of a server: each call fails once with each
// error. What was refused says why and works when it is tried again, at once or after another start; what was
// acknowledged is there, and the chain holds.
func TestEveryErrorOfTheKernelAtARecord(t *testing.T) {
	leg(t, "strace")
	began := time.Now()
	var injected, refused atomic.Int64
	t.Run("calls", func(t *testing.T) {
		calls := []string{}
		for call := range recordErrors {
			calls = append(calls, call)
		}
		for _, p := range places(t, "recorder", calls...) {
			t.Run(p.String(), func(t *testing.T) {
				t.Parallel()
				hits := 0
				for _, reason := range recordErrors[p.call] {
					for _, n := range p.visits(2) {
						r := p.meddled(t, n, "error="+reason)
						n := r.injected()
						if n == 0 {
							continue
						}
						hits += n
						refused.Add(int64(wantReasons(t, reason, r.said)))
						if !r.ok && n == 1 { // several threads called, and each counts its own
							t.Errorf("%s: the process failed, after %q", reason, r.said)
						}
						verifyBooks(t, r.root, r.said)
						must(t, os.RemoveAll(filepath.Dir(r.root)))
						if t.Failed() {
							t.Fatalf("%s at number %d, after %q", reason, n, r.said)
						}
					}
				}
				if hits == 0 {
					t.Error("nothing was injected")
				}
				injected.Add(int64(hits))
			})
		}
	})
	remark(t, "%d errors injected, %d refusals, %v", injected.Load(), refused.Load(), time.Since(began).Round(time.Second))
}

// injected is how many errors were injected.
func (r traced) injected() (n int) {
	for _, line := range r.calls {
		if strings.Contains(line, "(INJECTED)") {
			n++
		}
	}
	return n
}

// reasonTexts are what the kernel and SQLite say for an error.
var reasonTexts = map[string]string{
	"ENOSPC": "no space left on device|disk is full", "EDQUOT": "disk quota exceeded", "EMFILE": "too many open files|unable to open",
	"EIO": "input/output error|unable to open", "EROFS": "read-only file system", "EFBIG": "file too large", "EINTR": "interrupted",
	"ENOMEM": "cannot allocate memory",
}

// wantReasons checks that each refusal says why, and returns how many there are.
func wantReasons(t *testing.T, reason string, said []string) (refused int) {
	t.Helper()
	texts := regexp.MustCompile(reasonTexts[reason] + "|disk I/O error|no room for the audit log")
	for _, line := range said {
		if !strings.HasPrefix(line, "failed") {
			continue
		}
		refused++
		if !texts.MatchString(line) {
			t.Errorf("%s: the refusal is %q", reason, line)
		}
	}
	return refused
}
