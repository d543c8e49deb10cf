package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Bounds of a trial, in bytes: of payloads that are sent with the call, of those that are streamed, and of a piece of a stream.
const (
	maxInlineTrial = 2 << 20
	maxTrial       = 256 << 20
	chunkBytes     = 256 << 10
	readBytes      = 3 << 20
)

// trialPage is the result of a policy that was tried, beside the one on record.
type trialPage struct {
	Texts         []text
	Receipt       []comparedLine // that of the policy
	Recorded      []comparedLine
	Tokens, Was   uint32 // of both
	Counter       string
	Same          bool // both receipts are the same
	Unordered     bool // the record has the order in which its streams were printed, and the trial has not
	Shown, Before uint64
}

// comparedLine is a line of a receipt.
type comparedLine struct {
	Text string
	Only bool // the other receipt has no such line
}

// try answers with what another policy would have made of a call.
func (p *page) try(r *http.Request) (any, error) {
	record, _, err := p.recordOf(r)
	if err == nil && (p.Trials == nil || record.GetKind() != pb.AuditKind_AUDIT_KIND_PROJECTION) {
		err = badRequest("Only the output of a tool can be projected again.")
	}
	var policy *pb.ProjectionPolicy
	if err == nil {
		policy, err = trialPolicy(r, record)
	}
	var resp *pb.ProjectResponse
	if err == nil {
		resp, err = p.project(r.Context(), record, policy)
	}
	if err != nil {
		return nil, err
	}
	was := record.GetReceipt()
	inOrderOf := func(p *pb.AuditPayload) bool { return p.GetField() == inOrder }
	shown := trialPage{
		Texts: texts(resp.GetCanonical()), Tokens: resp.GetReceipt().GetTokens(), Was: was.GetTokens(), Counter: resp.GetReceipt().GetTokenCounter(),
		Same: resp.GetReceipt().GetText() == was.GetText(), Unordered: slices.ContainsFunc(record.GetPayloads(), inOrderOf),
	}
	for _, t := range shown.Texts {
		shown.Shown += t.Shown
	}
	for _, t := range texts(record.GetCanonical()) {
		shown.Before += t.Shown
	}
	shown.Receipt, shown.Recorded = compare(resp.GetReceipt().GetText(), was.GetText())
	return shown, nil
}

// trialPolicy returns the policy on record, with the budget that the call had then, and with what the form changes.
func trialPolicy(r *http.Request, record *pb.AuditRecord) (*pb.ProjectionPolicy, error) {
	policy := &pb.ProjectionPolicy{}
	if record.GetPolicy() != nil {
		policy = proto.Clone(record.GetPolicy()).(*pb.ProjectionPolicy)
	}
	if policy.Render == nil {
		policy.Render = &pb.RenderPolicy{}
	}
	if policy.Render.Budget == nil {
		policy.Render.Budget = &pb.Budget{}
	}
	if n := record.GetBudgetTokens(); n > 0 { // such as the share of a turn
		policy.Render.Budget.MaxTokens = n
	}
	policy.Segments, policy.Unchanged = true, pb.UnchangedPolicy_UNCHANGED_POLICY_IGNORE
	if policy.GetRedaction() != nil { // registered values are another sidecar's, and the output is redacted already
		policy.Redaction.RequireSet = ""
	}
	for _, field := range []struct {
		name, key   string
		least, most uint64
		set         func(uint32)
	}{
		{"The budget of tokens", "tokens", 16, 200_000, func(n uint32) { policy.Render.Budget.MaxTokens = n }},
		{"The budget of lines", "lines", 2, 1_000_000, func(n uint32) { policy.Render.Budget.MaxLines = n }},
		{"The bytes of a line", "line_bytes", 80, 1_000_000, func(n uint32) { policy.Render.Budget.MaxLineBytes = n }},
		{"The share of the first lines", "head", 0, 100, func(n uint32) { policy.HeadPercent = &n }},
	} {
		value := r.PostFormValue(field.key)
		if value == "" {
			continue
		}
		n, err := numberOf(field.name, value, 0, field.least, field.most)
		if err != nil {
			return nil, err
		}
		field.set(uint32(n))
	}
	return policy, nil
}

// project projects the output of a record again, in a sidecar that keeps nothing.
func (p *page) project(ctx context.Context, record *pb.AuditRecord, policy *pb.ProjectionPolicy) (*pb.ProjectResponse, error) {
	var all uint64
	for payload := range written(record) {
		all += payload.GetBytes()
	}
	if all > maxTrial {
		return nil, badRequest(fmt.Sprintf("Policies are tried on outputs of at most %s; this one has %s.", size(maxTrial), size(all)))
	}
	sidecar, err := p.Trials(ctx)
	if err != nil {
		return nil, err
	}
	if focus := record.GetSessionFocus(); focus != "" {
		policy.FocusSession = fmt.Sprintf("record-%d", record.GetSequence())
		req := &pb.SetSessionFocusRequest{SessionId: policy.FocusSession, Focus: focus}
		if _, err := sidecar.SetSessionFocus(ctx, req); err != nil {
			return nil, err
		}
	}
	out := proto.Clone(record.GetOutput()).(*pb.CompleteToolOutput)
	stored := map[string]string{} // artifacts by the name of the payload
	for payload := range written(record) {
		if payload.GetArtifact() != "" {
			stored[payload.GetField()] = payload.GetArtifact()
		}
	}
	if all <= maxInlineTrial {
		if err := p.fill(ctx, out, stored); err != nil {
			return nil, err
		}
		return sidecar.Project(ctx, &pb.ProjectRequest{Output: out, Policy: policy, Call: record.GetCall()})
	}
	header := &pb.StreamHeader{
		Family: envelope.OutputFamily(out), Policy: policy, CommandLine: out.GetCommand().GetCommandLine(), ToolName: out.GetToolName(), Call: record.GetCall(),
	}
	return p.stream(ctx, sidecar, header, out, stored)
}

// fill puts stored payloads into an output.
func (p *page) fill(ctx context.Context, out *pb.CompleteToolOutput, stored map[string]string) (err error) {
	envelope.VisitPayloads("output", out.ProtoReflect(), func(path string, payload *pb.Payload) {
		artifact, ok := stored[path]
		if !ok || err != nil {
			return
		}
		var content []byte
		err = p.read(ctx, artifact, func(b []byte) error { content = append(content, b...); return nil })
		payload.Source = &pb.Payload_Inline{Inline: content}
	})
	return err
}

// stream projects an output whose stored payloads are sent as streams, of which it adds the names to the header.
func (p *page) stream(ctx context.Context, sidecar pb.ToolResultServiceClient, header *pb.StreamHeader, out *pb.CompleteToolOutput, stored map[string]string) (*pb.ProjectResponse, error) {
	call, err := sidecar.ProjectStream(ctx)
	if err != nil {
		return nil, err
	}
	names := map[string]string{} // of streams, by artifact
	envelope.VisitPayloads("output", out.ProtoReflect(), func(path string, payload *pb.Payload) {
		if artifact, ok := stored[path]; ok {
			name := fmt.Sprintf("payload%d", len(names))
			names[name] = artifact
			header.Streams = append(header.Streams, name)
			payload.Source = &pb.Payload_Stream{Stream: name}
		}
	})
	if err := call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Header{Header: header}}); err != nil {
		return nil, answered(call, err)
	}
	for _, name := range header.GetStreams() {
		if err := p.read(ctx, names[name], func(b []byte) error { return send(call, name, b) }); err != nil {
			return nil, answered(call, err)
		}
	}
	finish := &pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Finish{Finish: &pb.StreamFinish{Output: out}}}
	if err := errors.Join(call.Send(finish), call.CloseSend()); err != nil {
		return nil, answered(call, err)
	}
	resp, err := call.Recv()
	return resp.GetResult(), err
}

// send sends bytes of a stream.
func send(call grpc.BidiStreamingClient[pb.ProjectStreamRequest, pb.ProjectStreamResponse], name string, b []byte) error {
	for part := range slices.Chunk(b, chunkBytes) {
		chunk := &pb.StreamChunk{Stream: name, Data: part}
		if err := call.Send(&pb.ProjectStreamRequest{Message: &pb.ProjectStreamRequest_Chunk{Chunk: chunk}}); err != nil {
			return err
		}
	}
	return nil
}

// answered returns the status of a call whose stream has ended, which io.EOF of a send stands for.
func answered(call grpc.BidiStreamingClient[pb.ProjectStreamRequest, pb.ProjectStreamResponse], err error) error {
	if !errors.Is(err, io.EOF) {
		return err
	}
	_, err = call.Recv()
	return err
}

// read passes an artifact on, a page at a time.
func (p *page) read(ctx context.Context, artifact string, visit func([]byte) error) error {
	req := &pb.ReadArtifactRequest{Path: artifact, Budget: &pb.ReadBudget{MaxBytes: readBytes, MaxLines: 1_000_000}}
	for {
		resp, err := p.Sidecar.ReadArtifact(ctx, req)
		if err != nil {
			return err
		}
		if err := visit(resp.GetData()); err != nil {
			return err
		}
		if req.PageToken = resp.GetNextPageToken(); resp.GetComplete() || req.GetPageToken() == "" {
			return nil
		}
	}
}

// compare returns the lines of two receipts, and which of them only one has.
func compare(a, b string) (left, right []comparedLine) {
	one, other := strings.Split(a, "\n"), strings.Split(b, "\n")
	return unlike(one, other), unlike(other, one)
}

// unlike marks the lines that are not among others, as often as they are there.
func unlike(lines, others []string) []comparedLine {
	left := map[string]int{}
	for _, l := range others {
		left[l]++
	}
	list := make([]comparedLine, len(lines))
	for i, l := range lines {
		list[i] = comparedLine{bounded(l), left[l] == 0}
		left[l]--
	}
	return list
}
