package compaction_test

import (
	"fmt"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
)

// longHistory is a history of work: of four results one is a long log, one a file,
// and two are short. All differ.
func longHistory(b *testing.B, h harness, n int) *pb.CompactRequest {
	b.Helper()
	req := &pb.CompactRequest{Policy: &pb.CompactionPolicy{}}
	for i := range n {
		out := servertest.Command(fmt.Sprintf("make target%d", i), int32(i%8/7), fmt.Sprintf("%d\n", i))
		switch i % 4 {
		case 1:
			out = servertest.Command(fmt.Sprintf("make -C dir%d", i%40), int32(i%8/7), fmt.Sprintf("run %d\n%s", i, servertest.LogText(20_000)))
		case 3:
			out = servertest.Command(fmt.Sprintf("cat file%d", i), 0, fmt.Sprintf("// file %d\n%s", i, servertest.LogText(3000)))
		}
		resp, err := h.Project(b.Context(), &pb.ProjectRequest{Output: out})
		if err != nil {
			b.Fatal(err)
		}
		req.Entries = append(req.Entries, &pb.CompactEntry{
			Result: &pb.CompactEntry_Canonical{Canonical: resp.GetCanonical()},
			CallId: fmt.Sprintf("call_%d", i), Turn: uint32(i + 1), PrecedingTokens: 80,
		})
	}
	return req
}

// BenchmarkCompact plans the compaction of a history to a third of its tokens. The floor
// is what any RPC has to do with it: to decode it, and to encode as much.
func BenchmarkCompact(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(200)) // as in the sidecar
	h := newHarness(b)
	for _, n := range []int{10, 100, 1000, 10_000} {
		req := longHistory(b, h, n)
		wire, err := proto.Marshal(req)
		if err != nil {
			b.Fatal(err)
		}
		const rounds = 5
		start := time.Now()
		for range rounds {
			got := &pb.CompactRequest{}
			if err := proto.Unmarshal(wire, got); err != nil {
				b.Fatal(err)
			}
			if _, err := proto.Marshal(got); err != nil {
				b.Fatal(err)
			}
		}
		floor := time.Since(start) / rounds
		for _, vocabulary := range []pb.TokenVocabulary{pb.TokenVocabulary_TOKEN_VOCABULARY_O200K_BASE, pb.TokenVocabulary_TOKEN_VOCABULARY_ESTIMATE} {
			req.Policy = &pb.CompactionPolicy{TotalTokens: 1, Render: &pb.RenderPolicy{TokenVocabulary: vocabulary}}
			req.Policy.TotalTokens, req.DryRun = 100_000_000, true
			full, err := h.Compact(b.Context(), req)
			if err != nil {
				b.Fatal(err)
			}
			req.Policy.TotalTokens = max(16, uint32(full.GetPlan().GetTokensBefore()/3))
			b.Run(strconv.Itoa(n)+"/"+vocabulary.String()[len("TOKEN_VOCABULARY_"):], func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := h.Compact(b.Context(), req); err != nil {
						b.Fatal(err)
					}
				}
				each := b.Elapsed() / time.Duration(b.N)
				b.ReportMetric(float64(each.Nanoseconds())/float64(n), "ns/result")
				b.ReportMetric(float64(each)/float64(floor), "x-floor")
			})
		}
	}
}

// BenchmarkCompactStream plans the same histories as they arrive in a stream, with decoding.
func BenchmarkCompactStream(b *testing.B) {
	defer debug.SetGCPercent(debug.SetGCPercent(200)) // as in the sidecar
	h := newHarness(b)
	for _, n := range []int{1000, 10_000} {
		req := longHistory(b, h, n)
		req.Policy, req.DryRun = &pb.CompactionPolicy{TotalTokens: 100_000_000}, true
		full, err := h.Compact(b.Context(), req)
		if err != nil {
			b.Fatal(err)
		}
		req.Policy.TotalTokens = uint32(full.GetPlan().GetTokensBefore() / 3)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := compactStreamed(b.Context(), h, streamOf(req)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/result")
		})
	}
}
