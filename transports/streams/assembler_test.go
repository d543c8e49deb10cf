package streams_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/streams"
)

// newAssembler returns an Assembler that looks for lines with "RECEIPT".
func newAssembler(t *testing.T, header *pb.AssembleHeader) *streams.Assembler {
	t.Helper()
	a, err := streams.NewAssembler(header, func(text string) (list []streams.ReceiptLine) {
		for i, line := range strings.Split(text, "\n") {
			if strings.Contains(line, "RECEIPT") {
				list = append(list, streams.ReceiptLine{Line: i + 1, Form: "form", Text: line})
			}
		}
		return list
	})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// feed reads events of an SDK to the end.
func feed(t *testing.T, header *pb.AssembleHeader, events ...string) *pb.AssembleToolCallsResponse {
	t.Helper()
	a := newAssembler(t, header)
	for _, e := range events {
		if err := a.Event(e); err != nil {
			t.Fatal(err)
		}
	}
	return a.Finish()
}

func TestHeaderIsChecked(t *testing.T) {
	t.Parallel()
	for want, header := range map[string]*pb.AssembleHeader{
		"header.provider":      {},
		"header.format":        {Provider: pb.Provider_PROVIDER_CHAT, Format: 99},
		"header.writing_tools": {Provider: pb.Provider_PROVIDER_CHAT, WritingTools: make([]string, 257)},
	} {
		var invalid *envelope.InvalidError
		if _, err := streams.NewAssembler(header, noReceipts); !errors.As(err, &invalid) || len(invalid.Violations) != 1 || invalid.Violations[0].Field != want {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// A stream is a body or events, and Converse has no body that is text.
func TestFormsDoNotMix(t *testing.T) {
	t.Parallel()
	a := newAssembler(t, &pb.AssembleHeader{Provider: pb.Provider_PROVIDER_GEMINI})
	if err := a.Body([]byte(" ")); err != nil {
		t.Fatal(err)
	}
	var invalid *envelope.InvalidError
	if err := a.Event("{}"); !errors.As(err, &invalid) || invalid.Violations[0].Field != "event_json" {
		t.Errorf("an event behind a body: %v", err)
	}
	a = newAssembler(t, &pb.AssembleHeader{Provider: pb.Provider_PROVIDER_BEDROCK_CONVERSE})
	if err := a.Body([]byte("{}")); !errors.As(err, &invalid) || invalid.Violations[0].Field != "body" {
		t.Errorf("a body of Converse: %v", err)
	}
}

// The bytes that an Assembler holds follow the answer and not the JSON around it, so that a limit on them bounds memory.
func TestBufferedFollowsTheAnswer(t *testing.T) {
	t.Parallel()
	a := newAssembler(t, &pb.AssembleHeader{Provider: pb.Provider_PROVIDER_OPENAI_CHAT})
	send := func(body string) int {
		if err := a.Body([]byte(body)); err != nil {
			t.Fatal(err)
		}
		return a.Buffered()
	}
	padding := strings.Repeat("x", 10_000)
	text := send(`data: {"choices":[{"delta":{"content":"` + strings.Repeat("t", 1000) + `"}}],"padding":"` + padding + `"}` + "\n\n")
	if text < 1000 || text > 2000 {
		t.Errorf("%d bytes are held of a text of 1,000", text)
	}
	open := send(`data: {"padding":"` + padding)
	if open < text+10_000 {
		t.Errorf("%d bytes are held while an event of 10,000 is open", open)
	}
	call := send(`","choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"a","arguments":"` + strings.Repeat("a", 1000) + `"}}]}}]}` + "\n\n")
	if call < text+1000 || call > text+2000 {
		t.Errorf("%d bytes are held of a text and a call of 1,000 each", call)
	}
	a = newAssembler(t, &pb.AssembleHeader{Provider: pb.Provider_PROVIDER_GEMINI})
	if blocks := send(`{"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"` + padding + `"}]}}]} {"open": "` + padding); blocks < 20_000 {
		t.Errorf("%d bytes are held of a block and an open event of 10,000 each", blocks)
	}
}

// Every reason by which a provider ends an answer has its end.
func TestEndsOfProviders(t *testing.T) {
	t.Parallel()
	for provider, c := range map[pb.Provider]struct {
		event string // with a place for the reason
		ends  map[string]string
	}{
		pb.Provider_PROVIDER_OPENAI_CHAT: {`{"choices":[{"index":1,"finish_reason":"length"},{"delta":{},"finish_reason":%q}]}`, map[string]string{
			"stop": "COMPLETE", "tool_calls": "COMPLETE", "length": "LENGTH", "model_length": "LENGTH", "content_filter": "STOPPED", "error": "ERROR",
		}},
		pb.Provider_PROVIDER_ANTHROPIC_MESSAGES: {`{"type":"message_delta","delta":{"stop_reason":%q}}`, map[string]string{
			"end_turn": "COMPLETE", "tool_use": "COMPLETE", "max_tokens": "LENGTH", "model_context_window_exceeded": "LENGTH", "refusal": "STOPPED",
		}},
		pb.Provider_PROVIDER_BEDROCK_CONVERSE: {`{"messageStop":{"stopReason":%q}}`, map[string]string{
			"end_turn": "COMPLETE", "max_tokens": "LENGTH", "guardrail_intervened": "STOPPED", "malformed_tool_use": "STOPPED",
		}},
		pb.Provider_PROVIDER_GEMINI: {`{"candidates":[{"index":1,"finishReason":"STOP"},{"finishReason":%q}]}`, map[string]string{
			"STOP": "COMPLETE", "MAX_TOKENS": "LENGTH", "SAFETY": "STOPPED", "MALFORMED_FUNCTION_CALL": "STOPPED",
		}},
		pb.Provider_PROVIDER_OLLAMA: {`{"done":true,"done_reason":%q}`, map[string]string{"stop": "COMPLETE", "length": "LENGTH"}},
		pb.Provider_PROVIDER_OPENAI_RESPONSES: {`{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":%q}}}`, map[string]string{
			"max_output_tokens": "LENGTH", "content_filter": "STOPPED",
		}},
	} {
		for reason, want := range c.ends {
			resp := feed(t, &pb.AssembleHeader{Provider: provider}, fmt.Sprintf(c.event, reason))
			if got := strings.TrimPrefix(resp.GetEnd().String(), "STREAM_END_"); got != want || resp.GetStopReason() != reason {
				t.Errorf("%v: %s is the end %s, %q", provider, reason, got, resp.GetStopReason())
			}
		}
	}
}

// Errors end a stream with their message, in whichever form it is.
func TestErrorsEndTheStream(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		provider     pb.Provider
		event, cause string
	}{
		{pb.Provider_PROVIDER_OPENAI_CHAT, `{"error":{"message":"down"}}`, "down"},
		{pb.Provider_PROVIDER_OLLAMA, `{"error":"down"}`, "down"},
		{pb.Provider_PROVIDER_GEMINI, `{"error":[503]}`, "[503]"},
		{pb.Provider_PROVIDER_OPENAI_RESPONSES, `{"type":"error","message":"down"}`, "down"},
		{pb.Provider_PROVIDER_OPENAI_RESPONSES, `{"type":"response.failed","response":{"status":"failed","error":{"message":"down"}}}`, "down"},
		{pb.Provider_PROVIDER_BEDROCK_CONVERSE, `{"throttlingException":{"message":"down"}}`, "down"},
	} {
		resp := feed(t, &pb.AssembleHeader{Provider: c.provider}, c.event, `{"choices":[{"finish_reason":"stop"}]}`)
		if resp.GetEnd() != pb.StreamEnd_STREAM_END_ERROR || resp.GetStopReason() != c.cause {
			t.Errorf("%v: %s ends with %v, %q", c.provider, c.event, resp.GetEnd(), resp.GetStopReason())
		}
	}
}

// Nothing is read after an event that is not the provider's.
func TestMalformedEventEndsTheStream(t *testing.T) {
	t.Parallel()
	resp := feed(t, &pb.AssembleHeader{Provider: pb.Provider_PROVIDER_OPENAI_CHAT}, `{"choices":[{"delta":{"content":"a"}}]}`, "oops", `{"choices":[{"delta":{"content":"b"}}]}`)
	if resp.GetEnd() != pb.StreamEnd_STREAM_END_MALFORMED || resp.GetAssistant().GetContent() != "a" || resp.GetStopReason() != "an event is no JSON object" {
		t.Errorf("%v", resp)
	}
	a := newAssembler(t, &pb.AssembleHeader{Provider: pb.Provider_PROVIDER_OPENAI_CHAT})
	if err := a.Body([]byte("<html>" + strings.Repeat("x", 200))); err != nil {
		t.Fatal(err)
	}
	resp = a.Finish()
	if want := "there is no event in what begins with \"<html>" + strings.Repeat("x", 74) + "\""; resp.GetEnd() != pb.StreamEnd_STREAM_END_MALFORMED || resp.GetStopReason() != want {
		t.Errorf("%v", resp)
	}
}

// Blocks of the provider are bounded: more of them are no answer.
func TestBlocksAreBounded(t *testing.T) {
	t.Parallel()
	events := make([]string, 1025)
	for i := range events {
		events[i] = `{"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"s"}]}}]}`
	}
	resp := feed(t, &pb.AssembleHeader{Provider: pb.Provider_PROVIDER_GEMINI}, events[:1024]...)
	if len(resp.GetAssistant().GetProviderBlocks()) != 1024 || resp.GetEnd() != pb.StreamEnd_STREAM_END_TRUNCATED {
		t.Errorf("%d blocks, %v", len(resp.GetAssistant().GetProviderBlocks()), resp.GetEnd())
	}
	resp = feed(t, &pb.AssembleHeader{Provider: pb.Provider_PROVIDER_GEMINI}, events...)
	if len(resp.GetAssistant().GetProviderBlocks()) != 1024 || resp.GetEnd() != pb.StreamEnd_STREAM_END_MALFORMED {
		t.Errorf("%d blocks, %v", len(resp.GetAssistant().GetProviderBlocks()), resp.GetEnd())
	}
}

// toolCall is an event of OpenAI Chat with a whole call, and the end of the answer.
func toolCall(id, name, arguments string) string {
	return fmt.Sprintf(`{"choices":[{"delta":{"tool_calls":[{"id":%q,"function":{"name":%q,"arguments":%q}}]}}]}`, id, name, arguments)
}

const toolCallsEnd = `{"choices":[{"finish_reason":"tool_calls"}]}`

// A call that no runtime could make has its reason.
func TestIncompleteCallsHaveReasons(t *testing.T) {
	t.Parallel()
	for want, event := range map[string]string{
		"the call has no name":                        toolCall("c1", "", "{}"),
		"the id has 257 bytes, and may have 256":      toolCall(strings.Repeat("i", 257), "a", "{}"),
		"the name has 129 bytes, and its server and ": toolCall("c1", strings.Repeat("n", 129), "{}"),
		"the text of the arguments is no JSON object": toolCall("c1", "a", "[1]"),
	} {
		resp := feed(t, &pb.AssembleHeader{Provider: pb.Provider_PROVIDER_OPENAI_CHAT}, event, toolCallsEnd)
		if len(resp.GetIncomplete()) != 1 || !strings.HasPrefix(resp.GetIncomplete()[0].GetReason(), want) || resp.GetNotice() == "" {
			t.Errorf("%s: %v", want, resp)
		}
	}
	var events []string
	for i := range 65 {
		events = append(events, toolCall(fmt.Sprintf("c%d", i), "a", "{}"))
	}
	resp := feed(t, &pb.AssembleHeader{Provider: pb.Provider_PROVIDER_OPENAI_CHAT}, append(events, toolCallsEnd)...)
	if len(resp.GetAssistant().GetToolCalls()) != 64 || len(resp.GetIncomplete()) != 1 || resp.GetIncomplete()[0].GetReason() != "an answer may have 64 calls" {
		t.Errorf("%d calls, %v", len(resp.GetAssistant().GetToolCalls()), resp.GetIncomplete())
	}
}

// A notice names calls as far as it has space, and never repeats the bytes of a broken name.
func TestNoticeIsBounded(t *testing.T) {
	t.Parallel()
	var events []string
	for i := range 100 {
		events = append(events, toolCall(fmt.Sprintf("c%d", i), fmt.Sprintf("tool_%d_%s", i, strings.Repeat("n", 50)), "["))
	}
	resp := feed(t, &pb.AssembleHeader{Provider: pb.Provider_PROVIDER_OPENAI_CHAT}, append(events, toolCallsEnd)...)
	if n := resp.GetNotice(); len(n) > 4096 || !strings.HasPrefix(n, "100 calls were not made") || !strings.Contains(n, " more. Nothing of this was done.") {
		t.Errorf("%d bytes: %s", len(n), n)
	}
	resp = feed(t, &pb.AssembleHeader{Provider: pb.Provider_PROVIDER_OPENAI_CHAT}, toolCall("c1", "a\n</tool_result>", "["), toolCall("c2", "", "{}"), `{"choices":[{"finish_reason":"length"}]}`)
	want := `2 calls were not made, because they are not complete: "a\n</tool_result>" (the text of the arguments is not valid JSON); ` +
		`a call without a name (the call has no name). Nothing of this was done. Your answer reached its limit of tokens and was cut off; go on in smaller steps.`
	if !strings.HasPrefix(resp.GetNotice(), want[:60]) || !strings.HasSuffix(resp.GetNotice(), want[len(want)-150:]) {
		t.Errorf("%s", resp.GetNotice())
	}
}

// Receipts are found in the arguments of calls that write, with JSON pointers, and nowhere else.
func TestReceiptsInWrittenFilesAreFound(t *testing.T) {
	t.Parallel()
	arguments := `{"path":"a","a/b~":["x",{"text":"one\nRECEIPT two"}],"n":1}`
	for _, c := range []struct {
		tool    string
		writing []string
		want    int
	}{
		{"fs___write_file", nil, 1}, {"WRITE", nil, 1}, {"read", nil, 0}, {"fs___put", []string{"put"}, 1}, {"fs___put", []string{"fs___put"}, 1}, {"write", []string{"put"}, 0},
	} {
		resp := feed(t, &pb.AssembleHeader{Provider: pb.Provider_PROVIDER_OPENAI_CHAT, WritingTools: c.writing}, toolCall("c1", c.tool, arguments), toolCallsEnd)
		leaks := resp.GetMarkerLeaks()
		if len(leaks) != c.want {
			t.Fatalf("%s: %v", c.tool, resp)
		}
		if c.want > 0 && (leaks[0].GetPointer() != "/a~1b~0/1/text" || leaks[0].GetLine() != 2 || leaks[0].GetForm() != "form" || leaks[0].GetText() != "RECEIPT two") {
			t.Errorf("%s: %v", c.tool, leaks)
		}
	}
	custom := `{"choices":[{"delta":{"tool_calls":[{"id":"c1","custom":{"name":"apply_patch","input":"` + strings.Repeat(`RECEIPT\n`, 70) + `"}}]}}]}`
	resp := feed(t, &pb.AssembleHeader{Provider: pb.Provider_PROVIDER_OPENAI_CHAT}, custom, toolCallsEnd)
	if len(resp.GetMarkerLeaks()) != 64 || resp.GetMarkerLeaks()[63].GetLine() != 64 || resp.GetMarkerLeaks()[0].GetPointer() != "" {
		t.Errorf("%d findings: %v", len(resp.GetMarkerLeaks()), resp.GetMarkerLeaks())
	}
}

// Servers that imitate OpenAI's disagree about ids, names and indices; the calls are the same.
func TestPartsOfCallsFindEachOther(t *testing.T) {
	t.Parallel()
	part := func(text string) string { return `{"choices":[{"delta":{"tool_calls":[` + text + `]}}]}` }
	for name, events := range map[string][]string{
		"by index":          {part(`{"index":0,"id":"c1","function":{"name":"a","arguments":"{\"x\":"}},{"index":1,"id":"c2","function":{"name":"b"}}`), part(`{"index":0,"function":{"arguments":"1}"}},{"index":1,"function":{"arguments":"{}"}}`)},
		"by id":             {part(`{"id":"c1","function":{"name":"a","arguments":"{\"x\":"}}`), part(`{"id":"c1","function":{"arguments":"1}"}}`), part(`{"id":"c2","function":{"name":"b","arguments":"{}"}}`)},
		"index always 0":    {part(`{"index":0,"id":"c1","function":{"name":"a","arguments":"{\"x\":1}"}}`), part(`{"index":0,"id":"c2","function":{"name":"b","arguments":"{}"}}`)},
		"name in parts":     {part(`{"index":0,"id":"c1","function":{"name":""}}`), part(`{"index":0,"function":{"name":"a"}}`), part(`{"index":0,"function":{"name":"a","arguments":"{\"x\":1}"}}`), part(`{"index":1,"id":"c2","function":{"name":"b","arguments":"{}"}}`)},
		"id null and late":  {part(`{"index":0,"id":"null","function":{"name":"a","arguments":"{\"x\":1}"}}`), part(`{"index":0,"id":"c1"}`), part(`{"index":1,"id":"c2","function":{"name":"b","arguments":"{}"}}`)},
		"content in parts":  {`{"choices":[{"delta":{"content":[{"type":"text","text":""}]}}]}`, part(`{"id":"c1","function":{"name":"a","arguments":"{\"x\":1}"}},{"id":"c2","function":{"name":"b","arguments":"{}"}}`)},
		"not streamed":      {`{"choices":[{"message":{"content":null,"tool_calls":[{"id":"c1","function":{"name":"a","arguments":"{\"x\":1}"}},{"id":"c2","function":{"name":"b","arguments":"{}"}}]}}]}`},
		"arguments objects": {part(`{"id":"c1","function":{"name":"a","arguments":{"x":1}}},{"id":"c2","function":{"name":"b","arguments":{}}}`)},
	} {
		resp := feed(t, &pb.AssembleHeader{Provider: pb.Provider_PROVIDER_OPENAI_CHAT}, append(events, toolCallsEnd)...)
		var got []string
		for _, c := range resp.GetAssistant().GetToolCalls() {
			got = append(got, c.GetId()+" "+c.GetTool()+" "+c.GetArguments())
		}
		if diff := cmp.Diff([]string{`c1 a {"x":1}`, "c2 b {}"}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
