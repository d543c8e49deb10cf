package transports_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/transports"
	"github.com/toolresult/toolresult/transports/internal/turntest"
	"github.com/toolresult/toolresult/transports/streams"
	"github.com/toolresult/toolresult/transports/transcript"
)

// chunks returns a streamed answer of n tokens: text, and then a call with long arguments.
func chunks(tokens int) (body []byte, events []string) {
	const chunk = `{"id":"chatcmpl-BhcR5GSZ1l","object":"chat.completion.chunk","created":1763800000,"model":"gpt-5","service_tier":"default",` +
		`"system_fingerprint":"fp_1","choices":[{"index":0,"delta":%s,"logprobs":null,"finish_reason":null}],"usage":null,"obfuscation":"dFJ1c3Q"}`
	for i := range tokens {
		delta := `{"content":" word"}`
		if i > tokens/2 {
			delta = `{"tool_calls":[{"index":0,"function":{"arguments":"word "}}]}`
		}
		events = append(events, fmt.Sprintf(chunk, delta))
	}
	events = append([]string{fmt.Sprintf(chunk, `{"role":"assistant","content":"","tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"fs___write","arguments":"{\"text\":\""}}]}`)}, events...)
	events = append(events, fmt.Sprintf(chunk, `{"tool_calls":[{"index":0,"function":{"arguments":"\"}"}}]}`))
	for _, e := range events {
		body = append(body, "data: "+e+"\n\n"...)
	}
	return append(body, "data: [DONE]\n\n"...), events
}

// ratio reports the time of one operation as a multiple of a floor.
func ratio(b *testing.B, floor func()) {
	b.Helper()
	perOp := b.Elapsed() / time.Duration(b.N)
	best := time.Hour
	for range 5 {
		start := time.Now()
		floor()
		best = min(best, time.Since(start))
	}
	b.ReportMetric(float64(perOp)/float64(best), "x-floor")
}

// BenchmarkAssemble reads an answer of 4,000 tokens. The floor is the least that any client does: decode every event
// with the standard library.
func BenchmarkAssemble(b *testing.B) {
	body, events := chunks(4000)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		a, err := streams.NewAssembler(&pb.AssembleHeader{Provider: pb.Provider_PROVIDER_OPENAI_CHAT}, func(string) []streams.ReceiptLine { return nil })
		if err != nil {
			b.Fatal(err)
		}
		for rest := body; len(rest) > 0; {
			n := min(len(rest), 4<<10)
			if err := a.Body(rest[:n]); err != nil {
				b.Fatal(err)
			}
			rest = rest[n:]
		}
		if resp := a.Finish(); len(resp.GetAssistant().GetToolCalls()) != 1 {
			b.Fatal(resp)
		}
	}
	ratio(b, func() {
		for _, e := range events {
			var chunk struct {
				Choices []struct {
					Delta struct {
						Content   string
						ToolCalls []struct{ Function struct{ Arguments string } } `json:"tool_calls"`
					}
				}
			}
			if err := json.Unmarshal([]byte(e), &chunk); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// longTurn is a turn with four receipts of about 8 KB.
func longTurn(b *testing.B, provider pb.Provider) *pb.EncodeTurnRequest {
	b.Helper()
	req := &pb.EncodeTurnRequest{Provider: provider, Assistant: &pb.AssistantTurn{Content: "I look."}}
	text := "Process exited with code 1\nstdout:\n" + strings.Repeat("src/lib.rs:7: error: \"mismatched types\" <T>\n", 180)
	for i := range 4 {
		req.Assistant.ToolCalls = append(req.Assistant.ToolCalls, &pb.ParsedToolCall{
			Server: "shell", Tool: "run", Arguments: `{"command":"cargo build"}`, Id: proto.String(fmt.Sprintf("call_%04d", i)),
		})
		req.Results = append(req.Results, &pb.TurnResult{
			Content: &pb.TurnResult_Canonical{Canonical: turntest.Result(false)}, Receipt: &pb.Receipt{Text: text},
		})
	}
	return req
}

// BenchmarkEncodeTurn encodes four receipts of 8 KB. The floor is to quote them as JSON.
func BenchmarkEncodeTurn(b *testing.B) {
	for _, provider := range []pb.Provider{pb.Provider_PROVIDER_OPENAI_CHAT, pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, pb.Provider_PROVIDER_OLLAMA} {
		b.Run(provider.String(), func(b *testing.B) {
			req := longTurn(b, provider)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := transports.EncodeTurn(req, nil, 0); err != nil {
					b.Fatal(err)
				}
			}
			ratio(b, func() {
				for _, r := range req.GetResults() {
					if _, err := json.Marshal(r.GetReceipt().GetText()); err != nil {
						b.Fatal(err)
					}
				}
			})
		})
	}
}

// BenchmarkLintTranscript lints 200 turns of four calls, 6.8 MB. The floor is to check that they are JSON.
func BenchmarkLintTranscript(b *testing.B) {
	provider := pb.Provider_PROVIDER_ANTHROPIC_MESSAGES
	resp, err := transports.EncodeTurn(longTurn(b, provider), nil, 0)
	if err != nil {
		b.Fatal(err)
	}
	messages := []string{turntest.UserMessage(provider)}
	for range 200 {
		messages = append(messages, resp.GetMessagesJson()...)
	}
	text := turntest.Array(messages)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		lint, err := transcript.Lint(&pb.LintTranscriptRequest{Provider: provider, TranscriptJson: text, Repair: true})
		if err != nil || lint.GetTotal() > 0 {
			b.Fatal(lint, err)
		}
	}
	ratio(b, func() {
		if !json.Valid([]byte(text)) {
			b.Fatal(os.ErrInvalid)
		}
	})
}
