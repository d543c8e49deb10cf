package transports_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"pgregory.net/rapid"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports"
	"github.com/toolresult/toolresult/transports/internal/markup"
	"github.com/toolresult/toolresult/transports/internal/turntest"
	"github.com/toolresult/toolresult/transports/transcript"
)

// history is a sequence of encoded turns, with the exchanges that they must contain. Turns that end with the model are
// followed by a message of the user.
type history struct {
	messages []string
	want     []exchange
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
		x := exchange{ID: resp.GetCalls()[i].GetId(), Name: resp.GetCalls()[i].GetName(), Answered: true}
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
		h.messages = append(h.messages, turntest.UserMessage(provider))
	}
}

// templated reports whether a provider turns messages into text by a template, so that marks in receipts are broken.
func templated(p pb.Provider) bool {
	return p == pb.Provider_PROVIDER_CHAT || p == pb.Provider_PROVIDER_OLLAMA
}

// TestEncodedHistories encodes random histories for every provider. The linter accepts them, and every call has exactly
// one answer, in order.
func TestEncodedHistories(t *testing.T) {
	for _, provider := range turntest.Providers() {
		t.Run(provider.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				h := history{messages: []string{turntest.UserMessage(provider)}}
				for range rapid.IntRange(1, 6).Draw(t, "turns") {
					h.add(t, provider, turntest.Turn(t, provider))
				}
				h.check(t, provider)
			})
		})
	}
}

func (h *history) check(t *rapid.T, provider pb.Provider) {
	messages := turntest.Array(h.messages)
	if !json.Valid([]byte(messages)) {
		t.Fatalf("no JSON: %s", messages)
	}
	lint, err := transcript.Lint(&pb.LintTranscriptRequest{Provider: provider, TranscriptJson: messages, Repair: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(lint.GetFindings()) > 0 || lint.GetRepairedJson() != messages || lint.FirstChanged != nil {
		t.Fatalf("the linter finds %v in\n%s", lint.GetFindings(), strings.Join(h.messages, "\n"))
	}
	got := decode(provider, messages)
	if len(got) != len(h.want) {
		t.Fatalf("%d exchanges were decoded of %d:\n%s", len(got), len(h.want), strings.Join(h.messages, "\n"))
	}
	for i, x := range got {
		if problem := differs(h.want[i], x); problem != "" {
			t.Fatalf("exchange %d: %s: %+v, not %+v\n%s", i, problem, x, h.want[i], strings.Join(h.messages, "\n"))
		}
	}
}

func differs(want, got exchange) string {
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

// The text of the user alone is one message of any provider.
func TestUserAlone(t *testing.T) {
	t.Parallel()
	for _, provider := range turntest.Providers() {
		resp, err := transports.EncodeTurn(&pb.EncodeTurnRequest{Provider: provider, UserText: "Build it."}, nil, 0)
		if err != nil || len(resp.GetMessagesJson()) != 1 || len(resp.GetChanges()) > 0 {
			t.Fatalf("%v: %v, %v", provider, resp, err)
		}
		found, err := transcript.Lint(&pb.LintTranscriptRequest{Provider: provider, TranscriptJson: turntest.Array(resp.GetMessagesJson())})
		if err != nil || found.GetTotal() > 0 {
			t.Errorf("%v: %v, %v", resp, found, err)
		}
	}
}
