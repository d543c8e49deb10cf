package transports

import (
	"encoding/json"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// blocked is the shape of providers whose messages have a list of blocks, and whose
// results are blocks of a message of the user: Anthropic, Gemini and Bedrock.
type blocked struct {
	list       string // the member of a message that has the blocks
	assistant  string // the role of the model
	readText   func(object) *string
	writeText  func(string) object
	readCall   func(object) *call
	writeCall  func(base object, c call) object
	readTool   func(object) *result
	writeTool  func(base object, r result) object
	writeMedia func(*pb.Media) object
}

func (f blocked) read(o object) message {
	m := message{base: o}
	switch o.text(keyRole) {
	case "user", "tool", "function":
		m.role = roleUser
	case f.assistant:
		m.role = roleAssistant
	}
	content := o.get(f.list)
	if len(content) > 0 && content[0] == '"' {
		m.blocks = []block{textBlock(stringOf(content))}
		return m
	}
	for _, b := range o.children(f.list) {
		m.blocks = append(m.blocks, block{text: f.readText(b), call: f.readCall(b), result: f.readTool(b), base: b})
	}
	return m
}

func (f blocked) write(m message) []object {
	var list []object
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
		o = object{}.withText(keyRole, f.roleOf(m))
	}
	return []object{o.withList(f.list, list)}
}

func (f blocked) roleOf(m message) string {
	if m.role == roleAssistant {
		return f.assistant
	}
	return "user"
}

// textIn reads a member that is a string, where there is one.
func textIn(o object, key string) *string {
	if v := o.get(key); v != nil && v[0] == '"' {
		return new(stringOf(v))
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
