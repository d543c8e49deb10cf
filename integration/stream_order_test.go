package integration_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// both is a command of whose two streams each has the name of its field.
func both() *pb.CompleteToolOutput {
	out := exited(0)
	out.GetCommand().Stderr = &pb.Payload{Source: &pb.Payload_Stream{Stream: "stderr"}}
	return out
}

// Both streams can be read alone and, by the path in the receipt, in the order in
// which they arrived.
func TestStreamInOrder(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	r := rand.New(rand.NewPCG(1, 2))
	var all strings.Builder
	alone := map[string]*strings.Builder{"stdout": {}, "stderr": {}}
	messages := []*pb.ProjectStreamRequest{headerOf(&pb.StreamHeader{Family: "command", KeepOrder: true})}
	for i := range 400 {
		name := []string{"stdout", "stderr"}[min(1, i/20*r.IntN(2))] // a long beginning of one
		text := strings.Repeat(fmt.Sprintf("%s line %d\n", name, i), r.IntN(3000))
		m := chunkOf(name, text)
		m.GetChunk().Offset = new(uint64(alone[name].Len()))
		messages = append(messages, m)
		alone[name].WriteString(text)
		all.WriteString(text)
	}
	finish := finishOf(both())
	finish.GetFinish().StreamBytes = map[string]uint64{"stdout": uint64(alone["stdout"].Len()), "stderr": uint64(alone["stderr"].Len())}
	answers, err := streams(t.Context(), s, append(messages, finish)...)
	if err != nil {
		t.Fatal(err)
	}
	result := answers[0].GetResult()
	command := result.GetCanonical().GetCommand()
	for want, index := range map[string]*uint32{
		alone["stdout"].String(): command.StdoutArtifact, alone["stderr"].String(): command.StderrArtifact, all.String(): command.InOrderArtifact,
	} {
		if index == nil {
			t.Fatalf("an artifact is missing: %v", command.GetArtifacts())
		}
		if content, err := os.ReadFile(command.GetArtifacts()[*index].GetPath()); err != nil || string(content) != want {
			t.Errorf("artifact %d has %d bytes, want %d, %v", *index, len(content), len(want), err)
		}
	}
	lines := strings.Split(result.GetReceipt().GetText(), "\n")
	if lines[1] != "In order of arrival: "+command.GetArtifacts()[*command.InOrderArtifact].GetPath() {
		t.Errorf("the receipt does not name the order:\n%.300s", result.GetReceipt().GetText())
	}
	if n := result.GetReceipt().GetTokens(); n > 2000 {
		t.Errorf("the receipt has %d tokens", n)
	}
	wantNoTemp(t, s)
}

// What came of a call is in the store although the call has no answer, whatever
// ended it, and nothing else is.
func TestStreamIsKeptOnAbort(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*testing.T, *aborting){
		"the client cancels": func(_ *testing.T, a *aborting) { a.cancel() },
		"the client dies":    func(_ *testing.T, a *aborting) { _ = (*a.wire.Load()).Close() },
		"the deadline":       func(_ *testing.T, a *aborting) { <-a.call.Context().Done() },
		"silence":            func(t *testing.T, a *aborting) { wantEnd(t, a) },
		"a refused chunk": func(t *testing.T, a *aborting) {
			m := chunkOf("stdout", "again")
			m.GetChunk().Offset = new(uint64(1))
			_ = a.call.Send(m)
			wantEnd(t, a)
		},
		"a shutdown that does not wait": func(t *testing.T, a *aborting) {
			if code := a.sidecar.Terminate(); code != 0 {
				t.Errorf("exit code %d", code)
			}
		},
	} {
		for _, policy := range []pb.AbortPolicy{pb.AbortPolicy_ABORT_POLICY_KEEP, pb.AbortPolicy_ABORT_POLICY_UNSPECIFIED} {
			t.Run(fmt.Sprintf("%s, %v", name, policy), func(t *testing.T) {
				t.Parallel()
				a := abortingCall(t, policy, name)
				end(t, a)
				wantNoTemp(t, a.sidecar)
				want := []string{}
				if policy == pb.AbortPolicy_ABORT_POLICY_KEEP {
					want = []string{"out 1\nout 2\n", "err 1\n", "out 1\nerr 1\nout 2\n"}
					waitFor(t, "the log to say what was kept", func() bool {
						return strings.Contains(a.sidecar.Log.String(), "kept what came")
					})
					wantIn(t, a.sidecar.Log.String(), "session-1", "call_1")
				}
				wantStored(t, a.sidecar, want...)
				wantNone(t, a.sidecar.Log.String(), "out 1", "err 1")
			})
		}
	}
}

// aborting is a call that will not come to its finish.
type aborting struct {
	sidecar *sidecar
	call    pb.ToolResultService_ProjectStreamClient
	cancel  context.CancelFunc
	wire    *atomic.Pointer[net.Conn]
}

// abortingCall begins a call on a connection of its own, and returns when all that
// it sent was received. A busy machine may need longer for that than the limit that
// is to end the call: then there is another one with a longer limit.
func abortingCall(t *testing.T, policy pb.AbortPolicy, name string) *aborting {
	t.Helper()
	a, err := tryAbortingCall(t, policy, name, time.Second)
	if err != nil && (name == "silence" || name == "the deadline") {
		a.cancel()
		a, err = tryAbortingCall(t, policy, name, 30*time.Second)
	}
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// tryAbortingCall is abortingCall with a limit for silence, and three times that for
// the deadline.
func tryAbortingCall(t *testing.T, policy pb.AbortPolicy, name string, limit time.Duration) (*aborting, error) {
	t.Helper()
	args := []string{"--shutdown-timeout=100ms"}
	if name == "silence" {
		args = append(args, "--stream-idle="+limit.String())
	}
	a := &aborting{sidecar: startSidecar(t, launch{Args: args}), wire: &atomic.Pointer[net.Conn]{}}
	conn := dial(t, "passthrough:///s", grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) {
		c, err := (&net.Dialer{}).DialContext(ctx, "unix", a.sidecar.Socket)
		a.wire.Store(&c)
		return c, err
	}))
	ctx, cancel := context.WithCancel(t.Context())
	if name == "the deadline" {
		ctx, cancel = context.WithTimeout(t.Context(), 3*limit)
	}
	a.cancel = cancel
	t.Cleanup(cancel)
	call, err := pb.NewToolResultServiceClient(conn).ProjectStream(ctx)
	if err != nil {
		return a, err
	}
	a.call = call
	for _, m := range []*pb.ProjectStreamRequest{
		headerOf(&pb.StreamHeader{
			Family: "command", KeepOrder: true, OnAbort: policy, Streams: []string{"stdout", "stderr", "empty"},
			Call: &pb.CallReference{SessionId: "session-1", CallId: "call_1"},
		}),
		chunkOf("stdout", "out 1\n"), chunkOf("stderr", "err 1\n"), chunkOf("stdout", "out 2\n"), snapshotOf(both()),
	} {
		if err := call.Send(m); err != nil {
			return a, err
		}
	}
	_, err = call.Recv()
	return a, err
}

// wantEnd waits for the sidecar to end the call.
func wantEnd(t *testing.T, a *aborting) {
	t.Helper()
	if _, err := a.call.Recv(); err == nil || errors.Is(err, io.EOF) {
		t.Errorf("the call ended with %v", err)
	}
}

// wantStored compares the artifacts in the store with contents.
func wantStored(t *testing.T, s *sidecar, want ...string) {
	t.Helper()
	stored := map[string]bool{}
	paths, err := filepath.Glob(filepath.Join(s.Store, "[0-9a-f][0-9a-f][0-9a-f]", "[0-9a-f]*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		stored[string(content)] = true
	}
	for _, content := range want {
		if !stored[content] {
			t.Errorf("%.80q is not in the store", content)
		}
		delete(stored, content)
	}
	for content := range stored {
		t.Errorf("%.80q is in the store", content)
	}
}

// A disk that is too small for the order as well ends the call, and what came until
// then is kept without it.
func TestOrderOnAFullDisk(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Store: filepath.Join(mountTmpfs(t, "size=4m,mode=0700"), "store"), Args: []string{"--volatile"}})
	out, text := strings.Repeat("out\n", 230_000), strings.Repeat("err\n", 230_000)
	messages := []*pb.ProjectStreamRequest{headerOf(&pb.StreamHeader{
		Family: "command", KeepOrder: true, OnAbort: pb.AbortPolicy_ABORT_POLICY_KEEP, Call: &pb.CallReference{SessionId: "s"},
	})}
	_, err := streams(t.Context(), s, append(messages, chunkOf("stdout", out), chunkOf("stderr", text), finishOf(both()))...)
	wantRefusal(t, err, codes.ResourceExhausted, "DISK_FULL", "")
	wantNoTemp(t, s)
	wantStored(t, s, out, text)
}
