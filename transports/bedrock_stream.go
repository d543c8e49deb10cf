package transports

import (
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// bedrockStream reads the events of Converse. On the wire they are a binary framing, which
// AWS's SDKs read; here they come one by one, as {"contentBlockStart": {...}}.
type bedrockStream struct{ blocks map[string]*bedrockBlock }

// bedrockBlock is a block of which parts come.
type bedrockBlock struct {
	call           *partialCall
	thinks, signed joined
	redacted       joined
	at             placedBlock
}

func (s *bedrockStream) event(o rawjson.Object, a *answer) {
	for _, m := range o {
		inside, _ := rawjson.Split(m.Value)
		index := string(inside.Get("contentBlockIndex"))
		switch {
		case m.Key == "contentBlockStart":
			s.start(index, inside.Child("start"), a)
		case m.Key == "contentBlockDelta":
			s.delta(index, inside.Child("delta"), a)
		case m.Key == "contentBlockStop":
			s.stop(index, a)
		case m.Key == "messageStop":
			reason := inside.Text("stopReason")
			a.finish(bedrockEnd(reason), reason)
		case strings.HasSuffix(m.Key, "Exception"):
			a.finish(pb.StreamEnd_STREAM_END_ERROR, inside.Text("message"))
		}
	}
}

func bedrockEnd(reason string) pb.StreamEnd {
	switch reason {
	case "max_tokens", "model_context_window_exceeded":
		return pb.StreamEnd_STREAM_END_LENGTH
	case "guardrail_intervened", "content_filtered", "malformed_tool_use", "malformed_model_output":
		return pb.StreamEnd_STREAM_END_STOPPED
	}
	return pb.StreamEnd_STREAM_END_COMPLETE
}

// block is an open block; text has no beginning of its own.
func (s *bedrockStream) block(index string, a *answer) *bedrockBlock {
	if s.blocks[index] == nil {
		s.blocks[index] = &bedrockBlock{at: a.here()}
	}
	return s.blocks[index]
}

func (s *bedrockStream) start(index string, start rawjson.Object, a *answer) {
	if use := start.Child("toolUse"); use != nil {
		delete(s.blocks, index)
		b := s.block(index, a)
		b.call = a.call()
		b.call.id, b.call.name = use.Text("toolUseId"), use.Text("name")
	}
}

func (s *bedrockStream) delta(index string, delta rawjson.Object, a *answer) {
	b := s.block(index, a)
	a.content.add(delta.Get("text"))
	if use := delta.Child("toolUse"); use != nil && b.call != nil {
		b.call.arguments.add(use.Get("input"))
	}
	thought := delta.Child("reasoningContent")
	b.thinks.add(thought.Get("text"))
	b.signed.add(thought.Get("signature"))
	b.redacted.add(thought.Get("redactedContent"))
}

func (s *bedrockStream) stop(index string, a *answer) {
	b := s.blocks[index]
	delete(s.blocks, index)
	switch {
	case b == nil:
	case b.call != nil:
		b.call.closed = true
	case !b.redacted.empty():
		a.keepAt(rawjson.Object{}.WithObject("reasoningContent", rawjson.Object{}.WithText("redactedContent", b.redacted.String())), b.at)
	case !b.thinks.empty() || !b.signed.empty():
		text := rawjson.Object{}.WithText("text", b.thinks.String())
		if !b.signed.empty() {
			text = text.WithText("signature", b.signed.String())
		}
		a.keepAt(rawjson.Object{}.WithObject("reasoningContent", rawjson.Object{}.WithObject("reasoningText", text)), b.at)
	}
}
