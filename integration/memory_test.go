package integration_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/sidecartest"
)

// Memory over idle that streams may take, in bytes: for one, and for eight at once.
const (
	memoryOfOne   = 64 << 20
	memoryOfEight = 256 << 20
)

// streamMiB is the size of each stream, in MiB: 256, or what TOOLRESULT_MEMORY_MIB says.
func streamMiB(t *testing.T) int64 {
	t.Helper()
	text := os.Getenv("TOOLRESULT_MEMORY_MIB")
	if text == "" {
		return 256
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

// A sidecar that the kernel allows no more memory than it takes idle, and what
// docs/reference/limits.md says of streams, takes streams that are larger than all of that.
// The page cache of what it stores counts too, and is reclaimed.
func TestStreamsInBoundedMemory(t *testing.T) {
	if !sidecartest.All() {
		t.Skip("leg skipped: it writes several GiB; TOOLRESULT_LEGS=all runs it")
	}
	if raceDetector {
		t.Skip("leg skipped: the race detector takes memory of its own")
	}
	controller := memoryController(t)
	for _, c := range []struct{ streams, room int64 }{{1, memoryOfOne}, {8, memoryOfEight}} {
		streams, room := c.streams, c.room
		t.Run(fmt.Sprintf("%d at once", streams), func(t *testing.T) {
			group := newMemoryGroup(t, controller)
			s := startSidecar(t, launch{Shell: "echo $$ > '" + group.path("cgroup.procs") + "'"})
			s.project(t, completed(0, "what every process has after its first call\n"))
			idle := s.memory(t, "VmRSS")
			group.mustHold(t, s)
			limit := idle + room
			group.limit(t, limit)
			for shape, chunk := range streamShapes() {
				total := streamMiB(t) << 20
				var wait sync.WaitGroup
				for i := range streams {
					last := fmt.Sprintf("the end of stream %d of %s", i, shape)
					wait.Go(func() { wantStreamed(t, s, chunk, total, last) })
				}
				wait.Wait()
				if t.Failed() {
					break
				}
				removeArtifacts(t, s)
			}
			if s.Ended() {
				t.Fatalf("the sidecar ended: %v\n%s", s.Cmd.ProcessState, s.Log)
			}
			if killed := group.number(t, "memory.oom_control", "oom_kill"); killed != 0 {
				t.Errorf("the kernel ended %d processes for want of memory", killed)
			}
			if group.number(t, "memory.failcnt", "") == 0 {
				t.Error("the limit was never reached: it proves nothing")
			}
			most := s.memory(t, "VmHWM")
			t.Logf("idle %d KiB, at most %d KiB more", idle>>10, (most-idle)>>10)
			if most > limit {
				t.Errorf("%d bytes over idle, want at most %d", most-idle, room)
			}
		})
	}
}

// memoryController is where the kernel's memory controller (cgroup version 1) is
// mounted. If it is nowhere it is mounted for this test.
func memoryController(t *testing.T) string {
	t.Helper()
	leg(t, os.Geteuid() == 0, "needs root to limit the memory of a process")
	mounts, err := os.ReadFile("/proc/mounts")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(mounts)) {
		f := strings.Fields(line)
		if f[2] == "cgroup" && slices.Contains(strings.Split(f[3], ","), "memory") {
			return f[1]
		}
	}
	at := t.TempDir()
	err = unix.Mount("cgroup", at, "cgroup", 0, "memory")
	leg(t, err == nil, fmt.Sprintf("the memory controller of cgroup version 1 cannot be mounted: %v", err))
	t.Cleanup(func() { _ = unix.Unmount(at, unix.MNT_DETACH) })
	return at
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

// wantStreamed sends a stream as the output of a command, and wants it stored whole.
func wantStreamed(t *testing.T, s *sidecar, chunk []byte, total int64, last string) {
	call, err := s.ProjectStream(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Error(err)
		return
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
	if err != nil {
		t.Errorf("%s: %v", last, err)
		return
	}
	artifacts := answer.GetResult().GetCanonical().GetCommand().GetArtifacts()
	if len(artifacts) != 1 {
		t.Errorf("%s: %d artifacts", last, len(artifacts))
		return
	}
	want := (total+int64(len(chunk))-1)/int64(len(chunk))*int64(len(chunk)) + int64(len(last))
	if info, err := os.Stat(artifacts[0].GetPath()); err != nil || info.Size() != want {
		t.Errorf("%s: %v, want %d bytes: %v", last, info, want, err)
	}
}

// removeArtifacts makes room on the disk.
func removeArtifacts(t *testing.T, s *sidecar) {
	t.Helper()
	stored, err := filepath.Glob(filepath.Join(s.Store, "???", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stored {
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
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
