package pipeline_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zeebo/blake3"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
)

// kept is what a store has of a content; nil when it has nothing.
func kept(t *testing.T, store *memory.Store, content string) []byte {
	t.Helper()
	digest := blake3.Sum256([]byte(content))
	r, err := store.Open(context.Background(), fmt.Sprintf("%x", digest[:4]))
	if errors.Is(err, artifactstore.ErrUnknown) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// keeping returns a header that asks to keep what is received, in order.
func keeping(session, call string) *pb.ProjectStreamRequest {
	header := servertest.Ordered(nil)
	header.GetHeader().OnAbort = pb.AbortPolicy_ABORT_POLICY_KEEP
	header.GetHeader().Call = &pb.CallReference{SessionId: session, CallId: call}
	return header
}

func at(offset uint64, m *pb.ProjectStreamRequest) *pb.ProjectStreamRequest {
	m.GetChunk().Offset = &offset
	return m
}

func counted(sizes map[string]uint64) *pb.ProjectStreamRequest {
	m := servertest.Finish(servertest.Completed())
	m.GetFinish().StreamBytes = sizes
	return m
}

// The chunks of a call without an answer are kept when that was asked for, and only
// then: whatever ended the call.
func TestAbort(t *testing.T) {
	const out, err, order = "out 1\nout 2\n", "err 1\n", "out 1\nerr 1\nout 2\n"
	chunks := []*pb.ProjectStreamRequest{servertest.Chunk("stdout", []byte("out 1\n")), servertest.Chunk("stderr", []byte("err 1\n")), servertest.Chunk("stdout", []byte("out 2\n"))}
	unfit := servertest.Finish(servertest.Completed())
	unfit.GetFinish().Output.ToolName = "no tool name"
	for name, c := range map[string]struct {
		last        *pb.ProjectStreamRequest
		leave, late bool
	}{
		"the client says no more":                  {},
		"the client went away":                     {leave: true},
		"the client is gone when a chunk is taken": {late: true},
		"a chunk has another place":                {last: at(3, servertest.Chunk("stdout", []byte("lost")))},
		"a stream has another size":                {last: counted(map[string]uint64{"stdout": 3})},
		"a message has no place":                   {last: keeping("s", "")},
		"the finish is rejected by the projection": {last: unfit},
	} {
		for _, keep := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, %v", name, keep), func(t *testing.T) {
				h := newHarness(t)
				header := keeping("session-1", "call_1")
				if !keep {
					header.GetHeader().OnAbort = 0
				}
				requests := append([]*pb.ProjectStreamRequest{header}, chunks...)
				if c.last != nil {
					requests = append(requests, c.last)
				}
				ctx, leave := context.WithCancel(t.Context())
				w := &servertest.Wire{Ctx: ctx, Requests: requests}
				if c.leave {
					w.AtEnd = func() error { leave(); return ctx.Err() }
				}
				if c.late {
					w.BeforeEach = func() {
						if len(w.Requests) == 1 {
							leave()
						}
					}
				}
				if h.ProjectStream(w.Call()) == nil {
					t.Error("the call was answered")
				}
				leave()
				for _, content := range []string{out, err, order} {
					got := kept(t, h.Store, content)
					if keep && string(got) != content || !keep && got != nil {
						t.Errorf("of %q there is %q", content, got)
					}
				}
			})
		}
	}
}

// A call that was answered leaves what its answer names, and no more.
func TestAnswerIsNoAbort(t *testing.T) {
	h := newHarness(t)
	requests := []*pb.ProjectStreamRequest{keeping("s", ""), servertest.Chunk("stdout", []byte("whole\n")), counted(map[string]uint64{"stdout": 6, "stderr": 0})}
	if _, err := h.Stream(t.Context(), requests); err != nil {
		t.Fatal(err)
	}
	if got := kept(t, h.Store, "whole\n"); got != nil {
		t.Errorf("%q is kept, and all of it is shown", got)
	}
}

// The log says what was kept, and nothing of its content.
func TestAbortIsLogged(t *testing.T) {
	var text bytes.Buffer
	h := newHarness(t).with(t, func(p *servertest.Options) {
		p.Logger = slog.New(slog.NewTextHandler(&text, nil))
	})
	w := &servertest.Wire{Ctx: t.Context(), Requests: []*pb.ProjectStreamRequest{
		keeping("session-1", "call_1"), servertest.Chunk("stdout", []byte("secret words")), servertest.Chunk("stderr", []byte("secret")),
	}}
	if err := h.ProjectStream(w.Call()); err == nil {
		t.Fatal("the call was answered")
	}
	for _, want := range []string{"level=INFO", "session=session-1", "call=call_1", "stdout:12", "stderr:6", "in_order_bytes=18"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the log does not say %s: %s", want, &text)
		}
	}
	if strings.Contains(text.String(), "secret") {
		t.Errorf("the log has content: %s", &text)
	}
}

// Headers that ask for more than there is are rejected before anything is received.
func TestHeaderIsChecked(t *testing.T) {
	h := newHarness(t)
	without := keeping("s", "")
	without.GetHeader().Call = nil
	unknown := keeping("s", "")
	unknown.GetHeader().OnAbort = 7
	for field, c := range map[string]struct {
		header *pb.ProjectStreamRequest
		reason pb.ErrorReason
	}{
		"header.call.session_id":   {without, pb.ErrorReason_ERROR_REASON_FIELD_MISSING},
		"header.call.session_id ":  {keeping("", "call"), pb.ErrorReason_ERROR_REASON_FIELD_MISSING},
		"header.call.session_id  ": {keeping("a b", ""), pb.ErrorReason_ERROR_REASON_NAME_INVALID},
		"header.call.call_id":      {keeping("s", strings.Repeat("x", 257)), pb.ErrorReason_ERROR_REASON_FIELD_TOO_LONG},
		"header.on_abort":          {unknown, pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN},
	} {
		_, err := h.Stream(t.Context(), []*pb.ProjectStreamRequest{c.header, servertest.Finish(servertest.Completed())})
		wantViolation(t, err, strings.TrimSpace(field), c.reason)
	}
}

func wantViolation(t *testing.T, err error, field string, reason pb.ErrorReason) {
	t.Helper()
	var invalid *envelope.InvalidError
	if !errors.As(err, &invalid) || len(invalid.Violations) != 1 || invalid.Violations[0].Field != field || invalid.Violations[0].Reason != reason {
		t.Errorf("%v, want %v of %s", err, reason, field)
	}
}

// A gap, a repetition and a stream that lost its end are rejected, and sizes and
// places that are right are not.
func TestPlacesAndSizes(t *testing.T) {
	h := newHarness(t)
	header := &pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{Header: &pb.StreamHeader{Family: "command", Streams: []string{"stderr"}}}}
	first := func() *pb.ProjectStreamRequest { return at(0, servertest.Chunk("stdout", []byte("12345"))) }
	good := []*pb.ProjectStreamRequest{
		header, first(), at(0, servertest.Chunk("stderr", []byte("abc"))), at(5, servertest.Chunk("stdout", nil)), at(5, servertest.Chunk("", []byte("6"))),
		servertest.Chunk("stderr", []byte("d")), at(4, servertest.Chunk("", []byte("e"))), counted(map[string]uint64{"stdout": 6, "stderr": 5}),
	}
	if _, err := h.Stream(t.Context(), good); err != nil {
		t.Error(err)
	}
	const order, size = pb.ErrorReason_ERROR_REASON_CHUNK_ORDER, pb.ErrorReason_ERROR_REASON_SIZE_MISMATCH
	for _, c := range []struct {
		last   *pb.ProjectStreamRequest
		field  string
		reason pb.ErrorReason
	}{
		{at(6, servertest.Chunk("stdout", []byte("x"))), "chunk.offset", order},
		{at(0, servertest.Chunk("stdout", []byte("12345"))), "chunk.offset", order},
		{at(4, servertest.Chunk("", nil)), "chunk.offset", order},
		{at(5, servertest.Chunk("stderr", []byte("x"))), "chunk.offset", order},
		{at(1<<63, servertest.Chunk("new", nil)), "chunk.offset", order},
		{counted(map[string]uint64{"stdout": 4, "stderr": 0}), `finish.stream_bytes["stdout"]`, size},
		{counted(map[string]uint64{"stderr": 1 << 63}), `finish.stream_bytes["stderr"]`, size},
		{counted(map[string]uint64{"stdout": 5, "a\nname\"": 0}), "finish.stream_bytes", size},
	} {
		_, err := h.Stream(t.Context(), []*pb.ProjectStreamRequest{header, first(), c.last, servertest.Finish(servertest.Completed())})
		wantViolation(t, err, c.field, c.reason)
	}
	if got := kept(t, h.Store, "12345"); got != nil {
		t.Errorf("a rejected call left %q", got)
	}
}

// A client that says nothing is given up after the idle limit and no earlier; one
// that is slow is not, nor one that waits for its snapshot.
func TestIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHarness(t)
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		requests := []*pb.ProjectStreamRequest{keeping("s", "")}
		for range 20 {
			requests = append(requests, servertest.Chunk("stdout", []byte("slow\n")), servertest.Snapshot(servertest.Completed()))
		}
		requests = append(requests, servertest.Chunk("stdout", []byte("slow\n")))
		var silent atomic.Bool
		w := &servertest.Wire{
			Ctx: ctx, Requests: requests,
			BeforeEach: func() { time.Sleep(servertest.Idle - time.Second) },
			OnAnswer:   func() { time.Sleep(servertest.Idle - time.Second) },
			AtEnd:      func() error { silent.Store(true); <-ctx.Done(); return ctx.Err() },
		}
		done := make(chan error, 1)
		go func() { done <- h.ProjectStream(w.Call()) }()
		for !silent.Load() {
			time.Sleep(time.Second)
		}
		began := time.Now()
		err := <-done
		if waited := time.Since(began); waited > servertest.Idle || waited < servertest.Idle-2*time.Second {
			t.Errorf("the call ended after %v of silence", waited)
		}
		if got := servertest.ToStatus(err).Error(); !strings.Contains(got, "DeadlineExceeded") || !strings.Contains(got, "no message came") {
			t.Error(got)
		}
		if len(w.Answers) != 20 {
			t.Errorf("%d snapshots were answered", len(w.Answers))
		}
		if got := kept(t, h.Store, strings.Repeat("slow\n", 21)); got == nil {
			t.Error("what came was not kept")
		}
	})
}

// TestAnswersMustBeTaken is A21: a client that takes no answer does not hold its call for ever.
func TestAnswersMustBeTaken(t *testing.T) {
	for name, last := range map[string]*pb.ProjectStreamRequest{"a snapshot": servertest.Snapshot(servertest.Completed()), "the result": servertest.Finish(servertest.Completed())} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHarness(t)
				ctx, leave := context.WithCancel(t.Context())
				w := &servertest.Wire{
					Ctx: ctx, Requests: []*pb.ProjectStreamRequest{keeping("s", ""), servertest.Chunk("stdout", []byte("kept\n")), last},
					OnAnswer: func() { <-ctx.Done() }, // gRPC waits in Send until the call is over
				}
				began := time.Now()
				err := h.ProjectStream(w.Call())
				if waited := time.Since(began); waited != servertest.Idle {
					t.Errorf("the call ended after %v", waited)
				}
				if got := servertest.ToStatus(err).Error(); !strings.Contains(got, "DeadlineExceeded") {
					t.Error(got)
				}
				if kept(t, h.Store, "kept\n") == nil {
					t.Error("what came was not kept")
				}
				leave() // as gRPC does when the handler has returned
				synctest.Wait()
			})
		})
	}
}

// A panic while a message is received ends the call on its own goroutine, where the
// interceptor recovers it.
func TestPanicOfReceiving(t *testing.T) {
	h := newHarness(t)
	w := &servertest.Wire{Ctx: t.Context(), AtEnd: func() error { panic("broken codec") }}
	defer func() {
		if text := fmt.Sprint(recover()); !strings.HasPrefix(text, "a value of type string\n") || !strings.Contains(text, "servertest.(*Wire)") {
			t.Errorf("recovered %s", text)
		}
	}()
	_ = h.ProjectStream(w.Call())
	t.Error("the call went on")
}

// References to calls are checked wherever they are taken.
func TestCallIsChecked(t *testing.T) {
	h := newHarness(t)
	inline := &pb.CompleteToolOutput{
		ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_ERROR, Error: &pb.CompleteToolError{Kind: "k", Message: servertest.InlineText("m")},
	}
	project := func(call *pb.CallReference) error {
		_, err := h.Project(t.Context(), &pb.ProjectRequest{Output: inline, Call: call})
		return err
	}
	compact := func(session string) error {
		_, err := h.Compact(t.Context(), &pb.CompactRequest{
			Policy: &pb.CompactionPolicy{Level: pb.CompactionLevel_COMPACTION_LEVEL_HANDLES}, SessionId: session,
		})
		return err
	}
	for _, err := range []error{project(nil), project(&pb.CallReference{SessionId: "s:1", CallId: "call_1"}), compact(""), compact("s:1")} {
		if err != nil {
			t.Error(err)
		}
	}
	wantViolation(t, project(&pb.CallReference{CallId: "call_1"}), "call.session_id", pb.ErrorReason_ERROR_REASON_FIELD_MISSING)
	wantViolation(t, project(&pb.CallReference{SessionId: "s", CallId: "a b"}), "call.call_id", pb.ErrorReason_ERROR_REASON_NAME_INVALID)
	wantViolation(t, compact("a\nb"), "session_id", pb.ErrorReason_ERROR_REASON_NAME_INVALID)
}
