package server_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/server"
	"github.com/toolresult/toolresult/server/config"
)

func TestMain(m *testing.M) { servertest.Main(m) }

// newServices assembles services as a server does, of the parts of a harness, with the changes of a test.
func newServices(t testing.TB, h *servertest.Harness, changes ...func(*server.Parts)) *server.Services {
	t.Helper()
	parts := server.Parts{
		Registry: h.Registry, Catalog: h.Catalog, Secrets: h.Options.Secrets, Patterns: h.Options.Patterns, Recorder: h.Options.Recorder,
		Info: server.Info(""), StreamIdle: servertest.Idle, MaxAnswer: 4 << 20, Logger: h.Options.Logger,
	}
	for _, change := range changes {
		change(&parts)
	}
	s, err := server.NewServices(parts)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// puts counts what is stored.
type puts struct {
	servertest.Meter
	bytes atomic.Int64
}

// Put counts n.
func (p *puts) Put(_ context.Context, n int64, _ time.Time, _ error) { p.bytes.Add(n) }

// TestServicesShareTheirParts projects an output by the budget of the operator: its artifact is measured and read by a tool, its
// record is in the log, and its receipt is encoded and compacted.
func TestServicesShareTheirParts(t *testing.T) {
	t.Parallel()
	m := &puts{}
	s := newServices(t, servertest.NewArchive(t), func(p *server.Parts) {
		p.Metrics, p.Budgets = m, []config.Budget{{Tool: "?*", Tokens: 150}}
	})
	text := ""
	for i := 0; len(text) < 9000; i++ {
		text += fmt.Sprintf("compiling unit %d of the program\n", i)
	}
	call := &pb.CallReference{SessionId: "s", CallId: "c"}
	resp, err := s.Results.Project(t.Context(), &pb.ProjectRequest{Output: servertest.Command("make", 0, text), Call: call})
	if err != nil || resp.GetReceipt().GetTokens() > 150 {
		t.Fatalf("%d tokens, %v", resp.GetReceipt().GetTokens(), err)
	}
	if n := m.bytes.Load(); n != int64(len(text)) || len(m.Take()) != 1 {
		t.Errorf("%d bytes are measured, want %d", n, len(text))
	}
	path := resp.GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
	page, err := s.Tools.CallTool(t.Context(), &pb.CallToolRequest{
		Name: "read_result", ArgumentsJson: fmt.Sprintf(`{"result":%q,"lines":1}`, path), Call: call,
	})
	if err != nil || !strings.HasPrefix(text, page.GetCanonical().GetText().GetContentPreview()) {
		t.Errorf("%v, %v", page, err)
	}
	records, err := s.Audit.ListRecords(t.Context(), &pb.ListRecordsRequest{SessionId: "s"})
	if err != nil || len(records.GetRecords()) != 2 || records.GetRecords()[1].GetReceipt().GetTokens() != resp.GetReceipt().GetTokens() {
		t.Errorf("%v, %v", records, err)
	}
	encoded, err := s.Transport.EncodeTurn(t.Context(), turnOf(resp.GetCanonical()))
	if err != nil || !strings.Contains(encoded.String(), path) {
		t.Errorf("%v, %v", encoded, err)
	}
	compacted, err := s.Results.Compact(t.Context(), &pb.CompactRequest{
		SessionId: "s", Entries: []*pb.CompactEntry{{CallId: "c"}}, Policy: &pb.CompactionPolicy{Level: pb.CompactionLevel_COMPACTION_LEVEL_LINE},
	})
	if err != nil || len(compacted.GetResults()) != 1 || len(m.Compactions) != 1 {
		t.Errorf("%v, %v", compacted, err)
	}
}

// turnOf is a turn of one result.
func turnOf(r *pb.CanonicalToolResult, others ...*pb.TurnResult) *pb.EncodeTurnRequest {
	req := &pb.EncodeTurnRequest{Provider: pb.Provider_PROVIDER_ANTHROPIC_MESSAGES, Assistant: &pb.AssistantTurn{}}
	req.Results = append([]*pb.TurnResult{{Content: &pb.TurnResult_Canonical{Canonical: r}}}, others...)
	for i := range req.Results {
		req.Assistant.ToolCalls = append(req.Assistant.ToolCalls, &pb.ParsedToolCall{Tool: "View", Id: new("call_" + string(rune('a'+i)))})
	}
	return req
}
