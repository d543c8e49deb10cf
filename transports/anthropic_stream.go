package transports

import (
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// anthropicStream reads the events of Anthropic's Messages.
type anthropicStream struct {
	blocks map[string]*anthropicBlock // that are open, by their index
}

// anthropicBlock is a block of which parts come.
type anthropicBlock struct {
	base   object
	call   *partialCall // of a tool of the runtime
	input  joined       // of a tool of the provider
	thinks joined
	signed joined
	at     placedBlock
}

func (s *anthropicStream) event(o object, a *answer) {
	switch o.text(keyType) {
	case "content_block_start":
		s.start(o, a)
	case "content_block_delta":
		s.delta(o, a)
	case "content_block_stop":
		s.stop(string(o.get("index")), a)
	case "message_delta":
		if reason := o.child("delta").text("stop_reason"); reason != "" {
			a.finish(anthropicEnd(reason), reason)
		}
	case "message": // an answer in one piece
		s.whole(o, a)
	}
}

func anthropicEnd(reason string) pb.StreamEnd {
	switch reason {
	case "max_tokens", "model_context_window_exceeded":
		return pb.StreamEnd_STREAM_END_LENGTH
	case "refusal":
		return pb.StreamEnd_STREAM_END_STOPPED
	}
	return pb.StreamEnd_STREAM_END_COMPLETE
}

func (s *anthropicStream) start(o object, a *answer) {
	base := o.child("content_block")
	b := &anthropicBlock{base: base, at: a.here()}
	switch base.text(keyType) {
	case keyText:
		a.content.add(base.get(keyText))
	case "tool_use":
		b.call = a.call()
		b.call.id, b.call.name = base.text("id"), base.text(keyName)
	case "thinking":
		b.thinks.add(base.get("thinking"))
		b.signed.add(base.get("signature"))
	}
	s.blocks[string(o.get("index"))] = b
}

func (s *anthropicStream) delta(o object, a *answer) {
	b, delta := s.blocks[string(o.get("index"))], o.child("delta")
	if b == nil {
		return
	}
	switch delta.text(keyType) {
	case "text_delta":
		a.content.add(delta.get(keyText))
	case "input_json_delta":
		if b.call != nil {
			b.call.arguments.add(delta.get("partial_json"))
		} else {
			b.input.add(delta.get("partial_json"))
		}
	case "thinking_delta":
		b.thinks.add(delta.get("thinking"))
	case "signature_delta":
		b.signed.add(delta.get("signature"))
	}
}

func (s *anthropicStream) stop(index string, a *answer) {
	b := s.blocks[index]
	delete(s.blocks, index)
	if b == nil {
		return
	}
	switch kind := b.base.text(keyType); {
	case kind == keyText:
	case b.call != nil:
		b.call.closed = true
		if input := b.base.get("input"); b.call.arguments.empty() && len(b.base.child("input")) > 0 {
			b.call.arguments.add(input)
		}
	case kind == "thinking":
		a.keepAt(b.base.withText("thinking", b.thinks.String()).withText("signature", b.signed.String()), b.at)
	default: // a tool of the provider, and what came of it
		if !b.input.empty() && isObject(b.input.String()) {
			b.base = b.base.with("input", []byte(b.input.String()))
		}
		a.keepAt(b.base, b.at)
	}
}

// whole reads an answer that was not streamed.
func (s *anthropicStream) whole(o object, a *answer) {
	for i, b := range o.children(keyContent) {
		index := numeral(i)
		s.start(object{}.with("index", index).withObject("content_block", b), a)
		s.stop(string(index), a)
	}
	if reason := o.text("stop_reason"); reason != "" {
		a.finish(anthropicEnd(reason), reason)
	}
}
