package server_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc/codes"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/artifactstore/memory"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview"
	"github.com/toolresult/toolresult/server"
	"github.com/toolresult/toolresult/server/metrics"
)

// measured remembers what it is told.
type measured struct {
	mu        sync.Mutex
	projected []*metrics.Projected
	compacted []metrics.Compacted
	puts      []int64
}

func (m *measured) Projected(_ context.Context, p *metrics.Projected) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.projected = append(m.projected, p)
}

func (m *measured) Compacted(c metrics.Compacted) { m.compacted = append(m.compacted, c) }

func (m *measured) Put(_ context.Context, n int64, _ time.Time, _ error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.puts = append(m.puts, n)
}

func (*measured) Call(string, codes.Code, time.Duration)            {}
func (*measured) Read(metrics.Read)                                 {}
func (*measured) Step(context.Context, string, time.Time, error)    {}
func (*measured) Commits(string, int, time.Duration, time.Duration) {}
func (m *measured) take() (list []*metrics.Projected, stored []int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	list, stored = m.projected, m.puts
	m.projected, m.puts = nil, nil
	return list, stored
}

// measuredHouse is a house whose service is measured, and what it is told.
func measuredHouse(t testing.TB) (house, *measured) {
	t.Helper()
	h, m := newHouse(t), &measured{}
	h.store = memory.New()
	h = h.with(t, func(p *server.Parts) { p.Metrics = m })
	return h, m
}

// Whether somebody measures changes nothing of an answer, and what is measured is what the answer says.
func TestMeasuring(t *testing.T) {
	plain := newHouse(t)
	// One of each kind: several large fields, nested ones, lists, payloads read whole, one that was brought, errors.
	for _, family := range []string{"command", "command_batch", "search", "web_fetch", "external_json", "acme.v1.DeployResult", ""} {
		h, m := measuredHouse(t)
		rapid.Check(t, func(t *rapid.T) {
			policy := policies().Draw(t, "policy")
			policy.Segments = true // to compare them with what is told
			req, want := plain.project(t, family, policy)
			m.take()
			got, err := h.Project(t.Context(), req)
			if err != nil || !proto.Equal(want, got) {
				t.Fatalf("measured it answers differently: %v\n%s", err, cmp.Diff(want, got, protocmp.Transform()))
			}
			list, puts := m.take()
			if len(list) != 1 {
				t.Fatalf("%d projections were told", len(list))
			}
			h.checkFacts(t, family, req, got, list[0])
			if named := h.named(got.GetCanonical()); len(named) > 0 && len(puts) == 0 {
				t.Fatalf("artifacts %v were put and not told", named)
			}
		})
	}
}

// checkFacts compares facts with the answer, read in another way.
func (h house) checkFacts(t *rapid.T, family string, req *pb.ProjectRequest, resp *pb.ProjectResponse, f *metrics.Projected) {
	if family == "" || req.GetOutput().GetError() != nil {
		family = "error"
	}
	canonical := resp.GetCanonical()
	if f.Family != family || f.Failed != (canonical.GetStatus() == pb.ToolStatus_TOOL_STATUS_ERROR) || f.Began.IsZero() {
		t.Fatalf("told of family %q, want %q, failed %v", f.Family, family, f.Failed)
	}
	if size := int64(proto.Size(req.GetOutput())); f.Bytes != size || f.Receipt != int64(resp.GetReceipt().GetTokens()) {
		t.Fatalf("%d bytes of %d, %d tokens of %d", f.Bytes, size, f.Receipt, resp.GetReceipt().GetTokens())
	}
	truncated := canonical.GetError().GetDetailsOmitted() != nil
	wantCuts, wantKept := map[pb.CutKind]metrics.Cuts{}, preview.Counts{}
	for _, payload := range h.opened(canonical) {
		eachLarge(payload, func(_ string, cut bool, _ string) { truncated = truncated || cut })
		eachMessage(payload, func(m protoreflect.Message) {
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
		t.Fatalf("told truncated %v, want %v; the ledger says (-) and was told (+):\n%s", f.Truncated, truncated, diff)
	}
	for _, name := range f.Artifacts {
		if !slices.Contains(h.named(canonical), name) || !f.Truncated {
			t.Fatalf("artifact %q is none of a truncated result", name)
		}
	}
}

// named are the names of the artifacts of a result.
func (h house) named(c *pb.CanonicalToolResult) (names []string) {
	for _, m := range h.opened(c) {
		envelopePaths(m, func(path string) { names = append(names, path[strings.LastIndexByte(path, '/')+1:]) })
	}
	return names
}

func eachMessage(m protoreflect.Message, visit func(protoreflect.Message)) {
	visit(m)
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.Message() == nil:
		case f.IsList():
			for i := range v.List().Len() {
				eachMessage(v.List().Get(i).Message(), visit)
			}
		case f.IsMap():
		default:
			eachMessage(v.Message(), visit)
		}
		return true
	})
}

// Of the lines that matter, those that are shown and those that are not are all that there are.
func TestLinesThatMatter(t *testing.T) {
	h, m := measuredHouse(t)
	var everKept, everLeft int64
	rapid.Check(t, func(t *rapid.T) {
		m.take()
		matter := rapid.IntRange(1, 12).Draw(t, "lines that matter")
		var text bytes.Buffer
		for i := range matter {
			word := rapid.StringMatching("[a-z]{9}").Draw(t, "word")
			fmt.Fprintf(&text, "error: %c%s failed in a way of its own, as %s says\n", 'a'+i, word, strings.Repeat(string(rune('a'+i)), 20+i))
			for k := range 40 { // far enough apart not to be context of two
				fmt.Fprintf(&text, "%c step %d of %d is done now\n", 'a'+i, k, i)
			}
		}
		req := &pb.ProjectRequest{Output: command("make", 1, text.String()), Policy: &pb.ProjectionPolicy{
			Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: rapid.Uint32Range(120, 900).Draw(t, "tokens")}},
		}}
		if _, err := h.Project(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		list, _ := m.take()
		kept, left := list[0].Kept, list[0].Left
		if !list[0].Truncated { // no choice was made
			matter = 0
		}
		everKept, everLeft = everKept+sum(kept), everLeft+sum(left)
		if sum(kept)+sum(left) != int64(matter) {
			t.Fatalf("%v kept and %v left of %d\n%s", kept, left, matter, text.String())
		}
	})
	if everKept == 0 || everLeft == 0 {
		t.Errorf("%d kept and %d left in all", everKept, everLeft)
	}
}

func sum(lines preview.Counts) (n int64) {
	for _, k := range lines {
		n += k
	}
	return n
}

// Every output of a turn is told once, as it was answered; a snapshot is not, and the result of a stream is.
func TestMeasuringTurnsAndStreams(t *testing.T) {
	h, m := measuredHouse(t)
	log := string(logText(30_000))
	turn := &pb.ProjectTurnRequest{TotalTokens: 900, Outputs: []*pb.ProjectRequest{
		{Output: command("make", 0, log)}, {Output: command("go test", 1, log)}, {Output: command("ls", 0, "a\n")},
	}}
	resp, err := h.ProjectTurn(t.Context(), turn)
	if err != nil {
		t.Fatal(err)
	}
	list, _ := m.take()
	if len(list) != 3 {
		t.Fatalf("%d were told of 3", len(list))
	}
	for i, p := range list {
		if want := int64(resp.GetResults()[i].GetReceipt().GetTokens()); p.Receipt != want || p.Truncated != (i < 2) {
			t.Errorf("output %d: %d tokens, want %d, truncated %v", i, p.Receipt, want, p.Truncated)
		}
	}
	out := command("make", 0, "")
	out.GetCommand().Stdout = &pb.Payload{Source: &pb.Payload_Stream{Stream: "stdout"}}
	w := &wire{ctx: t.Context(), requests: []*pb.ProjectStreamRequest{
		{Message: &pb.ProjectStreamRequest_Header{Header: &pb.StreamHeader{Family: "command", Streams: []string{"stdout"}}}},
		{Message: &pb.ProjectStreamRequest_Chunk{Chunk: &pb.StreamChunk{Stream: "stdout", Data: []byte(log)}}},
		{Message: &pb.ProjectStreamRequest_Snapshot{Snapshot: &pb.StreamSnapshot{Output: out}}},
		{Message: &pb.ProjectStreamRequest_Finish{Finish: &pb.StreamFinish{Output: out}}},
	}}
	if err := h.ProjectStream(w.call()); err != nil {
		t.Fatal(err)
	}
	list, _ = m.take()
	if len(list) != 1 || len(w.answers) != 2 || list[0].Bytes != int64(len(log)+proto.Size(out)) {
		t.Errorf("%d answers, %d told, of %d bytes", len(w.answers), len(list), list[0].Bytes)
	}
}

// A compaction is told with what its plan says, and a dry run is not.
func TestMeasuringCompaction(t *testing.T) {
	h, m := measuredHouse(t)
	projected, err := h.Project(t.Context(), &pb.ProjectRequest{Output: command("make", 0, string(logText(30_000)))})
	if err != nil {
		t.Fatal(err)
	}
	req := &pb.CompactRequest{
		Entries: []*pb.CompactEntry{{Result: &pb.CompactEntry_Canonical{Canonical: projected.GetCanonical()}}}, DryRun: true,
		Policy: &pb.CompactionPolicy{Level: pb.CompactionLevel_COMPACTION_LEVEL_LINE},
	}
	for _, dry := range []bool{true, false} {
		req.DryRun = dry
		resp, err := h.Compact(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		plan := resp.GetPlan()
		want := []metrics.Compacted{{Results: 1, Changed: 1, Before: int64(plan.GetTokensBefore()), After: int64(plan.GetTokensAfter())}}
		if dry {
			want = nil
		}
		if diff := cmp.Diff(want, m.compacted); diff != "" || plan.GetTokensBefore() <= plan.GetTokensAfter() {
			t.Errorf("dry %v (-want +told):\n%s", dry, diff)
		}
	}
}
