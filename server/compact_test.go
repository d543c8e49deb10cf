package server_test

import (
	"io"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/families"
)

func (h house) canonical(t *testing.T, out *pb.CompleteToolOutput) *pb.CanonicalToolResult {
	t.Helper()
	resp, err := h.Project(t.Context(), &pb.ProjectRequest{Output: out})
	if err != nil {
		t.Fatal(err)
	}
	return resp.GetCanonical()
}

func TestCompactRefusesBadPolicies(t *testing.T) {
	h := newHouse(t)
	two := []*pb.CanonicalToolResult{h.canonical(t, command("ls", 0, "a\n")), h.canonical(t, command("ls", 0, "b\n"))}
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
		if _, err := h.Compact(t.Context(), req); err == nil || !strings.Contains(toStatus(err).Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// The level lives in the canonical result: neither rendering nor the RFC's JSON nor a
// higher level shows again what was compacted, and all of it can be read.
func TestLevelLivesInTheCanonical(t *testing.T) {
	h := newHouse(t)
	text := string(logText(6000))
	long := &pb.ProjectRequest{
		Output: command("make", 2, text), Policy: &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 20_000}}},
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
		r, err := h.store.Open(t.Context(), path[strings.LastIndexByte(path, '/')+1:])
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
	h := newHouse(t)
	r, err := families.NewRegistry(families.BuiltIn()...)
	if err != nil {
		t.Fatal(err)
	}
	h.ToolResultServiceServer = newServices(t, r, elsewhere{h.store}).Results
	full := h.canonical(t, command("make", 0, string(logText(3000))))
	got, err := h.Compact(t.Context(), &pb.CompactRequest{
		Entries: []*pb.CompactEntry{{Result: &pb.CompactEntry_Canonical{Canonical: full}}}, Policy: &pb.CompactionPolicy{Level: pb.CompactionLevel_COMPACTION_LEVEL_HANDLES},
	})
	if err != nil {
		t.Fatal(err)
	}
	one := got.GetResults()[0]
	path := one.GetCanonical().GetCommand().GetArtifacts()[0].GetPath()
	if path == "memory/0" || !strings.HasSuffix(one.GetReceipt().GetText(), "all of it: "+path) {
		t.Errorf("%s\n%s", path, one.GetReceipt().GetText())
	}
	if n := got.GetPlan().GetTokensAfter(); n != uint64(one.GetReceipt().GetTokens()) {
		t.Errorf("the plan has %d tokens, the receipt %d", n, one.GetReceipt().GetTokens())
	}
}
