package dialect

import (
	"encoding/json"
	"fmt"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/rawjson"
)

// chat returns the dialect of "Native Tool Result Format". Content is always a string, and a call is always of a
// function; media and notices are messages of their own.
func chat() Dialect {
	return Dialect{
		Provider: pb.Provider_PROVIDER_CHAT,
		Shape: flat{
			readCall: readFunctionCall, writeCall: writeFunctionCall,
			readTool: readToolMessage, writeTool: writeToolMessage, noContent: rawjson.Quote(""),
		},
		IDs: Pattern{min: 1, max: MaxIDBytes, other: printable}, Names: OpenAINames, NeedsIDs: true,
		Results: ResultsFollow, EmptyText: true, Templated: true, Shows: showsNothing,
	}
}

// ParseChatMessage reads a message of "Native Tool Result Format", and of the format before it, whose messages had a
// role and content alone.
func ParseChatMessage(text []byte) (*pb.ChatMessage, error) {
	o, err := rawjson.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("the message %w", err)
	}
	m := &pb.ChatMessage{Role: o.Text("role"), Content: o.Text("content")}
	m.SystemPrompt = optional(o, "system_prompt")
	m.ToolCallId = optional(o, "tool_call_id")
	for _, c := range o.Children("tool_calls") {
		function := c.Child("function")
		m.ToolCalls = append(m.ToolCalls, &pb.OpenAIToolCall{
			Id: c.Text("id"), Type: c.Text("type"),
			Function: &pb.OpenAIToolCallFunction{Name: function.Text("name"), Arguments: function.Text("arguments")},
		})
	}
	return m, nil
}

// optional returns a member that is a string, or nil if it is absent.
func optional(o rawjson.Object, key string) *string {
	if o.Get(key) == nil {
		return nil
	}
	return new(o.Text(key))
}

// ToolCallsJSON writes calls in the form of "Native Tool Result Format": arguments are a JSON value, and absent members
// are omitted.
func ToolCallsJSON(calls []*pb.ParsedToolCall) json.RawMessage {
	objects := make([]rawjson.Object, len(calls))
	for i, c := range calls {
		arguments := json.RawMessage(c.GetArguments())
		if c.GetCustom() {
			arguments = rawjson.Quote(c.GetArguments())
		}
		o := rawjson.Object{}.WithText("server", c.GetServer()).WithText("tool", c.GetTool()).
			With("arguments", arguments).WithText("raw", c.GetRaw())
		if c.Id != nil {
			o = o.WithText("id", c.GetId())
		}
		objects[i] = o
	}
	return rawjson.Array(objects)
}
