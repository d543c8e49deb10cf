package transports_test

import (
	"testing"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports"
)

// Messages of "Native Tool Result Format" are read with the fields of that document and
// without them, as they were before it.
func TestParseChatMessage(t *testing.T) {
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
		got, err := transports.ParseChatMessage([]byte(text))
		if err != nil || !proto.Equal(got, want) {
			t.Errorf("%s is read as %v, %v", text, got, err)
		}
	}
	if _, err := transports.ParseChatMessage([]byte(`[]`)); err == nil {
		t.Error("an array is read")
	}
}

// What the user says alone is one message of any provider.
func TestUserAlone(t *testing.T) {
	t.Parallel()
	for _, provider := range providers() {
		resp, err := transports.EncodeTurn(&pb.EncodeTurnRequest{Provider: provider, UserText: "Build it."}, nil, 0)
		if err != nil || len(resp.GetMessagesJson()) != 1 || len(resp.GetChanges()) > 0 {
			t.Fatalf("%v: %v, %v", provider, resp, err)
		}
		if found := lint(t, provider, transports.Array(resp.GetMessagesJson())); found.GetTotal() > 0 {
			t.Errorf("%v: %v", resp, found)
		}
	}
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		"fs___read": {"fs", "read"}, "read": {"", "read"}, "a___b___c": {"a", "b___c"}, "___x": {"", "___x"}, "a___": {"", "a___"}, "a____b": {"a", "_b"}, "": {"", ""},
	} {
		server, tool := transports.SplitName(name)
		if server != want[0] || tool != want[1] || transports.JoinName(server, tool) != name {
			t.Errorf("%q is %q and %q", name, server, tool)
		}
	}
}

// A parsed call has the five fields of the document, the id only if there is one.
func TestToolCallsJSON(t *testing.T) {
	t.Parallel()
	got := string(transports.ToolCallsJSON([]*pb.ParsedToolCall{
		{Server: "fs", Tool: "read", Arguments: `{"n": 1.10}`, Raw: "x", Id: proto.String("c1")}, {Tool: "patch", Arguments: "***", Custom: true},
	}))
	const want = `[{"server":"fs","tool":"read","arguments":{"n": 1.10},"raw":"x","id":"c1"},{"server":"","tool":"patch","arguments":"***","raw":""}]`
	if got != want {
		t.Error(got)
	}
}
