package streams

import (
	"cmp"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// bedrockStream reads the events of Converse. On the wire they have a binary framing, which AWS's SDKs read; here they
// are JSON objects such as {"contentBlockStart": {...}}.
type bedrockStream struct{ blocks map[string]*bedrockBlock }

// The stop reasons, block types and exceptions are those of the API reference of ConverseStream. Blocks have an index
// and may be interleaved; text and reasoning begin with their first delta.

// bedrockBlock is an open block. Its kind is that of its deltas, except for calls, which have an event for their start.
type bedrockBlock struct {
	call                *partialCall
	thinking, signature textBuffer
	redacted            textBuffer
	position            placedBlock
}

// event reads one event. Exceptions are events whose names end so.
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
			a.setEnd(cmp.Or(bedrockEnds[reason], complete), reason)
		case strings.HasSuffix(m.Key, "Exception"):
			a.setEnd(pb.StreamEnd_STREAM_END_ERROR, inside.Text("message"))
		}
	}
}

// bedrockEnds are the ends that stop reasons mean. Other reasons are a complete answer.
var bedrockEnds = map[string]pb.StreamEnd{
	"max_tokens": cutByLength, "model_context_window_exceeded": cutByLength,
	"guardrail_intervened": stopped, "content_filtered": stopped, "malformed_tool_use": stopped, "malformed_model_output": stopped,
}

// block returns an open block, or opens it: text has no event for its beginning.
func (s *bedrockStream) block(index string, a *answer) *bedrockBlock {
	if s.blocks[index] == nil {
		s.blocks[index] = &bedrockBlock{position: a.position()}
	}
	return s.blocks[index]
}

// start opens a block. Only calls have such an event.
func (s *bedrockStream) start(index string, start rawjson.Object, a *answer) {
	if use := start.Child("toolUse"); use != nil {
		delete(s.blocks, index) // a block that was not closed is not continued
		b := s.block(index, a)
		b.call = a.newCall()
		b.call.id, b.call.name = use.Text("toolUseId"), use.Text("name")
	}
}

// delta adds to a block, which it may open.
func (s *bedrockStream) delta(index string, delta rawjson.Object, a *answer) {
	b := s.block(index, a)
	a.content.appendJSON(delta.Get("text"))
	if use := delta.Child("toolUse"); use != nil && b.call != nil {
		b.call.arguments.appendJSON(use.Get("input"))
	}
	thought := delta.Child("reasoningContent")
	b.thinking.appendJSON(thought.Get("text"))
	b.signature.appendJSON(thought.Get("signature"))
	b.redacted.appendJSON(thought.Get("redactedContent"))
}

// stop closes a block. Reasoning goes back to the provider.
func (s *bedrockStream) stop(index string, a *answer) {
	b := s.blocks[index]
	delete(s.blocks, index)
	switch {
	case b == nil:
	case b.call != nil:
		b.call.closed = true
	// Reasoning that is encrypted, and goes back as it is.
	case !b.redacted.empty():
		a.addBlockAt(rawjson.Object{}.WithObject("reasoningContent", rawjson.Object{}.WithText("redactedContent", b.redacted.String())), b.position)
	case !b.thinking.empty() || !b.signature.empty():
		text := rawjson.Object{}.WithText("text", b.thinking.String())
		if !b.signature.empty() {
			text = text.WithText("signature", b.signature.String())
		}
		a.addBlockAt(rawjson.Object{}.WithObject("reasoningContent", rawjson.Object{}.WithObject("reasoningText", text)), b.position)
	}
}
