package conformance_test

import (
	"encoding/json"
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protojson"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

const chat = pb.Provider_PROVIDER_CHAT

// twoCalls is a turn of two calls with results.
func (c *client) twoCalls(first, second string) *pb.EncodeTurnRequest {
	return turn(chat, "Let me look.", []*pb.ParsedToolCall{call1("fs", "read", first), call1("shell", "run", second)}, c.small("file_read"), c.small("command"))
}

// assemble reads the stream of an answer of OpenAI's protocol.
func (c *client) assemble(events ...string) *pb.AssembleToolCallsResponse {
	stream, err := c.transport().AssembleToolCalls(c.ctx)
	if err != nil {
		c.fail(err)
		return nil
	}
	messages := []*pb.AssembleToolCallsRequest{{Message: &pb.AssembleToolCallsRequest_Header{Header: &pb.AssembleHeader{Provider: pb.Provider_PROVIDER_OPENAI_CHAT}}}}
	for _, e := range events {
		messages = append(messages, &pb.AssembleToolCallsRequest{Message: &pb.AssembleToolCallsRequest_Body{Body: []byte("data: " + e + "\n\n")}})
	}
	for _, m := range messages {
		if err := stream.Send(m); err != nil {
			break // CloseAndRecv has the reason
		}
	}
	resp, err := stream.CloseAndRecv()
	if err != nil {
		c.fail(err)
	}
	return resp
}

// delta is an event with a piece of a call.
func delta(piece string) string {
	return `{"choices":[{"index":0,"delta":{"tool_calls":[` + piece + `]},"finish_reason":null}]}`
}

const finished = `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`

// streamed is an answer with two calls, the first with an id and the second as asked.
func (c *client) streamed(id string) *pb.AssembleToolCallsResponse {
	return c.assemble(delta(`{"index":0,"id":"call_abc","type":"function","function":{"name":"fs___read","arguments":"{\"path\":"}}`), delta(`{"index":0,"function":{"arguments":"\"a.go\"}"}}`),
		delta(`{"index":1,`+id+`"type":"function","function":{"name":"shell___run","arguments":"{\"n\":1.50}"}}`), finished, "[DONE]")
}

// chatMessages returns the typed messages of a turn, which must be those of the JSON.
func (c *client) chatMessages(req *pb.EncodeTurnRequest) ([]*pb.ChatMessage, *pb.EncodeTurnResponse) {
	resp := call(c, c.transport().EncodeTurn, req)
	for i, text := range resp.GetMessagesJson() {
		m := &pb.ChatMessage{}
		if err := all(protojson.Unmarshal([]byte(text), m), equal("typed message", resp.GetChatMessages()[i], m)); err != nil {
			c.fail(err)
		}
	}
	return resp.GetChatMessages(), resp
}

func roles(messages []*pb.ChatMessage) (list []string) {
	for _, m := range messages {
		list = append(list, m.GetRole())
	}
	return list
}

var nativeRows = []requirement{
	{"Current State", "In text, several results are one user message, joined with blank lines.", func(c *client) error {
		req := c.twoCalls("call_1", "call_2")
		req.Format = pb.ToolCallFormat_TOOL_CALL_FORMAT_TEXT
		m, _ := c.chatMessages(req)
		return all(equal("roles", roles(m), []string{"assistant", "user"}), has(last(m).GetContent(), "</tool_result>\n\n<tool_result>"), equal("results", strings.Count(last(m).GetContent(), "<tool_result>"), 2))
	}},
	{"Current State", "Each result in text is in `<tool_result>...</tool_result>`.", func(c *client) error {
		req := c.twoCalls("call_1", "call_2")
		req.Format = pb.ToolCallFormat_TOOL_CALL_FORMAT_TEXT
		m, _ := c.chatMessages(req)
		return all(begins(last(m).GetContent(), "<tool_result>\n"), holds(strings.HasSuffix(last(m).GetContent(), "\n</tool_result>"), "%s", last(m).GetContent()), has(last(m).GetContent(), "Process exited with code 0\nstdout:\nok"))
	}},
	{"Current State", "Native: the assistant message has a `tool_calls` array, and each result a `role: \"tool\"` message of its own.", func(c *client) error {
		m, resp := c.chatMessages(c.twoCalls("call_1", "call_2"))
		return all(equal("roles", roles(m), []string{"assistant", "tool", "tool"}), equal("native", resp.GetNative(), true))
	}},
	{"1. Extend ChatMessage", "A message has `role` and `content`, and the optional `tool_calls` and `tool_call_id`.", func(c *client) error {
		_, resp := c.chatMessages(c.twoCalls("call_1", "call_2"))
		return all(equal("assistant", c.members(resp.GetMessagesJson()[0]), []string{"role", "content", "tool_calls"}), equal("tool", slices.Sorted(slices.Values(c.members(resp.GetMessagesJson()[1]))), []string{"content", "role", "tool_call_id"}))
	}},
	{"1. Extend ChatMessage", "Fields that are absent are left out of the JSON, `system_prompt` too.", func(c *client) error {
		_, resp := c.chatMessages(c.twoCalls("call_1", "call_2"))
		return all(lacks(strings.Join(resp.GetMessagesJson(), ""), "null", "system_prompt"), has(c.describe("ChatMessage"), "optional string system_prompt", "optional string tool_call_id", "tool_calls"))
	}},
	{"1. Extend ChatMessage", "A call in a message has `id`, `type` and `function`, and the type is always \"function\".", func(c *client) error {
		messages, _ := c.encode(c.twoCalls("call_1", "call_2"))
		calls, _ := messages[0].at("tool_calls").([]any)
		return equal("calls", calls, []any{
			map[string]any{"id": "call_1", "type": "function", "function": map[string]any{"name": "fs___read", "arguments": `{"b":1,"a":2.50}`}},
			map[string]any{"id": "call_2", "type": "function", "function": map[string]any{"name": "shell___run", "arguments": `{"b":1,"a":2.50}`}}})
	}},
	{"1. Extend ChatMessage", "`arguments` are a string of JSON, with numbers and key order as the model wrote them.", func(c *client) error {
		m, _ := c.chatMessages(c.twoCalls("call_1", "call_2"))
		return equal("arguments", first(m).GetToolCalls()[0].GetFunction().GetArguments(), `{"b":1,"a":2.50}`)
	}},
	{"2. Extend ParsedToolCall", "A parsed call has `server`, `tool`, `arguments` as a JSON value, `raw` and the optional `id`.", func(c *client) error {
		var calls []object
		if err := json.Unmarshal([]byte(c.streamed(`"id":"call_def",`).GetToolCallsJson()), &calls); err != nil {
			return err
		}
		return all(equal("server", calls[0].text("server"), "fs"), equal("tool", calls[0].text("tool"), "read"), equal("arguments", calls[0].text("arguments.path"), "a.go"),
			holds(calls[0].text("raw") != "", "no raw"), equal("id", calls[0].text("id"), "call_abc"))
	}},
	{"2. Extend ParsedToolCall", "An `id` that is absent is left out.", func(c *client) error {
		resp := c.streamed("")
		calls := resp.GetAssistant().GetToolCalls()
		return all(equal("calls", len(calls), 2), holds(len(calls) == 2 && calls[1].Id == nil, "an id was invented: %v", calls), equal("ids in the JSON", strings.Count(resp.GetToolCallsJson(), `"id"`), 1))
	}},
	{"3. Update StreamingToolCalls", "The id of a streamed call is propagated to the parsed call.", func(c *client) error {
		var ids []string
		for _, p := range c.streamed(`"id":"call_def",`).GetAssistant().GetToolCalls() {
			ids = append(ids, p.GetId())
		}
		return equal("ids", ids, []string{"call_abc", "call_def"})
	}},
	{"3. Update StreamingToolCalls", "A call whose pieces come one after the other is put together, its arguments whole.", func(c *client) error {
		return equal("arguments", c.streamed("").GetAssistant().GetToolCalls()[0].GetArguments(), `{"path":"a.go"}`)
	}},
	{"4. Update Agentic Loop", "With native calls and ids the assistant message is appended with `tool_calls` populated.", func(c *client) error {
		m, _ := c.chatMessages(c.twoCalls("call_1", "call_2"))
		return all(equal("role", first(m).GetRole(), "assistant"), equal("calls", len(first(m).GetToolCalls()), 2))
	}},
	{"4. Update Agentic Loop", "After each tool there is an individual message, `role: \"tool\"`, with the `tool_call_id` of its call and the result as content.", func(c *client) error {
		req := c.twoCalls("call_1", "call_2")
		m, _ := c.chatMessages(req)
		return all(equal("ids", []string{m[1].GetToolCallId(), m[2].GetToolCallId()}, []string{"call_1", "call_2"}),
			equal("contents", []string{m[1].GetContent(), m[2].GetContent()}, []string{req.Results[0].GetReceipt().GetText(), req.Results[1].GetReceipt().GetText()}),
			holds(m[1].SystemPrompt == nil && len(m[1].GetToolCalls()) == 0, "%v", m[1]))
	}},
	{"4. Update Agentic Loop", "Otherwise the results are text in a user message.", func(c *client) error {
		m, resp := c.chatMessages(c.twoCalls("", ""))
		return all(equal("roles", roles(m), []string{"assistant", "user"}), equal("native", resp.GetNative(), false), has(last(m).GetContent(), "<tool_result>\nfs___read:\n"))
	}},
	{"4. Update Agentic Loop", "A call with an id has its `tool` message also where another call of the turn has no id.", func(c *client) error {
		m, resp := c.chatMessages(c.twoCalls("call_1", ""))
		if slices.Contains(roles(m), "tool") {
			return nil
		}
		return all(equal("native", resp.GetNative(), false), equal("why", resp.GetChanges()[0].GetChange(), pb.TurnChange_TURN_CHANGE_TEXT), has(last(m).GetContent(), "fs___read:\n", "shell___run:\n"),
			inPart{"the whole turn is text, because its assistant message has no calls that a `tool` message could answer", nativeAsAWhole})
	}},
	{"5. Helper Function for Assistant Tool Call Messages", "The assistant's content stays beside its calls.", func(c *client) error {
		m, _ := c.chatMessages(c.twoCalls("call_1", "call_2"))
		return equal("content", first(m).GetContent(), "Let me look.")
	}},
	{"5. Helper Function for Assistant Tool Call Messages", "A call is named `server___tool`, and a streamed name is told apart there.", func(c *client) error {
		m, _ := c.chatMessages(c.twoCalls("call_1", "call_2"))
		parsed := c.streamed("").GetAssistant().GetToolCalls()[1]
		return all(equal("name", first(m).GetToolCalls()[1].GetFunction().GetName(), "shell___run"), equal("server and tool", []string{parsed.GetServer(), parsed.GetTool()}, []string{"shell", "run"}))
	}},
	{"5. Helper Function for Assistant Tool Call Messages", "Unless all calls have an id, the assistant message is content only.", func(c *client) error {
		m, _ := c.chatMessages(c.twoCalls("call_1", ""))
		return all(equal("calls", len(first(m).GetToolCalls()), 0), equal("content", first(m).GetContent(), "Let me look."), equal("roles", roles(m), []string{"assistant", "user"}),
			equal("results", strings.Count(last(m).GetContent(), "<tool_result>"), 2))
	}},
	{"5. Helper Function for Assistant Tool Call Messages", "An assistant message has neither `tool_call_id` nor `system_prompt`.", func(c *client) error {
		m, _ := c.chatMessages(c.twoCalls("call_1", "call_2"))
		return holds(first(m).ToolCallId == nil && first(m).SystemPrompt == nil, "%v", first(m))
	}},
	{"Flow Diagram", "Native calling disabled: text, whatever ids there are.", func(c *client) error {
		req := c.twoCalls("call_1", "call_2")
		req.Format = pb.ToolCallFormat_TOOL_CALL_FORMAT_TEXT
		m, resp := c.chatMessages(req)
		return all(equal("native", resp.GetNative(), false), equal("calls", len(first(m).GetToolCalls()), 0), equal("roles", roles(m), []string{"assistant", "user"}))
	}},
	{"Flow Diagram", "Enabled with ids: native. Enabled without ids: text.", func(c *client) error {
		_, with := c.chatMessages(c.twoCalls("call_1", "call_2"))
		_, without := c.chatMessages(c.twoCalls("", ""))
		return equal("native", []bool{with.GetNative(), without.GetNative()}, []bool{true, false})
	}},
	{"Backward Compatibility", "Messages without the new fields are taken as they are.", func(c *client) error {
		old := `[{"role":"system","content":"Be brief.","system_prompt":"x"},{"role":"user","content":"<tool_result>\nok\n</tool_result>"},{"role":"assistant","content":"Done."}]`
		resp := call(c, c.transport().LintTranscript, &pb.LintTranscriptRequest{Provider: chat, TranscriptJson: old, Repair: true})
		return all(equal("findings", len(resp.GetFindings()), 0), equal("repaired", resp.GetRepairedJson(), old))
	}},
	{"Backward Compatibility", "Models without native calls go on with text: their calls are read from it too.", func(c *client) error {
		stream, err := c.transport().AssembleToolCalls(c.ctx)
		if err != nil {
			return err
		}
		body := "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"<tool_call>{\\\"name\\\":\\\"fs___read\\\",\\\"arguments\\\":{\\\"path\\\":\\\"a.go\\\"}}</tool_call>\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
		header := &pb.AssembleHeader{Provider: pb.Provider_PROVIDER_OPENAI_CHAT, Format: pb.ToolCallFormat_TOOL_CALL_FORMAT_TEXT}
		err = all(stream.Send(&pb.AssembleToolCallsRequest{Message: &pb.AssembleToolCallsRequest_Header{Header: header}}),
			stream.Send(&pb.AssembleToolCallsRequest{Message: &pb.AssembleToolCallsRequest_Body{Body: []byte(body)}}))
		if err != nil {
			return err
		}
		resp, err := stream.CloseAndRecv()
		if err != nil {
			return err
		}
		calls := resp.GetAssistant().GetToolCalls()
		m, _ := c.chatMessages(turn(chat, resp.GetAssistant().GetContent(), calls, c.small("file_read")))
		return all(equal("calls", len(calls), 1), equal("roles", roles(m), []string{"assistant", "user"}), has(first(m).GetContent(), "<tool_call>"))
	}},
}

// first and last are the messages at the ends of a turn.
func first(m []*pb.ChatMessage) *pb.ChatMessage { return m[0] }
func last(m []*pb.ChatMessage) *pb.ChatMessage  { return m[len(m)-1] }
