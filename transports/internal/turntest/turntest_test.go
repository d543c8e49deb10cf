package turntest_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports"
	"github.com/toolresult/toolresult/transports/internal/turntest"
)

// drawn is a turn and the provider that it was drawn for.
type drawn struct {
	provider pb.Provider
	turn     *pb.EncodeTurnRequest
}

// Every turn that is drawn is valid, and together 200 of them, always the same ones, have each feature that a test of histories
// relies on. A generator that lost one would make those tests pass for nothing.
func TestTurnsAreValidAndVaried(t *testing.T) {
	turns := rapid.Custom(func(t *rapid.T) drawn {
		provider := rapid.SampledFrom(turntest.Providers()).Draw(t, "provider")
		return drawn{provider, turntest.Turn(t, provider)}
	})
	seen := map[string]bool{}
	for seed := range 200 {
		d := turns.Example(seed)
		if _, err := transports.EncodeTurn(d.turn, nil, 0); err != nil {
			t.Fatal(err)
		}
		for feature, has := range features(d) {
			seen[feature] = seen[feature] || has
		}
	}
	for feature, has := range seen {
		if !has {
			t.Errorf("no turn was drawn with this feature: %s", feature)
		}
	}
}

// features returns which features a turn has.
func features(d drawn) map[string]bool {
	turn, calls := d.turn, d.turn.GetAssistant().GetToolCalls()
	return map[string]bool{
		"provider " + d.provider.String(): true, "no calls": len(calls) == 0, "calls": len(calls) > 1, "unanswered": len(turn.GetResults()) < len(calls),
		"text": turn.GetFormat() == pb.ToolCallFormat_TOOL_CALL_FORMAT_TEXT, "notices": len(turn.GetNotices()) > 0, "user": turn.GetUserText() != "",
		"custom": slices.ContainsFunc(calls, (*pb.ParsedToolCall).GetCustom),
		"no id":  slices.ContainsFunc(calls, func(c *pb.ParsedToolCall) bool { return c.Id == nil }),
		"media":  slices.ContainsFunc(turn.GetResults(), func(r *pb.TurnResult) bool { return len(r.GetMedia()) > 0 }),
		"error":  slices.ContainsFunc(turn.GetResults(), func(r *pb.TurnResult) bool { return r.GetCanonical().GetError() != nil }),
	}
}

// Text is valid UTF-8 with something to see, as receipts are.
func TestTextIsNeverBlank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		if text := turntest.Text.Draw(t, "text"); !utf8.ValidString(text) || strings.TrimSpace(text) == "" {
			t.Fatalf("%q", text)
		}
	})
}

func TestResultsAndMessagesAreValid(t *testing.T) {
	for _, failed := range []bool{false, true} {
		r := turntest.Result(failed)
		if err := envelope.ValidateCanonical("", r, nil); err != nil || (r.GetStatus() == pb.ToolStatus_TOOL_STATUS_ERROR) != failed {
			t.Errorf("%v: %v", r, err)
		}
	}
	var messages []string
	for _, p := range turntest.Providers() {
		messages = append(messages, turntest.UserMessage(p))
	}
	for n := range 3 {
		var list []map[string]any
		if err := json.Unmarshal([]byte(turntest.Array(messages[:n])), &list); err != nil || len(list) != n {
			t.Errorf("%d messages are %v, %v", n, list, err)
		}
	}
	if len(messages) != len(pb.Provider_name)-1 {
		t.Errorf("%d providers", len(messages))
	}
}
