//go:build linux

package faults_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// traced is one run of the steps under strace.
type traced struct {
	root  string   // of the store
	calls []string // of the kernel, as strace writes them
	said  []string // what the process wrote
	ok    bool     // it ended well
}

// underStrace makes a store step by step in a process of a role under strace. What the runtime does by itself is left
// out, so that the calls of a kind are the same in every run, as far as they can be. An expression "path=NAME" is for
// the calls on a file of the store alone.
func underStrace(t *testing.T, role string, expressions ...string) traced {
	t.Helper()
	dir := shortDir(t)
	root, trace, said := filepath.Join(dir, "parent", "store"), filepath.Join(dir, "trace"), filepath.Join(dir, "said")
	steps := player(t, role, said, storeVar+"="+root, "GOMAXPROCS=1", "GOGC=off")
	args := []string{"-f", "-qq", "-y", "-o", trace}
	for _, e := range expressions {
		if path, ok := strings.CutPrefix(e, "path="); ok {
			args = append(args, "-P", filepath.Join(root, path))
		} else {
			args = append(args, "-e", e)
		}
	}
	if !strings.Contains(strings.Join(args, ""), "signal=") {
		args = append(args, "--seccomp-bpf") // faster, but with it some versions send no signals
	}
	cmd := exec.Command("strace", append(args, steps.Path)...)
	cmd.Env, cmd.Stdout, cmd.Stderr = steps.Env, steps.Stdout, steps.Stderr
	err := cmd.Run()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		t.Fatal(err)
	}
	return traced{root: root, calls: lines(t, trace), said: acksOf(t, said), ok: err == nil}
}

// point is a place in a run where the kernel is called for the store: the call without what differs from run to
// run. It is empty for a call that has nothing to do with the store.
func (r traced) point(line string) string {
	top := filepath.Dir(filepath.Dir(r.root))
	if !strings.Contains(line, top) || strings.Contains(line, " resumed>") {
		return ""
	}
	line = accidental.ReplaceAllString(strings.ReplaceAll(line, top, "TOP"), "")
	name, arguments, _ := strings.Cut(line, "(")
	if name == "write" || name == "pwrite64" {
		arguments, _, _ = strings.Cut(arguments, ",") // the lock file has a process id
	}
	return name + "(" + arguments
}

// last is the last call of a kind that was begun.
func (r traced) last(call string) string {
	for _, line := range slices.Backward(r.calls) {
		if strings.Contains(line, " "+call+"(") {
			return line
		}
	}
	return ""
}

// accidental is what differs from run to run: process and file numbers, addresses, random names, and results.
var accidental = regexp.MustCompile(`^\d+ +|\d+<|AT_FDCWD<[^>]*>|0x[0-9a-f]+|put-[0-9a-f]{32}|\)? +(=|<unfinished).*$|\s+$`)

// killable are the calls at which a process is killed: everything that changes a file, a directory or a lock, or
// opens something.
var killable = []string{
	"openat", "mkdirat", "flock", "fchmod", "fchmodat", "ftruncate", "pwrite64", "write", "fsync", "fdatasync", "linkat", "renameat", "unlinkat",
}

// TestKilledAtEverySystemCall is K02: a process that makes a store and puts one artifact of each kind is killed
// at each of its system calls. A run without a kill says which there are, and each must be visited.
func TestKilledAtEverySystemCall(t *testing.T) {
	leg(t, "strace")
	var kills atomic.Int64
	began := time.Now()
	t.Run("calls", func(t *testing.T) {
		for _, call := range killable {
			t.Run(call, func(t *testing.T) {
				t.Parallel() // most of the time goes to syncs
				kills.Add(int64(killAtEachPoint(t, call)))
			})
		}
	})
	if kills.Load() < 100 {
		t.Errorf("only %d kills", kills.Load())
	}
	total(t, tally{kills: int(kills.Load()), note: "at all points", took: time.Since(began)})
}

// killAtEachPoint kills at every call of one kind that has to do with the store.
func killAtEachPoint(t *testing.T, call string) (kills int) {
	t.Helper()
	missing := map[string]int{}
	whole := underStrace(t, "steps", "trace="+call)
	for _, line := range whole.calls {
		if p := whole.point(line); p != "" {
			missing[p]++
		}
	}
	// A second pass is for a start of the runtime that made one call more or less.
	for pass := 0; len(missing) > 0 && pass < 3; pass++ {
		kills += killAtEach(t, call, missing)
	}
	for p, n := range missing {
		t.Errorf("%d times not visited: %s", n, p)
	}
	return kills
}

// killAtEach kills at the first, second, third call, until there are no more, and takes the points that it came
// to out of those that are missing.
func killAtEach(t *testing.T, call string, missing map[string]int) (kills int) {
	t.Helper()
	for n := 1; ; n++ {
		r := underStrace(t, "steps", "trace="+call, fmt.Sprintf("inject=%s:signal=KILL:when=%d", call, n))
		if r.ok {
			return n - 1
		}
		if slices.Contains(r.said, "end") {
			continue // it was killed on its way out
		}
		last := r.last(call)
		if p := r.point(last); missing[p] > 1 {
			missing[p]--
		} else {
			delete(missing, p)
		}
		verify(t, r.root, r.said)
		must(t, os.RemoveAll(filepath.Dir(r.root)))
		if t.Failed() {
			t.Fatalf("killed at %s number %d: %s", call, n, last)
		}
	}
}

// TestKernelSeesTheOrder is what a power cut can only find by luck: a file is synced before it gets its name, and
// the directory with the name before anybody is told.
func TestKernelSeesTheOrder(t *testing.T) {
	leg(t, "strace")
	r := underStrace(t, "steps", "trace=write,pwrite64,fsync,linkat,mkdirat")
	position := func(from int, parts ...string) int {
		for i := from; i < len(r.calls); i++ {
			if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(r.calls[i], part) }) {
				return i
			}
		}
		return len(r.calls)
	}
	links := 0
	for i, line := range r.calls {
		m := linked.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		links++
		temp, directory, name := filepath.Join(m[1], m[2]), m[3], filepath.Base(m[3])[:2]+m[4]
		told := position(i, "write(1<", `"`+name+" blake3:")
		if m[4] == "FORMAT" {
			told = position(i, "write(1<", `"opened`)
		}
		written, synced := -1, position(0, "fsync(", "<"+temp+">")
		for j := range i {
			if strings.Contains(r.calls[j], " write(") && strings.Contains(r.calls[j], "<"+temp+">") {
				written = j
			}
		}
		if written < 0 || synced < written || synced > i {
			t.Errorf("%s was written by call %d, synced by call %d and linked by call %d", name, written, synced, i)
		}
		if named := position(i, "fsync(", "<"+directory+">"); named > told || told == len(r.calls) {
			t.Errorf("%s was linked by call %d, its directory was synced by call %d, and call %d told of it", name, i, named, told)
		}
	}
	made := 0
	for i, line := range r.calls {
		if m := shardMade.FindStringSubmatch(line); m != nil {
			made++
			if synced, link := position(i, "fsync(", "<"+r.root+">"), position(i, " linkat(", "/"+m[1]+">"); synced > link {
				t.Errorf("the directory %s was synced by call %d, and call %d put something into it", m[1], synced, link)
			}
		}
	}
	if parent := position(0, "fsync(", "<"+filepath.Dir(r.root)+">"); parent > position(0, "write(1<", `"opened`) {
		t.Error("the directory above the store was not synced before the store was open")
	}
	if links < 5 || made < 3 {
		t.Errorf("only %d links and %d directories in\n%s", links, made, strings.Join(r.calls, "\n"))
	}
}

var (
	linked    = regexp.MustCompile(`linkat\(\d+<([^>]*)>, "([^"]+)", \d+<([^>]*)>, "([^"]+)"`)
	shardMade = regexp.MustCompile(`mkdirat\(\d+<[^>]*>, "([0-9a-f]{3})"`)
)

// TestEveryErrorOfTheKernel is J01, J04, J05 and J10: each system call fails once, with each error that it may
// fail with. What was refused says why, works when it is tried again, and leaves nothing behind.
func TestEveryErrorOfTheKernel(t *testing.T) {
	leg(t, "strace")
	var injected, refused atomic.Int64
	began := time.Now()
	t.Run("calls", func(t *testing.T) {
		for call, reasons := range map[string][]string{
			"openat":    {"ENOSPC", "EMFILE"}, // Go repeats it after EINTR
			"mkdirat":   {"ENOSPC", "EDQUOT", "EINTR"},
			"write":     {"ENOSPC", "EDQUOT", "EIO", "EFBIG", "EINTR"},
			"fchmod":    {"EIO", "EROFS", "EINTR"},
			"fsync":     {"EIO", "EINTR"},
			"linkat":    {"ENOSPC", "EDQUOT", "EIO", "EROFS", "EINTR"},
			"renameat":  {"ENOSPC", "EIO"},
			"unlinkat":  {"EIO", "EROFS", "EINTR"},
			"pwrite64":  {"ENOSPC", "EIO", "EINTR"},
			"ftruncate": {"EIO", "EINTR"},
			"flock":     {"EINTR", "EIO"},
		} {
			for _, reason := range reasons {
				t.Run(call+" "+reason, func(t *testing.T) {
					t.Parallel()
					n, r := failEach(t, call, reason)
					injected.Add(int64(n))
					refused.Add(int64(r))
					if n == 0 {
						t.Error("nothing was injected")
					}
				})
			}
		}
	})
	if refused.Load() < injected.Load()/10 {
		t.Errorf("only %d of %d errors were seen by anybody", refused.Load(), injected.Load())
	}
	remark(t, "%d errors injected, %d refusals, %v", injected.Load(), refused.Load(), time.Since(began).Round(time.Second))
}

// saidFor is what a refusal says for an error.
var saidFor = map[string]string{
	"ENOSPC": "disk full: no space left", "EDQUOT": "disk full: disk quota", "EMFILE": "too many open files", "EIO": "input/output error",
	"EROFS": "read-only: read-only", "EFBIG": "too large: file too large",
}

// failEach lets the first, second, third call fail, until there are no more.
func failEach(t *testing.T, call, reason string) (injected, refused int) {
	t.Helper()
	for n := 1; ; n++ {
		r := underStrace(t, "steps", "trace="+call, fmt.Sprintf("inject=%s:error=%s:when=%d", call, reason, n))
		i := slices.IndexFunc(r.calls, func(line string) bool { return strings.Contains(line, "(INJECTED)") })
		if i < 0 {
			return n - 1, refused
		}
		if !r.ok {
			t.Errorf("the process failed, after %q", r.said)
		}
		for _, line := range r.said {
			if !strings.HasPrefix(line, "failed ") {
				continue
			}
			refused++
			if want := saidFor[reason]; want == "" || !strings.Contains(line, want) {
				t.Errorf("the refusal %q does not say %q", line, want)
			}
		}
		verify(t, r.root, r.said)
		must(t, os.RemoveAll(filepath.Dir(r.root)))
		if t.Failed() {
			t.Fatalf("%s number %d: %s", call, n, r.calls[i])
		}
	}
}

// meddle attaches strace to a process until the function is called that it returns.
func meddle(t *testing.T, pid int, expressions ...string) (stop func()) {
	t.Helper()
	said := &output{}
	args := []string{"-f", "-o", "/dev/null", "-p", fmt.Sprint(pid)}
	for _, e := range expressions {
		if path, ok := strings.CutPrefix(e, "path="); ok {
			args = append(args, "-P", path)
		} else {
			args = append(args, "-e", e)
		}
	}
	cmd := exec.Command("strace", args...)
	cmd.Stderr = said
	must(t, cmd.Start())
	ended := false
	stop = func() {
		if !ended {
			ended = true
			must(t, cmd.Process.Signal(syscall.SIGINT)) // strace lets go of the process
			_ = cmd.Wait()
		}
	}
	t.Cleanup(stop)
	waitFor(t, "strace to attach", func() bool { return strings.Contains(said.String(), fmt.Sprintf("Process %d attached", pid)) })
	return stop
}

// TestErrorsOfTheKernelAtASidecar is J01, J04 and J05 as a client sees them: while a call of the kernel fails, so
// does what needs it, with the answer that the contract has; before and after it all is well. These are the errors of
// artifacts: those of the audit log, which stay, are those of TestErrorsOfTheKernelAtTheAuditLog.
func TestErrorsOfTheKernelAtASidecar(t *testing.T) {
	leg(t, "strace")
	s := startSidecar(t, launch{Args: []string{"--audit=off"}})
	size := 1000
	for _, c := range []struct {
		call, reason string
		code         codes.Code
		answer       string
	}{
		{"linkat", "ENOSPC", codes.ResourceExhausted, "DISK_FULL"},
		{"linkat", "EDQUOT", codes.ResourceExhausted, "DISK_FULL"},
		{"fsync", "ENOSPC", codes.ResourceExhausted, "DISK_FULL"},
		{"fsync", "EIO", codes.Internal, "STORE_FAILED"},
		{"linkat", "EIO", codes.Internal, "STORE_FAILED"},
		{"mkdirat", "EIO", codes.Internal, "STORE_FAILED"},
		{"fchmod", "EROFS", codes.FailedPrecondition, "STORE_READ_ONLY"},
		{"openat", "ENFILE", codes.ResourceExhausted, "FD_LIMIT"},
	} {
		for way, project := range s.ways() {
			t.Run(c.call+" "+c.reason+" "+way, func(t *testing.T) {
				size += 7
				early, late := numbered(size), numbered(size+3000)
				before, err := project(t.Context(), early)
				must(t, err)
				stop := meddle(t, s.PID(), "trace="+c.call, fmt.Sprintf("inject=%s:error=%s", c.call, c.reason))
				_, err = project(t.Context(), late)
				wantRefusal(t, "while it fails", err, c.code, c.answer)
				if retry := retryDelay(err); (retry > 0) != (c.reason == "EIO") {
					t.Errorf("it is to be made again after %v", retry)
				}
				s.wantHealth(t)
				stop()
				s.wantNoTemp(t)
				s.wantWhole(t, artifactOf(before), early)
				after, err := project(t.Context(), late)
				must(t, err)
				s.wantWhole(t, artifactOf(after), late)
			})
		}
	}
}

// retryDelay is the delay of the RetryInfo of an error; 0: it has none.
func retryDelay(err error) time.Duration {
	for _, d := range status.Convert(err).Details() {
		if retry, ok := d.(*errdetails.RetryInfo); ok {
			return retry.GetRetryDelay().AsDuration()
		}
	}
	return 0
}

// TestSlowSync is J11 and E13: while a sync takes 3 s, calls with less time meet their deadline, health answers,
// and the same call made again has the result.
func TestSlowSync(t *testing.T) {
	leg(t, "strace")
	s := startSidecar(t, launch{})
	stop := meddle(t, s.PID(), "trace=fsync", "inject=fsync:delay_enter=3000000")
	text := numbered(2500)
	for way, project := range s.ways() {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		if _, err := project(ctx, text); status.Code(err) != codes.DeadlineExceeded {
			t.Errorf("%s: %v", way, err)
		}
		cancel()
		s.wantHealth(t)
	}
	stop()
	answer, err := s.inOneMessage(t.Context(), text)
	must(t, err)
	s.wantWhole(t, artifactOf(answer), text)
	s.wantNoTemp(t)
	if n := len(artifactNames(t, s.Store)); n != 1 {
		t.Errorf("%d artifacts of one text", n)
	}
}
