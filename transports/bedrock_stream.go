package transports

import (
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
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

func (s *bedrockStream) event(o object, a *answer) {
	for _, m := range o {
		inside, _ := split(m.value)
		index := string(inside.get("contentBlockIndex"))
		switch {
		case m.key == "contentBlockStart":
			s.start(index, inside.child("start"), a)
		case m.key == "contentBlockDelta":
			s.delta(index, inside.child("delta"), a)
		case m.key == "contentBlockStop":
			s.stop(index, a)
		case m.key == "messageStop":
			reason := inside.text("stopReason")
			a.finish(bedrockEnd(reason), reason)
		case strings.HasSuffix(m.key, "Exception"):
			a.finish(pb.StreamEnd_STREAM_END_ERROR, inside.text("message"))
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

func (s *bedrockStream) start(index string, start object, a *answer) {
	if use := start.child("toolUse"); use != nil {
		delete(s.blocks, index)
		b := s.block(index, a)
		b.call = a.call()
		b.call.id, b.call.name = use.text("toolUseId"), use.text(keyName)
	}
}

func (s *bedrockStream) delta(index string, delta object, a *answer) {
	b := s.block(index, a)
	a.content.add(delta.get(keyText))
	if use := delta.child("toolUse"); use != nil && b.call != nil {
		b.call.arguments.add(use.get("input"))
	}
	thought := delta.child("reasoningContent")
	b.thinks.add(thought.get(keyText))
	b.signed.add(thought.get("signature"))
	b.redacted.add(thought.get("redactedContent"))
}

func (s *bedrockStream) stop(index string, a *answer) {
	b := s.blocks[index]
	delete(s.blocks, index)
	switch {
	case b == nil:
	case b.call != nil:
		b.call.closed = true
	case !b.redacted.empty():
		a.keepAt(object{}.withObject("reasoningContent", object{}.withText("redactedContent", b.redacted.String())), b.at)
	case !b.thinks.empty() || !b.signed.empty():
		text := object{}.withText(keyText, b.thinks.String())
		if !b.signed.empty() {
			text = text.withText("signature", b.signed.String())
		}
		a.keepAt(object{}.withObject("reasoningContent", object{}.withObject("reasoningText", text)), b.at)
	}
}
