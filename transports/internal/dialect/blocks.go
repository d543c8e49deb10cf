package dialect

import (
	"encoding/json"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// blocked is the shape of providers whose messages have a list of blocks, and whose results are blocks of a message of
// the user: Anthropic, Gemini and Bedrock. Its functions that read return nil for a block of another kind.
type blocked struct {
	list       string // the member of a message that has the blocks
	assistant  string // the role of the model
	readText   func(rawjson.Object) *string
	writeText  func(string) rawjson.Object
	readCall   func(rawjson.Object) *Call
	writeCall  func(base rawjson.Object, c Call) rawjson.Object
	readTool   func(rawjson.Object) *Result
	writeTool  func(base rawjson.Object, r Result) rawjson.Object
	writeMedia func(*pb.Media) rawjson.Object
}

// Read reads a message. Content that is a string is one text.
func (f blocked) Read(o rawjson.Object) Message {
	m := Message{Original: o}
	switch o.Text("role") {
	case "user", "tool", "function":
		m.Role = RoleUser
	case f.assistant:
		m.Role = RoleAssistant
	}
	content := o.Get(f.list)
	if len(content) > 0 && content[0] == '"' {
		m.Blocks = []Block{TextBlock(rawjson.String(content))}
		return m
	}
	for _, b := range o.Children(f.list) {
		m.Blocks = append(m.Blocks, Block{Text: f.readText(b), Call: f.readCall(b), Result: f.readTool(b), Original: b})
	}
	return m
}

// Write writes a message as one object. Media that follow their result get a text with their label.
func (f blocked) Write(m Message) []rawjson.Object {
	var list []rawjson.Object
	for _, b := range m.Blocks {
		switch {
		case b.Call != nil:
			list = append(list, f.writeCall(b.Original, *b.Call))
		case b.Result != nil:
			list = append(list, f.writeTool(b.Original, *b.Result))
		case b.Media != nil:
			list = append(list, f.writeText(b.Label), f.writeMedia(b.Media))
		case b.Original != nil:
			list = append(list, b.Original)
		default:
			list = append(list, f.writeText(*b.Text))
		}
	}
	o := m.Original
	if o == nil { // a result is the user's
		role := "user"
		if m.Role == RoleAssistant {
			role = f.assistant
		}
		o = rawjson.Object{}.WithText("role", role)
	}
	return []rawjson.Object{o.WithList(f.list, list)}
}

// textMember returns a member that is a string, or nil.
func textMember(o rawjson.Object, key string) *string {
	if v := o.Get(key); v != nil && v[0] == '"' {
		return new(rawjson.String(v))
	}
	return nil
}

// firstText returns the first text of content that is a string or a list of parts, or "".
func firstText(content json.RawMessage) string {
	for _, b := range ReadContent(content) {
		if b.Text != nil {
			return *b.Text
		}
	}
	return ""
}
