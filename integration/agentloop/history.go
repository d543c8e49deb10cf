package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// turn is one answer of the model and what came of it: all that it takes to encode it
// again.
type turn struct {
	assistant *pb.AssistantTurn
	results   []*result // one for each call
	notices   []string  // of what the model said and was not done
	messages  []string  // as they are sent
}

// result is what came of a call: what is kept, and what the model reads.
type result struct {
	call      string
	canonical *pb.CanonicalToolResult
	receipt   *pb.Receipt
}

// project makes results of the outputs of a turn, which share one budget. Two turns are
// protected when the history is compacted to half of the whole, so one has an eighth.
func (l *loop) project(ctx context.Context, t *turn, outputs []*pb.CompleteToolOutput) error {
	if len(outputs) == 0 {
		return nil
	}
	req := &pb.ProjectTurnRequest{TotalTokens: uint32(l.budget / 8), RequestId: fmt.Sprintf("turn-%d", len(l.turns))}
	for i, output := range outputs {
		call := &pb.CallReference{SessionId: l.session, CallId: l.callID(t, i)}
		req.Outputs = append(req.Outputs, &pb.ProjectRequest{Output: output, Call: call})
	}
	resp, err := l.ProjectTurn(ctx, req)
	for i, r := range resp.GetResults() {
		t.results = append(t.results, &result{req.GetOutputs()[i].GetCall().GetCallId(), r.GetCanonical(), r.GetReceipt()})
	}
	return err
}

// callID is the provider's id of a call or, as calls in text have none, its place.
func (l *loop) callID(t *turn, i int) string {
	if id := t.assistant.GetToolCalls()[i].GetId(); id != "" {
		return id
	}
	return fmt.Sprintf("call-%d.%d", len(l.turns), i+1)
}

// encode makes the messages of a turn.
func (l *loop) encode(ctx context.Context, t *turn) error {
	req := &pb.EncodeTurnRequest{
		Provider: provider, Format: l.format, Assistant: t.assistant, Notices: t.notices, SessionId: l.session,
	}
	for _, r := range t.results {
		req.Results = append(req.Results, &pb.TurnResult{
			Content: &pb.TurnResult_Canonical{Canonical: r.canonical}, Receipt: r.receipt,
		})
	}
	resp, err := l.EncodeTurn(ctx, req)
	for _, change := range resp.GetChanges() {
		log.Printf("%v: %s", change.GetChange(), change.GetDetail())
	}
	t.messages = resp.GetMessagesJson()
	return err
}

// fit compacts the history when its receipts cost more than the budget, to half of it, so
// that the next time is far away. Turns that change are encoded again; all before them
// stay byte for byte, for the provider's cache.
func (l *loop) fit(ctx context.Context) (compacted string, err error) {
	if l.tokens() <= l.budget {
		return "", nil
	}
	resp, err := l.Compact(ctx, l.history())
	if err != nil {
		return "", err
	}
	if missing := resp.GetPlan().GetShortfallTokens(); missing > 0 {
		log.Printf("the history has %d tokens more than it should", missing)
	}
	left, at := resp.GetResults(), uint32(0)
	for _, t := range l.turns {
		changed := false
		for _, r := range t.results {
			if len(left) > 0 && left[0].GetIndex() == at {
				r.canonical, r.receipt, changed = left[0].GetCanonical(), left[0].GetReceipt(), true
				left = left[1:]
			}
			at++
		}
		if changed {
			if err := l.encode(ctx, t); err != nil {
				return "", err
			}
			compacted = ", compacted"
		}
	}
	return compacted, nil
}

// history is all results, and what the sidecar has to know to weigh them. Those of the
// last turn were not sent yet.
func (l *loop) history() *pb.CompactRequest {
	req := &pb.CompactRequest{SessionId: l.session}
	sent := 0
	for i, t := range l.turns {
		sent = len(req.GetEntries())
		for _, r := range t.results {
			req.Entries = append(req.Entries, &pb.CompactEntry{
				Result: &pb.CompactEntry_Canonical{Canonical: r.canonical}, CallId: r.call, Turn: uint32(i + 1),
			})
		}
	}
	req.Policy = &pb.CompactionPolicy{
		TotalTokens: uint32(l.budget / 2),
		Protect:     &pb.ProtectionPolicy{LastTurns: 2},
		Cache:       &pb.CachePolicy{CachedResults: uint32(sent), CacheBreak: pb.CacheBreak_CACHE_BREAK_WHEN_NEEDED},
	}
	return req
}

// lint asks what the provider would refuse in the transcript.
func (l *loop) lint(ctx context.Context) error {
	resp, err := l.LintTranscript(ctx, &pb.LintTranscriptRequest{Provider: provider, TranscriptJson: l.transcript()})
	for _, f := range resp.GetFindings() {
		return fmt.Errorf("the provider would refuse message %d: %v: %s", f.GetMessage(), f.GetRule(), f.GetDetail())
	}
	return err
}

// transcript is all messages, as one JSON array.
func (l *loop) transcript() string {
	messages := l.opening
	for _, t := range l.turns {
		messages = append(messages[:len(messages):len(messages)], t.messages...)
	}
	return "[" + strings.Join(messages, ",") + "]"
}

// tokens is what all receipts cost.
func (l *loop) tokens() (sum uint) {
	for _, t := range l.turns {
		for _, r := range t.results {
			sum += uint(r.receipt.GetTokens())
		}
	}
	return sum
}
