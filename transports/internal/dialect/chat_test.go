package dialect_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/internal/dialect"
)

// Messages of "Native Tool Result Format" are read with the fields of that document and
// without them, as they were before it.
func TestParseChatMessageReadsBothFormats(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]*pb.ChatMessage{
		`{"role":"user","content":"Go."}`:                                         {Role: "user", Content: "Go."},
		`{"role":"user","content":"Go.","system_prompt":"Be brief."}`:             {Role: "user", Content: "Go.", SystemPrompt: proto.String("Be brief.")},
		`{"role":"assistant","content":"","tool_calls":null,"tool_call_id":null}`: {Role: "assistant"},
		`{"role":"tool","content":"ok","tool_call_id":"c1"}`:                      {Role: "tool", Content: "ok", ToolCallId: proto.String("c1")},
		`{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"fs___read","arguments":"{\"n\":1.10}"}}]}`: {
			Role: "assistant", ToolCalls: []*pb.OpenAIToolCall{{
				Id: "c1", Type: "function", Function: &pb.OpenAIToolCallFunction{Name: "fs___read", Arguments: `{"n":1.10}`},
			}},
		},
	} {
		got, err := dialect.ParseChatMessage([]byte(text))
		if err != nil || !proto.Equal(got, want) {
			t.Errorf("%s is read as %v, %v", text, got, err)
		}
	}
	if _, err := dialect.ParseChatMessage([]byte(`[]`)); err == nil {
		t.Error("an array is read")
	}
}

func TestSplitNameIsTheInverseOfJoinName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		"fs___read": {"fs", "read"}, "read": {"", "read"}, "a___b___c": {"a", "b___c"}, "___x": {"", "___x"}, "a___": {"", "a___"}, "a____b": {"a", "_b"}, "": {"", ""},
	} {
		server, tool := dialect.SplitName(name)
		if server != want[0] || tool != want[1] || dialect.JoinName(server, tool) != name {
			t.Errorf("%q is %q and %q", name, server, tool)
		}
	}
}

// A parsed call has the five fields of the document, the id only if there is one.
func TestToolCallsJSONOmitsAbsentIDs(t *testing.T) {
	t.Parallel()
	got := string(dialect.ToolCallsJSON([]*pb.ParsedToolCall{
		{Server: "fs", Tool: "read", Arguments: `{"n": 1.10}`, Raw: "x", Id: proto.String("c1")}, {Tool: "patch", Arguments: "***", Custom: true},
	}))
	const want = `[{"server":"fs","tool":"read","arguments":{"n": 1.10},"raw":"x","id":"c1"},{"server":"","tool":"patch","arguments":"***","raw":""}]`
	if got != want {
		t.Error(got)
	}
}
