package transports_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports"
	"github.com/toolresult/toolresult/transports/internal/markup"
)

// providers are all of them.
func providers() []pb.Provider {
	var list []pb.Provider
	for n := range pb.Provider_name {
		if n != 0 {
			list = append(list, pb.Provider(n))
		}
	}
	return list
}

// A text is what a tool may print: text, and all that our tags, providers and chat
// templates reserve.
var text = rapid.Custom(func(t *rapid.T) string {
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

var arguments = rapid.SampledFrom([]string{
	"", "{}", `{"path":"a.go"}`, `{"n":12345678901234567890.10,"deep":{"a":[1,null,"</tool_result>"]}}`, " {\n  \"z\": 1,\n  \"a\": 2\n}\n", `{"text":"\ud83d\ude00<b>&\u2028"}`,
})

// calls are those of one turn. Ids are missing, bad, used twice, or used in every turn.
func genCalls(t *rapid.T, native bool) []*pb.ParsedToolCall {
	ids := rapid.OneOf(
		rapid.StringMatching(`call_[a-zA-Z0-9]{1,24}`), rapid.StringMatching(`[a-zA-Z0-9]{9}`),
		rapid.SampledFrom([]string{"call_0", "call_1", "functions.read:0", "fc_1|call_2", "té", strings.Repeat("x", 200)}),
	)
	var list []*pb.ParsedToolCall
	for range rapid.IntRange(0, 5).Draw(t, "calls") {
		c := &pb.ParsedToolCall{
			Server:    rapid.SampledFrom([]string{"", "fs", "github.com", strings.Repeat("s", 100)}).Draw(t, "server"),
			Tool:      rapid.SampledFrom([]string{"read", "run command", "a___b", "é", "9lives"}).Draw(t, "tool"),
			Arguments: arguments.Draw(t, "arguments"),
		}
		if native || rapid.Bool().Draw(t, "has id") {
			c.Id = proto.String(ids.Draw(t, "id"))
		}
		if rapid.IntRange(0, 9).Draw(t, "custom") == 0 {
			c.Custom, c.Arguments = true, text.Draw(t, "input")
		}
		list = append(list, c)
	}
	return list
}

// canonical is a result without media.
func canonical(failed bool) *pb.CanonicalToolResult {
	if failed {
		return &pb.CanonicalToolResult{ToolName: "read", Status: pb.ToolStatus_TOOL_STATUS_ERROR, SummaryText: "s", Error: &pb.ToolError{Kind: "k", Message: "m"}}
	}
	return &pb.CanonicalToolResult{
		ToolName: "read", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "s", Result: &pb.CanonicalToolResult_Text{Text: &pb.TextResult{Empty: true}},
	}
}

var media = rapid.SampledFrom([]*pb.Media{
	{MediaType: "image/png", Source: &pb.Media_Data{Data: []byte("png")}, Name: "a.png"},
	{MediaType: "image/gif", Source: &pb.Media_Url{Url: "https://example.org/a.gif"}},
	{MediaType: "application/pdf", Source: &pb.Media_FileId{FileId: "file_1"}, Path: "/store/1"},
	{MediaType: "application/pdf", Source: &pb.Media_Data{Data: []byte("pdf")}},
	{MediaType: "audio/wav", Source: &pb.Media_Data{Data: []byte("wav")}},
})

func genTurn(t *rapid.T, provider pb.Provider) *pb.EncodeTurnRequest {
	req := &pb.EncodeTurnRequest{Provider: provider, Assistant: &pb.AssistantTurn{
		Content:   rapid.SampledFrom([]string{"", " \n", "I look.", "<tool_call>"}).Draw(t, "content"),
		ToolCalls: genCalls(t, rapid.IntRange(0, 3).Draw(t, "all have ids") > 0),
	}}
	if rapid.IntRange(0, 3).Draw(t, "format") == 0 {
		req.Format = pb.ToolCallFormat_TOOL_CALL_FORMAT_TEXT
	}
	for range req.GetAssistant().GetToolCalls() {
		r := &pb.TurnResult{Content: &pb.TurnResult_Canonical{Canonical: canonical(rapid.Bool().Draw(t, "failed"))}, Receipt: &pb.Receipt{Text: text.Draw(t, "receipt")}}
		r.Media = rapid.SliceOfN(media, 0, 2).Draw(t, "media")
		req.Results = append(req.Results, r)
	}
	if n := len(req.Results); n > 0 && rapid.IntRange(0, 5).Draw(t, "interrupted") == 0 {
		req.Results = req.Results[:rapid.IntRange(0, n-1).Draw(t, "answered")]
	}
	req.Notices = rapid.SliceOfN(text, 0, 2).Draw(t, "notices")
	req.UserText = rapid.SampledFrom([]string{"", "", "Stop."}).Draw(t, "user")
	return req
}

// history is turns, encoded one after the other, each after what the user says if the
// model has made no call.
type history struct {
	messages []string
	want     []transports.Exchange
}

func (h *history) add(t *rapid.T, provider pb.Provider, req *pb.EncodeTurnRequest) {
	resp, err := transports.EncodeTurn(req, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	again, err := transports.EncodeTurn(proto.Clone(req).(*pb.EncodeTurnRequest), nil, 0)
	if err != nil || !proto.Equal(resp, again) {
		t.Fatalf("the same turn is encoded as\n%v and\n%v (%v)", resp, again, err)
	}
	h.messages = append(h.messages, resp.GetMessagesJson()...)
	for i, c := range req.GetAssistant().GetToolCalls() {
		x := transports.Exchange{ID: resp.GetCalls()[i].GetId(), Name: resp.GetCalls()[i].GetName(), Answered: true}
		if i < len(req.GetResults()) {
			x.Text = req.GetResults()[i].GetReceipt().GetText()
			if !resp.GetNative() || templated(provider) {
				x.Text = markup.Break(x.Text)
			}
		}
		if resp.GetNative() {
			x.Arguments = c.GetArguments()
		} else {
			x.ID = ""
		}
		h.want = append(h.want, x)
	}
	if len(req.GetAssistant().GetToolCalls()) == 0 && len(req.GetNotices()) == 0 && req.GetUserText() == "" {
		h.messages = append(h.messages, firstOf(provider))
	}
}

// templated reports whether a provider turns messages into text by a template, so that marks in receipts are broken.
func templated(p pb.Provider) bool {
	return p == pb.Provider_PROVIDER_CHAT || p == pb.Provider_PROVIDER_OLLAMA
}

// firstOf is a message of the user.
func firstOf(p pb.Provider) string {
	switch p {
	case pb.Provider_PROVIDER_GEMINI:
		return `{"role":"user","parts":[{"text":"Go on."}]}`
	case pb.Provider_PROVIDER_BEDROCK_CONVERSE:
		return `{"role":"user","content":[{"text":"Go on."}]}`
	}
	return `{"role":"user","content":"Go on."}`
}

// TestEncodedHistories encodes random histories for every provider. The linter accepts
// them, and every call has exactly one answer, in order.
func TestEncodedHistories(t *testing.T) {
	for _, provider := range providers() {
		t.Run(provider.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				h := history{messages: []string{firstOf(provider)}}
				for range rapid.IntRange(1, 6).Draw(t, "turns") {
					h.add(t, provider, genTurn(t, provider))
				}
				h.check(t, provider)
			})
		})
	}
}

func (h *history) check(t *rapid.T, provider pb.Provider) {
	transcript := transports.Array(h.messages)
	if !json.Valid([]byte(transcript)) {
		t.Fatalf("no JSON: %s", transcript)
	}
	lint, err := transports.LintTranscript(&pb.LintTranscriptRequest{Provider: provider, TranscriptJson: transcript, Repair: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(lint.GetFindings()) > 0 || lint.GetRepairedJson() != transcript || lint.FirstChanged != nil {
		t.Fatalf("the linter finds %v in\n%s", lint.GetFindings(), strings.Join(h.messages, "\n"))
	}
	got, err := transports.Decode(provider, transcript)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(h.want) {
		t.Fatalf("%d exchanges were decoded of %d:\n%s", len(got), len(h.want), strings.Join(h.messages, "\n"))
	}
	for i, x := range got {
		if problem := differs(h.want[i], x); problem != "" {
			t.Fatalf("exchange %d: %s: %+v, not %+v\n%s", i, problem, x, h.want[i], strings.Join(h.messages, "\n"))
		}
	}
}

func differs(want, got transports.Exchange) string {
	switch {
	case !got.Answered:
		return "no answer"
	case want.ID != got.ID || want.Name != got.Name:
		return "another call"
	case want.Text != "" && want.Text != got.Text:
		return "another text"
	case want.Text == "" && !strings.HasPrefix(got.Text, "Tool error"):
		return "an answer from nowhere"
	case want.Arguments != "" && !got.Custom && !strings.Contains(got.Arguments, "input") && compacted(got.Arguments) != compacted(want.Arguments):
		return "other arguments"
	}
	return ""
}

func compacted(text string) string {
	var b bytes.Buffer
	_ = json.Compact(&b, []byte(text))
	return b.String()
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

func Example() {
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
