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
)

// ratio reports how often the floor fits into the time of one operation.
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

// longTurn is a turn with four receipts of some 8 KB.
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

// BenchmarkLintTranscript lints 200 turns of four calls, 6.8 MB. The floor is to see that
// it is JSON.
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
	transcript := turntest.Array(messages)
	b.SetBytes(int64(len(transcript)))
	b.ReportAllocs()
	for b.Loop() {
		lint, err := transports.LintTranscript(&pb.LintTranscriptRequest{Provider: provider, TranscriptJson: transcript, Repair: true})
		if err != nil || lint.GetTotal() > 0 {
			b.Fatal(lint, err)
		}
	}
	ratio(b, func() {
		if !json.Valid([]byte(transcript)) {
			b.Fatal(os.ErrInvalid)
		}
	})
}
