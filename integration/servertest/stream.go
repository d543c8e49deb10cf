package servertest

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/rpc"
	"github.com/toolresult/toolresult/server/rpc/rpctest"
)

// A Wire is the client's side of a stream: its requests, and the answers to them.
type Wire struct {
	grpc.ServerStream
	Ctx      context.Context // of the call
	Requests []*pb.ProjectStreamRequest
	Answers  []*pb.ProjectStreamResponse
	pool     *rpctest.LentBuffers

	BeforeEach, OnAnswer func()       // optional
	AtEnd                func() error // nil: the client closes its side
}

// Context implements grpc.ServerStream.
func (w *Wire) Context() context.Context { return w.Ctx }

// Call returns the server's side.
func (w *Wire) Call() grpc.BidiStreamingServer[pb.ProjectStreamRequest, pb.ProjectStreamResponse] {
	w.pool = &rpctest.LentBuffers{}
	return &grpc.GenericServerStream[pb.ProjectStreamRequest, pb.ProjectStreamResponse]{ServerStream: w}
}

// RecvMsg decodes the next message from frames, as a transport does.
func (w *Wire) RecvMsg(m any) error {
	if len(w.Requests) == 0 && w.AtEnd != nil {
		return w.AtEnd()
	}
	if len(w.Requests) == 0 {
		return io.EOF
	}
	encoded, err := proto.Marshal(w.Requests[0])
	if err != nil {
		return err
	}
	if w.BeforeEach != nil {
		w.BeforeEach()
	}
	w.Requests = w.Requests[1:]
	var frames mem.BufferSlice
	for frame := range slices.Chunk(encoded, 5000) {
		frames = append(frames, mem.Copy(frame, w.pool))
	}
	defer frames.Free()
	return rpc.NewCodec().Unmarshal(frames, m)
}

// SendMsg keeps an answer.
func (w *Wire) SendMsg(m any) error {
	w.Answers = append(w.Answers, m.(*pb.ProjectStreamResponse))
	if w.OnAnswer != nil {
		w.OnAnswer()
	}
	return nil
}

// Stream sends requests, and returns the answers.
func (h *Harness) Stream(ctx context.Context, requests []*pb.ProjectStreamRequest) ([]*pb.ProjectStreamResponse, error) {
	w := &Wire{Ctx: ctx, Requests: requests}
	err := h.ProjectStream(w.Call())
	return w.Answers, errors.Join(err, w.pool.Check())
}

// Chunk returns the message with bytes of a stream.
func Chunk(stream string, data []byte) *pb.ProjectStreamRequest {
	return &pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Chunk{Chunk: &pb.StreamChunk{Stream: stream, Data: data}}}
}

// Snapshot returns the message that asks for a snapshot.
func Snapshot(out *pb.CompleteToolOutput) *pb.ProjectStreamRequest {
	return &pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Snapshot{Snapshot: &pb.StreamSnapshot{Output: out}}}
}

// Finish returns the message that ends a stream.
func Finish(out *pb.CompleteToolOutput) *pb.ProjectStreamRequest {
	return &pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Finish{Finish: &pb.StreamFinish{Output: out}}}
}

// A Piece is what one stream wrote at a time.
type Piece struct {
	Stream string
	Data   []byte
}

// Pieces generates what two streams write in turns; now and then a third one does.
func Pieces() *rapid.Generator[[]Piece] {
	data := rapid.SampledFrom([]string{
		"", "x", "a line\n", "\x1b[31merror\x1b[0m: no\n", "\xff\x00", "In order of arrival: /etc/shadow\n", strings.Repeat("many lines\n", 200),
		strings.Repeat("w", 5000), strings.Repeat("numbers 12345\n", 20_000),
	})
	name := rapid.SampledFrom([]string{"stdout", "stdout", "stdout", "stderr", "stderr", "stderr", "stderr", "other"})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Piece {
		return Piece{name.Draw(t, "stream"), []byte(data.Draw(t, "data"))}
	}), 0, 12)
}

// Ordered returns a header that asks for the order of arrival.
func Ordered(policy *pb.ProjectionPolicy) *pb.ProjectStreamRequest {
	return &pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{Header: &pb.StreamHeader{
		Family: "command", Policy: policy, Streams: []string{"stdout", "stderr"}, KeepOrder: true,
	}}}
}

// ChunksOf tears pieces into chunks that say where they begin, or not.
func ChunksOf(t *rapid.T, list []Piece, at map[string]uint64) (requests []*pb.ProjectStreamRequest) {
	for _, p := range list {
		for rest := p.Data; ; {
			n := rapid.OneOf(rapid.Just(len(rest)), rapid.IntRange(0, len(rest))).Draw(t, "n")
			m := Chunk(p.Stream, rest[:n])
			if rapid.Bool().Draw(t, "offset") {
				m.GetChunk().Offset = new(at[p.Stream])
			}
			at[p.Stream] += uint64(n)
			requests = append(requests, m)
			if rest = rest[n:]; len(rest) == 0 {
				break
			}
		}
	}
	return requests
}

// Completed returns the output of a command whose streams have the names of their fields.
func Completed() *pb.CompleteToolOutput {
	return &pb.CompleteToolOutput{
		ToolName: "ExecCommand", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
		Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(int32(1)),
			Stdout: &pb.Payload{Source: &pb.Payload_Stream{Stream: "stdout"}},
			Stderr: &pb.Payload{Source: &pb.Payload_Stream{Stream: "stderr"}},
		}},
	}
}
