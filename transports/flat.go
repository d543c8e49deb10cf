package transports

import (
	"encoding/json"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// flat is the shape of providers whose assistant messages have a list of calls beside
// the content, and whose results are messages of their own: OpenAI's and its relatives.
type flat struct {
	readCall  func(rawjson.Object) call
	writeCall func(base rawjson.Object, c call) rawjson.Object
	writeTool func(base rawjson.Object, r result) rawjson.Object // a tool message, without its content
	readTool  func(rawjson.Object) result                        // all but its text

	noContent json.RawMessage                                // the content of a message that only calls
	parts     bool                                           // content may be a list of parts
	media     func(*pb.Media) rawjson.Object                 // a part of the content
	attach    func(rawjson.Object, *pb.Media) rawjson.Object // media as a member of a message, where content has no parts
}

var roles = map[string]role{"user": roleUser, "assistant": roleAssistant, "tool": roleTool}

func (f flat) read(o rawjson.Object) message {
	m := message{role: roles[o.Text("role")], base: o}
	texts := readContent(o.Get("content"))
	switch m.role {
	case roleTool:
		r := f.readTool(o)
		if len(texts) > 0 && texts[0].text != nil {
			r.text = *texts[0].text
		}
		m.blocks = []block{{result: &r, base: o}}
	case roleAssistant:
		calls := o.Children("tool_calls")
		if len(calls) > 0 && saysNothing(texts) {
			texts = nil // nothing was said, and nothing need be
		}
		if o.Get("tool_calls") != nil && len(calls) == 0 {
			m.flaw = "tool_calls is an empty list"
		}
		m.blocks = texts
		for _, c := range calls {
			read := f.readCall(c)
			m.blocks = append(m.blocks, block{call: &read, base: c})
		}
	default:
		m.blocks = texts
	}
	return m
}

// readContent reads content that is a string or a list of parts.
func readContent(content json.RawMessage) []block {
	if len(content) == 0 {
		return nil
	}
	if content[0] == '"' {
		return []block{textBlock(rawjson.String(content))}
	}
	var blocks []block
	for _, e := range rawjson.Elements(content) {
		o, _ := rawjson.Split(e)
		b := block{base: o}
		if t := o.Get("text"); t != nil {
			b.text = new(rawjson.String(t))
		}
		blocks = append(blocks, b)
	}
	return blocks
}

func saysNothing(blocks []block) bool {
	for _, b := range blocks {
		if b.text == nil || *b.text != "" {
			return false
		}
	}
	return true
}

func (f flat) write(m message) []rawjson.Object {
	switch m.role {
	case roleAssistant:
		return []rawjson.Object{f.assistant(m)}
	case roleTool:
		return f.tools(m)
	}
	if m.base != nil {
		return []rawjson.Object{f.said(m.base, m.blocks)}
	}
	return f.users(m.blocks)
}

// assistant writes what a model said and its calls.
func (f flat) assistant(m message) rawjson.Object {
	o := m.base
	if o == nil {
		o = rawjson.Object{}.WithText("role", "assistant")
	}
	var said []block
	var calls []rawjson.Object
	for _, b := range m.blocks {
		switch {
		case b.call != nil:
			calls = append(calls, f.writeCall(b.base, *b.call))
		case b.text != nil || m.base != nil:
			said = append(said, b)
		default: // members of the message that only the provider understands
			for _, member := range b.base {
				o = o.With(member.Key, member.Value)
			}
		}
	}
	switch {
	case len(said) > 0:
		o = f.said(o, said)
	case m.base == nil || o.Get("content") == nil:
		o = o.With("content", f.noContent)
	}
	if len(calls) > 0 {
		return o.WithList("tool_calls", calls)
	}
	return o.Without("tool_calls")
}

// tools writes one message for each result. Text behind them goes into the last one as a
// part of its own, where there are parts, and into a message of the user where there are
// none, as media does everywhere.
func (f flat) tools(m message) []rawjson.Object {
	var list []rawjson.Object
	var notices, users []block
	for _, b := range m.blocks {
		switch {
		case b.result != nil:
			list = append(list, f.tool(b))
		case f.parts && b.media == nil:
			notices = append(notices, b)
		default:
			users = append(users, b)
		}
	}
	if last := len(list) - 1; len(notices) > 0 {
		list[last] = f.said(list[last], append(readContent(list[last].Get("content")), notices...))
	}
	return append(list, f.users(users)...)
}

// tool writes the message of one result.
func (f flat) tool(b block) rawjson.Object {
	o := f.writeTool(b.base, *b.result)
	if b.base != nil {
		return o
	}
	content := []block{textBlock(b.result.text)}
	for _, m := range b.result.media {
		content = append(content, block{media: m})
	}
	return f.said(o, content)
}

// users writes messages of the user: one, where it may have several parts.
func (f flat) users(blocks []block) []rawjson.Object {
	user := rawjson.Object{}.WithText("role", "user")
	if f.parts && len(blocks) > 0 {
		return []rawjson.Object{f.said(user, blocks)}
	}
	var list []rawjson.Object
	for _, b := range blocks {
		list = append(list, f.said(user, []block{b}))
	}
	return list
}

// said gives a message its content: a string, if one text is all there is.
func (f flat) said(o rawjson.Object, blocks []block) rawjson.Object {
	if len(blocks) == 1 && blocks[0].text != nil && blocks[0].base == nil {
		return o.WithText("content", *blocks[0].text)
	}
	if len(blocks) == 1 && blocks[0].media != nil && f.attach != nil {
		return f.attach(o.WithText("content", blocks[0].label), blocks[0].media)
	}
	var parts []rawjson.Object
	for _, b := range blocks {
		switch {
		case b.base != nil:
			parts = append(parts, b.base)
		case b.text != nil:
			parts = append(parts, textPart(*b.text))
		default:
			if b.label != "" {
				parts = append(parts, textPart(b.label))
			}
			parts = append(parts, f.media(b.media))
		}
	}
	return o.WithList("content", parts)
}

func textPart(text string) rawjson.Object {
	return rawjson.Object{}.WithText("type", "text").WithText("text", text)
}
