package transports

import (
	"encoding/json"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// blocked is the shape of providers whose messages have a list of blocks, and whose
// results are blocks of a message of the user: Anthropic, Gemini and Bedrock.
type blocked struct {
	list       string // the member of a message that has the blocks
	assistant  string // the role of the model
	readText   func(rawjson.Object) *string
	writeText  func(string) rawjson.Object
	readCall   func(rawjson.Object) *call
	writeCall  func(base rawjson.Object, c call) rawjson.Object
	readTool   func(rawjson.Object) *result
	writeTool  func(base rawjson.Object, r result) rawjson.Object
	writeMedia func(*pb.Media) rawjson.Object
}

func (f blocked) read(o rawjson.Object) message {
	m := message{base: o}
	switch o.Text("role") {
	case "user", "tool", "function":
		m.role = roleUser
	case f.assistant:
		m.role = roleAssistant
	}
	content := o.Get(f.list)
	if len(content) > 0 && content[0] == '"' {
		m.blocks = []block{textBlock(rawjson.String(content))}
		return m
	}
	for _, b := range o.Children(f.list) {
		m.blocks = append(m.blocks, block{text: f.readText(b), call: f.readCall(b), result: f.readTool(b), base: b})
	}
	return m
}

func (f blocked) write(m message) []rawjson.Object {
	var list []rawjson.Object
	for _, b := range m.blocks {
		switch {
		case b.call != nil:
			list = append(list, f.writeCall(b.base, *b.call))
		case b.result != nil:
			list = append(list, f.writeTool(b.base, *b.result))
		case b.media != nil:
			list = append(list, f.writeText(b.label), f.writeMedia(b.media))
		case b.base != nil:
			list = append(list, b.base)
		default:
			list = append(list, f.writeText(*b.text))
		}
	}
	o := m.base
	if o == nil {
		o = rawjson.Object{}.WithText("role", f.roleOf(m))
	}
	return []rawjson.Object{o.WithList(f.list, list)}
}

func (f blocked) roleOf(m message) string {
	if m.role == roleAssistant {
		return f.assistant
	}
	return "user"
}

// textIn reads a member that is a string, where there is one.
func textIn(o rawjson.Object, key string) *string {
	if v := o.Get(key); v != nil && v[0] == '"' {
		return new(rawjson.String(v))
	}
	return nil
}

// firstText is the first text among blocks, or of a string.
func firstText(content json.RawMessage) string {
	for _, b := range readContent(content) {
		if b.text != nil {
			return *b.text
		}
	}
	return ""
}
