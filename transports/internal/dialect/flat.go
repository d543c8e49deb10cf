package dialect

import (
	"encoding/json"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/jsonspan"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// flat is the shape of providers whose messages of the model have a list of calls beside the content, and whose results
// are messages of their own: OpenAI Chat Completions and the interfaces that follow it.
type flat struct {
	readCall  func(rawjson.Object) Call
	writeCall func(base rawjson.Object, c Call) rawjson.Object
	writeTool func(base rawjson.Object, r Result) rawjson.Object // a message of a tool, without its content
	readTool  func(rawjson.Object) Result                        // all members but the text

	noContent json.RawMessage                                // the content of a message that has calls alone
	parts     bool                                           // content may be a list of parts
	media     func(*pb.Media) rawjson.Object                 // a part of the content
	attach    func(rawjson.Object, *pb.Media) rawjson.Object // sets media as a member of the message, for providers without parts
}

// roles maps names of roles. All others, such as system and developer, are RoleOther.
var roles = map[string]Role{"user": RoleUser, "assistant": RoleAssistant, "tool": RoleTool}

// Read reads a message. The text of a result is its first part, if that is a text.
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
			texts = nil // empty content beside calls says nothing
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

// ReadContent reads content that is a string or a list of parts. A part without text has only its Original.
func ReadContent(content json.RawMessage) []Block {
	if len(content) == 0 {
		return nil
	}
	if content[0] == '"' {
		return []Block{TextBlock(rawjson.String(content))}
	}
	var blocks []Block
	for e := range jsonspan.Elements(content) {
		o, _ := rawjson.Split(e)
		b := Block{Original: o}
		if t := o.Get("text"); t != nil {
			b.Text = new(rawjson.String(t))
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// SaysNothing reports whether every block is an empty text, or there is none.
func SaysNothing(blocks []Block) bool {
	for _, b := range blocks {
		if b.Text == nil || *b.Text != "" {
			return false
		}
	}
	return true
}

// Write writes a message. A message that was read keeps its members; only content and calls are replaced.
func (f flat) Write(m Message) []rawjson.Object {
	switch m.Role {
	case RoleAssistant:
		return []rawjson.Object{f.assistant(m)}
	case RoleTool:
		return f.tools(m)
	}
	if m.Original != nil {
		return []rawjson.Object{f.withContent(m.Original, m.Blocks)}
	}
	return f.users(m.Blocks)
}

// assistant writes the message of a model: its content and its calls.
func (f flat) assistant(m Message) rawjson.Object {
	o := m.Original
	if o == nil {
		o = rawjson.Object{}.WithText("role", "assistant")
	}
	var content []Block
	var calls []rawjson.Object
	for _, b := range m.Blocks {
		switch {
		case b.Call != nil:
			calls = append(calls, f.writeCall(b.Original, *b.Call))
		case b.Text != nil || m.Original != nil:
			content = append(content, b)
		default: // members of the message that only the provider understands, such as its reasoning
			for _, member := range b.Original {
				o = o.With(member.Key, member.Value)
			}
		}
	}
	switch {
	case len(content) > 0:
		o = f.withContent(o, content)
	case m.Original == nil || o.Get("content") == nil:
		o = o.With("content", f.noContent)
	}
	if len(calls) > 0 {
		return o.WithList("tool_calls", calls)
	}
	return o.Without("tool_calls")
}

// tools writes one message for each result. Notices go into the last one as further parts, if the provider has parts,
// and otherwise into messages of the user, as media always do: a message of a tool has text alone.
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
		list[last] = f.withContent(list[last], append(ReadContent(list[last].Get("content")), notices...))
	}
	return append(list, f.users(users)...)
}

// tool writes the message of one result. One that was read keeps its content.
func (f flat) tool(b Block) rawjson.Object {
	o := f.writeTool(b.Original, *b.Result)
	if b.Original != nil {
		return o
	}
	content := []Block{TextBlock(b.Result.Text)}
	for _, m := range b.Result.Media {
		content = append(content, Block{Media: m})
	}
	return f.withContent(o, content)
}

// users writes blocks as messages of the user: as one message if the provider has parts, otherwise as one message each.
func (f flat) users(blocks []Block) []rawjson.Object {
	user := rawjson.Object{}.WithText("role", "user")
	if f.parts && len(blocks) > 0 {
		return []rawjson.Object{f.withContent(user, blocks)}
	}
	var list []rawjson.Object
	for _, b := range blocks {
		list = append(list, f.withContent(user, []Block{b}))
	}
	return list
}

// withContent sets the content of a message: a string for a single text, otherwise a list of parts.
func (f flat) withContent(o rawjson.Object, blocks []Block) rawjson.Object {
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

// textPart returns a text as a part of content.
func textPart(text string) rawjson.Object {
	return rawjson.Object{}.WithText("type", "text").WithText("text", text)
}
