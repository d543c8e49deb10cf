package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/audittest"
	"github.com/toolresult/toolresult/auditlog/sqlite"
)

// The test binary runs itself as a second process when these are set.
const (
	roleVar = "AUDITLOG_TEST_ROLE"
	pathVar = "AUDITLOG_TEST_PATH"
)

func TestMain(m *testing.M) {
	switch os.Getenv(roleVar) {
	case "append":
		os.Exit(appendForever())
	case "fail":
		os.Exit(appendAndWait())
	}
	goleak.VerifyTestMain(m)
}

// allTests reports whether tests that take long, or need more than Go and Linux, must run.
func allTests() bool { return os.Getenv("TOOLRESULT_LEGS") == "all" }

// lacks skips a test that cannot run here, or fails it if TOOLRESULT_LEGS asks for all.
func lacks(t testing.TB, why string) {
	t.Helper()
	if allTests() {
		t.Fatalf("TOOLRESULT_LEGS=all, and this test cannot run: %s", why)
	}
	t.Skipf("SKIPPED: %s", why)
}

// appendForever appends by several callers, and prints the acknowledged records.
func appendForever() int {
	l, err := sqlite.Open(sqlite.Options{Path: os.Getenv(pathVar), Reserve: 64 << 10, Logger: quiet()})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	for c := range 4 {
		all.Go(func() {
			for i := 0; ; i++ {
				r := audittest.Projection("s", strconv.Itoa(c), fmt.Sprintf("%d-%d-%d", os.Getpid(), c, i), 100+(i*997)%6000)
				if _, err := l.Append(context.Background(), r); err != nil {
					fmt.Println(err)
					os.Exit(1)
				}
				mu.Lock()
				fmt.Println("ack", r.GetRequestId(), r.GetSequence(), r.GetHash())
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return 0
}

// TestKilledProcessLosesNoRecord kills processes that append, at random times: every acknowledged record is there once, and
// the chain is intact.
func TestKilledProcessLosesNoRecord(t *testing.T) {
	rounds := 5
	if allTests() {
		rounds = 200
	}
	if n, err := strconv.Atoi(os.Getenv("TOOLRESULT_FAULTS_ROUNDS")); err == nil {
		rounds = n
	}
	path := filepath.Join(t.TempDir(), "audit.db")
	acked := map[string][2]string{}
	for round := range rounds {
		for id, place := range killed(t, path) {
			acked[id] = place
		}
		if round%5 == 4 || round == rounds-1 {
			checkAcknowledged(t, path, acked)
		}
	}
	t.Logf("%d rounds, %d acknowledged", rounds, len(acked))
	if len(acked) < rounds {
		t.Error("hardly anything was acknowledged")
	}
}

// killed runs a process that appends, kills it, and returns the records that it acknowledged.
func killed(t *testing.T, path string) map[string][2]string {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVar+"=append", pathVar+"="+path)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	acked := map[string][2]string{}
	lines := bufio.NewScanner(out)
	timer := time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() })
	for first := true; lines.Scan(); first = false {
		if first { // it has begun
			timer.Reset(time.Duration(rand.IntN(25_000)) * time.Microsecond)
		}
		f := strings.Fields(lines.Text())
		if len(f) != 4 || f[0] != "ack" {
			t.Fatalf("it says %q", lines.Text())
		}
		acked[f[1]] = [2]string{f[2], f[3]}
	}
	_ = cmd.Wait() // it was killed
	return acked
}

func checkAcknowledged(t *testing.T, path string, acked map[string][2]string) {
	t.Helper()
	l, err := sqlite.Open(sqlite.Options{Path: path, Reserve: 64 << 10, Logger: quiet()})
	must(t, err)
	defer l.Close() // of a test
	if s := l.Status(); s.Inconsistency != "" {
		t.Error(s.Inconsistency)
	}
	for id, place := range acked {
		found, err := l.Find(t.Context(), "s", id)
		if err != nil || len(found) != 1 || fmt.Sprint(found[0].GetSequence()) != place[0] || found[0].GetHash() != place[1] {
			t.Errorf("%s was acknowledged as %s: %d found, %v", id, place, len(found), err)
		}
	}
	if v, broken := audittest.Verify(t, l); len(broken) > 0 || v.Intact < uint64(len(acked)) {
		t.Errorf("%+v, %v", v, broken)
	}
}

// appendAndWait appends, and after each line of its input appends again and prints whether the log has failed.
func appendAndWait() int {
	l, err := sqlite.Open(sqlite.Options{Path: os.Getenv(pathVar), Reserve: -1, Logger: quiet()})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	_, err = l.Append(context.Background(), audittest.Rejection("first"))
	fmt.Println(err)
	in := bufio.NewReader(os.Stdin)
	for range 2 {
		_, _ = in.ReadString('\n')
		_, err = l.Append(context.Background(), audittest.Rejection("second"))
		fmt.Println(errors.Is(err, auditlog.ErrFailed))
	}
	_, err = l.Get(context.Background(), 1)
	fmt.Println(err, l.Status().Failure != nil)
	_, _ = io.Copy(io.Discard, os.Stdin)
	return 0
}

// TestFailedSyncEndsAppends: after a failed sync no record is acknowledged, and earlier ones can be read.
func TestFailedSyncEndsAppends(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil || os.Geteuid() != 0 {
		lacks(t, "it needs strace and root")
	}
	path := filepath.Join(t.TempDir(), "audit.db")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), roleVar+"=fail", pathVar+"="+path)
	in, err := cmd.StdinPipe()
	must(t, err)
	pipe, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	out := bufio.NewScanner(pipe)
	line := func(want string) {
		t.Helper()
		if !out.Scan() || out.Text() != want {
			t.Fatalf("it says %q, want %q", out.Text(), want)
		}
	}
	line("<nil>")
	tracer := exec.Command(strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", "inject=fsync,fdatasync:error=EIO",
		"-p", strconv.Itoa(cmd.Process.Pid))
	must(t, tracer.Start())
	traced(t, cmd.Process.Pid)
	_, err = io.WriteString(in, "\n")
	must(t, err)
	line("true")
	must(t, tracer.Process.Signal(os.Interrupt))
	_ = tracer.Wait()
	_, err = io.WriteString(in, "\n") // syncs do not fail any more
	must(t, err)
	line("true")
	line("<nil> true")
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	l, err := sqlite.Open(sqlite.Options{Path: path, Reserve: -1, Logger: quiet()})
	must(t, err)
	defer l.Close() // of a test
	if v, broken := audittest.Verify(t, l); v.Intact < 1 || v.Intact > 2 || len(broken) > 0 {
		t.Errorf("%+v, %v", v, broken)
	}
}

// traced waits until all threads of a process are traced.
func traced(t *testing.T, pid int) {
	t.Helper()
	for range 500 {
		tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
		must(t, err)
		all := len(tasks) > 0
		for _, task := range tasks {
			text, err := os.ReadFile(task)
			all = all && err == nil && !strings.Contains(string(text), "TracerPid:\t0\n")
		}
		if all {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("it is not traced")
}
