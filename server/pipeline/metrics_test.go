package pipeline_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore/memory"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/server/metrics"
)

// measuredHouse is a harness whose service is measured, and what is reported to it.
func measuredHouse(t testing.TB) (harness, *servertest.Meter) {
	t.Helper()
	h, m := newHarness(t), &servertest.Meter{}
	h.Store = memory.New()
	h = h.with(t, func(p *servertest.Options) { p.Metrics = m })
	return h, m
}

// Whether somebody measures changes nothing of an answer, and what is measured is what the answer says.
func TestMeasuring(t *testing.T) {
	plain := newHarness(t)
	// One of each kind: several large fields, nested ones, lists, payloads read whole, one that is custom, errors.
	for _, family := range []string{"command", "command_batch", "search", "web_fetch", "external_json", "acme.v1.DeployResult", ""} {
		h, m := measuredHouse(t)
		rapid.Check(t, func(t *rapid.T) {
			policy := servertest.Policies().Draw(t, "policy")
			policy.Segments = true // to compare them with what is reported
			req, want := plain.ProjectAny(t, family, policy)
			m.Take()
			got, err := h.Project(t.Context(), req)
			if err != nil || !proto.Equal(want, got) {
				t.Fatalf("measured it answers differently: %v\n%s", err, cmp.Diff(want, got, protocmp.Transform()))
			}
			list := m.Take()
			if len(list) != 1 {
				t.Fatalf("%d projections were reported", len(list))
			}
			h.checkFacts(t, family, req, got, list[0])
		})
	}
}

// checkFacts compares facts with the answer, read in another way.
func (h harness) checkFacts(t *rapid.T, family string, req *pb.ProjectRequest, resp *pb.ProjectResponse, f *metrics.Projected) {
	if family == "" || req.GetOutput().GetError() != nil {
		family = "error"
	}
	canonical := resp.GetCanonical()
	if f.Family != family || f.Failed != (canonical.GetStatus() == pb.ToolStatus_TOOL_STATUS_ERROR) || f.Began.IsZero() {
		t.Fatalf("reported family %q, want %q, failed %v", f.Family, family, f.Failed)
	}
	if size := int64(proto.Size(req.GetOutput())); f.Bytes != size || f.Receipt != int64(resp.GetReceipt().GetTokens()) {
		t.Fatalf("%d bytes of %d, %d tokens of %d", f.Bytes, size, f.Receipt, resp.GetReceipt().GetTokens())
	}
	truncated := canonical.GetError().GetDetailsOmitted() != nil
	wantCuts, wantKept := map[pb.CutKind]metrics.Cuts{}, preview.Counts{}
	for _, payload := range h.Opened(canonical) {
		servertest.EachLarge(payload, func(_ string, cut bool, _, _ string) { truncated = truncated || cut })
		servertest.EachMessage(payload, func(m protoreflect.Message) {
			get := func(name protoreflect.Name) protoreflect.Value { return m.Get(m.Descriptor().Fields().ByName(name)) }
			switch m.Descriptor().Name() {
			case "ToolError":
				truncated = truncated || m.Has(m.Descriptor().Fields().ByName("details_omitted"))
			case "Cut":
				kind, bytes := pb.CutKind(get("kind").Enum()), get("omitted_bytes").Uint()
				if bytes == 0 && kind != pb.CutKind_CUT_KIND_SOURCE_LOSS {
					bytes = get("byte_end").Uint() - get("byte_start").Uint()
				}
				wantCuts[kind] = metrics.Cuts{Count: wantCuts[kind].Count + 1, Bytes: wantCuts[kind].Bytes + int64(bytes)}
			case "Segment":
				if r := get("reason").Enum(); r > protoreflect.EnumNumber(pb.KeepReason_KEEP_REASON_CONTEXT) && r < protoreflect.EnumNumber(pb.KeepReason_KEEP_REASON_STRUCTURE) {
					wantKept[r] += int64(get("last_line").Uint() - get("first_line").Uint() + 1)
				}
			}
		})
	}
	if diff := cmp.Diff(wantCuts, f.Cuts) + cmp.Diff(wantKept, f.Kept); diff != "" || f.Truncated != truncated {
		t.Fatalf("reported truncated %v, want %v; the ledger says (-) and was reported (+):\n%s", f.Truncated, truncated, diff)
	}
	for _, name := range f.Artifacts {
		if !slices.Contains(h.named(canonical), name) || !f.Truncated {
			t.Fatalf("artifact %q is none of a truncated result", name)
		}
	}
}

// named are the names of the artifacts of a result.
func (h harness) named(c *pb.CanonicalToolResult) (names []string) {
	for _, m := range h.Opened(c) {
		servertest.EachPath(m, func(path string) { names = append(names, path[strings.LastIndexByte(path, '/')+1:]) })
	}
	return names
}

// Of the lines that matter, those that are shown and those that are not are all that there are.
func TestLinesThatMatter(t *testing.T) {
	h, m := measuredHouse(t)
	var everKept, everLeft int64
	rapid.Check(t, func(t *rapid.T) {
		m.Take()
		matter := rapid.IntRange(1, 12).Draw(t, "lines that matter")
		var text bytes.Buffer
		for i := range matter {
			word := rapid.StringMatching("[a-z]{9}").Draw(t, "word")
			fmt.Fprintf(&text, "error: %c%s failed in a way of its own, as %s says\n", 'a'+i, word, strings.Repeat(string(rune('a'+i)), 20+i))
			for k := range 40 { // far enough apart not to be context of two
				fmt.Fprintf(&text, "%c step %d of %d is done now\n", 'a'+i, k, i)
			}
		}
		req := &pb.ProjectRequest{Output: servertest.Command("make", 1, text.String()), Policy: &pb.ProjectionPolicy{
			Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: rapid.Uint32Range(120, 900).Draw(t, "tokens")}},
		}}
		if _, err := h.Project(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		list := m.Take()
		kept, left := list[0].Kept, list[0].Left
		if !list[0].Truncated { // no choice was made
			matter = 0
		}
		everKept, everLeft = everKept+sum(kept), everLeft+sum(left)
		if sum(kept)+sum(left) != int64(matter) {
			t.Fatalf("%v kept and %v left of %d\n%s", kept, left, matter, text.String())
		}
	})
	if (everKept == 0 || everLeft == 0) && !testing.Short() {
		t.Errorf("%d kept and %d left in all", everKept, everLeft)
	}
}

func sum(lines preview.Counts) (n int64) {
	for _, k := range lines {
		n += k
	}
	return n
}

// Every output of a turn is reported once, as it was answered; a snapshot is not, and the result of a stream is.
func TestMeasuringTurnsAndStreams(t *testing.T) {
	h, m := measuredHouse(t)
	log := string(servertest.LogText(30_000))
	turn := &pb.ProjectTurnRequest{TotalTokens: 900, Outputs: []*pb.ProjectRequest{
		{Output: servertest.Command("make", 0, log)}, {Output: servertest.Command("go test", 1, log)}, {Output: servertest.Command("ls", 0, "a\n")},
	}}
	resp, err := h.ProjectTurn(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	list := m.Take()
	if len(list) != 3 {
		t.Fatalf("%d were reported of 3", len(list))
	}
	for i, p := range list {
		if want := int64(resp.GetResults()[i].GetReceipt().GetTokens()); p.Receipt != want || p.Truncated != (i < 2) {
			t.Errorf("output %d: %d tokens, want %d, truncated %v", i, p.Receipt, want, p.Truncated)
		}
	}
	out := servertest.Command("make", 0, "")
	out.GetCommand().Stdout = &pb.Payload{Source: &pb.Payload_Stream{Stream: "stdout"}}
	w := &servertest.Wire{Ctx: t.Context(), Requests: []*pb.ProjectStreamRequest{
		{Message: &pb.ProjectStreamRequest_Header{Header: &pb.StreamHeader{Family: "command", Streams: []string{"stdout"}}}},
		{Message: &pb.ProjectStreamRequest_Chunk{Chunk: &pb.StreamChunk{Stream: "stdout", Data: []byte(log)}}},
		{Message: &pb.ProjectStreamRequest_Snapshot{Snapshot: &pb.StreamSnapshot{Output: out}}},
		{Message: &pb.ProjectStreamRequest_Finish{Finish: &pb.StreamFinish{Output: out}}},
	}}
	if err := h.ProjectStream(w.Call()); err != nil {
		t.Fatal(err)
	}
	list = m.Take()
	if len(list) != 1 || len(w.Answers) != 2 || list[0].Bytes != int64(len(log)+proto.Size(out)) {
		t.Errorf("%d answers, %d reported, of %d bytes", len(w.Answers), len(list), list[0].Bytes)
	}
}
