package server

import (
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/projectors"
)

// maxCallStreams bounds the streams of one ProjectStream call.
const maxCallStreams = 64

// ProjectStream projects an output whose payloads arrive in chunks. What arrives
// goes through the same two places as an inline payload, the store and a preview,
// so that the answer is the same.
func (s *service) ProjectStream(call grpc.BidiStreamingServer[pb.ProjectStreamRequest, pb.ProjectStreamResponse]) error {
	first, err := call.Recv()
	if err != nil {
		return endOfStream(err)
	}
	a, err := s.arrival(call.Context(), first.GetHeader())
	if err != nil {
		return err
	}
	defer a.discard()
	for {
		m, err := call.Recv()
		if err != nil {
			return endOfStream(err)
		}
		switch m := m.GetMessage().(type) {
		case *pb.ProjectStreamRequest_Chunk:
			err = a.take(m.Chunk)
		case *pb.ProjectStreamRequest_Snapshot:
			err = a.snapshot(call, m.Snapshot.GetOutput())
		case *pb.ProjectStreamRequest_Finish:
			return a.finish(call, m.Finish.GetOutput())
		default:
			err = outOfOrder("the header comes once, and then chunks, snapshots and a finish")
		}
		if err != nil {
			return err
		}
	}
}

// endOfStream is what the end of the client's messages means before its finish.
func endOfStream(err error) error {
	if errors.Is(err, io.EOF) {
		return outOfOrder("the stream ended without a finish")
	}
	return err
}

func outOfOrder(text string) error {
	check := envelope.NewChecker("")
	check.Fail("message", pb.ErrorReason_ERROR_REASON_STREAM_ORDER, "%s", text)
	return check.Err()
}

// arrival is one ProjectStream call.
type arrival struct {
	*service
	ctx     context.Context //nolint:containedctx // of the call
	header  *pb.StreamHeader
	budget  int // tokens that previews are kept for
	streams map[string]*incoming
	last    *incoming // of the chunk before
}

// incoming is one stream of it.
type incoming struct {
	stage   artifactstore.Stage
	preview *preview.Writer
}

// arrival begins a call.
func (s *service) arrival(ctx context.Context, header *pb.StreamHeader) (*arrival, error) {
	if header == nil {
		return nil, outOfOrder("the first message is the header")
	}
	family := s.registry.families[header.GetFamily()]
	check := envelope.NewChecker("header")
	if family == nil {
		check.Fail("family", pb.ErrorReason_ERROR_REASON_FAMILY_UNKNOWN, "is no family that this server has")
		return nil, check.Err()
	}
	policy, err := s.counters.projection(header.GetPolicy(), family.Tokens)
	if err != nil {
		return nil, located{"header", err}
	}
	a := &arrival{service: s, ctx: ctx, header: header, budget: policy.Budget.Tokens, streams: map[string]*incoming{}}
	for _, name := range header.GetStreams() {
		if _, err := a.stream(name); err != nil {
			a.discard()
			return nil, err
		}
	}
	return a, nil
}

// stream returns the stream of a name, and makes it when it is new.
func (a *arrival) stream(name string) (*incoming, error) {
	if in := a.streams[name]; in != nil {
		return in, nil
	}
	check := envelope.NewChecker("chunk")
	check.Name("stream", name, true)
	if len(a.streams) == maxCallStreams {
		check.Fail("stream", pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "is one more than the %d that a call may have", maxCallStreams)
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	stage, err := a.store.Stage(a.ctx)
	if err != nil {
		return nil, err
	}
	in := &incoming{stage, preview.NewWriter(a.budget)}
	a.streams[name] = in
	return in, nil
}

// take takes a chunk.
func (a *arrival) take(c *pb.StreamChunk) error {
	if c.GetStream() != "" || a.last == nil {
		in, err := a.stream(c.GetStream())
		if err != nil {
			return err
		}
		a.last = in
	}
	if _, err := a.last.stage.Write(c.GetData()); err != nil {
		return err
	}
	_, _ = a.last.preview.Write(c.GetData()) // it never fails
	return nil
}

// snapshot answers with a projection of what has arrived.
func (a *arrival) snapshot(call grpc.BidiStreamingServer[pb.ProjectStreamRequest, pb.ProjectStreamResponse], out *pb.CompleteToolOutput) error {
	streams := map[string]projectors.Stream{}
	for name, in := range a.streams {
		blob, err := in.stage.Prefix()
		if err != nil {
			return err
		}
		streams[name] = projectors.Stream{Blob: blob, Excerpt: in.preview.Snapshot()}
	}
	resp, err := a.projection("snapshot", out, streams)
	if err != nil {
		return err
	}
	return call.Send(&pb.ProjectStreamResponse{Answer: &pb.ProjectStreamResponse_Snapshot{Snapshot: resp}})
}

// finish answers with the result.
func (a *arrival) finish(call grpc.BidiStreamingServer[pb.ProjectStreamRequest, pb.ProjectStreamResponse], out *pb.CompleteToolOutput) error {
	streams := map[string]projectors.Stream{}
	for name, in := range a.streams {
		blob, err := in.stage.Seal()
		if err != nil {
			return err
		}
		streams[name] = projectors.Stream{Blob: blob, Excerpt: in.preview.Finish()}
	}
	resp, err := a.projection("finish", out, streams)
	if err != nil {
		return err
	}
	return call.Send(&pb.ProjectStreamResponse{Answer: &pb.ProjectStreamResponse_Result{Result: resp}})
}

// projection is that of Project, with the payloads of streams.
func (a *arrival) projection(at string, out *pb.CompleteToolOutput, streams map[string]projectors.Stream) (*pb.ProjectResponse, error) {
	if family := familyName(out); out.GetError() == nil && family != "" && family != a.header.GetFamily() {
		check := envelope.NewChecker(at)
		check.Fail("output", pb.ErrorReason_ERROR_REASON_ENVELOPE_EXCLUSIVITY, "is of another family than the header says")
		return nil, check.Err()
	}
	resp, err := a.project(a.ctx, &pb.ProjectRequest{Output: out, Policy: a.header.GetPolicy(), Call: a.header.GetCall()}, streams)
	if err != nil {
		return nil, located{at, err}
	}
	return resp, nil
}

// maxWhole bounds the streams of one call that a projector reads whole, in bytes
// of all of them.
const maxWhole = 32 << 20

// inlined returns an output whose payloads are inline, for projectors that read
// them whole.
func inlined(out *pb.CompleteToolOutput, streams map[string]projectors.Stream) (*pb.CompleteToolOutput, error) {
	out = proto.CloneOf(out)
	check := envelope.NewChecker("")
	room := int64(maxWhole)
	var failed error
	eachPayload("output", out.ProtoReflect(), func(path string, p *pb.Payload) {
		s, ok := streams[projectors.Key(p)]
		if !ok || failed != nil {
			return
		}
		if room -= s.Blob.Size(); room < 0 {
			check.Fail(path, pb.ErrorReason_ERROR_REASON_FIELD_TOO_LONG, "is more than the %d bytes that this family reads", maxWhole)
			return
		}
		content, err := readAll(s.Blob)
		if err != nil {
			failed = err
			return
		}
		p.Source = &pb.Payload_Inline{Inline: content}
	})
	if failed != nil {
		return nil, failed
	}
	return out, check.Err()
}

func readAll(b artifactstore.Blob) ([]byte, error) {
	r, err := b.Open()
	if err != nil {
		return nil, err
	}
	defer r.Close() // read-only
	content := make([]byte, b.Size())
	_, err = io.ReadFull(r, content)
	return content, err
}

// eachPayload visits the payloads inside of a message.
func eachPayload(path string, m protoreflect.Message, visit func(path string, p *pb.Payload)) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		at := path + "." + string(f.Name())
		switch {
		case f.Message() == nil:
		case f.IsList():
			for i := range v.List().Len() {
				eachPayload(fmt.Sprintf("%s[%d]", at, i), v.List().Get(i).Message(), visit)
			}
		default:
			if p, ok := v.Message().Interface().(*pb.Payload); ok {
				visit(at, p)
				return true
			}
			eachPayload(at, v.Message(), visit)
		}
		return true
	})
}

func familyName(out *pb.CompleteToolOutput) string {
	if out.GetCustom() != nil {
		return out.GetCustom().GetType()
	}
	return envelope.Family(out)
}

// discard gives back what the streams hold. What was put stays.
func (a *arrival) discard() {
	for _, in := range a.streams {
		_ = in.stage.Discard() // what it leaves behind, the next start removes
	}
}
