package pipeline

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"google.golang.org/grpc"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/server/admission"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/idle"
	"github.com/toolresult/toolresult/server/ingest"
	"github.com/toolresult/toolresult/server/redaction"
	"github.com/toolresult/toolresult/server/rpc"
)

// maxCallStreams bounds the streams of one ProjectStream call.
const maxCallStreams = 64

// ProjectStream projects an output whose payloads arrive in chunks. What arrives
// goes through the same two places as an inline payload, the store and a preview,
// so that the answer is the same.
func (p *Pipeline) ProjectStream(call grpc.BidiStreamingServer[pb.ProjectStreamRequest, pb.ProjectStreamResponse]) error {
	a := &arrival{
		pipeline: p, idle: rpc.NewLimit(call.Context(), p.StreamIdle), call: call, ctx: call.Context(), streams: map[string]*incoming{},
		memory: p.Memory.Previews(),
	}
	defer a.memory.Release()
	defer a.end()
	return a.idle.Run(a.receive)
}

// receive takes all messages of a call.
func (a *arrival) receive() error {
	first, err := a.next()
	if err != nil {
		return apierror.FromReceive(err)
	}
	first.Free() // a header keeps nothing
	if err := a.begin(first.GetHeader()); err != nil {
		return err
	}
	for {
		m, err := a.next()
		if err != nil {
			return apierror.FromReceive(err)
		}
		switch message := m.GetMessage().(type) {
		case *pb.ProjectStreamRequest_Chunk:
			err = a.take(message.Chunk, m.Parts())
			m.Free()
		case *pb.ProjectStreamRequest_Snapshot:
			err = a.snapshot(message.Snapshot.GetOutput())
		case *pb.ProjectStreamRequest_Finish:
			return a.finish(message.Finish)
		default:
			err = apierror.StreamOrder("the header comes once, and then chunks, snapshots and a finish")
		}
		if err != nil {
			return err
		}
	}
}

// arrival is one ProjectStream call.
type arrival struct {
	pipeline *Pipeline
	idle     *idle.Limit
	call     grpc.BidiStreamingServer[pb.ProjectStreamRequest, pb.ProjectStreamResponse]
	ctx      context.Context // of the call
	header   *pb.StreamHeader
	budget   int             // tokens that previews are kept for
	rules    *linerule.Rules // of the program that writes
	pass     *redaction.Pass
	focus    string // of the session
	streams  map[string]*incoming
	last     *incoming           // of the chunk before
	order    *ingest.Interleaver // nil when the order of the streams is not kept
	joined   []*ingest.Spool     // of outputs whose family is not known
	answered bool                // with the result
	memory   *admission.Growing  // of the previews of the streams
	previews int64               // what they take, in bytes
}

// next returns the next message.
func (a *arrival) next() (m *rpc.ChunkMessage, err error) {
	err = a.idle.Wait(func() error {
		m, err = rpc.Receive(a.call)
		return err
	})
	return m, err
}

// incoming is one stream of it.
type incoming struct {
	*ingest.Spool
	name    string
	preview int64 // memory of its preview that is reserved, in bytes
}

// begin begins a call.
func (a *arrival) begin(header *pb.StreamHeader) error {
	if header == nil {
		return apierror.StreamOrder("the first message is the header")
	}
	if err := confine(a.ctx, &header.Call, header.GetPolicy()); err != nil {
		return err
	}
	family := a.pipeline.Registry.ForStreams(header.GetFamily())
	check := envelope.NewChecker("header")
	if family == nil {
		check.Fail("family", pb.ErrorReason_ERROR_REASON_FAMILY_UNKNOWN, "is no name of a family")
		return check.Err()
	}
	envelope.CheckCall(check, header.GetCall())
	check.Name("request_id", header.GetRequestId(), false)
	check.Name("tool_name", header.GetToolName(), false)
	checkDetails(check.At("audit"), header.GetAudit())
	envelope.CheckForm(check, header.GetCanonicalForm())
	checkAbort(check, header)
	if err := check.Err(); err != nil {
		return err
	}
	policy, err := a.pipeline.Policies.Projection(header.GetPolicy(), header.GetToolName(), family.DefaultTokens(header.GetToolName(), header.GetCommandLine()))
	if err != nil {
		return apierror.AtField("header", err)
	}
	a.pass, err = a.pipeline.Secrets.Resolve(a.pipeline.Patterns, header.GetPolicy().GetRedaction(), header.GetCall().GetSessionId(), family.Name)
	if err != nil {
		return apierror.PrefixField("header", err)
	}
	a.pass.CheckCall(check, header.GetCall())
	a.pass.CheckName(check, "request_id", header.GetRequestId())
	if err := check.Err(); err != nil {
		return err
	}
	a.header, a.budget = header, policy.Budget.Tokens
	a.focus = a.pipeline.sessionFocus(header.GetCall(), header.GetPolicy(), a.pass)
	if header.GetKeepOrder() && family.Ordered {
		a.order = ingest.NewInterleaver(func() (artifactstore.Stage, error) { return a.pipeline.Store.Stage(a.stageContext()) })
	}
	a.rules = family.LineRules(header.GetCommandLine())
	for _, name := range header.GetStreams() {
		if _, err := a.stream(name); err != nil {
			return err
		}
	}
	return nil
}

// stream returns the stream of a name, and makes it when it is new.
func (a *arrival) stream(name string) (*incoming, error) {
	if in := a.streams[name]; in != nil {
		return in, nil
	}
	check := envelope.NewChecker("chunk")
	check.Name("stream", name, true)
	a.pass.CheckName(check, "stream", name)
	if len(a.streams) == maxCallStreams {
		check.Fail("stream", pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "is one more than the %d that a call may have", maxCallStreams)
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	taking, err := ingest.NewSpool(a.stageContext(), a.pipeline.Store, a.pass.Options, a.budget, a.rules)
	if err != nil {
		return nil, err
	}
	in := &incoming{Spool: taking, name: name}
	a.streams[name] = in
	return in, nil
}

// take takes a chunk. Its data is in the parts, and not in itself.
func (a *arrival) take(c *pb.StreamChunk, parts [][]byte) error {
	if c.GetStream() != "" || a.last == nil {
		in, err := a.stream(c.GetStream())
		if err != nil {
			return err
		}
		a.last = in
	}
	in := a.last
	if c.Offset != nil && c.GetOffset() != uint64(in.Size) {
		check := envelope.NewChecker("chunk")
		check.Fail("offset", pb.ErrorReason_ERROR_REASON_CHUNK_ORDER, "is %d, and %d bytes of the stream came before", c.GetOffset(), in.Size)
		return check.Err()
	}
	a.order.Reserve(in.name, ingest.TotalSize(parts))
	if err := in.Write(parts, func(ready [][]byte) error { return a.order.Fill(in.name, in.Waiting(), ready) }); err != nil {
		return err
	}
	return a.grow(in)
}

// grow reserves the memory by which the preview of a stream has grown.
func (a *arrival) grow(in *incoming) error {
	a.previews, in.preview = a.previews-in.preview+in.Memory(), in.Memory()
	return a.memory.Grow(a.previews)
}

// snapshot answers with a projection of the bytes so far.
func (a *arrival) snapshot(out *pb.CompleteToolOutput) error {
	from := received{streams: map[string]ingest.Payload{}}
	for name, in := range a.streams {
		stream, err := in.Snapshot()
		if err != nil {
			return err
		}
		from.streams[name] = stream
	}
	var err error
	if from.inOrder, err = a.order.Interleaved(from.streams); err != nil {
		return err
	}
	resp, err := a.projection(atSnapshot, out, from)
	if err != nil {
		return err
	}
	return a.answer(&pb.ProjectStreamResponse{Answer: &pb.ProjectStreamResponse_Snapshot{Snapshot: resp}})
}

// answer sends to the client, which must take it.
func (a *arrival) answer(m *pb.ProjectStreamResponse) error {
	return a.idle.Wait(func() error { return a.call.Send(m) })
}

// finish answers with the result.
func (a *arrival) finish(m *pb.StreamFinish) error {
	if err := a.checkSizes(m.GetStreamBytes()); err != nil {
		return err
	}
	from := received{streams: map[string]ingest.Payload{}}
	for name, in := range a.streams {
		if err := in.Flush(func(ready [][]byte) error { return a.order.Fill(in.name, in.Waiting(), ready) }); err != nil {
			return err
		}
		stream, err := in.Seal()
		if err != nil {
			return err
		}
		from.streams[name] = stream
	}
	var err error
	if from.inOrder, err = a.order.Interleaved(from.streams); err != nil {
		return err
	}
	resp, err := a.projection("finish", m.GetOutput(), from)
	if err != nil {
		return err
	}
	if err := a.answer(&pb.ProjectStreamResponse{Answer: &pb.ProjectStreamResponse_Result{Result: resp}}); err != nil {
		return err
	}
	a.answered = true
	return nil
}

// checkSizes compares the sizes of the streams with what the client counted.
func (a *arrival) checkSizes(counted map[string]uint64) error {
	const reason = pb.ErrorReason_ERROR_REASON_SIZE_MISMATCH
	check := envelope.NewChecker("finish")
	known := 0
	for _, name := range slices.Sorted(maps.Keys(a.streams)) {
		n, ok := counted[name]
		if !ok {
			continue
		}
		known++
		if size := a.streams[name].Size; n != uint64(size) {
			check.Fail(fmt.Sprintf("stream_bytes[%q]", name), reason, "is %d, and %d bytes came", n, size)
		}
	}
	if known < len(counted) { // names that may be anything are not repeated
		check.Fail("stream_bytes", reason, "names a stream of which nothing came")
	}
	return check.Err()
}

// atSnapshot is where the output of a snapshot is.
const atSnapshot = "snapshot"

// projection is that of Project, with the payloads of streams.
func (a *arrival) projection(at string, out *pb.CompleteToolOutput, from received) (*pb.ProjectResponse, error) {
	if family := envelope.OutputFamily(out); out.GetError() == nil && family != "" && family != a.header.GetFamily() {
		check := envelope.NewChecker(at)
		check.Fail("output", pb.ErrorReason_ERROR_REASON_ENVELOPE_EXCLUSIVITY, "is of another family than the header says")
		return nil, check.Err()
	}
	out, from, err := a.asText(out, from)
	if err != nil {
		return nil, err
	}
	from.pass, from.focus, from.snapshot = a.pass, a.focus, at == atSnapshot
	resp, err := a.pipeline.project(a.ctx, &pb.ProjectRequest{
		Output: out, Policy: a.header.GetPolicy(), Call: a.header.GetCall(), RequestId: a.header.GetRequestId(), Audit: a.header.GetAudit(),
	}, from)
	if err != nil {
		return nil, apierror.AtField(at, err)
	}
	return resp, a.pipeline.form(a.header.GetCanonicalForm(), resp)
}
