package integration_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/costs"
	"github.com/toolresult/toolresult/integration/sidecartest"
)

// maxResident is what a sidecar with its defaults has in memory at the most, in bytes, whatever its callers do.
const maxResident = 256 << 20

// mixCallers is how many callers there are at once.
const mixCallers = 16

// needAlone skips a test of memory unless it runs alone, as `make integration` runs those that end with InBoundedMemory: beside
// others the garbage collector gets no processor, and the race detector needs memory itself.
func needAlone(t *testing.T) {
	t.Helper()
	if raceDetector {
		t.Skip("skipped: the race detector takes memory of its own")
	}
	if testing.Short() {
		t.Skip("skipped with -short: it measures memory alone; `make integration` runs it")
	}
}

// streamMiB is the size of the long line of a stream, in MiB: 1,024, or what TOOLRESULT_MEMORY_MIB says.
func streamMiB(t *testing.T) int64 {
	t.Helper()
	text := os.Getenv("TOOLRESULT_MEMORY_MIB")
	if text == "" {
		return 1024
	}
	n, err := strconv.ParseInt(text, 10, 32)
	if err != nil || n < 1 {
		t.Fatalf("TOOLRESULT_MEMORY_MIB=%q is no number of MiB", text)
	}
	return n
}

// streamShapes are a chunk of each kind of stream.
func streamShapes() map[string][]byte {
	const size = 256 << 10
	noise := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(noise)
	return map[string][]byte{
		"log":         []byte(numbered(20_000))[:size],
		"one line":    bytes.Repeat([]byte("x"), size),
		"empty lines": bytes.Repeat([]byte("\n"), size),
		"binary":      noise,
		"listing":     bytes.Repeat([]byte("./src/file.go\n"), size/14),
	}
}

// A sidecar that the kernel allows 256 MiB serves any mix of the most expensive calls that the search has found, of 16 callers
// at once, beside a stream of one long line, and of streams of other shapes. The mix follows from a seed, TOOLRESULT_COSTS_SEED.
// Where the kernel's limit cannot be set, the most memory that the process ever had is compared with it.
func TestAnyMixInBoundedMemory(t *testing.T) {
	needAlone(t)
	winners := preparedWinners(t)
	group := limitedGroup(t)
	s := startSidecar(t, launch{Shell: group.enter(), Args: []string{"--log-level=warn"}})
	if group != "" {
		group.mustHold(t, s)
		group.limit(t, maxResident)
	}
	health := watchHealth(t, s)
	var callers sync.WaitGroup
	callers.Go(func() {
		if wantStreamed(t, s, streamShapes()["one line"], streamMiB(t)<<20, "the end of the long line") {
			t.Error("the long line was rejected")
		}
	})
	mixed := &mix{winners: winners, rounds: 6, stream: 32 << 20}
	seed := costsSeed(t)
	for i := range mixCallers {
		callers.Go(func() { mixed.call(t, s, rand.New(rand.NewPCG(seed, uint64(i)))) })
	}
	callers.Wait()
	health.stop(t)
	if s.Ended() {
		t.Fatalf("the sidecar ended: %v\n%s", s.Cmd.ProcessState, s.Log)
	}
	if group != "" {
		if killed := group.number(t, "memory.oom_control", "oom_kill"); killed != 0 {
			t.Errorf("the kernel ended %d processes for want of memory", killed)
		}
	}
	most := s.memory(t, "VmHWM")
	t.Logf("seed %d: %d calls, %d of them rejected as busy; at most %d KiB resident of %d KiB", seed, mixed.calls.Load(), mixed.busy.Load(), most>>10, maxResident>>10)
	if most > maxResident {
		t.Errorf("%d bytes were resident, want at most %d", most, maxResident)
	}
}

// TestLargePagesInBoundedMemory lets 16 callers read 64 of the largest pages of an artifact at once.
func TestLargePagesInBoundedMemory(t *testing.T) {
	needAlone(t)
	s := startSidecar(t, launch{})
	artifact := s.project(t, completed(0, numbered(400_000)[:3_900_000])).GetCanonical().GetCommand().GetArtifacts()[0]
	largest := &pb.ReadArtifactRequest{Path: artifact.GetPath(), Budget: &pb.ReadBudget{MaxBytes: 3 << 20, MaxLines: 1_000_000}}
	var callers sync.WaitGroup
	for range mixCallers {
		client := pb.NewArtifactServiceClient(sidecartest.Dial(t, s.Target()))
		for range 4 {
			callers.Go(func() {
				for range 4 {
					page, err := client.ReadArtifact(t.Context(), largest)
					if status.Code(err) != codes.ResourceExhausted && len(page.GetData()) < 3_000_000 {
						t.Errorf("a page of %d bytes: %v", len(page.GetData()), err)
					}
				}
			})
		}
	}
	callers.Wait()
	most := s.memory(t, "VmHWM")
	t.Logf("at most %d KiB resident of %d KiB", most>>10, maxResident>>10)
	if most > maxResident {
		t.Errorf("%d bytes were resident, want at most %d", most, maxResident)
	}
}

// preparedWinners returns the calls that the search has found.
func preparedWinners(t *testing.T) (list []*costs.Prepared) {
	t.Helper()
	winners, err := costs.Winners()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range winners {
		p, err := r.Prepare()
		if err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		list = append(list, p)
	}
	return list
}

// mix is what callers do.
type mix struct {
	winners     []*costs.Prepared
	rounds      int   // calls of each caller
	stream      int64 // size of a stream, in bytes
	calls, busy atomic.Int64
}

// call makes calls over a connection of its own.
func (m *mix) call(t *testing.T, s *sidecar, random *rand.Rand) {
	conn := sidecartest.Dial(t, s.Target(), grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)))
	shapes := streamShapes()
	names := slices.Sorted(maps.Keys(shapes))
	for i := range m.rounds {
		m.calls.Add(1)
		if random.IntN(8) == 0 {
			name := names[random.IntN(len(names))]
			if wantStreamed(t, s, shapes[name], m.stream, fmt.Sprintf("the end of %s %d %d", name, i, random.IntN(1e9))) {
				m.busy.Add(1)
			}
			continue
		}
		p := m.winners[random.IntN(len(m.winners))]
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		err := p.Call(ctx, conn)
		cancel()
		switch status.Code(err) {
		case codes.OK, codes.InvalidArgument, codes.NotFound, codes.FailedPrecondition, codes.Unimplemented:
		case codes.ResourceExhausted:
			m.busy.Add(1)
		default:
			t.Errorf("%+v: %v", p.Recipe, err)
		}
	}
}

// healthWatch asks for the health of a sidecar again and again.
type healthWatch struct {
	done chan struct{}
	over sync.WaitGroup
	took []time.Duration
}

// watchHealth begins to ask for the health of a sidecar.
func watchHealth(t *testing.T, s *sidecar) *healthWatch {
	client := healthpb.NewHealthClient(sidecartest.Dial(t, s.Target()))
	w := &healthWatch{done: make(chan struct{})}
	w.over.Go(func() {
		for tick := time.NewTicker(10 * time.Millisecond); ; {
			select {
			case <-w.done:
				tick.Stop()
				return
			case <-tick.C:
			}
			began := time.Now()
			if _, err := client.Check(context.WithoutCancel(t.Context()), &healthpb.HealthCheckRequest{}); err != nil {
				t.Errorf("health: %v", err)
				return
			}
			w.took = append(w.took, time.Since(began))
		}
	})
	return w
}

// stop ends it, and prints how long the answers took. How long they may take is no matter of a test.
func (w *healthWatch) stop(t *testing.T) {
	close(w.done)
	w.over.Wait()
	slices.Sort(w.took)
	if n := len(w.took); n > 0 {
		t.Logf("health: %d answers, p50 %v, p99 %v, at most %v", n, w.took[n/2], w.took[n*99/100], w.took[n-1])
	}
}

// limitedGroup returns a group of processes for a limit, or none where the kernel has no controller for this process.
func limitedGroup(t *testing.T) memoryGroup {
	t.Helper()
	controller, err := memoryController(t)
	if err != nil {
		t.Logf("NO LIMIT OF THE KERNEL: %v; only the resident memory of the process is compared with %d bytes", err, maxResident)
		return ""
	}
	return newMemoryGroup(t, controller)
}

// enter is what sh does to enter the group.
func (g memoryGroup) enter() string {
	if g == "" {
		return ""
	}
	return "echo $$ > '" + g.path("cgroup.procs") + "'"
}

// memoryController returns where the kernel's memory controller (cgroup version 1) is mounted. If it is nowhere it is mounted
// for this test.
func memoryController(t *testing.T) (string, error) {
	t.Helper()
	if os.Geteuid() != 0 {
		return "", errors.New("it takes root to limit the memory of a process")
	}
	mounts, err := os.ReadFile("/proc/mounts")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(mounts)) {
		f := strings.Fields(line)
		if f[2] == "cgroup" && slices.Contains(strings.Split(f[3], ","), "memory") {
			return f[1], nil
		}
	}
	at := t.TempDir()
	if err := mountMemoryController(at); err != nil {
		return "", fmt.Errorf("the memory controller of cgroup version 1 cannot be mounted: %w", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(at, detach) })
	return at, nil
}

// memoryGroup is a group of processes whose memory is counted and limited.
type memoryGroup string

func newMemoryGroup(t *testing.T, controller string) memoryGroup {
	t.Helper()
	dir, err := os.MkdirTemp(controller, "toolresult-")
	leg(t, err == nil, fmt.Sprintf("a memory group cannot be made: %v", err))
	t.Cleanup(func() {
		if err := unix.Rmdir(dir); err != nil {
			t.Errorf("remove %s: %v", dir, err)
		}
	})
	return memoryGroup(dir)
}

func (g memoryGroup) path(name string) string { return filepath.Join(string(g), name) }

// limit limits the memory of the group, in bytes, and turns its swap off.
func (g memoryGroup) limit(t *testing.T, n int64) {
	t.Helper()
	for name, value := range map[string]int64{"memory.limit_in_bytes": n, "memory.swappiness": 0} {
		if err := os.WriteFile(g.path(name), fmt.Append(nil, value), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// mustHold checks that a sidecar is in the group.
func (g memoryGroup) mustHold(t *testing.T, s *sidecar) {
	t.Helper()
	processes, err := os.ReadFile(g.path("cgroup.procs"))
	if err != nil || strings.TrimSpace(string(processes)) != strconv.Itoa(s.PID()) {
		t.Fatalf("the group has the processes %q, want %d: %v\n%s", processes, s.PID(), err, s.Log)
	}
}

// number reads a file of the group: the only number in it, or that behind a name.
func (g memoryGroup) number(t *testing.T, file, name string) int64 {
	t.Helper()
	text, err := os.ReadFile(g.path(file))
	if err != nil {
		t.Fatal(err)
	}
	fields := strings.Fields(string(text))
	n, err := strconv.ParseInt(fields[slices.Index(fields, name)+1], 10, 64)
	if err != nil {
		t.Fatalf("%s of %s:\n%s", name, file, text)
	}
	return n
}

// wantStreamed sends a stream as the output of a command, and wants it stored whole. It reports true when the sidecar was too
// busy for it.
func wantStreamed(t *testing.T, s *sidecar, chunk []byte, total int64, last string) (busy bool) {
	call, err := s.ProjectStream(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Error(err)
		return false
	}
	messages := []*pb.ProjectStreamRequest{headerOf(&pb.StreamHeader{Family: "command"})}
	repeated := &pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Chunk{Chunk: &pb.StreamChunk{Stream: "stdout", Data: chunk}}}
	for sent := int64(0); sent < total; sent += int64(len(chunk)) {
		messages = append(messages, repeated)
	}
	for _, m := range append(messages, chunkOf("stdout", last), finishOf(exited(0))) {
		if call.Send(m) != nil {
			break // Recv says why
		}
	}
	answer, err := call.Recv()
	if status.Code(err) == codes.ResourceExhausted {
		return true
	}
	if err != nil {
		t.Errorf("%s: %v", last, err)
		return false
	}
	artifacts := answer.GetResult().GetCanonical().GetCommand().GetArtifacts()
	if len(artifacts) != 1 {
		t.Errorf("%s: %d artifacts", last, len(artifacts))
		return false
	}
	want := (total+int64(len(chunk))-1)/int64(len(chunk))*int64(len(chunk)) + int64(len(last))
	if info, err := os.Stat(artifacts[0].GetPath()); err != nil || info.Size() != want {
		t.Errorf("%s: %v, want %d bytes: %v", last, info, want, err)
	}
	return false
}

// memory is a line of the status of the sidecar's process, in bytes.
func (s *sidecar) memory(t *testing.T, name string) int64 {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.PID()))
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), name+":")
	n, err := strconv.ParseInt(strings.Fields(after + " x")[0], 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n << 10
}
