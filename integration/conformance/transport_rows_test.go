package conformance_test

import (
	"encoding/json"
	"strings"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

var providers = []pb.Provider{
	pb.Provider_PROVIDER_CHAT, pb.Provider_PROVIDER_OPENAI_CHAT, pb.Provider_PROVIDER_OPENAI_RESPONSES, pb.Provider_PROVIDER_ANTHROPIC_MESSAGES,
	pb.Provider_PROVIDER_GEMINI, pb.Provider_PROVIDER_BEDROCK_CONVERSE, pb.Provider_PROVIDER_MISTRAL, pb.Provider_PROVIDER_OLLAMA,
}

// turn is a turn of calls, each answered by a result.
func turn(provider pb.Provider, content string, calls []*pb.ParsedToolCall, results ...answer) *pb.EncodeTurnRequest {
	req := &pb.EncodeTurnRequest{Provider: provider, Assistant: &pb.AssistantTurn{Content: content, ToolCalls: calls}}
	for _, a := range results {
		req.Results = append(req.Results, &pb.TurnResult{Content: &pb.TurnResult_Canonical{Canonical: a.GetCanonical()}, Receipt: a.GetReceipt()})
	}
	return req
}

// call1 is a call of a tool, with an id unless that is empty.
func call1(server, tool, id string) *pb.ParsedToolCall {
	p := &pb.ParsedToolCall{Server: server, Tool: tool, Arguments: `{"b":1,"a":2.50}`}
	if id != "" {
		p.Id = proto.String(id)
	}
	return p
}

// encode makes the messages of a turn.
func (c *client) encode(req *pb.EncodeTurnRequest) (messages []object, resp *pb.EncodeTurnResponse) {
	resp = call(c, c.transport().EncodeTurn, req)
	for _, m := range resp.GetMessagesJson() {
		messages = append(messages, c.object(m))
	}
	return messages, resp
}

// toolMessages are the messages behind the assistant's of a turn with one call.
func (c *client) toolMessages(provider pb.Provider, a answer) []object {
	messages, _ := c.encode(turn(provider, "", []*pb.ParsedToolCall{call1("shell", "run", "call_0001")}, a))
	return messages[1:]
}

var transportRows = []requirement{
	{"Provider Transport Contract", "Canonical result and rendering are preserved as separate concepts: a transport takes both, and changes neither.", func(c *client) error {
		a := c.small("command")
		before := proto.CloneOf(a.GetCanonical())
		return all(equal("content", c.toolMessages(pb.Provider_PROVIDER_CHAT, a)[0].text("content"), a.text()), equal("canonical", a.GetCanonical(), before), equal("rendered later", c.render(before), a.text()))
	}},
	{"Provider Transport Contract", "Transports consume the rendered receipt as the model-visible tool output.", sameForEveryProvider},
	{"Provider Transport Contract", "They may map the canonical error state to native flags such as Anthropic's `is_error`.", isErrorFollows},
	{"Provider Transport Contract", "Native flags are aids and not the contract: where a provider has none, the text says the same.", func(c *client) error {
		failed := c.failure()
		var errs []error
		for _, p := range []pb.Provider{pb.Provider_PROVIDER_CHAT, pb.Provider_PROVIDER_OPENAI_CHAT, pb.Provider_PROVIDER_MISTRAL, pb.Provider_PROVIDER_OLLAMA} {
			errs = append(errs, begins(c.toolMessages(p, failed)[0].text("content"), "Tool error deploy_locked"))
		}
		return all(errs...)
	}},
	{"Provider Transport Contract", "A status that differs from the canonical result is rejected, so no flag can differ from it.", func(c *client) error {
		req := turn(pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, "", []*pb.ParsedToolCall{call1("", "run", "call_1")}, c.failure())
		req.Results[0].Status = pb.ToolStatus_TOOL_STATUS_SUCCESS
		if c.err != nil {
			return nil
		}
		_, err := c.transport().EncodeTurn(c.ctx, req)
		return equal("reason", reasonOf(err), "ENVELOPE_EXCLUSIVITY")
	}},
	{"Provider Transport Contract", "The model need not understand different shapes for different providers.", sameForEveryProvider},
	{"Provider Transport Contract", "The provider-facing string may differ from the envelope's JSON, and both are derived from the same canonical result.", func(c *client) error {
		a := c.small("command")
		req := turn(pb.Provider_PROVIDER_CHAT, "", []*pb.ParsedToolCall{call1("", "run", "call_1")}, a)
		_, message := c.encode(req)
		req.Results[0] = &pb.TurnResult{Content: &pb.TurnResult_CanonicalJson{CanonicalJson: a.json.raw}, Family: a.GetFamily()}
		_, text := c.encode(req)
		return all(equal("messages of the JSON", text.GetMessagesJson(), message.GetMessagesJson()), lacks(strings.Join(text.GetMessagesJson(), ""), "summary_text"))
	}},
}

// sameForEveryProvider says which provider's messages do not have the receipt as it is.
func sameForEveryProvider(c *client) error {
	a := c.project(`output { tool_name: "Bash" command { exit_status: 2 stdout { inline: "first\n\"second\"\n" } } }`)
	quoted, err := json.Marshal(a.text())
	errs := []error{err}
	for _, p := range providers {
		_, resp := c.encode(turn(p, "", []*pb.ParsedToolCall{call1("shell", "run", "call_0001")}, a))
		errs = append(errs, has(strings.Join(resp.GetMessagesJson(), "\n"), string(quoted)), lacks(strings.Join(resp.GetMessagesJson(), "\n"), "summary_text"))
	}
	return all(errs...)
}

// isErrorFollows makes Anthropic's messages of a success and of an error.
func isErrorFollows(c *client) error {
	flag := func(a answer) any {
		blocks, _ := c.toolMessages(pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, a)[0].at("content").([]any)
		return blocks[0].(map[string]any)["is_error"]
	}
	return all(equal("of an error", flag(c.failure()), true), holds(flag(c.small("command")) != true, "a success has is_error"))
}
