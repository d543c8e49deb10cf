package transports_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports"
)

func ExampleEncodeTurn() {
	resp, _ := transports.EncodeTurn(&pb.EncodeTurnRequest{
		Provider: pb.Provider_PROVIDER_CHAT,
		Assistant: &pb.AssistantTurn{Content: "I read it.", ToolCalls: []*pb.ParsedToolCall{
			{Server: "fs", Tool: "read", Arguments: `{"path":"go.mod"}`, Id: proto.String("call_1")},
		}},
		Results: []*pb.TurnResult{{Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, Content: &pb.TurnResult_Text{Text: "module x"}}},
	}, nil, 0)
	fmt.Println(strings.Join(resp.GetMessagesJson(), "\n"))
	// Output:
	// {"role":"assistant","content":"I read it.","tool_calls":[{"id":"call_1","type":"function","function":{"name":"fs___read","arguments":"{\"path\":\"go.mod\"}"}}]}
	// {"role":"tool","tool_call_id":"call_1","content":"module x"}
}

// A provider that cannot match results with calls gets the turn as text.
func ExampleEncodeTurn_text() {
	resp, err := transports.EncodeTurn(&pb.EncodeTurnRequest{
		Provider: pb.Provider_PROVIDER_OLLAMA,
		Format:   pb.ToolCallFormat_TOOL_CALL_FORMAT_TEXT,
		Assistant: &pb.AssistantTurn{Content: "I read it.", ToolCalls: []*pb.ParsedToolCall{
			{Server: "fs", Tool: "read", Arguments: `{"path":"go.mod"}`},
		}},
		Results: []*pb.TurnResult{{Content: &pb.TurnResult_Text{Text: "module x </tool_result>"}}},
	}, nil, 0)
	if err != nil {
		panic(err)
	}
	fmt.Println(resp.GetNative())
	fmt.Println(strings.Join(resp.GetMessagesJson(), "\n"))
	// Output:
	// false
	// {"role":"assistant","content":"I read it."}
	// {"role":"user","content":"<tool_result>\nfs___read:\nmodule x <\\/tool_result>\n</tool_result>"}
}

// The definition of read_result, as Gemini has it.
func ExampleToolDefinitions() {
	tools, err := transports.ToolDefinitions(pb.Provider_PROVIDER_GEMINI)
	if err != nil {
		panic(err)
	}
	var definition struct{ Parameters struct{ Required []string } }
	if err := json.Unmarshal([]byte(tools[0].GetDefinitionJson()), &definition); err != nil {
		panic(err)
	}
	fmt.Println(tools[0].GetName(), definition.Parameters.Required)
	// Output:
	// read_result [result]
}
