package transports

import (
	"encoding/json"
	"fmt"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// chat is the contract of "Native Tool Result Format". Content is always a string, and a
// call is always one of a function; what else there is to say is a message of its own.
func chat() dialect {
	return dialect{
		provider: pb.Provider_PROVIDER_CHAT,
		shape: flat{
			readCall: readFunctionCall, writeCall: writeFunctionCall,
			readTool: readToolMessage, writeTool: writeToolMessage, noContent: quote(""),
		},
		ids: pattern{least: 1, most: maxIDBytes, other: printable}, names: openAINames, needsIDs: true,
		place: placeFollowing, blank: true, template: true, shows: showsNothing,
	}
}

// ParseChatMessage reads a message of "Native Tool Result Format". Messages from before
// that document, which have a role and content alone, are read as well.
func ParseChatMessage(text []byte) (*pb.ChatMessage, error) {
	o, err := parseObject(text)
	if err != nil {
		return nil, fmt.Errorf("the message %w", err)
	}
	m := &pb.ChatMessage{Role: o.text(keyRole), Content: o.text(keyContent)}
	m.SystemPrompt = optional(o, "system_prompt")
	m.ToolCallId = optional(o, "tool_call_id")
	for _, c := range o.children(keyToolCalls) {
		function := c.child(keyFunction)
		m.ToolCalls = append(m.ToolCalls, &pb.OpenAIToolCall{
			Id: c.text("id"), Type: c.text(keyType),
			Function: &pb.OpenAIToolCallFunction{Name: function.text(keyName), Arguments: function.text(keyArguments)},
		})
	}
	return m, nil
}

func optional(o object, key string) *string {
	if o.get(key) == nil {
		return nil
	}
	return new(o.text(key))
}

// ToolCallsJSON writes calls in the form of "Native Tool Result Format": arguments are a
// JSON value, and what is absent is left out.
func ToolCallsJSON(calls []*pb.ParsedToolCall) json.RawMessage {
	objects := make([]object, len(calls))
	for i, c := range calls {
		arguments := json.RawMessage(c.GetArguments())
		if c.GetCustom() {
			arguments = quote(c.GetArguments())
		}
		o := object{}.withText("server", c.GetServer()).withText("tool", c.GetTool()).
			with(keyArguments, arguments).withText("raw", c.GetRaw())
		if c.Id != nil {
			o = o.withText("id", c.GetId())
		}
		objects[i] = o
	}
	return list(objects)
}
