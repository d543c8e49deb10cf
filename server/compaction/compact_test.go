package compaction_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/google/go-cmp/cmp"
	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/server/metrics"
)

func TestCompactRejectsBadPolicies(t *testing.T) {
	h := newHarness(t)
	two := []*pb.CanonicalToolResult{h.Canonical(t, servertest.Command("ls", 0, "a\n")), h.Canonical(t, servertest.Command("ls", 0, "b\n"))}
	known := func(p *pb.CompactionPolicy, entries ...*pb.CompactEntry) *pb.CompactRequest {
		for i := range entries {
			entries[i].Result = &pb.CompactEntry_Canonical{Canonical: two[i]}
		}
		return &pb.CompactRequest{Entries: entries, Policy: p}
	}
	with := func(p *pb.CompactionPolicy) *pb.CompactRequest {
		return known(p, &pb.CompactEntry{}, &pb.CompactEntry{})
	}
	cached := func(c *pb.CachePolicy) *pb.CompactRequest {
		return with(&pb.CompactionPolicy{TotalTokens: 100, Cache: c})
	}
	protected := func(p *pb.ProtectionPolicy) *pb.CompactRequest {
		return with(&pb.CompactionPolicy{TotalTokens: 100, Protect: p})
	}
	budget := &pb.CompactionPolicy{TotalTokens: 100}
	for want, req := range map[string]*pb.CompactRequest{
		"policy.level: is required without total_tokens":                 with(nil),
		"policy.level: is no level":                                      with(&pb.CompactionPolicy{Level: 9}),
		"policy.total_tokens: is 15, and 16 to 100000000 are":            with(&pb.CompactionPolicy{TotalTokens: 15}),
		"policy.preview_tokens: is 1, and 16 to":                         with(&pb.CompactionPolicy{TotalTokens: 100, PreviewTokens: 1}),
		"policy.open_failure_tokens: is 200001":                          with(&pb.CompactionPolicy{TotalTokens: 100, OpenFailureTokens: new(uint32(200_001))}),
		"policy.cache.cached_results: is 3, and at most 2":               cached(&pb.CachePolicy{CachedResults: 3}),
		"policy.cache.cache_break: is no policy":                         cached(&pb.CachePolicy{CacheBreak: 7}),
		"policy.cache.write_percent: is 1001":                            cached(&pb.CachePolicy{WritePercent: 1001}),
		"policy.cache.read_percent: is 60, and at most 50":               cached(&pb.CachePolicy{WritePercent: 50, ReadPercent: new(uint32(60))}),
		"policy.cache.expected_requests: is 10001":                       cached(&pb.CachePolicy{ExpectedRequests: 10_001}),
		"policy.protect.call_ids[1]":                                     protected(&pb.ProtectionPolicy{CallIds: []string{"a", "b c"}}),
		"policy.protect.call_ids: has 10001 ids":                         protected(&pb.ProtectionPolicy{CallIds: slices.Repeat([]string{"a"}, 10_001)}),
		"policy.protect.families[0]: is no family":                       protected(&pb.ProtectionPolicy{Families: []string{"nothing"}}),
		"entries[1].turn: is 1, after a result of turn 2":                known(budget, &pb.CompactEntry{Turn: 2}, &pb.CompactEntry{Turn: 1}),
		"entries[0].call_id":                                             known(budget, &pb.CompactEntry{CallId: "a\nb"}, &pb.CompactEntry{}),
		"entries[1].subject: has 65537 bytes, at most 65536 are allowed": known(budget, &pb.CompactEntry{}, &pb.CompactEntry{Subject: strings.Repeat("a", 65_537)}),
	} {
		if _, err := h.Compact(t.Context(), req); err == nil || !strings.Contains(servertest.ToStatus(err).Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// The level lives in the canonical result: neither rendering nor the RFC's JSON nor a
// higher level shows again what was compacted, and all of it can be read.
func TestLevelLivesInTheCanonical(t *testing.T) {
	h := newHarness(t)
	text := string(servertest.LogText(6000))
	long := &pb.ProjectRequest{
		Output: servertest.Command("make", 2, text), Policy: &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 20_000}}},
	}
	resp, err := h.Project(t.Context(), long)
	if err != nil {
		t.Fatal(err)
	}
	compact := func(r *pb.CanonicalToolResult, p *pb.CompactionPolicy) *pb.CompactedResult {
		t.Helper()
		got, err := h.Compact(t.Context(), &pb.CompactRequest{Entries: []*pb.CompactEntry{{Result: &pb.CompactEntry_Canonical{Canonical: r}}}, Policy: p})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.GetResults()) == 0 { // nothing changed
			rendered, err := h.Render(t.Context(), &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: r}})
			if err != nil {
				t.Fatal(err)
			}
			return &pb.CompactedResult{Canonical: r, Receipt: rendered.GetReceipt()}
		}
		return got.GetResults()[0]
	}
	for _, level := range []pb.CompactionLevel{1, 2, 3} {
		lower := compact(resp.GetCanonical(), &pb.CompactionPolicy{Level: level})
		if got := lower.GetCanonical().GetCommand().GetCompactionLevel(); got != level {
			t.Fatalf("level %v, want %v", got, level)
		}
		again, err := envelope.ToJSON(lower.GetCanonical())
		if err != nil {
			t.Fatal(err)
		}
		back, err := envelope.FromJSON(again, "")
		if err != nil {
			t.Fatal(err)
		}
		rendered, err := h.Render(t.Context(), &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: back}, Policy: long.GetPolicy().GetRender()})
		if err != nil || !proto.Equal(rendered.GetReceipt(), lower.GetReceipt()) {
			t.Errorf("level %v renders as %v, %v", level, rendered.GetReceipt(), err)
		}
		for _, p := range []*pb.CompactionPolicy{{Level: 1, PreviewTokens: 200_000}, {TotalTokens: 1_000_000}} {
			if r := compact(back, p); !proto.Equal(r.GetCanonical(), back) {
				t.Errorf("level %v becomes\n%s", level, r.GetReceipt().GetText())
			}
		}
		path := lower.GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
		r, err := h.Store.Open(t.Context(), path[strings.LastIndexByte(path, '/')+1:])
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != text {
			t.Errorf("%s has %d bytes, %v", path, len(got), err)
		}
	}
}

// elsewhere is a store that foresees other paths than those that content gets.
type elsewhere struct{ *memory.Store }

func (e elsewhere) RefFor(content []byte) artifactstore.Ref {
	ref := e.Store.RefFor(content)
	ref.Path = "memory/0"
	return ref
}

// A result names the path that its payload got, whatever was foreseen.
func TestCompactNamesTheRealPath(t *testing.T) {
	h := newHarness(t)
	h = h.with(t, func(o *servertest.Options) { o.Store = elsewhere{h.Store} })
	full := h.Canonical(t, servertest.Command("make", 0, string(servertest.LogText(3000))))
	got, err := h.Compact(t.Context(), &pb.CompactRequest{
		Entries: []*pb.CompactEntry{{Result: &pb.CompactEntry_Canonical{Canonical: full}}}, Policy: &pb.CompactionPolicy{Level: pb.CompactionLevel_COMPACTION_LEVEL_HANDLES},
	})
	if err != nil {
		t.Fatal(err)
	}
	one := got.GetResults()[0]
	path := one.GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
	if path == "memory/0" || !strings.HasSuffix(one.GetReceipt().GetText(), "all: "+path) {
		t.Errorf("%s\n%s", path, one.GetReceipt().GetText())
	}
	if n := got.GetPlan().GetTokensAfter(); n != uint64(one.GetReceipt().GetTokens()) {
		t.Errorf("the plan has %d tokens, the receipt %d", n, one.GetReceipt().GetTokens())
	}
}

// A compaction is reported with what its plan says, and a dry run is not.
func TestMeasuringCompaction(t *testing.T) {
	m := &servertest.Meter{}
	h := newHarness(t).with(t, func(o *servertest.Options) { o.Metrics = m })
	projected, err := h.Project(t.Context(), &pb.ProjectRequest{Output: servertest.Command("make", 0, string(servertest.LogText(30_000)))})
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
		if diff := cmp.Diff(want, m.Compactions); diff != "" || plan.GetTokensBefore() <= plan.GetTokensAfter() {
			t.Errorf("dry %v (-want +reported):\n%s", dry, diff)
		}
	}
}

// Property 6 and C11: compaction is idempotent and monotone, never undone, and
// keeps what must be kept.
func TestCompaction(t *testing.T) {
	h := newHarness(t)
	const (
		trimmed = pb.CompactionLevel_COMPACTION_LEVEL_TRIMMED
		handles = pb.CompactionLevel_COMPACTION_LEVEL_HANDLES
		line    = pb.CompactionLevel_COMPACTION_LEVEL_LINE
	)
	h.EachFamily(t, func(t *testing.T, family string) {
		rapid.Check(t, func(t *rapid.T) {
			policy := servertest.Policies().Draw(t, "policy")
			policy.Render.Budget = &pb.Budget{MaxTokens: rapid.SampledFrom([]uint32{500, 3000, 20000}).Draw(t, "tokens")}
			_, resp := h.ProjectAny(t, family, policy)
			n := rapid.Uint32Range(16, 600).Draw(t, "n")
			before := proto.CloneOf(resp.GetCanonical())
			last, lastTokens := resp.GetCanonical(), servertest.Exact.Count(resp.GetReceipt().GetText())
			for _, step := range []struct {
				level pb.CompactionLevel
				n     uint32
			}{{trimmed, n + 100}, {trimmed, n}, {handles, 0}, {line, 0}, {trimmed, n}} {
				if last != resp.GetCanonical() && h.IsMasked(last) {
					return
				}
				got := h.CompactOne(t, last, step.level, step.n)
				one := h.Only(t, last, got)
				h.CheckCanonical(t, one.GetCanonical())
				h.CheckKept(t, last, one.GetCanonical())
				h.CheckReceipt(t, &pb.ProjectResponse{Canonical: one.GetCanonical(), Receipt: one.GetReceipt()})
				if changed := !proto.Equal(last, one.GetCanonical()); changed != (got.FirstChanged != nil) || changed != (len(got.GetResults()) > 0) {
					t.Fatalf("changed is %v: %v", changed, got)
				}
				if again := h.CompactOne(t, one.GetCanonical(), step.level, step.n); again.FirstChanged != nil {
					t.Fatalf("compacting again changes\n%s", cmp.Diff(one.GetCanonical(), again.GetResults()[0].GetCanonical(), protocmp.Transform()))
				}
				if count := servertest.Exact.Count(one.GetReceipt().GetText()); count > lastTokens {
					t.Fatalf("level %v shows %d tokens after %d\n%s", step.level, count, lastTokens, one.GetReceipt().GetText())
				} else {
					last, lastTokens = one.GetCanonical(), count
				}
				for _, m := range h.Opened(last) {
					servertest.EachPath(m, func(path string) { servertest.ReadBack(t, h.Store, path) })
				}
			}
			if !proto.Equal(before, resp.GetCanonical()) {
				t.Fatal("Compact changed its request")
			}
		})
	})
}
