package toolresult

import (
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Sizes of what is sent, in bytes.
const (
	maxUnary   = 1 << 20   // of an output in one message
	chunkBytes = 256 << 10 // smaller chunks are slow
)

// The streams of a command.
const (
	streamOutput = "output"
	streamStdout = "stdout"
	streamStderr = "stderr"
)

// Stream sends the output of a tool that still runs. Write it, and Finish when the tool has ended; Close gives it up if it has no
// Finish, and nothing of it is kept. It is not safe for concurrent use.
type Stream struct {
	options *projection
	tool    string
	call    pb.ToolResultService_ProjectStreamClient
	cancel  context.CancelFunc
	sent    map[string]uint64 // bytes by stream
	err     error             // that ended it
}

// Stream opens a stream for the output of a tool. It lasts as long as ctx. The family is that of [Family], by default a command,
// whose output is one stream by Write, or two by Stdout and Stderr.
//
// Errors of the sidecar are those of the first Write, Snapshot or Finish behind them.
func (c *Client) Stream(ctx context.Context, tool string, options ...Option) (*Stream, error) {
	ctx, cancel := context.WithCancel(ctx)
	s := &Stream{options: c.projection(options), tool: tool, cancel: cancel, sent: map[string]uint64{}}
	call, err := c.Results.ProjectStream(ctx)
	if err != nil {
		cancel()
		return nil, err
	}
	s.call = call
	names := []string{streamOutput, streamStdout, streamStderr}
	return s, s.send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{Header: s.options.header(tool, names)}})
}

// header returns the header of a stream. The names are of streams that may have no byte.
func (p *projection) header(tool string, names []string) *pb.StreamHeader {
	return &pb.StreamHeader{
		Family: p.family, Policy: p.request.GetPolicy(), Call: p.request.GetCall(), CommandLine: p.line, RequestId: p.request.GetRequestId(),
		Audit: p.request.GetAudit(), CanonicalForm: p.request.GetCanonicalForm(), ToolName: tool, Streams: names,
	}
}

// Write sends bytes of the output. It implements [io.Writer].
func (s *Stream) Write(data []byte) (int, error) { return s.write(streamOutput, data) }

// Stdout returns a writer of the standard output, which counts as captured from then on.
func (s *Stream) Stdout() io.Writer { return s.pipe(streamStdout) }

// Stderr returns a writer of the standard error, which counts as captured from then on.
func (s *Stream) Stderr() io.Writer { return s.pipe(streamStderr) }

// pipe returns a writer of one of several streams.
func (s *Stream) pipe(name string) pipe {
	s.sent[name] += 0
	return pipe{s, name}
}

// pipe is one of several streams.
type pipe struct {
	stream *Stream
	name   string
}

// Write implements [io.Writer].
func (p pipe) Write(data []byte) (int, error) { return p.stream.write(p.name, data) }

// write sends bytes of a stream in chunks.
func (s *Stream) write(name string, data []byte) (int, error) {
	_, combined := s.sent[streamOutput]
	if len(s.sent) > 0 && combined != (name == streamOutput) {
		return 0, fmt.Errorf("toolresult: a stream has one output, or standard output and standard error, and not both")
	}
	s.sent[name] += 0
	done := 0
	for done < len(data) {
		n := min(len(data)-done, chunkBytes)
		err := s.send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Chunk{
			Chunk: &pb.StreamChunk{Stream: name, Data: data[done : done+n]},
		}})
		if err != nil {
			return done, err
		}
		done, s.sent[name] = done+n, s.sent[name]+uint64(n)
	}
	return done, nil
}

// send sends a message. When the call has ended, the error is why.
func (s *Stream) send(m *pb.ProjectStreamRequest) error {
	if s.err != nil {
		return s.err
	}
	if err := s.call.Send(m); err != nil {
		if errors.Is(err, io.EOF) {
			_, err = s.call.Recv()
		}
		s.err = err
	}
	return s.err
}

// Snapshot projects what was sent until now: of a command, which goes on as the background task of that id, or of a text, for which the
// id is not used.
func (s *Stream) Snapshot(taskID string) (*Result, error) {
	output := s.text()
	if s.options.family == "command" {
		command := &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_PROMOTED_TO_TASK, CommandLine: s.options.line,
			TaskHandle: &pb.TaskHandle{TaskId: taskID}, InitialOutput: streamed(streamOutput),
		}
		output = &pb.CompleteToolOutput{ToolName: s.tool, Result: &pb.CompleteToolOutput_Command{Command: command}}
		if _, apart := s.sent[streamStdout]; apart {
			command.InitialOutput = streamed(streamStdout)
		}
	}
	if err := s.send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Snapshot{Snapshot: &pb.StreamSnapshot{Output: output}}}); err != nil {
		return nil, err
	}
	answer, err := s.call.Recv()
	if err != nil {
		s.err = err
		return nil, err
	}
	return newResult(answer.GetSnapshot()), nil
}

// FinishCommand ends the stream with the end of the command, whose output is what was written: its bytes here are ignored.
func (s *Stream) FinishCommand(command Command) (*Result, error) {
	command.Stdout, command.Stderr, command.Output = nil, nil, nil
	if command.Tool == "" {
		command.Tool = s.tool
	}
	if command.Line == "" {
		command.Line = s.options.line
	}
	output := command.output(inline)
	if _, apart := s.sent[streamStdout]; apart {
		output.GetCommand().Stdout = streamed(streamStdout)
	}
	if _, apart := s.sent[streamStderr]; apart {
		output.GetCommand().Stderr = streamed(streamStderr)
	}
	if _, combined := s.sent[streamOutput]; combined || len(s.sent) == 0 {
		output.GetCommand().CombinedOutput = streamed(streamOutput)
	}
	return s.Finish(output)
}

// FinishText ends a stream of the family "text".
func (s *Stream) FinishText() (*Result, error) { return s.Finish(s.text()) }

// text returns the text that was written.
func (s *Stream) text() *pb.CompleteToolOutput {
	return &pb.CompleteToolOutput{ToolName: s.tool, Result: &pb.CompleteToolOutput_Text{
		Text: &pb.TextOutput{Content: streamed(streamOutput), MediaType: s.options.mediaType},
	}}
}

// Finish ends the stream with an output of its family, or an error, whose payloads name streams. It returns the result.
func (s *Stream) Finish(output *pb.CompleteToolOutput) (*Result, error) {
	defer s.cancel()
	answer, err := s.finish(output)
	if err != nil {
		return nil, err
	}
	return newResult(answer), nil
}

// finish sends the end, and receives the answer and the end of the call.
func (s *Stream) finish(output *pb.CompleteToolOutput) (*pb.ProjectResponse, error) {
	err := s.send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Finish{Finish: &pb.StreamFinish{Output: output, StreamBytes: s.sent}}})
	if err != nil {
		return nil, err
	}
	answer, err := s.call.Recv()
	if err != nil {
		s.err = err
		return nil, err
	}
	s.err = errors.New("toolresult: the stream has ended")
	// The call has ended when its status is read; until then the answer may be followed by an error.
	if _, err := s.call.Recv(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("after the answer: %w", err)
	}
	return answer.GetResult(), nil
}

// Close gives the stream up, unless it has been finished.
func (s *Stream) Close() error {
	s.cancel()
	if s.err == nil {
		s.err = errors.New("toolresult: the stream was closed")
	}
	return nil
}

// streamed returns the payload that a stream is.
func streamed(name string) *pb.Payload {
	return &pb.Payload{Source: &pb.Payload_Stream{Stream: name}}
}

// projectStreamed sends an output whose payloads are too large for one message. They move out of it.
func (c *Client) projectStreamed(ctx context.Context, p *projection, output *pb.CompleteToolOutput) (*pb.ProjectResponse, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p.family, p.line = familyOf(output), output.GetCommand().GetCommandLine()
	payloads := takePayloads(output.ProtoReflect())
	call, err := c.Results.ProjectStream(ctx)
	if err != nil {
		return nil, err
	}
	s := &Stream{options: p, tool: output.GetToolName(), call: call, cancel: cancel, sent: map[string]uint64{}}
	names := make([]string, len(payloads))
	for i := range payloads {
		names[i] = payloadName(i)
	}
	if err := s.send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{Header: p.header(s.tool, names)}}); err != nil {
		return nil, err
	}
	for i, data := range payloads {
		if _, err := s.write(payloadName(i), data); err != nil {
			return nil, err
		}
	}
	return s.finish(output)
}

// payloadName is the name of the stream of a payload.
func payloadName(i int) string { return fmt.Sprintf("payload-%d", i) }

// takePayloads takes the bytes out of the payloads of a message, which name streams then.
func takePayloads(m protoreflect.Message) (taken [][]byte) {
	visit(m, func(p *pb.Payload) {
		if source, ok := p.GetSource().(*pb.Payload_Inline); ok {
			p.Source = &pb.Payload_Stream{Stream: payloadName(len(taken))}
			taken = append(taken, source.Inline)
		}
	})
	return taken
}

// familyOf returns the family of an output, as GetServerInfo names it.
func familyOf(output *pb.CompleteToolOutput) string {
	if custom := output.GetCustom(); custom != nil {
		return custom.GetType()
	}
	m := output.ProtoReflect()
	if set := m.WhichOneof(m.Descriptor().Oneofs().ByName("result")); set != nil {
		return string(set.Name())
	}
	return "text" // of an error, which any family may have
}
