package integration_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// baseline makes calls of every kind once, and counts the descriptors that a sidecar then has.
func (s *sidecar) baseline(t *testing.T) int {
	t.Helper()
	resp := s.project(t, completed(0, numbered(2000)))
	s.compact(t, resp.GetCanonical(), handles)
	if _, err := streams(t.Context(), s, headerOf(nil), chunkOf("stdout", "x")); err == nil {
		t.Error("a stream without a header was served")
	}
	wantNoTemp(t, s)
	return s.Descriptors(t)
}

// wantSettled checks what holds after every case: health answers, and soon there is no temporary file and no
// descriptor that was not there before.
func (s *sidecar) wantSettled(t *testing.T, descriptors int) {
	t.Helper()
	if s.Ended() {
		t.Fatalf("the sidecar ended: %v\n%s", s.Cmd.ProcessState, s.Log)
	}
	s.wantHealthy(t)
	waitFor(t, fmt.Sprintf("no temporary file and %d descriptors", descriptors), func() bool {
		left, err := os.ReadDir(filepath.Join(s.Store, "tmp"))
		if err != nil {
			t.Fatal(err)
		}
		return len(left) == 0 && s.Descriptors(t) <= descriptors
	})
}

// wantHealthy checks that health answers.
func (s *sidecar) wantHealthy(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), patience)
	defer cancel()
	resp, err := healthpb.NewHealthClient(s.conn).Check(ctx, &healthpb.HealthCheckRequest{})
	if err != nil || resp.GetStatus() != healthpb.HealthCheckResponse_SERVING {
		t.Fatalf("health: %v, error %v", resp, err)
	}
}

// processorTime is what the process has used of processors.
func (s *sidecar) processorTime(t *testing.T) time.Duration {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", s.PID()))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var ticks int64
	for _, f := range fields[11:13] { // utime and stime, in hundredths of a second
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}

// wantNoGoroutines ends a sidecar that has no connection any more, and checks that it had no goroutine that one
// which has served a single call does not have.
func wantNoGoroutines(t *testing.T, s *sidecar) {
	t.Helper()
	fresh := startSidecar(t, launch{})
	fresh.baseline(t)
	usual := fresh.goroutines(t)
	for begun, n := range s.goroutines(t) {
		if n > usual[begun] {
			t.Errorf("%d goroutines were %s, usual are %d\n%s", n, begun, usual[begun], s.Log)
		}
	}
}

var goroutineBegun = regexp.MustCompile(`(?m)^created by (\S+)`)

// goroutines ends a sidecar by SIGQUIT, and counts its goroutines by what began them.
func (s *sidecar) goroutines(t *testing.T) map[string]int {
	t.Helper()
	before := s.Descriptors(t)
	_ = s.conn.Close() // what it says is of no account
	waitFor(t, "the connection to be closed", func() bool { return s.Descriptors(t) < before })
	time.Sleep(250 * time.Millisecond) // goroutines end after the descriptor, and nothing says when
	s.Signal(syscall.SIGQUIT)
	s.Wait()
	count := map[string]int{}
	for _, m := range goroutineBegun.FindAllStringSubmatch(s.Log.String(), -1) {
		count[m[1]]++
	}
	if len(count) == 0 {
		t.Errorf("no goroutines are in\n%s", s.Log)
	}
	return count
}

// TestInFlightBytesAreGivenBack lets calls end in every way where only one of them fits at a time.
func TestInFlightBytesAreGivenBack(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Args: []string{"--max-message-bytes=1MiB", "--max-in-flight-bytes=1MiB"}})
	large := strings.Repeat(canary+"\n", 900<<10/(len(canary)+1))
	refused := completed(0, large)
	refused.Output.ToolName = "no name"
	for i := range 10 {
		if _, err := s.Project(t.Context(), refused); err == nil {
			t.Error("a bad name was served")
		}
		if _, err := s.Project(t.Context(), within(&pb.Budget{MaxLines: 1}, completed(0, large))); err == nil {
			t.Error("a bad budget was served")
		}
		if _, err := s.Project(t.Context(), completed(0, large+large)); err == nil {
			t.Error("a message over the limit was served")
		}
		for _, leave := range []time.Duration{time.Microsecond, time.Duration(i) * time.Millisecond} {
			ctx, cancel := context.WithTimeout(t.Context(), leave)
			_, _ = s.Project(ctx, completed(0, large)) // it ends as it may
			cancel()
		}
	}
	waitFor(t, "a call alone to be served", func() bool {
		_, err := s.Project(t.Context(), completed(0, large))
		return err == nil
	})
}
