package compaction_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
	"github.com/toolresult/toolresult/preview/salience"
)

// histories is a harness and results that histories are drawn from: of all families, as
// the generator makes them, and of a session of work.
type histories struct {
	harness
	pool []*pb.CanonicalToolResult
}

func newHistories(t *testing.T) *histories {
	h := &histories{harness: newHarness(t)}
	const ofEach = 3
	for _, f := range append(h.Names(), "") {
		for seed, n := 0, 0; n < ofEach && seed < 50*ofEach; seed++ {
			req := &pb.ProjectRequest{
				Output: h.OutputOf(f).Example(seed),
				Policy: &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: 3000}}},
			}
			if resp, err := h.Project(t.Context(), req); err == nil {
				h.pool = append(h.pool, resp.GetCanonical())
				n++
			}
		}
	}
	for _, req := range workSession() {
		resp, err := h.Project(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		h.pool = append(h.pool, resp.GetCanonical())
	}
	return h
}

// workSession are outputs of a session: commands that fail and succeed later, files
// read again, long logs with an error in the middle, and long lists.
func workSession() (list []*pb.ProjectRequest) {
	add := func(out *pb.CompleteToolOutput) {
		list = append(list, &pb.ProjectRequest{Output: out, Policy: &pb.ProjectionPolicy{
			Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: uint32(300 + 250*(len(list)%5))}},
		}})
	}
	for i := range 6 {
		log := string(servertest.LogText(1500 << (i % 4)))
		middle := strings.IndexByte(log[len(log)/2:], '\n') + len(log)/2 + 1
		failure := fmt.Sprintf("--- FAIL: TestCase%d (0.01s)\n    case_test.go:%d: got 1, want 2\n", i, i)
		add(servertest.Command("make test", int32(i%2), log[:middle]+failure+log[middle:]))
		add(servertest.Command(fmt.Sprintf("grep -rn word%d .", i), 0, log))
	}
	for i := range 4 {
		add(&pb.CompleteToolOutput{
			ToolName: "ReadFile", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS, SummaryText: "read",
			Result: &pb.CompleteToolOutput_FileRead{FileRead: &pb.FileReadOutput{
				Path: fmt.Sprintf("/src/file%d.go", i%2), Content: servertest.Inline(servertest.LogText(4000 + 100*i)),
			}},
		})
	}
	return list
}

// request draws a history, and a policy with a budget for it.
func (h *histories) request(t *rapid.T) *pb.CompactRequest {
	n := rapid.SampledFrom([]int{0, 1, 2, 5, 10, 20, 40}).Draw(t, "results")
	switch long := rapid.IntRange(1, 100).Draw(t, "long"); { // the long ones take the time
	case servertest.Race:
	case long == 100:
		n = 2000
	case long > 95:
		n = 200
	}
	req := &pb.CompactRequest{SessionId: "s", Policy: &pb.CompactionPolicy{}}
	known := rapid.Bool().Draw(t, "contexts")
	turn, picks := uint32(1), rapid.SliceOfN(rapid.IntRange(0, len(h.pool)-1), n, n).Draw(t, "picks")
	for i, pick := range picks {
		e := &pb.CompactEntry{Result: &pb.CompactEntry_Canonical{Canonical: h.pool[pick]}}
		if known {
			turn += uint32(pick % 2)
			e.CallId, e.Turn, e.PrecedingTokens = fmt.Sprintf("call_%d", i), turn, uint32(pick*7)
			if pick%5 == 0 {
				e.Subject = fmt.Sprintf("subject %d", pick%3)
			}
		}
		req.Entries = append(req.Entries, e)
	}
	p := req.Policy
	p.PreviewTokens = rapid.SampledFrom([]uint32{0, 16, 64}).Draw(t, "preview")
	p.Level = rapid.SampledFrom([]pb.CompactionLevel{0, 1, 2, 3}).Draw(t, "level")
	if rapid.Bool().Draw(t, "floor") {
		p.OpenFailureTokens = new(rapid.SampledFrom([]uint32{0, 40, 300}).Draw(t, "open failure"))
	}
	if rapid.Bool().Draw(t, "protects") {
		p.Protect = &pb.ProtectionPolicy{LastTurns: rapid.Uint32Range(0, 4).Draw(t, "last"), Families: []string{"file_read"}}
		if known && n > 0 {
			p.Protect.CallIds = []string{fmt.Sprintf("call_%d", n/2)}
		}
	}
	if rapid.Bool().Draw(t, "caches") {
		p.Cache = &pb.CachePolicy{
			CachedResults: rapid.Uint32Range(0, uint32(n)).Draw(t, "cached"), CacheBreak: rapid.SampledFrom([]pb.CacheBreak{0, 1, 2}).Draw(t, "break"),
			MinSavingTokens: rapid.SampledFrom([]uint32{0, 0, 2000}).Draw(t, "min saving"), WritePercent: rapid.SampledFrom([]uint32{0, 125}).Draw(t, "write"),
			ExpectedRequests: rapid.SampledFrom([]uint32{0, 1, 100}).Draw(t, "requests"),
		}
	}
	before := h.run(t, withBudget(req, 100_000_000))
	if before.FirstChanged != nil {
		t.Fatal("within the budget a result changed")
	}
	p.TotalTokens = uint32(max(16, before.GetPlan().GetTokensBefore()*rapid.Uint64Range(0, 110).Draw(t, "share")/100))
	return req
}

func (h *histories) run(t *rapid.T, req *pb.CompactRequest) *pb.CompactResponse {
	given := proto.CloneOf(req)
	resp, err := h.Compact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if !proto.Equal(given, req) {
		t.Fatal("Compact changed its request")
	}
	return resp
}

func withBudget(req *pb.CompactRequest, n uint32) *pb.CompactRequest {
	req = proto.CloneOf(req)
	req.Policy.TotalTokens = n
	return req
}

// after is a request for what a compaction left.
func after(req *pb.CompactRequest, resp *pb.CompactResponse) *pb.CompactRequest {
	next := proto.CloneOf(req)
	for _, r := range resp.GetResults() {
		next.Entries[r.GetIndex()].Result = &pb.CompactEntry_Canonical{Canonical: r.GetCanonical()}
	}
	return next
}

// left are the results of a history after a compaction, those that stayed as well.
func left(req *pb.CompactRequest, resp *pb.CompactResponse) (list []*pb.CanonicalToolResult) {
	for _, e := range after(req, resp).GetEntries() {
		list = append(list, e.GetCanonical())
	}
	return list
}

// The promises of Compact, for histories of all families.
func TestCompactingHistories(t *testing.T) {
	h := newHistories(t)
	rapid.Check(t, func(t *rapid.T) {
		req := h.request(t)
		resp := h.run(t, req)
		h.checkPlan(t, req, resp)
		h.checkUnchanged(t, req, resp)
		h.checkResults(t, req, resp)

		if again := h.run(t, after(req, resp)); again.FirstChanged != nil {
			i := again.GetFirstChanged()
			t.Fatalf("compacting again changes result %d\n%s", i,
				cmp.Diff(left(req, resp)[i], again.GetResults()[0].GetCanonical(), protocmp.Transform()))
		}
		if again := h.run(t, req); !proto.Equal(again, resp) {
			t.Fatal("a second call answers differently")
		}
		dry := proto.CloneOf(req)
		dry.DryRun = true
		if got := h.run(t, dry); len(got.GetResults()) > 0 || !proto.Equal(got.GetPlan(), resp.GetPlan()) {
			t.Fatalf("a dry run plans\n%v, not\n%v", got.GetPlan(), resp.GetPlan())
		}
		if exact := resp.GetPlan().GetTokensAfter(); exact >= 16 && resp.GetPlan().GetBudgetMet() && req.GetPolicy().GetCache().GetMinSavingTokens() == 0 {
			if same := h.run(t, withBudget(req, uint32(exact))); !proto.Equal(same, resp) {
				t.Fatal("more was changed than the budget makes necessary")
			}
		}
		smaller := withBudget(req, max(16, req.GetPolicy().GetTotalTokens()*rapid.Uint32Range(0, 99).Draw(t, "smaller")/100))
		h.checkMonotone(t, req, resp, h.run(t, smaller))
	})
}

// checkPlan checks the numbers.
func (h *histories) checkPlan(t *rapid.T, req *pb.CompactRequest, resp *pb.CompactResponse) {
	plan := resp.GetPlan()
	if len(plan.GetResults()) != len(req.GetEntries()) {
		t.Fatalf("%d results have a plan of %d", len(req.GetEntries()), len(plan.GetResults()))
	}
	changes := map[int]*pb.CompactedResult{}
	for i, r := range resp.GetResults() {
		if i > 0 && r.GetIndex() <= resp.GetResults()[i-1].GetIndex() {
			t.Fatalf("result %d follows result %d", r.GetIndex(), resp.GetResults()[i-1].GetIndex())
		}
		changes[int(r.GetIndex())] = r
	}
	first, sumBefore, sumAfter := -1, uint64(0), uint64(0)
	for i, p := range plan.GetResults() {
		r := changes[i]
		if p.GetChanged() != (r != nil) || r != nil && proto.Equal(req.GetEntries()[i].GetCanonical(), r.GetCanonical()) {
			t.Fatalf("result %d: changed is %v, and the answer has %v", i, p.GetChanged(), r)
		}
		if p.GetChanged() && first < 0 {
			first = i
		}
		if r != nil && p.GetTokensAfter() != r.GetReceipt().GetTokens() || p.GetTokensAfter() > p.GetTokensBefore() {
			t.Fatalf("result %d has %d tokens, %v", i, r.GetReceipt().GetTokens(), p)
		}
		sumBefore, sumAfter = sumBefore+uint64(p.GetTokensBefore()), sumAfter+uint64(p.GetTokensAfter())
	}
	if plan.GetTokensBefore() != sumBefore || plan.GetTokensAfter() != sumAfter {
		t.Fatalf("%d to %d tokens, and the plan says %d to %d", sumBefore, sumAfter, plan.GetTokensBefore(), plan.GetTokensAfter())
	}
	if got := resp.FirstChanged; (got == nil) != (first < 0) || got != nil && int(*got) != first || !cmp.Equal(got, plan.FirstChanged) {
		t.Fatalf("first_changed is %v, %v, and should be %d", got, plan.FirstChanged, first)
	}
	budget := uint64(req.GetPolicy().GetTotalTokens())
	if over := max(sumAfter, budget) - budget; plan.GetShortfallTokens() != over || plan.GetBudgetMet() != (over == 0) {
		t.Fatalf("%d tokens for %d: %v, %d short", sumAfter, budget, plan.GetBudgetMet(), plan.GetShortfallTokens())
	}
	if cached := int(req.GetPolicy().GetCache().GetCachedResults()); first >= 0 && first < cached != (plan.GetCachedTokensInvalidated() > 0) {
		t.Fatalf("result %d of %d cached changed, and %d tokens are invalidated", first, cached, plan.GetCachedTokensInvalidated())
	}
}

// checkUnchanged checks that nothing changed that may not change.
func (h *histories) checkUnchanged(t *rapid.T, req *pb.CompactRequest, resp *pb.CompactResponse) {
	p := req.GetPolicy()
	never := p.GetCache().GetCacheBreak() != pb.CacheBreak_CACHE_BREAK_WHEN_NEEDED
	turns := map[uint32]bool{} // the last ones
	known := slices.ContainsFunc(req.GetEntries(), func(e *pb.CompactEntry) bool { return e.GetTurn() > 0 })
	for i := len(req.GetEntries()) - 1; i >= 0; i-- {
		protected := i < int(p.GetCache().GetCachedResults()) && never
		if known {
			c := req.GetEntries()[i]
			if turns[c.GetTurn()] || len(turns) < int(p.GetProtect().GetLastTurns()) {
				turns[c.GetTurn()] = true
			}
			protected = protected || turns[c.GetTurn()] || slices.Contains(p.GetProtect().GetCallIds(), c.GetCallId())
		} else {
			protected = protected || i >= len(req.GetEntries())-int(p.GetProtect().GetLastTurns())
		}
		family, _ := h.Types.Open(req.GetEntries()[i].GetCanonical())
		protected = protected || slices.Contains(p.GetProtect().GetFamilies(), family)
		if protected && resp.GetPlan().GetResults()[i].GetChanged() {
			t.Fatalf("result %d is protected, and changed: %v", i, resp.GetPlan().GetResults()[i])
		}
	}
}

// checkResults checks what is left of each result; what was checked once is not
// checked again.
func (h *histories) checkResults(t *rapid.T, req *pb.CompactRequest, resp *pb.CompactResponse) {
	for _, r := range resp.GetResults() {
		if !firstTime(r.GetCanonical()) {
			continue
		}
		h.CheckCanonical(t, r.GetCanonical())
		h.CheckKept(t, req.GetEntries()[r.GetIndex()].GetCanonical(), r.GetCanonical())
		h.CheckReceipt(t, &pb.ProjectResponse{Canonical: r.GetCanonical(), Receipt: r.GetReceipt()})
		for _, m := range h.Opened(r.GetCanonical()) {
			servertest.EachPath(m, func(path string) { servertest.ReadBack(t, h.Store, path) })
		}
	}
}

var checked sync.Map

func firstTime(r *pb.CanonicalToolResult) bool {
	text, err := proto.MarshalOptions{Deterministic: true}.Marshal(r)
	if err != nil {
		return true
	}
	_, before := checked.LoadOrStore(string(text), true)
	return !before
}

// checkMonotone checks that a smaller budget shows no more of anything.
func (h *histories) checkMonotone(t *rapid.T, req *pb.CompactRequest, larger, smaller *pb.CompactResponse) {
	most, least := left(req, larger), left(req, smaller)
	for i, b := range smaller.GetPlan().GetResults() {
		a := larger.GetPlan().GetResults()[i]
		if b.GetLevel() < a.GetLevel() || b.GetTokensAfter() > a.GetTokensAfter() {
			t.Fatalf("result %d: a smaller budget makes of\n%v\n%v", i, a, b)
		}
		if b.GetChanged() && !proto.Equal(least[i], most[i]) {
			had := map[string]bool{}
			h.eachShown(most[i], true, func(at, line string) { had[at+line] = true })
			h.eachShown(least[i], false, func(at, line string) {
				if !had[at+line] {
					t.Fatalf("result %d: a smaller budget shows %q, and a larger one does not", i, line)
				}
			})
		}
	}
}

// eachShown visits the lines that previews show whole; with parts also all of a preview in which a line is cut.
func (h *histories) eachShown(r *pb.CanonicalToolResult, parts bool, visit func(at, line string)) {
	_, payload := h.Types.Open(r)
	if payload == nil {
		return
	}
	inside := func(c *pb.Cut) bool { return c.GetKind() == pb.CutKind_CUT_KIND_LONG_LINE }
	envelope.Walk("", payload, func(at string, m protoreflect.Message) {
		fields := envelope.LargeFields(m.Descriptor())
		for i := range fields {
			v := fields[i].Get(m)
			if !parts && slices.ContainsFunc(v.Cuts, inside) {
				continue
			}
			for line := range strings.Lines(v.Preview) {
				visit(at+"."+fields[i].Name, line)
			}
		}
	})
}

// Two steps to a budget keep at least as many lines that must be kept as one, where no
// break of a cache has to pay: what that costs is another thing after the first break.
func TestTwoStepsKeepAsMuchAsOne(t *testing.T) {
	h := newHistories(t)
	var same, all, tokens int
	rapid.Check(t, func(t *rapid.T) {
		last := h.request(t)
		if c := last.GetPolicy().GetCache(); c != nil {
			c.CacheBreak = pb.CacheBreak_CACHE_BREAK_NEVER
		}
		budget := last.GetPolicy().GetTotalTokens()
		between := withBudget(last, budget+budget*rapid.Uint32Range(0, 100).Draw(t, "more")/100)
		one := h.run(t, last)
		halfway := after(between, h.run(t, between))
		two := h.run(t, withBudget(halfway, budget))
		if a, b := h.mustKeep(left(last, one)), h.mustKeep(left(halfway, two)); b < a {
			t.Fatalf("one step keeps %d lines that matter, two keep %d", a, b)
		}
		if a, b := one.GetPlan(), two.GetPlan(); a.GetBudgetMet() && !b.GetBudgetMet() {
			t.Fatalf("one step meets the budget, and two have %d tokens too many", b.GetShortfallTokens())
		}
		all++
		tokens += int(one.GetPlan().GetTokensAfter()) - int(two.GetPlan().GetTokensAfter())
		if slices.EqualFunc(left(last, one), left(halfway, two), func(a, b *pb.CanonicalToolResult) bool { return proto.Equal(a, b) }) {
			same++
		}
	})
	t.Logf("the same results in %d of %d histories; two steps have %d tokens less in all", same, all, tokens)
}

var classifier = salience.New()

// mustKeep counts the lines that are shown and must be kept.
func (h *histories) mustKeep(results []*pb.CanonicalToolResult) (n int) {
	for _, r := range results {
		h.eachShown(r, false, func(_, line string) {
			if classifier.Classify([]byte(strings.TrimSuffix(line, "\n"))).Score >= salience.MustKeep {
				n++
			}
		})
	}
	return n
}
