package pipeline

import (
	"context"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/metrics"
)

// measure reports an answer to Metrics. A snapshot is not reported: its call goes on.
func (p *Pipeline) measure(ctx context.Context, o *prepared, made projected) {
	if p.Metrics == nil || o.snapshot {
		return
	}
	p.Metrics.Projected(ctx, p.measured(o, made))
}

// measured returns the facts of an answer.
func (p *Pipeline) measured(o *prepared, made projected) *metrics.Projected {
	resp := made.resp
	facts := &metrics.Projected{
		Began: o.began, Family: o.family.Name, Failed: resp.GetCanonical().GetStatus() == pb.ToolStatus_TOOL_STATUS_ERROR,
		Bytes: o.size(), Receipt: int64(resp.GetReceipt().GetTokens()), Cuts: map[pb.CutKind]metrics.Cuts{}, Left: *made.omitted,
		Names: metrics.Names{Tool: resp.GetCanonical().GetToolName(), Session: o.req.GetCall().GetSessionId(), Call: o.req.GetCall().GetCallId()},
	}
	// The receipt is text of the same kind, and its tokens are known: no text is counted for this.
	if text := int64(len(resp.GetReceipt().GetText())); text > 0 {
		facts.Tokens = (facts.Bytes*facts.Receipt + text/2) / text
	}
	for _, m := range p.Registry.Messages(resp.GetCanonical()) {
		envelope.Walk("", m, func(_ string, m protoreflect.Message) { facts.AddLedger(m) })
	}
	for i, path := range facts.Artifacts {
		facts.Artifacts[i], _ = p.Store.Resolve(path) // it is one of the store's own
	}
	for _, r := range resp.GetRedactions() {
		facts.AddRedaction(p.rules, r)
	}
	return facts
}

// size returns the size of a complete output, in bytes: the message and the streams, before redaction.
func (o *prepared) size() int64 {
	n := int64(proto.Size(o.req.GetOutput()))
	for _, s := range o.streams {
		if s.Original != nil {
			n += s.Original.Size()
		} else {
			n += s.Blob.Size()
		}
	}
	return n
}
