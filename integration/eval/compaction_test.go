package eval_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/eval"
	"github.com/toolresult/toolresult/tokens"
)

// Histories that steps are joined to, and what stays beside it in a prompt: the calls.
const (
	historySteps = 10 // of one project, in their order
	keptPlain    = 3  // newest results that the plain way keeps
)

// TestCompaction measures how many needles of recorded steps a history still has after
// compaction to half of its tokens, beside clearing all results but the newest ones.
func TestCompaction(t *testing.T) {
	if _, err := os.Stat(filepath.Join(*recorded, "steps.jsonl")); err != nil {
		t.Skip("no recorded steps")
	}
	steps, err := eval.ReadSteps(*recorded)
	if err != nil {
		t.Fatal(err)
	}
	counter, err := tokens.O200k()
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t)
	var half, cleared, newestOnes survival
	histories := inHistories(steps)
	for _, h := range histories {
		results := s.results(t, h)
		calls := ""
		for _, step := range h {
			calls += step.Command + "\n" + step.Message + "\n"
		}
		text := s.compacted(t, results)
		tokens := counter.Count(text)
		half.add(h, calls+text, tokens)
		newest := newestOf(results, func(n, _ int) bool { return n <= keptPlain })
		cleared.add(h, calls+newest, counter.Count(newest))
		newest = newestOf(results, func(_, cost int) bool { return cost <= tokens })
		newestOnes.add(h, calls+newest, counter.Count(newest))
	}
	table := newTable(fmt.Sprintf("%d histories of %d steps", len(histories), historySteps), "all needles", "of older results", "tokens of a history")
	for _, row := range []struct {
		name string
		*survival
	}{
		{"**compaction to half**", &half}, {"the newest results in as many tokens", &newestOnes},
		{fmt.Sprintf("the newest %d results", keptPlain), &cleared},
	} {
		table.row(row.name, row.all.String(), row.older.String(), fmt.Sprint(row.tokens/len(histories)))
	}
	publish(t, "compaction", table.String())
}

// newestOf returns the receipts of the newest results, as long as keep accepts their number
// and cost in tokens.
func newestOf(results []*pb.ProjectResponse, keep func(n, cost int) bool) (text string) {
	cost := 0
	for i := range slices.Backward(results) {
		if cost += int(results[i].GetReceipt().GetTokens()); !keep(len(results)-i, cost) {
			return text
		}
		text = results[i].GetReceipt().GetText() + "\n" + text
	}
	return text
}

// inHistories joins steps of one project to histories, in their order.
func inHistories(steps []*eval.Step) (list [][]*eval.Step) {
	steps = slices.Clone(steps)
	slices.SortStableFunc(steps, func(a, b *eval.Step) int { return cmp.Compare(a.Project, b.Project) })
	for len(steps) > 0 {
		n := 1
		for n < len(steps) && steps[n].Project == steps[0].Project {
			n++
		}
		for part := range slices.Chunk(steps[:n], historySteps) {
			if len(part) == historySteps {
				list = append(list, part)
			}
		}
		steps = steps[n:]
	}
	return list
}

// results projects the steps of a history.
func (s *sidecar) results(t *testing.T, history []*eval.Step) (list []*pb.ProjectResponse) {
	t.Helper()
	for _, step := range history {
		resp, err := s.projectStep(t, step, "", 20_000)
		if err != nil {
			t.Fatal(step.ID, err)
		}
		list = append(list, resp)
	}
	return list
}

// compacted returns the receipts of a history at half of its tokens, and the overview.
func (s *sidecar) compacted(t *testing.T, results []*pb.ProjectResponse) string {
	t.Helper()
	req := &pb.CompactRequest{Policy: &pb.CompactionPolicy{
		Protect: &pb.ProtectionPolicy{LastTurns: 2}, Render: &pb.RenderPolicy{TokenVocabulary: pb.TokenVocabulary_TOKEN_VOCABULARY_O200K_BASE},
	}}
	receipts := make([]string, len(results))
	for i, r := range results {
		req.Policy.TotalTokens += r.GetReceipt().GetTokens()
		req.Entries = append(req.Entries, &pb.CompactEntry{Result: &pb.CompactEntry_Canonical{Canonical: r.GetCanonical()}, Turn: uint32(i + 1)})
		receipts[i] = r.GetReceipt().GetText()
	}
	req.Policy.TotalTokens /= 2
	resp, err := s.Compact(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range resp.GetResults() {
		receipts[r.GetIndex()] = r.GetReceipt().GetText()
	}
	return strings.Join(receipts, "\n") + "\n" + resp.GetOverview().GetText()
}

// survival is the share of needles that histories still have.
type survival struct {
	all, older share
	tokens     int
}

// share is a mean of shares.
type share struct {
	sum float64
	n   int
}

func (m share) String() string { return fmt.Sprintf("%.1f %%", 100*m.sum/float64(max(1, m.n))) }

// add adds what text still has of the needles of a history.
func (s *survival) add(history []*eval.Step, text string, tokens int) {
	s.tokens += tokens
	for i, step := range history {
		if len(step.Action)+len(step.Thought) == 0 {
			continue
		}
		kept := step.Kept(text)
		s.all.sum, s.all.n = s.all.sum+kept, s.all.n+1
		if i < len(history)-keptPlain {
			s.older.sum, s.older.n = s.older.sum+kept, s.older.n+1
		}
	}
}
