package transcript_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports/transcript"
)

// Text that is no transcript is an error with its field, not a finding.
func TestNoTranscriptIsAnError(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		provider          pb.Provider
		text, field, want string
	}{
		{0, "[]", "provider", "is required"},
		{pb.Provider_PROVIDER_CHAT, "", "transcript_json", "is required"},
		{pb.Provider_PROVIDER_CHAT, "{}", "transcript_json", "is no JSON array"},
		{pb.Provider_PROVIDER_CHAT, "[", "transcript_json", "is no JSON array"},
		{pb.Provider_PROVIDER_CHAT, `[{"role":"user","content":"x"},7]`, "transcript_json[1]", "is no JSON object"},
		{pb.Provider_PROVIDER_CHAT, `[{"content":"x"}]`, "transcript_json[0]", "has no role"},
		{pb.Provider_PROVIDER_BEDROCK_CONVERSE, `[{"role":"user","content":[7]}]`, "transcript_json[0]", "has a part that is no JSON object"},
	} {
		_, err := transcript.Lint(&pb.LintTranscriptRequest{Provider: c.provider, TranscriptJson: c.text})
		var invalid *envelope.InvalidError
		if !errors.As(err, &invalid) || invalid.Violations[0].Field != c.field || invalid.Violations[0].Message != c.want {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}

// A transcript takes memory by its messages and parts, wherever they are: it has no more of them than a bound, and what the model
// wrote further inside is not counted.
func TestPartsAreBounded(t *testing.T) {
	t.Parallel()
	const most = 131_072
	many := func(n int, part string) string { return "[" + strings.Repeat(part+",", n-1) + part + "]" }
	user := func(content string) string { return `[{"role":"user","content":` + content + "}]" }
	for name, c := range map[string]struct {
		text string
		many bool
	}{
		"messages":           {many(most+1, "[]"), true},
		"parts":              {user(many(most, "{}")), true},
		"parts of results":   {user(`[{"toolResult":{"content":` + many(most-1, "{}") + "}}]"), true},
		"no more than that":  {user(many(most-1, `{"text":"x"}`)), false},
		"arguments of calls": {user(`[{"toolUse":{"toolUseId":"t","name":"a","input":{"xs":{"ys":` + many(most+1, "1") + "}}}}]"), false},
		"commas in a text":   {user(`[{"text":"` + strings.Repeat(",[]", most) + `"}]`), false},
	} {
		_, err := transcript.Lint(&pb.LintTranscriptRequest{Provider: pb.Provider_PROVIDER_BEDROCK_CONVERSE, TranscriptJson: c.text})
		var invalid *envelope.InvalidError
		if tooLong := errors.As(err, &invalid) && invalid.Violations[0].Reason == pb.ErrorReason_ERROR_REASON_FIELD_TOO_LONG; tooLong != c.many {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Without a request for a repair there is none, and findings are bounded while their number is exact.
func TestFindingsAreBounded(t *testing.T) {
	t.Parallel()
	one := `{"role":"tool","tool_call_id":"c1","content":"x"}`
	text := "[" + one + strings.Repeat(","+one, 1000) + "]"
	resp, err := transcript.Lint(&pb.LintTranscriptRequest{Provider: pb.Provider_PROVIDER_CHAT, TranscriptJson: text})
	if err != nil || len(resp.GetFindings()) != 1000 || resp.GetTotal() != 1001 || resp.RepairedJson != nil || resp.FirstChanged != nil {
		t.Errorf("%d findings of %d, %v", len(resp.GetFindings()), resp.GetTotal(), err)
	}
}

// Details of findings say what a runtime has to change.
func TestFindingsSayWhatIsWrong(t *testing.T) {
	t.Parallel()
	call := func(id string) string {
		return `{"id":"` + id + `","type":"function","function":{"name":"a","arguments":"{}"}}`
	}
	for _, c := range []struct {
		provider   pb.Provider
		text, want string
	}{
		{pb.Provider_PROVIDER_OPENAI_CHAT, `[{"role":"assistant","content":"","tool_calls":[` + call("") + `]}]`, "the call has no id"},
		{pb.Provider_PROVIDER_OPENAI_CHAT, `[{"role":"assistant","content":"","tool_calls":[` + call("é") + `]}]`, "the id has 2 bytes, or characters that the provider does not take"},
		{pb.Provider_PROVIDER_OPENAI_CHAT, `[{"role":"assistant","content":"","tool_calls":[` + call("c1") + "," + call("c1") + `]}]`, "another call of the message has this id"},
		{pb.Provider_PROVIDER_MISTRAL, `[{"role":"assistant","content":""}]`, "the message has neither content nor calls"},
		{pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, `[{"role":"user","content":[]}]`, "the message has no content"},
		{pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, `[{"role":"assistant","content":"x"}]`, "the first message is not the user's"},
		{pb.Provider_PROVIDER_OPENAI_CHAT, `[{"role":"assistant","content":"","tool_calls":[{"id":"c1","function":{"name":"a","arguments":""}}]}]`, "a: the arguments are empty"},
	} {
		resp := lint(t, c.provider, c.text)
		found := false
		for _, f := range resp.GetFindings() {
			found = found || f.GetDetail() == c.want
		}
		if !found {
			t.Errorf("%s: %v", c.text, resp.GetFindings())
		}
		if again := lint(t, c.provider, resp.GetRepairedJson()); again.GetTotal() > 0 {
			t.Errorf("%s is repaired to %s: %v", c.text, resp.GetRepairedJson(), again.GetFindings())
		}
	}
}
