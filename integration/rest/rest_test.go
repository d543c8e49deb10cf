package rest_test

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/sidecartest"
)

const (
	// largest is the size of the release binary at the most, in bytes; docs/adr/0070 has what the templates of the page cost.
	largest = 41_000_000
	// slowestVersion and slowestServe are times in those of the floor, which is 1.2 ms on an idle machine: 8 ms and 40 ms.
	slowestVersion, slowestServe = 6.7, 33
	// manyArtifacts are those of a store that is not empty.
	manyArtifacts = 100_000
	// restsAfter is more than the time after which a sidecar gives memory back.
	restsAfter = 8 * time.Second
	// maxAtRest is what a sidecar at rest has in memory at the most, in bytes.
	maxAtRest = 32 << 20
)

// rounds is how often everything is started.
const rounds = 21

var binary string

func TestMain(m *testing.M) {
	if flag.Parse(); testing.Short() {
		os.Exit(m.Run()) // nothing is measured: no binary is built
	}
	if binary = os.Getenv("TOOLRESULT_RELEASE"); binary != "" {
		os.Exit(runInstalled(m))
	}
	os.Exit(sidecartest.Main(m, &binary, "-trimpath", "-tags=grpcnotrace,nethttpomithttp2", "-ldflags=-s -w -funcalign=16"))
}

// runInstalled runs the tests with a copy of the binary, written in small pieces, as a download or an archive is. The kernel keeps a file that
// was written in larger ones in larger ones, and a process that uses one page of such a piece has all of it in memory.
func runInstalled(m *testing.M) int {
	dir, err := os.MkdirTemp("", "rest")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	content, err := os.ReadFile(binary)
	if err != nil {
		panic(err)
	}
	binary = filepath.Join(dir, "toolresult")
	file, err := os.OpenFile(binary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o700)
	if err != nil {
		panic(err)
	}
	for piece := range slices.Chunk(content, 16<<10) {
		if _, err := file.Write(piece); err != nil {
			panic(err)
		}
	}
	if err := file.Close(); err != nil {
		panic(err)
	}
	return m.Run()
}

func TestReleaseIsSmall(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped with -short: it builds a release; `make rest` runs it")
	}
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
	large := filepath.Join(t.TempDir(), "store")
	fill(t, large, manyArtifacts)
	untilReady(t, large) // the first start verifies the artifacts that nobody has synced
	floor := filepath.Join(t.TempDir(), "floor")
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", floor, "./floor").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	start := []func() time.Duration{
		func() time.Duration { return run(t, floor) },
		func() time.Duration { return run(t, binary, "version") },
		func() time.Duration { return untilReady(t, "") },
		func() time.Duration { return untilReady(t, large) },
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
	for i, bound := range map[int]float64{1: slowestVersion, 2: slowestServe, 3: slowestServe} {
		name, took := []string{"floor", "version", "serve, empty store", "serve, 100,000 artifacts"}[i], times[i][rounds/2]
		ratio := took.Seconds() / least.Seconds()
		t.Logf("%s: %v, %.1f times a program that prints a word, %v; at the fastest %v and %v", name, took, ratio, least, times[i][0], times[0][0])
		if ratio > bound {
			t.Errorf("%s takes %.1f times as long as a program that prints a word, more than %.1f", name, ratio, bound)
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

// untilReady returns how long a sidecar takes until it has printed its address, which takes calls then, on a store; empty: a new one.
func untilReady(t *testing.T, store string) time.Duration {
	t.Helper()
	dir := sidecartest.ShortDir(t)
	if store == "" {
		store = filepath.Join(dir, "store")
	}
	cmd := exec.Command(binary, "serve", "--socket", filepath.Join(dir, "s"), "--store", store)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = []string{"HOME=" + dir}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	took := time.Since(began)
	if err != nil || !strings.HasPrefix(line, "unix://") {
		t.Errorf("the sidecar printed %q, %v", line, err)
	}
	if err := errors.Join(cmd.Process.Signal(syscall.SIGTERM), cmd.Wait()); err != nil {
		t.Error(err)
	}
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
