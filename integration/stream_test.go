package integration_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

func headerOf(h *pb.StreamHeader) *pb.ProjectStreamRequest {
	return &pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{Header: h}}
}

func chunkOf(stream, data string) *pb.ProjectStreamRequest {
	return &pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Chunk{Chunk: &pb.StreamChunk{Stream: stream, Data: []byte(data)}}}
}

func snapshotOf(out *pb.CompleteToolOutput) *pb.ProjectStreamRequest {
	return &pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Snapshot{Snapshot: &pb.StreamSnapshot{Output: out}}}
}

func finishOf(out *pb.CompleteToolOutput) *pb.ProjectStreamRequest {
	return &pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Finish{Finish: &pb.StreamFinish{Output: out}}}
}

// streams sends messages, and returns the answers.
func streams(ctx context.Context, s *sidecar, messages ...*pb.ProjectStreamRequest) ([]*pb.ProjectStreamResponse, error) {
	call, err := s.ProjectStream(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		if err := call.Send(m); err != nil {
			break // the answer says why
		}
	}
	if err := call.CloseSend(); err != nil {
		return nil, err
	}
	var answers []*pb.ProjectStreamResponse
	for {
		a, err := call.Recv()
		if errors.Is(err, io.EOF) {
			return answers, nil
		}
		if err != nil {
			return answers, err
		}
		answers = append(answers, a)
	}
}

// exited is a command whose streams have the names of their fields.
func exited(code int32) *pb.CompleteToolOutput {
	return &pb.CompleteToolOutput{
		ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
		Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: &code,
			Stdout: &pb.Payload{Source: &pb.Payload_Stream{Stream: "stdout"}},
		}},
	}
}

// A stream that is larger than any message gives what one message gives of the
// same bytes, and a snapshot gives what had arrived by then, with handles that
// resolve.
func TestStream(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	text := numbered(1_000_000)
	messages := []*pb.ProjectStreamRequest{headerOf(&pb.StreamHeader{Family: "command", Streams: []string{"stdout"}})}
	promoted := &pb.CompleteToolOutput{
		ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
		Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			Disposition:   pb.CommandDisposition_COMMAND_DISPOSITION_PROMOTED_TO_TASK,
			TaskHandle:    &pb.TaskHandle{TaskId: "task_1"},
			InitialOutput: &pb.Payload{Source: &pb.Payload_Stream{Stream: "stdout"}},
		}},
	}
	messages = append(messages, snapshotOf(promoted))
	half := strings.LastIndexByte(text[:len(text)/2], '\n') + 1 // the end of what might go on is masked
	for at := 0; at < len(text); {
		n := min(len(text)-at, 200_000)
		if at < half && at+n >= half {
			n = half - at
		}
		messages = append(messages, chunkOf("stdout", text[at:at+n]))
		if at += n; at == half {
			messages = append(messages, snapshotOf(promoted))
		}
	}
	answers, err := streams(t.Context(), s, append(messages, finishOf(exited(0)))...)
	if err != nil || len(answers) != 3 {
		t.Fatalf("%d answers, %v", len(answers), err)
	}
	if got := answers[0].GetSnapshot().GetReceipt().GetText(); got != "Command promoted to background task\nTask: task_1\nOutput: none" {
		t.Errorf("before the first byte:\n%s", got)
	}
	initial := answers[1].GetSnapshot().GetCanonical().GetCommand()
	if content, err := os.ReadFile(initial.GetArtifacts()[0].GetPath()); err != nil || string(content) != text[:half] {
		t.Errorf("the snapshot's artifact has %d bytes, %v", len(content), err)
	}
	result := answers[2].GetResult()
	if content, err := os.ReadFile(result.GetCanonical().GetCommand().GetArtifacts()[0].GetPath()); err != nil || string(content) != text {
		t.Errorf("the artifact has %d bytes, %v", len(content), err)
	}
	big := startSidecar(t, launch{Store: s.Store + "2", Args: []string{"--max-message-bytes=64MiB", "--max-in-flight-bytes=64MiB"}})
	want := big.project(t, completed(0, text))
	want.GetCanonical().GetCommand().GetArtifacts()[0].Path = result.GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
	want.Receipt.Text = strings.ReplaceAll(want.GetReceipt().GetText(), s.Store+"2", s.Store)
	want.Receipt.Tokens = result.GetReceipt().GetTokens() // one character of the path
	if diff := cmp.Diff(want, result, protocmp.Transform()); diff != "" {
		t.Errorf("one message and a stream differ:\n%s", diff)
	}
	wantNoTemp(t, s)
}

// wantNoTemp waits for the store to hold nothing that is unfinished.
func wantNoTemp(t *testing.T, s *sidecar) {
	t.Helper()
	waitFor(t, "temporary files to be gone", func() bool {
		files, err := os.ReadDir(filepath.Join(s.Store, "tmp"))
		return err == nil && len(files) == 0
	})
}

// A client that goes away leaves nothing behind.
func TestStreamOfAClientThatGoesAway(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	ctx, leave := context.WithCancel(t.Context())
	call, err := s.ProjectStream(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*pb.ProjectStreamRequest{headerOf(&pb.StreamHeader{Family: "command"}), chunkOf("stdout", strings.Repeat("x", 1<<20))} {
		if err := call.Send(m); err != nil {
			t.Fatal(err)
		}
	}
	waitFor(t, "the stage", func() bool {
		files, _ := filepath.Glob(filepath.Join(s.Store, "tmp", "*"))
		if len(files) != 1 {
			return false
		}
		info, err := os.Stat(files[0])
		return err == nil && info.Size() > 1<<19
	})
	leave()
	wantNoTemp(t, s)
	if got := s.project(t, completed(0, "alive")); got.GetReceipt() == nil {
		t.Error("the sidecar does not answer")
	}
}

// The command line streams what does not fit one message, through a running
// sidecar too.
func TestExecStreams(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{})
	r := cli(t, environment(t), nil, "exec", "--server", "unix://"+s.Socket, "--max-lines=12", "--session=s", "--call=c", "--",
		"sh", "-c", "seq 1 750000; sleep 1; echo in the middle >&2; sleep 1; seq 750001 1500000")
	lines := strings.Split(r.stdout, "\n")
	if r.code != 0 || r.stderr != "" || len(lines) < 4 {
		t.Fatalf("exit code %d\n%s%s", r.code, r.stdout, r.stderr)
	}
	out := numbersTo(1_500_000)
	first := strings.Index(out, "\n750001\n") + 1
	for line, want := range map[string]string{
		lines[1]: out[:first] + "in the middle\n" + out[first:],
		lines[2]: out,
	} {
		path := line[strings.LastIndex(line, ": ")+2:]
		if content, err := os.ReadFile(path); err != nil || string(content) != want {
			t.Errorf("%q: %d bytes of %d, %v", line, len(content), len(want), err)
		}
	}
	wantIn(t, r.stdout, "\nIn order of arrival: ", "\nstderr:\nin the middle\n")
}

// numbersTo is what seq prints.
func numbersTo(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strconv.Itoa(i+1) + "\n")
	}
	return b.String()
}
