package eval_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/grpc"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/sidecartest"
)

const (
	maxInline = 2 << 20   // larger outputs are streamed: a message has at most 4 MiB
	chunk     = 256 << 10 // of a stream
)

// sidecar is a process of the built binary with a store on disk, so that paths are as long as usual ones.
type sidecar struct {
	pb.ToolResultServiceClient
}

// serve builds and starts a sidecar, until the end of the test.
func serve(t *testing.T) *sidecar {
	t.Helper()
	dir := fixedDir(t)
	binary, err := sidecartest.Build(dir)
	if err != nil {
		t.Fatal(err)
	}
	return start(t, binary, dir)
}

// start starts a sidecar of a binary in a folder, with some more variables, until the end of the test.
func start(t *testing.T, binary, dir string, env ...string) *sidecar {
	t.Helper()
	s := sidecartest.Start(t, sidecartest.Options{
		Binary: binary, Home: dir, Socket: filepath.Join(dir, "run", "s"), Store: filepath.Join(dir, "state"),
		Args: []string{"--log-level=error", "--volatile"}, Env: env,
	})
	return &sidecar{pb.NewToolResultServiceClient(sidecartest.Dial(t, s.Target()))}
}

// fixedDir returns a temporary directory with a name that is the same in every run, unless several run at the same time: a
// receipt names the artifact, and has a few tokens less for the output when the path has more.
func fixedDir(t *testing.T) string {
	t.Helper()
	for n := 1; ; n++ {
		dir := filepath.Join(os.TempDir(), fmt.Sprintf("toolresult-eval-%d", n))
		err := os.Mkdir(dir, 0o700)
		if err == nil {
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			return dir
		}
		if !errors.Is(err, fs.ErrExist) {
			t.Fatal(err)
		}
	}
}

// receipt hands a document over as what a command printed.
func (s *sidecar) receipt(ctx context.Context, d *output, budget int) (*pb.Receipt, error) {
	policy := &pb.ProjectionPolicy{Render: &pb.RenderPolicy{
		Budget: &pb.Budget{MaxTokens: uint32(budget)}, TokenVocabulary: pb.TokenVocabulary_TOKEN_VOCABULARY_O200K_BASE,
	}}
	if len(d.Payload) > maxInline {
		return s.streamed(ctx, d, policy)
	}
	printed := commandOutput(d, &pb.Payload{Source: &pb.Payload_Inline{Inline: d.Payload}})
	if d.Server != "" {
		printed = serverOutput(d)
	}
	resp, err := s.Project(ctx, &pb.ProjectRequest{Output: printed, Policy: policy})
	return resp.GetReceipt(), err
}

// streamed is receipt for a document that is too large for a message.
func (s *sidecar) streamed(ctx context.Context, d *output, policy *pb.ProjectionPolicy) (*pb.Receipt, error) {
	const name = "output"
	call, err := s.ProjectStream(ctx)
	if err != nil {
		return nil, err
	}
	err = call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{Header: &pb.StreamHeader{
		Family: "command", Policy: policy, Streams: []string{name}, CommandLine: d.Command, ToolName: toolName,
	}}})
	for rest := d.Payload; err == nil && len(rest) > 0; {
		n := min(len(rest), chunk)
		err = call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Chunk{Chunk: &pb.StreamChunk{Stream: name, Data: rest[:n]}}})
		rest = rest[n:]
	}
	if err == nil {
		finish := &pb.StreamFinish{Output: commandOutput(d, &pb.Payload{Source: &pb.Payload_Stream{Stream: name}})}
		err = call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Finish{Finish: finish}})
	}
	if err != nil && !errors.Is(err, io.EOF) { // after io.EOF the answer says why
		return nil, err
	}
	return lastAnswer(call)
}

// lastAnswer ends a stream and returns the receipt of its result.
func lastAnswer(call grpc.BidiStreamingClient[pb.ProjectStreamRequest, pb.ProjectStreamResponse]) (*pb.Receipt, error) {
	if err := call.CloseSend(); err != nil {
		return nil, err
	}
	answer, err := call.Recv()
	if err != nil {
		return nil, err
	}
	if answer.GetResult() == nil {
		return nil, fmt.Errorf("the stream answers %T", answer.GetAnswer())
	}
	return answer.GetResult().GetReceipt(), nil
}

const toolName = "ExecCommand"

// commandOutput is a command that has printed a payload.
func commandOutput(d *output, payload *pb.Payload) *pb.CompleteToolOutput {
	return &pb.CompleteToolOutput{
		ToolName: toolName, Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
		Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: d.ExitStatus,
			CommandLine: d.Command, CombinedOutput: payload,
		}},
	}
}

// serverOutput is a result of a tool of an MCP server.
func serverOutput(d *output) *pb.CompleteToolOutput {
	return &pb.CompleteToolOutput{
		ToolName: d.Tool, Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
		Result: &pb.CompleteToolOutput_ExternalMcp{ExternalMcp: &pb.ExternalMcpOutput{
			Result: &pb.Payload{Source: &pb.Payload_Inline{Inline: d.Payload}},
		}},
	}
}
