package auditapi

import (
	"context"
	"strings"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/textscan"
)

// maxSummary bounds each text of a summary, in bytes.
const maxSummary = 200

// summarize sets the summaries of records of a list, each made of the whole record. A record that cannot be read whole is listed
// without one.
func (a *Service) summarize(ctx context.Context, records []*pb.AuditRecord) error {
	for _, r := range records {
		if r.GetReceipt() == nil {
			continue
		}
		whole, err := a.Recorder.Log.Get(ctx, r.GetSequence())
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			r.Summary = a.summary(whole)
		}
	}
	return nil
}

// summary returns a record in short.
func (a *Service) summary(r *pb.AuditRecord) *pb.AuditSummary {
	outcome, _, _ := strings.Cut(r.GetReceipt().GetText(), "\n")
	s := &pb.AuditSummary{Outcome: bounded(outcome), Failed: r.GetCanonical().GetError() != nil}
	_, payload := envelope.Payload(r.GetCanonical())
	if payload == nil || r.GetCanonical().GetError() != nil {
		return s
	}
	if traits, err := envelope.ReadTraits(payload.Descriptor()); err == nil {
		s.Subject, s.Failed = bounded(traits.Subject(payload)), traits.Failed(payload)
	}
	return s
}

// bounded returns text as one line of at most maxSummary bytes.
func bounded(text string) string {
	line := textscan.OneLine(text)
	if len(line) <= maxSummary {
		return line
	}
	return strings.ToValidUTF8(line[:maxSummary-len("…")], "") + "…"
}
