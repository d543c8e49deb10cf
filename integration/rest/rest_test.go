package rest_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/sidecartest"
)

const (
	// largest is the size of the release binary at the most, in bytes.
	largest = 36_500_000
	// slowestVersion and slowestServe are times in those of the floor, which is 1.2 ms on an idle machine.
	slowestVersion, slowestServe = 7, 33
	// restsAfter is more than the time after which a sidecar gives memory back.
	restsAfter = 8 * time.Second
	// maxAtRest is what a sidecar at rest has in memory at the most, in bytes.
	maxAtRest = 44 << 20
)

// rounds is how often everything is started.
const rounds = 21

var binary string

func TestMain(m *testing.M) {
	if binary = os.Getenv("TOOLRESULT_RELEASE"); binary != "" {
		os.Exit(m.Run())
	}
	os.Exit(sidecartest.Main(m, &binary, "-trimpath", "-tags=grpcnotrace,nethttpomithttp2", "-ldflags=-s -w -funcalign=16"))
}

func TestReleaseIsSmall(t *testing.T) {
	file, err := os.Stat(binary)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes", file.Size())
	if file.Size() > largest {
		t.Errorf("the release binary has %d bytes, more than %d", file.Size(), largest)
	}
}

// TestStartIsShort compares medians in one run: beside others, all of them are slow.
func TestStartIsShort(t *testing.T) {
	sidecartest.Need(t, sidecartest.All(), "it runs alone, with make rest")
	floor := filepath.Join(t.TempDir(), "floor")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", floor, "./floor").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	start := []func() time.Duration{
		func() time.Duration { return run(t, floor) },
		func() time.Duration { return run(t, binary, "version") },
		func() time.Duration { return untilReady(t) },
	}
	times := make([][]time.Duration, len(start))
	for range rounds {
		for _, i := range rand.Perm(len(start)) {
			times[i] = append(times[i], start[i]())
		}
	}
	for i := range times {
		slices.Sort(times[i])
	}
	least := times[0][rounds/2]
	for i, bound := range map[int]float64{1: slowestVersion, 2: slowestServe} {
		name, took := []string{"floor", "version", "serve, empty store"}[i], times[i][rounds/2]
		ratio := took.Seconds() / least.Seconds()
		t.Logf("%s: %v, %.1f times a program that prints a word, %v", name, took, ratio, least)
		if ratio > bound {
			t.Errorf("%s takes %.1f times as long as a program that prints a word, more than %.0f", name, ratio, bound)
		}
	}
}

// run returns how long a program takes.
func run(t *testing.T, program string, args ...string) time.Duration {
	t.Helper()
	began := time.Now()
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return time.Since(began)
}

// untilReady returns how long a sidecar takes until its socket takes a connection, on an empty store.
func untilReady(t *testing.T) time.Duration {
	t.Helper()
	began := time.Now()
	s := sidecartest.Start(t, sidecartest.Options{Binary: binary})
	took := time.Since(began)
	s.Terminate()
	return took
}

// Beside the memory of the sidecar itself the bound has the pages of the program that it used last.
func TestRestInBoundedMemory(t *testing.T) {
	sidecartest.Need(t, sidecartest.All(), "it takes long")
	s := sidecartest.Start(t, sidecartest.Options{Binary: binary})
	time.Sleep(restsAfter)
	atRest(t, s.PID(), "after the start")
	calls := pb.NewToolResultServiceClient(sidecartest.Dial(t, s.Target()))
	for i := range 100 {
		text := strings.Repeat(fmt.Sprintf("line %d of the output of a tool\n", i), 20*(i+1))
		output := &pb.CompleteToolOutput{ToolName: "tool", Result: &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{Content: payload(text)}}}
		if _, err := calls.Project(t.Context(), &pb.ProjectRequest{Output: output}); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(restsAfter)
	atRest(t, s.PID(), "after 100 calls")
}

// payload returns a payload with a text.
func payload(text string) *pb.Payload {
	return &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(text)}}
}

// atRest checks the resident memory of a process.
func atRest(t *testing.T, pid int, when string) {
	t.Helper()
	smaps, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(smaps), "Rss:")
	kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d KiB resident", when, kib)
	if kib<<10 > maxAtRest {
		t.Errorf("%s: %d KiB resident, more than %d", when, kib, maxAtRest>>10)
	}
}
