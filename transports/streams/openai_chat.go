package streams

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/dialect"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// chatStream reads chunks of OpenAI Chat Completions and of the many servers that imitate it. They disagree about which
// parts of a call have its id, name and index: the first, all, a late one, or none.
//
// Its end is the finish reason, which may precede the last parts, or [DONE].
type chatStream struct{ byIndex map[string]*partialCall }

// event reads one chunk, or an answer that was not streamed.
func (s *chatStream) event(o rawjson.Object, a *answer) {
	for _, choice := range o.Children("choices") {
		if index := choice.Get("index"); index != nil && string(index) != "0" {
			continue // another answer to the same question
		}
		delta := choice.Child("delta")
		if delta == nil {
			delta = choice.Child("message") // an answer that was not streamed
		}
		for _, b := range dialect.ReadContent(delta.Get("content")) {
			if b.Text != nil && b.Original == nil {
				a.content.appendJSON(delta.Get("content"))
			} else if b.Text != nil {
				a.content.appendJSON(b.Original.Get("text"))
			}
		}
		a.content.appendJSON(delta.Get("refusal"))
		for i, part := range delta.Children("tool_calls") {
			s.merge(part, strconv.Itoa(i), a)
		}
		if reason := choice.Text("finish_reason"); reason != "" {
			a.setEnd(cmp.Or(chatEnds[reason], complete), reason)
		}
	}
}

// chatEnds are the ends that finish reasons mean. Other reasons are a complete answer.
var chatEnds = map[string]pb.StreamEnd{
	"length": cutByLength, "model_length": cutByLength, "content_filter": stopped, "error": pb.StreamEnd_STREAM_END_ERROR,
}

// merge adds a part to its call.
func (s *chatStream) merge(o rawjson.Object, place string, a *answer) {
	function, arguments := o.Child("function"), "arguments"
	// A custom tool has its text in "input".
	custom := o.Child("custom")
	if custom != nil {
		function, arguments = custom, "input"
	}
	id, name := o.Text("id"), function.Text("name")
	if id == "null" {
		id = "" // Mistral sends "null" for no id
	}
	c := s.find(o.Get("index"), place, id, name, a)
	c.custom = c.custom || custom != nil
	// The first id counts; later parts repeat it or have none.
	if c.id == "" {
		c.id = id
	}
	if name != c.name {
		c.name += name // a name in parts; a name that is repeated is no part
	}
	c.arguments.appendJSON(function.Get(arguments))
}

// find returns the call that a part belongs to, or a new one. A part without an index belongs to the call with its id,
// or with its place in the list.
func (s *chatStream) find(index json.RawMessage, place, id, name string, a *answer) *partialCall {
	if s.byIndex == nil {
		s.byIndex = map[string]*partialCall{}
	}
	// Prefixed, so that a place is never taken for an index.
	key := "at " + place
	if index != nil {
		key = string(index)
	} else if c := callWithID(a.calls, id); c != nil {
		return c
	}
	c := s.byIndex[key]
	if c == nil || c.isOtherThan(id, name) {
		c = a.newCall()
		s.byIndex[key] = c
	}
	return c
}

// callWithID returns the call with an id, or nil. "" is no id.
func callWithID(calls []*partialCall, id string) *partialCall {
	if i := slices.IndexFunc(calls, func(c *partialCall) bool { return id != "" && c.id == id }); i >= 0 {
		return calls[i]
	}
	return nil
}

// isOtherThan reports whether a part with an id and a name belongs to another call although it has the same index: some
// servers give every call the index 0.
func (c *partialCall) isOtherThan(id, name string) bool {
	if id != "" && c.id != "" {
		return id != c.id
	}
	return name != "" && c.name != "" && !c.arguments.empty() && (name != c.name || rawjson.IsObject(string(c.arguments.bytes)))
}
