package streams

import (
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// responsesStream reads the events of OpenAI Responses. Every item of the output has an event for its beginning, one for its
// end, and deltas between them. Servers that imitate it omit some of them, so each is enough to make the call.
type responsesStream struct{ items map[string]*partialCall } // by the place in the output

// event reads one event. An object without a type is an answer that was not streamed.
func (s *responsesStream) event(o rawjson.Object, a *answer) {
	switch kind := o.Text("type"); kind {
	case "response.output_text.delta", "response.refusal.delta":
		a.content.appendJSON(o.Get("delta"))
	case "response.output_item.added":
		s.beginItem(o, a)
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		s.call(o, a).arguments.appendJSON(o.Get("delta"))
	case "response.function_call_arguments.done":
		s.replaceArguments(o, "arguments", a)
	case "response.custom_tool_call_input.done":
		s.replaceArguments(o, "input", a)
	case "response.output_item.done":
		s.endItem(o, a)
	case "response.completed", "response.incomplete", "response.failed":
		s.end(o.Child("response"), a)
	case "error":
		a.setEnd(pb.StreamEnd_STREAM_END_ERROR, o.Text("message"))
	case "":
		s.whole(o, a)
	}
}

// key returns the place of an item in the output, or its id: some servers omit one or the other.
func (s *responsesStream) key(o rawjson.Object) string {
	if at := o.Get("output_index"); at != nil {
		return string(at)
	}
	if id := o.Text("item_id"); id != "" {
		return id
	}
	return o.Child("item").Text("id")
}

// call returns the call that an event belongs to.
func (s *responsesStream) call(o rawjson.Object, a *answer) *partialCall {
	key := s.key(o)
	if s.items[key] == nil {
		s.items[key] = a.newCall()
	}
	return s.items[key]
}

// beginItem reads the beginning of an item, or all of it, and returns its call; nil for other items.
func (s *responsesStream) beginItem(o rawjson.Object, a *answer) *partialCall {
	item := o.Child("item")
	arguments := "arguments"
	switch item.Text("type") {
	case "custom_tool_call":
		arguments = "input"
	case "function_call":
	default:
		return nil
	}
	c := s.call(o, a)
	c.custom = item.Text("type") == "custom_tool_call"
	if id := item.Text("call_id"); id != "" {
		c.id = id
	}
	if name := item.Text("name"); name != "" {
		c.name = name
	}
	// The complete item repeats its arguments, which replace the parts.
	if text := item.Get(arguments); text != nil && len(rawjson.String(text)) > 0 {
		c.arguments = textBuffer{}
		c.arguments.appendJSON(text)
	}
	return c
}

// replaceArguments replaces the parts of arguments by the whole.
func (s *responsesStream) replaceArguments(o rawjson.Object, key string, a *answer) {
	c := s.call(o, a)
	if text := o.Get(key); text != nil {
		c.arguments = textBuffer{}
		c.arguments.appendJSON(text)
	}
}

// endItem reads a complete item. Items that are neither calls nor messages go back to the provider.
func (s *responsesStream) endItem(o rawjson.Object, a *answer) {
	if c := s.beginItem(o, a); c != nil {
		c.closed = o.Child("item").Text("status") != "incomplete"
		if !c.closed {
			c.problem = "the provider says that the call is incomplete"
		}
		return
	}
	switch item := o.Child("item"); item.Text("type") {
	case "message", "": // the text was received in parts
	default:
		a.addBlock(item)
	}
}

// end reads how the answer ended.
func (s *responsesStream) end(response rawjson.Object, a *answer) {
	switch status := response.Text("status"); status {
	case "incomplete":
		reason := response.Child("incomplete_details").Text("reason")
		// "max_output_tokens" is documented; "max_" covers limits to come.
		end := pb.StreamEnd_STREAM_END_STOPPED
		if strings.HasPrefix(reason, "max_") {
			end = pb.StreamEnd_STREAM_END_LENGTH
		}
		a.setEnd(end, reason)
	case "failed", "cancelled":
		a.setEnd(pb.StreamEnd_STREAM_END_ERROR, response.Child("error").Text("message"))
	default:
		a.setEnd(pb.StreamEnd_STREAM_END_COMPLETE, status)
	}
}

// whole reads an answer that was not streamed. Its items are those that the events of a stream would end with, so they
// are read as such.
func (s *responsesStream) whole(o rawjson.Object, a *answer) {
	for i, item := range o.Children("output") {
		if item.Text("type") == "message" {
			for _, part := range item.Children("content") {
				a.content.appendJSON(part.Get("text"))
			}
		}
		s.endItem(rawjson.Object{}.With("output_index", rawjson.Number(i)).WithObject("item", item), a)
	}
	if o.Get("status") != nil {
		s.end(o, a)
	}
}
