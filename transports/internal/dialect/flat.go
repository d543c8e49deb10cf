package dialect

import (
	"encoding/json"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// flat is the shape of providers whose assistant messages have a list of calls beside
// the content, and whose results are messages of their own: OpenAI's and its relatives.
type flat struct {
	readCall  func(rawjson.Object) Call
	writeCall func(base rawjson.Object, c Call) rawjson.Object
	writeTool func(base rawjson.Object, r Result) rawjson.Object // a tool message, without its content
	readTool  func(rawjson.Object) Result                        // all but its text

	noContent json.RawMessage                                // the content of a message that only calls
	parts     bool                                           // content may be a list of parts
	media     func(*pb.Media) rawjson.Object                 // a part of the content
	attach    func(rawjson.Object, *pb.Media) rawjson.Object // media as a member of a message, where content has no parts
}

var roles = map[string]Role{"user": RoleUser, "assistant": RoleAssistant, "tool": RoleTool}

func (f flat) Read(o rawjson.Object) Message {
	m := Message{Role: roles[o.Text("role")], Original: o}
	texts := ReadContent(o.Get("content"))
	switch m.Role {
	case RoleTool:
		r := f.readTool(o)
		if len(texts) > 0 && texts[0].Text != nil {
			r.Text = *texts[0].Text
		}
		m.Blocks = []Block{{Result: &r, Original: o}}
	case RoleAssistant:
		calls := o.Children("tool_calls")
		if len(calls) > 0 && SaysNothing(texts) {
			texts = nil // nothing was said, and nothing need be
		}
		if o.Get("tool_calls") != nil && len(calls) == 0 {
			m.Flaw = "tool_calls is an empty list"
		}
		m.Blocks = texts
		for _, c := range calls {
			read := f.readCall(c)
			m.Blocks = append(m.Blocks, Block{Call: &read, Original: c})
		}
	default:
		m.Blocks = texts
	}
	return m
}

// readContent reads content that is a string or a list of parts.
func ReadContent(content json.RawMessage) []Block {
	if len(content) == 0 {
		return nil
	}
	if content[0] == '"' {
		return []Block{TextBlock(rawjson.String(content))}
	}
	var blocks []Block
	for _, e := range rawjson.Elements(content) {
		o, _ := rawjson.Split(e)
		b := Block{Original: o}
		if t := o.Get("text"); t != nil {
			b.Text = new(rawjson.String(t))
		}
		blocks = append(blocks, b)
	}
	return blocks
}

func SaysNothing(blocks []Block) bool {
	for _, b := range blocks {
		if b.Text == nil || *b.Text != "" {
			return false
		}
	}
	return true
}

func (f flat) Write(m Message) []rawjson.Object {
	switch m.Role {
	case RoleAssistant:
		return []rawjson.Object{f.assistant(m)}
	case RoleTool:
		return f.tools(m)
	}
	if m.Original != nil {
		return []rawjson.Object{f.said(m.Original, m.Blocks)}
	}
	return f.users(m.Blocks)
}

// assistant writes what a model said and its calls.
func (f flat) assistant(m Message) rawjson.Object {
	o := m.Original
	if o == nil {
		o = rawjson.Object{}.WithText("role", "assistant")
	}
	var said []Block
	var calls []rawjson.Object
	for _, b := range m.Blocks {
		switch {
		case b.Call != nil:
			calls = append(calls, f.writeCall(b.Original, *b.Call))
		case b.Text != nil || m.Original != nil:
			said = append(said, b)
		default: // members of the message that only the provider understands
			for _, member := range b.Original {
				o = o.With(member.Key, member.Value)
			}
		}
	}
	switch {
	case len(said) > 0:
		o = f.said(o, said)
	case m.Original == nil || o.Get("content") == nil:
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
func (f flat) tools(m Message) []rawjson.Object {
	var list []rawjson.Object
	var notices, users []Block
	for _, b := range m.Blocks {
		switch {
		case b.Result != nil:
			list = append(list, f.tool(b))
		case f.parts && b.Media == nil:
			notices = append(notices, b)
		default:
			users = append(users, b)
		}
	}
	if last := len(list) - 1; len(notices) > 0 {
		list[last] = f.said(list[last], append(ReadContent(list[last].Get("content")), notices...))
	}
	return append(list, f.users(users)...)
}

// tool writes the message of one result.
func (f flat) tool(b Block) rawjson.Object {
	o := f.writeTool(b.Original, *b.Result)
	if b.Original != nil {
		return o
	}
	content := []Block{TextBlock(b.Result.Text)}
	for _, m := range b.Result.Media {
		content = append(content, Block{Media: m})
	}
	return f.said(o, content)
}

// users writes messages of the user: one, where it may have several parts.
func (f flat) users(blocks []Block) []rawjson.Object {
	user := rawjson.Object{}.WithText("role", "user")
	if f.parts && len(blocks) > 0 {
		return []rawjson.Object{f.said(user, blocks)}
	}
	var list []rawjson.Object
	for _, b := range blocks {
		list = append(list, f.said(user, []Block{b}))
	}
	return list
}

// said gives a message its content: a string, if one text is all there is.
func (f flat) said(o rawjson.Object, blocks []Block) rawjson.Object {
	if len(blocks) == 1 && blocks[0].Text != nil && blocks[0].Original == nil {
		return o.WithText("content", *blocks[0].Text)
	}
	if len(blocks) == 1 && blocks[0].Media != nil && f.attach != nil {
		return f.attach(o.WithText("content", blocks[0].Label), blocks[0].Media)
	}
	var parts []rawjson.Object
	for _, b := range blocks {
		switch {
		case b.Original != nil:
			parts = append(parts, b.Original)
		case b.Text != nil:
			parts = append(parts, textPart(*b.Text))
		default:
			if b.Label != "" {
				parts = append(parts, textPart(b.Label))
			}
			parts = append(parts, f.media(b.Media))
		}
	}
	return o.WithList("content", parts)
}

func textPart(text string) rawjson.Object {
	return rawjson.Object{}.WithText("type", "text").WithText("text", text)
}
