package transports

import (
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// responsesStream reads the events of OpenAI Responses.
type responsesStream struct{ items map[string]*partialCall } // by the place in the output

func (s *responsesStream) event(o object, a *answer) {
	switch kind := o.text(keyType); kind {
	case "response.output_text.delta", "response.refusal.delta":
		a.content.add(o.get("delta"))
	case "response.output_item.added":
		s.item(o, a)
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		s.call(o, a).arguments.add(o.get("delta"))
	case "response.function_call_arguments.done":
		s.all(o, keyArguments, a)
	case "response.custom_tool_call_input.done":
		s.all(o, "input", a)
	case "response.output_item.done":
		s.itemDone(o, a)
	case "response.completed", "response.incomplete", "response.failed":
		s.ended(o.child("response"), a)
	case "error":
		a.finish(pb.StreamEnd_STREAM_END_ERROR, o.text("message"))
	case "":
		s.whole(o, a)
	}
}

// key is the place of an item in the output.
func (s *responsesStream) key(o object) string {
	if at := o.get("output_index"); at != nil {
		return string(at)
	}
	if id := o.text("item_id"); id != "" {
		return id
	}
	return o.child("item").text("id")
}

// call is the call that an event belongs to.
func (s *responsesStream) call(o object, a *answer) *partialCall {
	key := s.key(o)
	if s.items[key] == nil {
		s.items[key] = a.call()
	}
	return s.items[key]
}

// item reads the beginning of an item, or all of it.
func (s *responsesStream) item(o object, a *answer) *partialCall {
	item := o.child("item")
	arguments := keyArguments
	switch item.text(keyType) {
	case itemCustomCall:
		arguments = "input"
	case itemCall:
	default:
		return nil
	}
	c := s.call(o, a)
	c.custom = item.text(keyType) == itemCustomCall
	if id := item.text(keyCallID); id != "" {
		c.id = id
	}
	if name := item.text(keyName); name != "" {
		c.name = name
	}
	if text := item.get(arguments); text != nil && len(stringOf(text)) > 0 {
		c.arguments = joined{}
		c.arguments.add(text)
	}
	return c
}

// all reads all arguments of a call, whatever came of them before.
func (s *responsesStream) all(o object, key string, a *answer) {
	c := s.call(o, a)
	if text := o.get(key); text != nil {
		c.arguments = joined{}
		c.arguments.add(text)
	}
}

func (s *responsesStream) itemDone(o object, a *answer) {
	if c := s.item(o, a); c != nil {
		c.closed = o.child("item").text("status") != "incomplete"
		if !c.closed {
			c.problem = "the provider says that the call is incomplete"
		}
		return
	}
	switch item := o.child("item"); item.text(keyType) {
	case "message", "": // its text came in parts
	default:
		a.keep(item)
	}
}

func (s *responsesStream) ended(response object, a *answer) {
	switch status := response.text("status"); status {
	case "incomplete":
		reason := response.child("incomplete_details").text("reason")
		end := pb.StreamEnd_STREAM_END_STOPPED
		if strings.HasPrefix(reason, "max_") {
			end = pb.StreamEnd_STREAM_END_LENGTH
		}
		a.finish(end, reason)
	case "failed", "cancelled":
		a.finish(pb.StreamEnd_STREAM_END_ERROR, response.child("error").text("message"))
	default:
		a.finish(pb.StreamEnd_STREAM_END_COMPLETE, status)
	}
}

// whole reads an answer that was not streamed.
func (s *responsesStream) whole(o object, a *answer) {
	for i, item := range o.children("output") {
		if item.text(keyType) == "message" {
			for _, part := range item.children(keyContent) {
				a.content.add(part.get(keyText))
			}
		}
		s.itemDone(object{}.with("output_index", numeral(i)).withObject("item", item), a)
	}
	if o.get("status") != nil {
		s.ended(o, a)
	}
}
