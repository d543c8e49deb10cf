package compaction_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/renderers"
)

// compactWire is the client's side of a CompactStream call.
type compactWire struct {
	grpc.ServerStream
	ctx      context.Context // of the call
	requests []*pb.CompactStreamRequest
	answers  []*pb.CompactStreamResponse
}

func (w *compactWire) Context() context.Context { return w.ctx }

func (w *compactWire) RecvMsg(m any) error {
	if len(w.requests) == 0 {
		return io.EOF
	}
	encoded, err := proto.Marshal(w.requests[0])
	if err != nil {
		return err
	}
	w.requests = w.requests[1:]
	return proto.Unmarshal(encoded, m.(proto.Message))
}

func (w *compactWire) SendMsg(m any) error {
	w.answers = append(w.answers, proto.CloneOf(m.(*pb.CompactStreamResponse)))
	return nil
}

// streamOf are the messages of a stream for a request.
func streamOf(req *pb.CompactRequest) []*pb.CompactStreamRequest {
	list := []*pb.CompactStreamRequest{{Message: &pb.CompactStreamRequest_Header{Header: &pb.CompactHeader{
		Policy: req.GetPolicy(), SessionId: req.GetSessionId(), DryRun: req.GetDryRun(), CanonicalForm: req.GetCanonicalForm(),
	}}}}
	for _, e := range req.GetEntries() {
		list = append(list, &pb.CompactStreamRequest{Message: &pb.CompactStreamRequest_Entry{Entry: e}})
	}
	return list
}

// compactStreamed compacts by a stream, and puts the answers together as Compact has them.
func compactStreamed(ctx context.Context, s harness, messages []*pb.CompactStreamRequest) (*pb.CompactResponse, error) {
	w := &compactWire{ctx: ctx, requests: messages}
	if err := s.CompactStream(&grpc.GenericServerStream[pb.CompactStreamRequest, pb.CompactStreamResponse]{ServerStream: w}); err != nil {
		return nil, err
	}
	var planned []*pb.PlannedResult
	var results []*pb.CompactedResult
	for i, a := range w.answers {
		switch m := a.GetAnswer().(type) {
		case *pb.CompactStreamResponse_Planned:
			planned = append(planned, m.Planned)
		case *pb.CompactStreamResponse_Result:
			if int(m.Result.GetIndex()) != len(planned)-1 || !planned[len(planned)-1].GetChanged() {
				return nil, fmt.Errorf("answer %d is result %d, behind %d plans", i, m.Result.GetIndex(), len(planned))
			}
			results = append(results, m.Result)
		case *pb.CompactStreamResponse_Summary:
			if i < len(w.answers)-1 || len(m.Summary.GetResults()) > 0 || len(m.Summary.GetPlan().GetResults()) > 0 {
				return nil, fmt.Errorf("answer %d of %d is a summary of %d results", i, len(w.answers), len(m.Summary.GetResults()))
			}
			m.Summary.Results, m.Summary.Plan.Results = results, planned
			return m.Summary, nil
		}
	}
	return nil, fmt.Errorf("%d answers without a summary", len(w.answers))
}

// The same history gives the same results by a request and by a stream, whose results are
// in a stage of the store, whether they come as messages or as JSON.
func TestStreamsCompactLikeRequests(t *testing.T) {
	h := newHistories(t)
	spooling := h.with(t, func(p *servertest.Options) { p.StreamMemory = -1 })
	rapid.Check(t, func(t *rapid.T) {
		req := h.request(t)
		req.CanonicalForm = rapid.SampledFrom([]pb.CanonicalForm{0, 1, 2, 3}).Draw(t, "form")
		req.DryRun = rapid.IntRange(1, 10).Draw(t, "dry") == 1
		want := h.run(t, req)
		if rapid.Bool().Draw(t, "json") {
			req = h.asJSON(t, req)
		}
		got, err := compactStreamed(t.Context(), spooling, streamOf(req))
		if err != nil {
			t.Fatal(err)
		}
		if !proto.Equal(got, want) {
			t.Fatal(cmp.Diff(want, got, protocmp.Transform()))
		}
		for _, r := range got.GetResults() {
			if (r.GetCanonical() != nil) == (req.GetCanonicalForm() == 2) || (r.GetCanonicalJson() != "") == (req.GetCanonicalForm() < 2) {
				t.Fatalf("form %v: %v", req.GetCanonicalForm(), r)
			}
		}
	})
}

// asJSON is a request with the RFC's JSON of each result.
func (h *histories) asJSON(t *rapid.T, req *pb.CompactRequest) *pb.CompactRequest {
	req = proto.CloneOf(req)
	for _, e := range req.GetEntries() {
		family, _ := h.Types.Open(e.GetCanonical())
		text, err := envelope.ToCompactJSON(e.GetCanonical())
		if err != nil {
			t.Fatal(err)
		}
		e.Result, e.Family = &pb.CompactEntry_CanonicalJson{CanonicalJson: string(text)}, family
	}
	return req
}

func TestCompactStreamRejectsDisorder(t *testing.T) {
	h := newHarness(t)
	one := streamOf(&pb.CompactRequest{
		Policy: &pb.CompactionPolicy{Level: 1}, Entries: servertest.Entries(h.Canonical(t, servertest.Command("ls", 0, "a\n"))),
	})
	header, entry := one[0], one[1]
	for want, messages := range map[string][]*pb.CompactStreamRequest{
		"message: the first message is the header":             {entry, header},
		"message: the header comes once, and then":             {header, entry, header},
		"entries[1].canonical: is required, or the call_id of": {header, entry, {Message: &pb.CompactStreamRequest_Entry{Entry: &pb.CompactEntry{}}}},
		"header.policy.level: is required":                     streamOf(&pb.CompactRequest{Policy: &pb.CompactionPolicy{}}),
		"header.policy.cache.cached_results: is 2, and at":     {streamOf(&pb.CompactRequest{Policy: &pb.CompactionPolicy{Level: 1, Cache: &pb.CachePolicy{CachedResults: 2}}})[0], entry},
	} {
		if _, err := compactStreamed(t.Context(), h, messages); err == nil || !strings.Contains(servertest.ToStatus(err).Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := compactStreamed(t.Context(), h, nil); err == nil || !strings.Contains(servertest.ToStatus(err).Error(), "the first message is the header") {
		t.Errorf("an empty stream: %v", err)
	}
}

// What this version does not know, or cannot read, stays and is counted, and is no reason to leave the rest as it is.
func TestUnknownResultsAreKept(t *testing.T) {
	h := newHarness(t)
	newer := h.Canonical(t, servertest.Command("ls", 0, "a\n"))
	newer.Result = nil
	newer.ProtoReflect().SetUnknown(protowire.AppendBytes(protowire.AppendTag(nil, 4000, protowire.BytesType), []byte("x")))
	foreign := &pb.CanonicalToolResult{
		ToolName: "Deploy", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "s",
		Result: &pb.CanonicalToolResult_Custom{Custom: &pb.CustomResult{Type: "other.Deployment", PayloadJson: `{"id":1}`}},
	}
	later := h.Canonical(t, servertest.Command("ls", 0, "a\n"))
	later.Status = 9
	noLedger := h.Canonical(t, servertest.Command("ls", 0, "a\n"))
	noLedger.GetCommand().StdoutTruncated = true
	raw := h.Canonical(t, servertest.Command("ls", 0, "a\n"))
	raw.GetCommand().StdoutPreview = new("\x1b[31ma")
	sixth := h.Canonical(t, servertest.Command("ls", 0, "a\n"))
	sixth.GetCommand().StdoutArtifact = new(uint32(6))
	nothing := &pb.CanonicalToolResult{ToolName: "x", SummaryText: "s", Status: 1}
	asJSON := func(text, family string) *pb.CompactEntry {
		return &pb.CompactEntry{Result: &pb.CompactEntry_CanonicalJson{CanonicalJson: text}, Family: family}
	}
	list := append(servertest.Entries(newer, foreign, later, noLedger, raw, sixth, nothing),
		asJSON(`{"tool_name":`, ""),
		asJSON(`[]`, ""),
		asJSON(`{"tool_name":"x","status":"success","summary_text":"\ud800","result":{"content_preview":"a"},"error":null}`, "text"),
		asJSON(`{"tool_name":"x","tool_name":"y"}`, ""),
		asJSON(`{"tool_name":"x","status":"success","summary_text":"s","result":{"orbit":3},"error":null}`, ""),
		asJSON(`{"tool_name":"x","status":"success","summary_text":"s","result":{"orbit":3},"error":null}`, "orbit"),
		asJSON(`{"tool_name":"x","status":"success","summary_text":"s","result":{"id":3},"error":null}`, "other.Deployment"),
		asJSON(`{"tool_name":"x","status":"success","summary_text":"s","result":{"command_preview":"ls","orbit":3},"error":null}`, "command"),
		&pb.CompactEntry{Result: &pb.CompactEntry_Canonical{Canonical: h.Canonical(t, servertest.Command("make", 0, string(servertest.LogText(6000))))}},
	)
	resp, err := h.Compact(t.Context(), &pb.CompactRequest{Entries: list, Policy: &pb.CompactionPolicy{Level: 3}})
	if err != nil {
		t.Fatal(err)
	}
	last := len(list) - 1
	if n := resp.GetPlan().GetUnknownResults(); int(n) != last {
		t.Errorf("%d results are not known, want %d", n, last)
	}
	unknown, all := uint64(0), uint64(0)
	for i, p := range resp.GetPlan().GetResults() {
		all += uint64(p.GetTokensAfter())
		if i == last {
			break
		}
		unknown += uint64(p.GetTokensBefore())
		if p.GetHold() != pb.ResultHold_RESULT_HOLD_UNKNOWN || p.GetTokensBefore() == 0 || p.GetTokensBefore() != p.GetTokensAfter() || p.GetChanged() ||
			p.GetUnknownWhy() == "" || len(p.GetUnknownWhy()) > 256 {
			t.Errorf("result %d: %v", i, p)
		}
	}
	if p := resp.GetPlan(); p.GetUnknownTokens() != unknown || p.GetTokensAfter() != all {
		t.Errorf("%d of %d tokens, want %d of %d", p.GetUnknownTokens(), p.GetTokensAfter(), unknown, all)
	}
	if why := resp.GetPlan().GetResults()[3].GetUnknownWhy(); !strings.HasPrefix(why, "canonical.command.stdout_cuts: ") {
		t.Errorf("no ledger: %s", why)
	}
	if len(resp.GetResults()) != 1 || int(resp.GetResults()[0].GetIndex()) != last {
		t.Errorf("%v changed", resp.GetResults())
	}
	for want, e := range map[string]*pb.CompactEntry{
		"entries[0].canonical: is required": {},
		"session_id: is required":           {CallId: "c1"},
		"entries[0].call_id: may have":      {CallId: "c 1", Result: &pb.CompactEntry_Canonical{Canonical: nothing}},
	} {
		_, err := h.Compact(t.Context(), &pb.CompactRequest{Entries: []*pb.CompactEntry{e}, Policy: &pb.CompactionPolicy{Level: 3}})
		if err == nil || !strings.Contains(servertest.ToStatus(err).Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Whatever is between them, the known results of a history become the same, streamed and not, and the plan adds up.
func TestUnknownResultsChangeNoOther(t *testing.T) {
	h := newHarness(t)
	known := []*pb.CanonicalToolResult{
		h.Canonical(t, servertest.Command("make", 0, string(servertest.LogText(6000)))), h.Canonical(t, servertest.Command("make test", 1, string(servertest.LogText(900)))),
		h.Canonical(t, servertest.Command("ls", 0, "a\n")),
	}
	rapid.Check(t, func(rt *rapid.T) {
		var mixed, alone []*pb.CompactEntry
		var at []int
		for i := range rapid.IntRange(1, 8).Draw(rt, "entries") {
			if rapid.Bool().Draw(rt, "known") {
				e := servertest.Entries(rapid.SampledFrom(known).Draw(rt, "result"))[0]
				e.CallId = fmt.Sprint("c", i)
				mixed, alone, at = append(mixed, e), append(alone, e), append(at, i)
				continue
			}
			mixed = append(mixed, &pb.CompactEntry{Result: &pb.CompactEntry_CanonicalJson{CanonicalJson: rapid.String().Draw(rt, "unknown")}})
		}
		req := func(list []*pb.CompactEntry) *pb.CompactRequest {
			return &pb.CompactRequest{Entries: list, Policy: &pb.CompactionPolicy{Level: pb.CompactionLevel_COMPACTION_LEVEL_TRIMMED, PreviewTokens: 64}}
		}
		want, err := h.Compact(t.Context(), req(alone))
		if err != nil {
			rt.Fatal(err)
		}
		got, err := h.Compact(t.Context(), req(mixed))
		if err != nil {
			rt.Fatal(err)
		}
		p := got.GetPlan()
		if p.GetTokensAfter() != want.GetPlan().GetTokensAfter()+p.GetUnknownTokens() || int(p.GetUnknownResults()) != len(mixed)-len(alone) || len(got.GetResults()) != len(want.GetResults()) {
			rt.Fatalf("%v\nwant %v", p, want.GetPlan())
		}
		for i, r := range got.GetResults() {
			same := proto.CloneOf(r.GetCanonical())
			same.GetCommand().Superseded = want.GetResults()[i].GetCanonical().GetCommand().GetSuperseded() // says how far away that is
			if o := want.GetResults()[i]; int(r.GetIndex()) != at[o.GetIndex()] || !proto.Equal(same, o.GetCanonical()) {
				rt.Errorf("result %d is another", r.GetIndex())
			}
		}
		streamed, err := compactStreamed(t.Context(), h, streamOf(req(mixed)))
		if err != nil || !proto.Equal(streamed, got) {
			rt.Errorf("streamed %v, %v\nwant %v", streamed.GetPlan(), err, p)
		}
	})
}

// The overview names what is not shown any more, in the grammar of receipts.
func TestOverviewNamesWhatIsGone(t *testing.T) {
	h := newHarness(t)
	text := servertest.LogText(2000)
	read := func(path string) *pb.CanonicalToolResult {
		return h.Canonical(t, &pb.CompleteToolOutput{ToolName: "Read", Result: &pb.CompleteToolOutput_FileRead{
			FileRead: &pb.FileReadOutput{Path: path, TotalLines: new(uint64(bytes.Count(text, []byte("\n")) + 1)), Content: servertest.Inline(text)},
		}})
	}
	edit := h.Canonical(t, &pb.CompleteToolOutput{ToolName: "Edit", Result: &pb.CompleteToolOutput_FileMutation{FileMutation: &pb.FileMutationOutput{
		Changes: []*pb.FileChange{{Path: "/src/./a.go", Action: pb.FileChangeAction_FILE_CHANGE_ACTION_MODIFY}},
	}}})
	list := servertest.Entries(read("/src/a.go"), h.Canonical(t, servertest.Command("go test ./...", 1, string(servertest.LogText(4000)))), edit, read("/src/b.go"))
	list[2].CallId = "c3"
	resp, err := h.Compact(t.Context(), &pb.CompactRequest{Entries: list, Policy: &pb.CompactionPolicy{
		Level: pb.CompactionLevel_COMPACTION_LEVEL_LINE, Protect: &pb.ProtectionPolicy{LastTurns: 1},
	}})
	if err != nil {
		t.Fatal(err)
	}
	path := func(n int) string {
		_, payload := h.Types.Open(resp.GetResults()[n].GetCanonical())
		var found string
		servertest.EachPath(payload, func(p string) { found = p })
		return found
	}
	want := "Earlier tool results: 2\nAlready read and run:\nread /src/a.go: " + path(0) + " (stale: edited later)\n" +
		"ran go test ./...: exit code 1; stdout: " + path(1)
	names := regexp.MustCompile(`; names: [^\n(]*[^\n( ]`)
	got := resp.GetOverview().GetText()
	if without := names.ReplaceAllString(got, ""); without != want {
		t.Errorf("%s\nwant\n%s", without, want)
	}
	if n := len(names.FindAllString(got, -1)); n != 2 {
		t.Errorf("%d lines have names\n%s", n, got)
	}
	if first := resp.GetResults()[0].GetReceipt().GetText(); !strings.Contains(first, "Superseded: edited by call c3, 2 results later") {
		t.Errorf("%s", first)
	}
	d, err := renderers.ParseReceipt(resp.GetOverview().GetText())
	if err != nil || d.Outcome != "Earlier tool results: 2" || len(d.Sections) != 1 || !strings.HasPrefix(d.Sections[0].Body[0].Text, "read /src/a.go") {
		t.Errorf("%+v, %v", d, err)
	}
}

// A long history has the newest of what is gone, within the bound.
func TestOverviewIsBounded(t *testing.T) {
	h := newHarness(t)
	full := h.Canonical(t, servertest.Command("make", 0, string(servertest.LogText(3000))))
	var list []*pb.CompactEntry
	for i := range 300 {
		r := proto.CloneOf(full)
		r.GetCommand().CommandPreview = fmt.Sprintf("make target%d", i)
		list = append(list, servertest.Entries(r)...)
	}
	resp, err := h.Compact(t.Context(), &pb.CompactRequest{Entries: list, Policy: &pb.CompactionPolicy{Level: pb.CompactionLevel_COMPACTION_LEVEL_HANDLES}})
	if err != nil {
		t.Fatal(err)
	}
	o := resp.GetOverview()
	d, err := renderers.ParseReceipt(o.GetText())
	if err != nil {
		t.Fatal(err)
	}
	body := d.Sections[0].Body
	lines := strings.Split(body[len(body)-1].Text, "\n")
	if o.GetTokens() > renderers.MaxOverview || o.GetTokens() < renderers.MaxOverview*9/10 || d.Outcome != "Earlier tool results: 300" {
		t.Errorf("%d tokens\n%s", o.GetTokens(), o.GetText())
	}
	if body[0].Mark == nil || int(body[0].Mark.Next)-1+len(lines) != 300 || !strings.HasPrefix(lines[len(lines)-1], "ran make target299: exit code 0; stdout: ") ||
		!slices.IsSortedFunc(lines[len(lines)-9:], strings.Compare) {
		t.Errorf("%s", o.GetText())
	}
}
