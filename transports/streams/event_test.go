package streams_test

import (
	"fmt"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/streams"
)

// events assembles an answer from events.
func events(t *testing.T, provider pb.Provider, list ...string) *pb.AssembleToolCallsResponse {
	t.Helper()
	a, err := streams.NewAssembler(&pb.AssembleHeader{Provider: provider}, noReceipts)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		if err := a.Event(e); err != nil {
			t.Fatal(err)
		}
	}
	return a.Finish()
}

// Events that the fixtures of real streams do not have, because providers send them rarely.
func TestRareEventsAreRead(t *testing.T) {
	t.Parallel()
	const responses, bedrock, chat = pb.Provider_PROVIDER_OPENAI_RESPONSES, pb.Provider_PROVIDER_BEDROCK_CONVERSE, pb.Provider_PROVIDER_OPENAI_CHAT
	const customCall = `"item":{"type":"custom_tool_call","call_id":"c1","name":"sh","input":""}`
	for name, c := range map[string]struct {
		provider pb.Provider
		events   []string
		want     string // content, calls, blocks
	}{
		"a refusal": {chat, []string{`{"choices":[{"delta":{"refusal":"I will"}}]}`, `{"choices":[{"delta":{"refusal":" not."},"finish_reason":"stop"}]}`}, `"I will not." [] []`},
		"encrypted reasoning": {bedrock, []string{
			`{"contentBlockDelta":{"contentBlockIndex":0,"delta":{"reasoningContent":{"redactedContent":"eHl6"}}}}`, `{"contentBlockStop":{"contentBlockIndex":0}}`,
			`{"messageStop":{"stopReason":"end_turn"}}`,
		}, `"" [] [{"reasoningContent":{"redactedContent":"eHl6"}}]`},
		"the input of a custom tool in parts, and whole": {responses, []string{
			`{"type":"response.output_item.added","output_index":0,` + customCall + `}`,
			`{"type":"response.custom_tool_call_input.delta","output_index":0,"delta":"ls "}`,
			`{"type":"response.custom_tool_call_input.done","output_index":0,"input":"ls -l"}`,
			`{"type":"response.output_item.done","output_index":0,` + customCall + `}`, `{"type":"response.completed","response":{"status":"completed"}}`,
		}, `"" [custom sh: ls -l {"name":"sh","arguments":"ls -l"}] []`},
		"the arguments of a function": {responses, []string{
			`{"type":"response.function_call_arguments.done","output_index":0,"arguments":"{\"a\":1}"}`,
			`{"type":"response.output_item.done","output_index":0,"item":{"type":"function_call","call_id":"c1","name":"read","arguments":""}}`,
			`{"type":"response.completed","response":{"status":"completed"}}`,
		}, `"" [read: {"a":1} {"name":"read","arguments":{"a":1}}] []`},
	} {
		resp := events(t, c.provider, c.events...)
		calls, blocks := []string{}, []string{}
		for _, p := range resp.GetAssistant().GetToolCalls() {
			custom := map[bool]string{true: "custom "}[p.GetCustom()]
			calls = append(calls, fmt.Sprintf("%s%s: %s %s", custom, p.GetTool(), p.GetArguments(), p.GetRaw()))
		}
		for _, b := range resp.GetAssistant().GetProviderBlocks() {
			blocks = append(blocks, b.GetBlockJson())
		}
		if got := fmt.Sprintf("%q %v %v", resp.GetAssistant().GetContent(), calls, blocks); got != c.want || resp.GetEnd() != pb.StreamEnd_STREAM_END_COMPLETE {
			t.Errorf("%s: %v, %s\nwant %s", name, resp.GetEnd(), got, c.want)
		}
	}
}

// A notice names as many calls as it has space for, and the number of the others.
func TestNoticesAreBounded(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 40, 64} {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprintf(`{"index":%d,"id":"c%d","function":{"name":"%s","arguments":"{"}}`, i, i, strings.Repeat("n", 60)))
		}
		notice := events(t, pb.Provider_PROVIDER_OPENAI_CHAT, `{"choices":[{"delta":{"tool_calls":[`+strings.Join(list, ",")+`]}}]}`).GetNotice()
		named := strings.Count(notice, strings.Repeat("n", 60))
		if len(notice) > 4096 || named == 0 || named < n && !strings.Contains(notice, fmt.Sprintf("and %d more", n-named)) || n <= 2 && named != n {
			t.Errorf("%d calls: %d bytes with %d names: %s", n, len(notice), named, notice)
		}
	}
}
