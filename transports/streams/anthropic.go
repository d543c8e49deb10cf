package streams

import (
	"cmp"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// anthropicStream reads the events of Anthropic's Messages.
type anthropicStream struct {
	blocks map[string]*anthropicBlock // open blocks by their index
}

// anthropicBlock is an open block.
type anthropicBlock struct {
	base      rawjson.Object
	call      *partialCall // of a tool of the runtime; nil for other blocks
	input     textBuffer   // of a tool of the provider
	thinking  textBuffer
	signature textBuffer
	position  placedBlock
}

// event reads one event. "ping" and events of later versions are ignored, as the reference asks.
func (s *anthropicStream) event(o rawjson.Object, a *answer) {
	switch o.Text("type") {
	case "content_block_start":
		s.start(o, a)
	case "content_block_delta":
		s.delta(o, a)
	case "content_block_stop":
		s.stop(string(o.Get("index")), a)
	case "message_delta":
		if reason := o.Child("delta").Text("stop_reason"); reason != "" {
			a.setEnd(cmp.Or(anthropicEnds[reason], complete), reason)
		}
	case "message": // an answer that was not streamed
		s.whole(o, a)
	}
}

// anthropicEnds are the ends that stop reasons mean. Other reasons, such as those of later versions,
// are a complete answer.
var anthropicEnds = map[string]pb.StreamEnd{
	"max_tokens": cutByLength, "model_context_window_exceeded": cutByLength, "refusal": stopped,
}

// start opens a block.
func (s *anthropicStream) start(o rawjson.Object, a *answer) {
	base := o.Child("content_block")
	// The place is that of the beginning: later blocks may be complete before this one.
	b := &anthropicBlock{base: base, position: a.position()}
	switch base.Text("type") {
	case "text":
		a.content.appendJSON(base.Get("text"))
	case "tool_use":
		b.call = a.newCall()
		b.call.id, b.call.name = base.Text("id"), base.Text("name")
	case "thinking":
		b.thinking.appendJSON(base.Get("thinking"))
		b.signature.appendJSON(base.Get("signature"))
	}
	s.blocks[string(o.Get("index"))] = b
}

// delta adds to an open block.
func (s *anthropicStream) delta(o rawjson.Object, a *answer) {
	b, delta := s.blocks[string(o.Get("index"))], o.Child("delta")
	if b == nil {
		return
	}
	switch delta.Text("type") {
	case "text_delta":
		a.content.appendJSON(delta.Get("text"))
	case "input_json_delta":
		// Input of the provider's own tools is kept for its block and is no call.
		if b.call != nil {
			b.call.arguments.appendJSON(delta.Get("partial_json"))
		} else {
			b.input.appendJSON(delta.Get("partial_json"))
		}
	case "thinking_delta":
		b.thinking.appendJSON(delta.Get("thinking"))
	case "signature_delta":
		b.signature.appendJSON(delta.Get("signature"))
	}
}

// stop closes a block. Thinking, and tools that the provider runs itself, go back to the provider.
func (s *anthropicStream) stop(index string, a *answer) {
	b := s.blocks[index]
	delete(s.blocks, index)
	if b == nil {
		return
	}
	switch kind := b.base.Text("type"); {
	case kind == "text":
	case b.call != nil:
		b.call.closed = true
		// Without deltas the input of the start counts; it is {} also where deltas follow.
		if input := b.base.Get("input"); b.call.arguments.empty() && len(b.base.Child("input")) > 0 {
			b.call.arguments.appendJSON(input)
		}
	case kind == "thinking":
		a.addBlockAt(b.base.WithText("thinking", b.thinking.String()).WithText("signature", b.signature.String()), b.position)
	default: // a tool of the provider, and its result
		if !b.input.empty() && rawjson.IsObject(b.input.String()) {
			b.base = b.base.With("input", []byte(b.input.String()))
		}
		a.addBlockAt(b.base, b.position)
	}
}

// whole reads an answer that was not streamed.
func (s *anthropicStream) whole(o rawjson.Object, a *answer) {
	for i, b := range o.Children("content") {
		index := rawjson.Number(i)
		s.start(rawjson.Object{}.With("index", index).WithObject("content_block", b), a)
		s.stop(string(index), a)
	}
	if reason := o.Text("stop_reason"); reason != "" {
		a.setEnd(cmp.Or(anthropicEnds[reason], complete), reason)
	}
}
