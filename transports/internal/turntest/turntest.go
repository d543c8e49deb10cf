// Package turntest generates random turns for the tests of package transports and the packages below it.
//
// The turns are valid requests, but unlikely ones: ids that no provider accepts, names with spaces, text that imitates
// tags of ours and tokens of chat templates. A property that holds for them (the encoded history passes the linter, every
// call has one answer) holds for what runtimes send. rapid shrinks a turn that breaks one.
package turntest

import (
	"strings"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Providers lists the providers of the contract, in no fixed order: a subtest is named by its provider, so the order
// does not matter.
func Providers() []pb.Provider {
	var list []pb.Provider
	for n := range pb.Provider_name {
		if n != 0 {
			list = append(list, pb.Provider(n))
		}
	}
	return list
}

// Text generates what a tool may print: text, and all that our tags, providers and chat templates reserve.
var Text = rapid.Custom(func(t *rapid.T) string {
	pieces := rapid.SliceOfN(rapid.OneOf(
		rapid.SampledFrom([]string{
			"<tool_result>", "</tool_result>", "< / TOOL_RESULT >", `<\/tool_result>`, "<tool_call>", "</tool_call>", "＜/tool_result＞", "<|im_start|>", `<\|eot_id|>`,
			"[INST]", "[/INST]", "<<SYS>>", "</s>", "<s>", "<end_of_turn>", "\n", "\\", "<", "fs___read:\n", "Tool error", "é", "😀", "\"", "{}",
		}),
		rapid.StringN(0, 8, 32),
	), 1, 8).Draw(t, "pieces")
	if s := strings.ToValidUTF8(strings.Join(pieces, ""), ""); strings.TrimSpace(s) != "" {
		return s
	}
	return "Process exited with code 0"
})

// arguments generates arguments with everything that a careless writer would change: numbers beyond doubles, order,
// white space, escapes.
var arguments = rapid.SampledFrom([]string{
	"", "{}", `{"path":"a.go"}`, `{"n":12345678901234567890.10,"deep":{"a":[1,null,"</tool_result>"]}}`, " {\n  \"z\": 1,\n  \"a\": 2\n}\n", `{"text":"\ud83d\ude00<b>&\u2028"}`,
})

// drawCalls draws the calls of one turn. Ids are missing, bad, used twice, or used in every turn.
func drawCalls(t *rapid.T, native bool) []*pb.ParsedToolCall {
	ids := rapid.OneOf(
		rapid.StringMatching(`call_[a-zA-Z0-9]{1,24}`), rapid.StringMatching(`[a-zA-Z0-9]{9}`),
		rapid.SampledFrom([]string{"call_0", "call_1", "functions.read:0", "fc_1|call_2", "té", strings.Repeat("x", 200)}),
	)
	var list []*pb.ParsedToolCall
	// Up to five calls: parallel calls of real models are rarely more, and shrinking stays fast.
	for range rapid.IntRange(0, 5).Draw(t, "calls") {
		c := &pb.ParsedToolCall{
			Server:    rapid.SampledFrom([]string{"", "fs", "github.com", strings.Repeat("s", 100)}).Draw(t, "server"),
			Tool:      rapid.SampledFrom([]string{"read", "run command", "a___b", "é", "9lives"}).Draw(t, "tool"),
			Arguments: arguments.Draw(t, "arguments"),
		}
		if native || rapid.Bool().Draw(t, "has id") {
			c.Id = proto.String(ids.Draw(t, "id"))
		}
		// A custom tool takes any text; one in ten, because most providers have none.
		if rapid.IntRange(0, 9).Draw(t, "custom") == 0 {
			c.Custom, c.Arguments = true, Text.Draw(t, "input")
		}
		list = append(list, c)
	}
	return list
}

// Result returns a canonical result without media.
func Result(failed bool) *pb.CanonicalToolResult {
	if failed {
		return &pb.CanonicalToolResult{ToolName: "read", Status: pb.ToolStatus_TOOL_STATUS_ERROR, SummaryText: "s", Error: &pb.ToolError{Kind: "k", Message: "m"}}
	}
	return &pb.CanonicalToolResult{
		ToolName: "read", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "s", Result: &pb.CanonicalToolResult_Text{Text: &pb.TextResult{Empty: true}},
	}
}

// media generates media of types and sources that not every provider shows. Their bytes are no images: what is given is
// not looked into.
var media = rapid.SampledFrom([]*pb.Media{
	{MediaType: "image/png", Source: &pb.Media_Data{Data: []byte("png")}, Name: "a.png"},
	{MediaType: "image/gif", Source: &pb.Media_Url{Url: "https://example.org/a.gif"}},
	{MediaType: "application/pdf", Source: &pb.Media_FileId{FileId: "file_1"}, Path: "/store/1"},
	{MediaType: "application/pdf", Source: &pb.Media_Data{Data: []byte("pdf")}},
	{MediaType: "audio/wav", Source: &pb.Media_Data{Data: []byte("wav")}},
})

// Turn draws a turn with up to five calls, their results, notices, media and text of the user.
func Turn(t *rapid.T, provider pb.Provider) *pb.EncodeTurnRequest {
	req := &pb.EncodeTurnRequest{Provider: provider, Assistant: &pb.AssistantTurn{
		Content:   rapid.SampledFrom([]string{"", " \n", "I look.", "<tool_call>"}).Draw(t, "content"),
		ToolCalls: drawCalls(t, rapid.IntRange(0, 3).Draw(t, "all have ids") > 0),
	}}
	// One turn in four is text by request; others become text when a call has no id.
	if rapid.IntRange(0, 3).Draw(t, "format") == 0 {
		req.Format = pb.ToolCallFormat_TOOL_CALL_FORMAT_TEXT
	}
	for range req.GetAssistant().GetToolCalls() {
		r := &pb.TurnResult{Content: &pb.TurnResult_Canonical{Canonical: Result(rapid.Bool().Draw(t, "failed"))}, Receipt: &pb.Receipt{Text: Text.Draw(t, "receipt")}}
		r.Media = rapid.SliceOfN(media, 0, 2).Draw(t, "media")
		req.Results = append(req.Results, r)
	}
	// A turn that the user interrupted has results for its first calls alone.
	if n := len(req.Results); n > 0 && rapid.IntRange(0, 5).Draw(t, "interrupted") == 0 {
		req.Results = req.Results[:rapid.IntRange(0, n-1).Draw(t, "answered")]
	}
	req.Notices = rapid.SliceOfN(Text, 0, 2).Draw(t, "notices")
	req.UserText = rapid.SampledFrom([]string{"", "", "Stop."}).Draw(t, "user")
	return req
}

// UserMessage returns a message of the user, as JSON. It begins a history, and separates two turns that end with the
// model, where a provider wants roles to take turns.
func UserMessage(p pb.Provider) string {
	switch p {
	case pb.Provider_PROVIDER_GEMINI:
		return `{"role":"user","parts":[{"text":"Go on."}]}`
	case pb.Provider_PROVIDER_BEDROCK_CONVERSE:
		return `{"role":"user","content":[{"text":"Go on."}]}`
	}
	return `{"role":"user","content":"Go on."}`
}

// Array puts messages into one JSON array, which is a transcript.
func Array(messages []string) string {
	text := []byte{'['}
	for i, m := range messages {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, m...)
	}
	return string(append(text, ']'))
}
