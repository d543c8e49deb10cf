//go:build linux

package faults_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/zeebo/blake3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/sidecartest"
)

// TestClientKilledInMidUpload is A19: the upload of a client that dies leaves nothing. While a client is only
// stopped (A18) its upload waits, and nobody else does.
func TestClientKilledInMidUpload(t *testing.T) {
	leg(t)
	s := startSidecar(t, launch{})
	for range 10 {
		sent := filepath.Join(t.TempDir(), "sent")
		client := player(t, "client", sent, socketVar+"="+s.Socket)
		must(t, client.Start())
		waitFor(t, "the client to send", func() bool { return len(acksOf(t, sent)) > 20 && len(tempFiles(t, s.Store)) == 1 })
		must(t, client.Process.Signal(syscall.SIGSTOP))
		answer, err := s.inAStream(t.Context(), numbered(2000))
		must(t, err)
		s.wantWhole(t, artifactOf(answer), numbered(2000))
		s.wantHealth(t)
		waitFor(t, "the other upload to be over, and not that of the stopped client", func() bool { return len(tempFiles(t, s.Store)) == 1 })
		must(t, client.Process.Kill())
		_ = client.Wait() // it reports the signal
		s.wantNoTemp(t)
	}
	if n := len(artifactNames(t, s.Store)); n != 1 {
		t.Errorf("%d artifacts of one finished upload", n)
	}
}

// TestAbandonedUploads is E11: uploads that nobody finishes, in a row and several at a time, leave neither files
// nor descriptors.
func TestAbandonedUploads(t *testing.T) {
	leg(t)
	s := startSidecar(t, launch{})
	uploads, began := count(t, uploadsVar, 500), time.Now()
	s.abandon(t, 4)
	s.wantNoTemp(t)
	before := s.Descriptors(t)
	next := make(chan int)
	var clients sync.WaitGroup
	for range 16 {
		clients.Go(func() {
			for i := range next {
				s.abandon(t, i)
			}
		})
	}
	for i := range uploads {
		next <- i
	}
	close(next)
	clients.Wait()
	s.wantNoTemp(t)
	waitFor(t, "descriptors to be closed", func() bool { return s.Descriptors(t) <= before })
	if names := artifactNames(t, s.Store); len(names) > 0 {
		t.Errorf("artifacts of uploads without a finish: %q", names)
	}
	s.wantHealth(t)
	remark(t, "%d abandoned uploads, nothing left, %v", uploads, time.Since(began).Round(time.Second))
}

// abandon begins an upload and leaves it in one of several ways.
func (s *sidecar) abandon(t testing.TB, way int) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	call, err := s.upload(ctx)
	if err != nil {
		t.Error(err)
		return
	}
	want := codes.Canceled
	for range way % 5 {
		if err := call.Send(chunk(numbered(1000))); err != nil {
			t.Errorf("an upload was refused: %v", err)
		}
	}
	switch way % 3 {
	case 0:
		cancel()
	case 1: // no finish
		want = codes.InvalidArgument
		_ = call.CloseSend() // Recv says what came of it
	case 2: // a second header
		want = codes.InvalidArgument
		_ = call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{Header: &pb.StreamHeader{Family: "command"}}})
	}
	if _, err := call.Recv(); status.Code(err) != want {
		t.Errorf("an upload that was left in way %d ended with %v", way%3, err)
	}
}

// TestManyUploadsInLittleMemory is E10 and K17: 64 uploads at once fit into 256 MiB, whatever their size.
func TestManyUploadsInLittleMemory(t *testing.T) {
	leg(t)
	const uploads, megabytes = 64, 8
	s := startSidecar(t, launch{})
	s.within(t, 256<<20)
	var clients sync.WaitGroup
	for i := range uploads {
		clients.Go(func() {
			text := strings.Repeat(fmt.Sprintf("upload %d\n", i), megabytes<<20/10)
			answer, err := s.inAStream(t.Context(), text)
			if err != nil {
				t.Errorf("upload %d: %v", i, err)
				return
			}
			if info, err := os.Stat(artifactOf(answer)); err != nil || info.Size() != int64(len(text)) {
				t.Errorf("upload %d: %v, error %v", i, info, err)
			}
		})
	}
	clients.Wait()
	s.wantNoTemp(t)
	peak := s.peak(t)
	if peak > 256<<20 {
		t.Errorf("the peak was %d MiB", peak>>20)
	}
	t.Logf("%d uploads of %d MiB at once: %d MiB of memory at most", uploads, megabytes, peak>>20)
	verify(t, s.storeOfEnded(t), nil)
}

// TestHugeStreams is D03, E01 and E03: a stream of one line, one of NUL bytes and one of random bytes take no
// more memory than any other. The long form has a gigabyte of each.
func TestHugeStreams(t *testing.T) {
	leg(t)
	megabytes := count(t, megabytesVar, 128)
	random := rand.NewChaCha8([32]byte{1})
	noise := make([]byte, 1<<20)
	for name, next := range map[string]func() []byte{
		"one line": func() []byte { return bytes.Repeat([]byte("x"), 1<<20) },
		"NUL":      func() []byte { return make([]byte, 1<<20) },
		"random": func() []byte {
			_, _ = random.Read(noise) // it never fails
			return noise
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := startSidecar(t, launch{})
			_, err := s.inAStream(t.Context(), numbered(20_000))
			must(t, err)
			idle := s.peak(t)
			call, err := s.upload(t.Context())
			must(t, err)
			hash := blake3.New()
			for range megabytes {
				part := next()
				hash.Write(part) // a hash never fails
				for ; len(part) > 0; part = part[min(len(part), chunkSize):] {
					must(t, call.Send(chunk(string(part[:min(len(part), chunkSize)]))))
				}
			}
			answer, err := finish(call)
			must(t, err)
			text := answer.GetReceipt().GetText()
			if len(text) > 64<<10 || strings.Contains(text, "binary") != (name == "random") {
				t.Errorf("the receipt has %d bytes: %.300q", len(text), text)
			}
			page, err := s.artifacts.ReadArtifact(t.Context(), &pb.ReadArtifactRequest{Path: artifactOf(answer)})
			must(t, err)
			if want := fmt.Sprintf("blake3:%x", hash.Sum(nil)); page.GetDigest() != want || page.GetTotalBytes() != uint64(megabytes)<<20 {
				t.Errorf("the artifact has %d bytes and the digest %s, want %s", page.GetTotalBytes(), page.GetDigest(), want)
			}
			grown := s.peak(t) - idle
			if grown > 64<<20 {
				t.Errorf("the peak of the memory grew by %d MiB", grown>>20)
			}
			s.wantNoTemp(t)
			remark(t, "%d MiB in a stream: %d MiB of memory more than before", megabytes, grown>>20)
		})
	}
}

// storeOfEnded ends the sidecar and returns its store.
func (s *sidecar) storeOfEnded(t testing.TB) string {
	t.Helper()
	if code := s.Terminate(); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.Log)
	}
	return s.Store
}

// within limits the memory of the sidecar, the page cache included (cgroup v1).
func (s *sidecar) within(t *testing.T, limit int) {
	t.Helper()
	group := fmt.Sprintf("/sys/fs/cgroup/memory/toolresult-faults-%d", s.PID())
	if err := os.Mkdir(group, 0o755); err != nil {
		t.Fatalf("TOOLRESULT_LEGS=all, and this leg cannot run: no memory group: %v", err)
	}
	t.Cleanup(func() {
		s.Terminate()
		must(t, syscall.Rmdir(group))
	})
	must(t, os.WriteFile(group+"/memory.limit_in_bytes", []byte(strconv.Itoa(limit)), 0))
	must(t, os.WriteFile(group+"/cgroup.procs", []byte(strconv.Itoa(s.PID())), 0))
}

// peak is the most memory that the process has had, in bytes.
func (s *sidecar) peak(t testing.TB) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.PID()))
	must(t, err)
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	var kib int
	_, err = fmt.Sscan(rest, &kib)
	must(t, err)
	return kib << 10
}

// TestTerminatedWithOpenUploads is K13: 64 uploads are open when SIGTERM comes. New calls are refused, uploads
// that finish in time have their result, the others are cut, and the exit code is 0.
func TestTerminatedWithOpenUploads(t *testing.T) {
	leg(t)
	s := startSidecar(t, launch{Args: []string{"--drain-delay=1s", "--shutdown-timeout=4s"}})
	const uploads = 64
	var open []upload
	for i := range uploads {
		call, err := s.upload(t.Context())
		must(t, err)
		must(t, call.Send(chunk(fmt.Sprintf("upload %d\n%s", i, numbered(1500)))))
		open = append(open, call)
	}
	waitFor(t, "the uploads", func() bool { return len(tempFiles(t, s.Store)) == uploads })
	s.Signal(syscall.SIGTERM)
	other := pb.NewToolResultServiceClient(sidecartest.Dial(t, s.Target()))
	waitFor(t, "new calls to be refused", func() bool {
		_, err := other.GetServerInfo(t.Context(), &pb.GetServerInfoRequest{})
		if err != nil {
			wantRefusal(t, "a new call", err, codes.Unavailable, "DRAINING")
		}
		return err != nil
	})
	var acks []string
	for i, call := range open[:uploads/2] {
		text := fmt.Sprintf("upload %d\n%s", i, numbered(1500))
		answer, err := finish(call)
		if err != nil {
			t.Errorf("upload %d, which finished in time: %v", i, err)
			continue
		}
		acks = append(acks, ackOfPath(artifactOf(answer), text))
	}
	for i, call := range open[uploads/2:] {
		if _, err := call.Recv(); status.Code(err) != codes.Unavailable && status.Code(err) != codes.Canceled {
			t.Errorf("upload %d, which was cut: %v", i+uploads/2, err)
		}
	}
	if code := s.Wait(); code != 0 {
		t.Errorf("exit code %d\n%s", code, s.Log)
	}
	if left := tempFiles(t, s.Store); len(left) > 0 {
		t.Errorf("%d files are left in tmp", len(left))
	}
	if n := len(artifactNames(t, s.Store)); n != uploads/2 {
		t.Errorf("%d artifacts of %d finished uploads", n, uploads/2)
	}
	if f := verify(t, s.Store, acks); f.acked != uploads/2 {
		t.Errorf("%d acknowledged", f.acked)
	}
}

// TestNobodyReadsWhatItWrites is K14: without standard output and error, and with an error pipe that nobody
// empties, everything is served.
func TestNobodyReadsWhatItWrites(t *testing.T) {
	leg(t)
	for name, l := range map[string]launch{
		"closed":    {Shell: "exec 1>&- 2>&-", Silent: true},
		"closed in": {Shell: "exec 0<&- 1>&- 2>&-", Silent: true},
		"full pipe": {Log: fullPipe(t)},
		"full disk": {Shell: "exec 1>/dev/full 2>/dev/full", Silent: true},
	} {
		t.Run(name, func(t *testing.T) {
			s := startSidecar(t, l)
			text := numbered(2000)
			for i := range 3000 { // more lines of log than are kept for a reader who is late
				if _, err := s.inOneMessage(t.Context(), "x"); err != nil {
					t.Fatalf("call %d: %v", i, err)
				}
			}
			answer, err := s.inAStream(t.Context(), text)
			must(t, err)
			s.wantWhole(t, artifactOf(answer), text)
			s.wantHealth(t)
			if code := s.Terminate(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// fullPipe is the end to write to of a pipe that has no room.
func fullPipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	must(t, err)
	t.Cleanup(func() {
		_ = r.Close()
		_ = w.Close()
	})
	fd := int(w.Fd())
	must(t, syscall.SetNonblock(fd, true))
	for err == nil {
		_, err = syscall.Write(fd, make([]byte, 4096))
	}
	must(t, syscall.SetNonblock(fd, false)) // as a terminal or a supervisor has it
	return w
}

// TestSecondSidecarInMidUpload is K06: a second sidecar on a store is refused and names the
// holder, whose uploads do not notice: their files are not swept.
func TestSecondSidecarInMidUpload(t *testing.T) {
	leg(t)
	s := startSidecar(t, launch{})
	call, err := s.upload(t.Context())
	must(t, err)
	text := numbered(2000)
	must(t, call.Send(chunk(text)))
	waitFor(t, "the upload", func() bool { return len(tempFiles(t, s.Store)) == 1 })
	said := &output{}
	cmd := exec.Command(sidecarBinary(t), "serve", "--socket", filepath.Join(shortDir(t), "run", "s"), "--store", s.Store)
	cmd.Env, cmd.Stderr = s.Cmd.Env, said
	_ = cmd.Run() // its exit code is what counts
	second := cmd.ProcessState.ExitCode()
	if want := fmt.Sprintf("locked by process %d", s.PID()); second != 125 || !strings.Contains(said.String(), want) {
		t.Errorf("exit code %d, said %q, want %q", second, said, want)
	}
	answer, err := finish(call)
	must(t, err)
	s.wantWhole(t, artifactOf(answer), text)
}
