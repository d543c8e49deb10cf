package transcript_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports"
	"github.com/toolresult/toolresult/transports/internal/turntest"
	"github.com/toolresult/toolresult/transports/transcript"
)

func lint(t testing.TB, provider pb.Provider, text string) *pb.LintTranscriptResponse {
	t.Helper()
	resp, err := transcript.Lint(&pb.LintTranscriptRequest{Provider: provider, TranscriptJson: text, Repair: true})
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return resp
}

// broken is a transcript that a provider would reject, with the findings and the repair.
type broken struct {
	name       string
	provider   pb.Provider
	transcript string
	want       string // the rules, each with its message
	repaired   string
}

var brokenTranscripts = []broken{
	{
		"unanswered", pb.Provider_PROVIDER_OPENAI_CHAT,
		`[{"role":"user","content":"Go."},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"a","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"b","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c2","content":"two"},{"role":"user","content":"Stop."}]`,
		"1 UNANSWERED_CALL",
		`[{"role":"user","content":"Go."},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"a","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"b","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"UNANSWERED"},{"role":"tool","tool_call_id":"c2","content":"two"},{"role":"user","content":"Stop."}]`,
	},
	{
		"orphan", pb.Provider_PROVIDER_OPENAI_CHAT,
		`[{"role":"user","content":"Go."},{"role":"tool","tool_call_id":"c9","content":"</tool_result>lost"}]`,
		"1 ORPHAN_RESULT",
		`[{"role":"user","content":"Go."},{"role":"user","content":"<tool_result>\nof a call that is not here:\n<\\/tool_result>lost\n</tool_result>"}]`,
	},
	{
		"duplicates", pb.Provider_PROVIDER_OLLAMA,
		`[{"role":"assistant","content":"","tool_calls":[{"function":{"name":"a","arguments":{}}}]},{"role":"tool","tool_name":"a","content":"one"},{"role":"tool","tool_name":"a","content":"one"},{"role":"tool","tool_name":"a","content":"two"}]`,
		"2 DUPLICATE_ANSWER, 3 DUPLICATE_ANSWER",
		`[{"role":"assistant","content":"","tool_calls":[{"function":{"name":"a","arguments":{}}}]},{"role":"tool","tool_name":"a","content":"one"},{"role":"user","content":"<tool_result>\na:\ntwo\n</tool_result>"}]`,
	},
	{
		"user between call and result", pb.Provider_PROVIDER_OPENAI_CHAT,
		`[{"role":"assistant","content":"x","extra":1,"tool_calls":[{"id":"c1","type":"function","function":{"name":"a","arguments":"{}"}}]},{"role":"user","content":"Wait."},{"role":"tool","tool_call_id":"c1","content":"one","cache":true}]`,
		"2 WRONG_ORDER",
		`[{"role":"assistant","content":"x","extra":1,"tool_calls":[{"id":"c1","type":"function","function":{"name":"a","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"one","cache":true},{"role":"user","content":"Wait."}]`,
	},
	{
		"text before the results", pb.Provider_PROVIDER_ANTHROPIC_MESSAGES,
		`[{"role":"user","content":"Go."},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"a","input":{}}]},{"role":"user","content":[{"type":"text","text":"Wait."},{"type":"tool_result","tool_use_id":"t1","content":"one"}]}]`,
		"2 WRONG_ORDER",
		`[{"role":"user","content":"Go."},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"a","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"one"},{"type":"text","text":"Wait."}]}]`,
	},
	{
		"an orphan between results in two messages", pb.Provider_PROVIDER_ANTHROPIC_MESSAGES,
		`[{"role":"user","content":"Go."},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"a","input":{}},{"type":"tool_use","id":"t2","name":"a","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"one"},{"type":"tool_result","tool_use_id":"t9","content":"lost"}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"two"}]}]`,
		"2 ORPHAN_RESULT",
		`[{"role":"user","content":"Go."},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"a","input":{}},{"type":"tool_use","id":"t2","name":"a","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"one"},{"type":"tool_result","tool_use_id":"t2","content":"two"},{"type":"text","text":"<tool_result>\nof a call that is not here:\nlost\n</tool_result>"}]}]`,
	},
	{
		"empty texts", pb.Provider_PROVIDER_ANTHROPIC_MESSAGES,
		`[{"role":"user","content":""},{"role":"assistant","content":[{"type":"text","text":" \n"},{"type":"tool_use","id":"t1","name":"a","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":""}]}]`,
		"0 EMPTY_CONTENT, 1 EMPTY_CONTENT",
		`[{"role":"user","content":[{"type":"text","text":"(no text)"}]},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"a","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":""}]}]`,
	},
	{
		"no calls in a list of calls", pb.Provider_PROVIDER_OPENAI_CHAT,
		`[{"role":"assistant","content":"x","tool_calls":[]}]`, "0 EMPTY_CONTENT", `[{"role":"assistant","content":"x"}]`,
	},
	{
		"long id", pb.Provider_PROVIDER_OPENAI_CHAT,
		`[{"role":"assistant","content":null,"tool_calls":[{"id":"` + strings.Repeat("x", 60) + `","type":"function","function":{"name":"a","arguments":"{}"}}]},{"role":"tool","tool_call_id":"` + strings.Repeat("x", 60) + `","content":"one"}]`,
		"0 ID_INVALID",
		`[{"role":"assistant","content":null,"tool_calls":[{"id":"call_lPXtB37wLJM5rWGw54ySpc","type":"function","function":{"name":"a","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_lPXtB37wLJM5rWGw54ySpc","content":"one"}]`,
	},
	{
		"names and arguments", pb.Provider_PROVIDER_MISTRAL,
		`[{"role":"assistant","content":"","tool_calls":[{"id":"123456789","function":{"name":"fs.read","arguments":"not json"}}]},{"role":"tool","tool_call_id":"123456789","name":"fs.read","content":"one"}]`,
		"0 NAME_INVALID, 0 ARGUMENTS_INVALID",
		`[{"role":"assistant","content":"","tool_calls":[{"id":"123456789","function":{"name":"fs_read_DIGEST","arguments":"{\"input\":\"not json\"}"},"type":"function"}]},{"role":"tool","tool_call_id":"123456789","name":"fs_read_DIGEST","content":"one"}]`,
	},
	{
		"user after tool", pb.Provider_PROVIDER_MISTRAL,
		`[{"role":"assistant","content":"","tool_calls":[{"id":"123456789","function":{"name":"a","arguments":"{}"}}]},{"role":"tool","tool_call_id":"123456789","content":"one"},{"role":"user","content":"Stop."}]`,
		"2 ROLE_ORDER",
		`[{"role":"assistant","content":"","tool_calls":[{"id":"123456789","function":{"name":"a","arguments":"{}"}}]},{"role":"tool","tool_call_id":"123456789","content":"one"},{"role":"assistant","content":"(no text)"},{"role":"user","content":"Stop."}]`,
	},
	{
		"roles", pb.Provider_PROVIDER_BEDROCK_CONVERSE,
		`[{"role":"assistant","content":[{"text":"a"}]},{"role":"user","content":[{"text":"b"}]},{"role":"user","content":[{"text":"c"}]}]`,
		"0 ROLE_ORDER, 2 ROLE_ORDER",
		`[{"role":"user","content":[{"text":"(earlier messages were left out)"}]},{"role":"assistant","content":[{"text":"a"}]},{"role":"user","content":[{"text":"b"},{"text":"c"}]}]`,
	},
	{
		"responses out of order", pb.Provider_PROVIDER_GEMINI,
		`[{"role":"user","parts":[{"text":"Go."}]},{"role":"model","parts":[{"functionCall":{"name":"a","args":{}}},{"functionCall":{"name":"b"}}]},{"role":"user","parts":[{"functionResponse":{"name":"b","response":{"output":"2"}}},{"functionResponse":{"name":"a","response":{"output":"1"}}}]}]`,
		"2 WRONG_ORDER",
		`[{"role":"user","parts":[{"text":"Go."}]},{"role":"model","parts":[{"functionCall":{"name":"a","args":{}}},{"functionCall":{"name":"b"}}]},{"role":"user","parts":[{"functionResponse":{"name":"a","response":{"output":"1"}}},{"functionResponse":{"name":"b","response":{"output":"2"}}}]}]`,
	},
	{
		"items", pb.Provider_PROVIDER_OPENAI_RESPONSES,
		`[{"type":"function_call_output","call_id":"c1","output":"one"},{"type":"reasoning","id":"rs_1","summary":[]},{"type":"function_call","call_id":"c1","name":"a","arguments":"{}"},{"type":"custom_tool_call","call_id":"c2","name":"b","input":"x"}]`,
		"0 WRONG_ORDER, 3 UNANSWERED_CALL",
		`[{"type":"reasoning","id":"rs_1","summary":[]},{"type":"function_call","call_id":"c1","name":"a","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"one"},{"type":"custom_tool_call","call_id":"c2","name":"b","input":"x"},{"type":"custom_tool_call_output","call_id":"c2","output":"UNANSWERED"}]`,
	},
	{
		"ids used again in every turn", pb.Provider_PROVIDER_CHAT,
		`[{"role":"assistant","content":"","tool_calls":[{"id":"call_0","type":"function","function":{"name":"a","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_0","content":"1"},{"role":"assistant","content":"","tool_calls":[{"id":"call_0","type":"function","function":{"name":"a","arguments":"{}"}}]},{"role":"tool","tool_call_id":"call_0","content":"2"}]`,
		"", "",
	},
	{
		"messages from before calls had ids", pb.Provider_PROVIDER_CHAT,
		`[{"role":"system","content":"x"},{"role":"user","content":"Go.","system_prompt":"y"},{"role":"assistant","content":"Done."},{"role":"user","content":"<tool_result>\na:\none\n</tool_result>"}]`,
		"", "",
	},
}

func TestLint(t *testing.T) {
	t.Parallel()
	for _, b := range brokenTranscripts {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			resp := lint(t, b.provider, b.transcript)
			var got []string
			for _, f := range resp.GetFindings() {
				got = append(got, fmt.Sprintf("%d %s", f.GetMessage(), strings.TrimPrefix(f.GetRule().String(), "TRANSCRIPT_RULE_")))
			}
			if diff := cmp.Diff(b.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			want := b.repaired
			if want == "" {
				want = b.transcript
			}
			if diff := cmp.Diff(want, masked(resp.GetRepairedJson())); diff != "" {
				t.Errorf("repaired (-want +got):\n%s", diff)
			}
			if again := lint(t, b.provider, resp.GetRepairedJson()); again.GetTotal() > 0 || again.GetRepairedJson() != resp.GetRepairedJson() {
				t.Errorf("after the repair: %v", again.GetFindings())
			}
		})
	}
}

// masked shortens the long texts of a repair.
func masked(text string) string {
	text = strings.ReplaceAll(text, "Tool error: this call has no result. The run was interrupted; the tool may or may not have run.", "UNANSWERED")
	return strings.ReplaceAll(text, "fs_read_7I5sRT", "fs_read_DIGEST")
}

// TestRepair breaks transcripts at random. A repaired transcript has no findings, a second repair changes nothing,
// messages before the first change are the same, and no text of a result is lost.
func TestRepair(t *testing.T) {
	for _, provider := range turntest.Providers() {
		t.Run(provider.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				messages := []string{turntest.UserMessage(provider)}
				for range rapid.IntRange(1, 4).Draw(t, "turns") {
					messages = append(messages, encode(t, turntest.Turn(t, provider))...)
				}
				checkRepair(t, provider, breakMessages(t, messages))
			})
		})
	}
}

// encode writes a turn, and a message of the user if the turn ends with the model.
func encode(t *rapid.T, turn *pb.EncodeTurnRequest) []string {
	resp, err := transports.EncodeTurn(turn, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	messages := resp.GetMessagesJson()
	if len(turn.GetAssistant().GetToolCalls()) == 0 && len(turn.GetNotices()) == 0 && turn.GetUserText() == "" {
		messages = append(messages, turntest.UserMessage(turn.GetProvider()))
	}
	return messages
}

// breakMessages loses, repeats, moves and empties messages and blocks.
func breakMessages(t *rapid.T, messages []string) []string {
	messages = slices.Clone(messages)
	for range rapid.IntRange(1, 4).Draw(t, "faults") {
		if len(messages) == 0 {
			break
		}
		i, j := rapid.IntRange(0, len(messages)-1).Draw(t, "i"), rapid.IntRange(0, len(messages)-1).Draw(t, "j")
		switch rapid.IntRange(0, 4).Draw(t, "fault") {
		case 0:
			messages = slices.Delete(messages, i, i+1)
		case 1:
			messages = slices.Insert(messages, j, messages[i])
		case 2:
			messages[i], messages[j] = messages[j], messages[i]
		case 3:
			messages[i] = withoutElement(t, messages[i])
		default:
			messages[i] = strings.NewReplacer(`"call_0"`, `"call_1"`, `"Go on."`, `""`, `"read"`, `"a b"`, `"{}"`, `"{"`).Replace(messages[i])
		}
	}
	return messages
}

// withoutElement removes an element of the list of a message.
func withoutElement(t *rapid.T, message string) string {
	var m map[string]any
	if err := json.Unmarshal([]byte(message), &m); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"tool_calls", "parts", "content"} {
		if list, ok := m[key].([]any); ok && len(list) > 0 {
			at := rapid.IntRange(0, len(list)-1).Draw(t, "at")
			m[key] = slices.Delete(list, at, at+1)
			break
		}
	}
	return mustJSON(t, m)
}

func checkRepair(t *rapid.T, provider pb.Provider, messages []string) {
	text := turntest.Array(messages)
	resp, err := transcript.Lint(&pb.LintTranscriptRequest{Provider: provider, TranscriptJson: text, Repair: true})
	if err != nil {
		t.Fatal(err)
	}
	again, err := transcript.Lint(&pb.LintTranscriptRequest{Provider: provider, TranscriptJson: resp.GetRepairedJson(), Repair: true})
	if err != nil {
		t.Fatal(err)
	}
	if again.GetTotal() > 0 || again.GetRepairedJson() != resp.GetRepairedJson() {
		t.Fatalf("after the repair: %v\nof\n%s\nwhich is\n%s", again.GetFindings(), lines(text), lines(resp.GetRepairedJson()))
	}
	if (resp.FirstChanged == nil) != (resp.GetRepairedJson() == text) {
		t.Fatalf("the first change is %v", resp.FirstChanged)
	}
	var repaired []json.RawMessage
	if err := json.Unmarshal([]byte(resp.GetRepairedJson()), &repaired); err != nil {
		t.Fatal(err)
	}
	for i := range resp.GetFirstChanged() {
		if string(repaired[i]) != messages[i] {
			t.Fatalf("message %d is before the first change, and changed", i)
		}
	}
	for _, text := range transcript.PairedTexts(provider, text) {
		if text != "" && !strings.Contains(unbroken(resp.GetRepairedJson()), unbroken(mustJSON(t, text))) {
			t.Fatalf("%q is lost:\n%s\nbecame\n%s", text, lines(text), lines(resp.GetRepairedJson()))
		}
	}
}

// unbroken removes backslashes, which break marks, and quotes.
func unbroken(text string) string { return strings.NewReplacer(`\`, "", `"`, "").Replace(text) }

// mustJSON writes a value as messages have it, without escapes for HTML.
func mustJSON(t *rapid.T, value any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

func lines(text string) string { return strings.ReplaceAll(text, "},{", "},\n{") }
