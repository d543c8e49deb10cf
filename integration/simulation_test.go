package integration_test

import (
	"fmt"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/server/config"
)

// The shape of every session, in tokens.
const (
	system    = 6000   // prompt before the first call
	preceding = 90     // what the model says before each call, with the call
	limit     = 40_000 // of the receipts together, at which old ones have to go
	target    = 16_000 // that compaction brings them to
	stub      = 12     // what stands for a result that was cleared
	keepLast  = 10     // results that clearing leaves
)

// prices are those of a prompt token, in hundredths of one that is not cached.
type prices struct {
	name        string
	write, read int
}

var models = []prices{{"125/10", 125, 10}, {"100/25", 100, 25}, {"100/100", 100, 100}}

// strategies are what is done about old results before each request.
var strategies = []string{"none", "keep the last 10", "clear at the limit", "toolresult"}

// What sessions cost a runtime, by the provider's prices of prompts and of its cache,
// when old results are left alone, cleared or compacted. The store is in memory: its
// paths, and so the tokens, are the same in every run.
func TestDocumentedSimulation(t *testing.T) {
	if raceDetector {
		t.Skip("skipped under the race detector: its calls are made one after the other")
	}
	if testing.Short() {
		t.Skip("skipped with -short: it compacts long sessions; `make integration` runs it")
	}
	t.Parallel()
	s := startSidecar(t, launch{Store: config.MemoryStore})
	var rows []string
	for _, session := range simulatedSessions(t) {
		h := projectSession(t, s, session)
		for _, strategy := range strategies {
			row := "| | " + strategy + " |"
			if strategy == strategies[0] {
				row = fmt.Sprintf("| %s, %d calls | %s |", session.name, len(h.results), strategy)
			}
			var last simulation
			for _, model := range models {
				last = simulate(t, s, h, strategy, model)
				row += fmt.Sprintf(" %s |", thousands(last.cost/100))
			}
			row += fmt.Sprintf(" %s | %d of %d |", thousands(last.peak), last.openShown, h.open)
			rows = append(rows, row)
			if strategy == "toolresult" && last.openShown != h.open {
				t.Errorf("%s: %d of %d open failures are still shown", session.name, last.openShown, h.open)
			}
		}
	}
	checkTable(t, "testdata/simulation.md", "| session | strategy | 125/10 | 100/25 | 100/100 | largest prompt | open failures shown |", rows)
}

func thousands(n int) string { return fmt.Sprintf("%.1f", float64(n)/1000) }

// history is a session after projection.
type history struct {
	results []*pb.CanonicalToolResult
	tokens  []int      // of the receipts
	errors  [][]string // of each failure that is open at the end: its lines that must be kept
	open    int        // how many have any
}

func projectSession(t *testing.T, s *sidecar, from simulated) *history {
	t.Helper()
	h := &history{}
	var receipts []string
	for _, out := range from.calls {
		resp, err := s.Project(t.Context(), &pb.ProjectRequest{Output: out})
		if err != nil {
			t.Fatal(err)
		}
		h.results = append(h.results, resp.GetCanonical())
		h.tokens = append(h.tokens, int(resp.GetReceipt().GetTokens()))
		receipts = append(receipts, resp.GetReceipt().GetText())
	}
	plan, err := s.Compact(t.Context(), &pb.CompactRequest{
		Entries: entriesOf(h.results), DryRun: true, Policy: &pb.CompactionPolicy{TotalTokens: 100_000_000},
	})
	if err != nil {
		t.Fatal(err)
	}
	classifier := salience.New()
	h.errors = make([][]string, len(receipts))
	for i, r := range plan.GetPlan().GetResults() {
		if !r.GetOpenFailure() {
			continue
		}
		for line := range strings.SplitSeq(receipts[i], "\n") {
			if m := classifier.Classify([]byte(line)); m.Score >= salience.MustKeep && m.Reason != salience.Summary {
				h.errors[i] = append(h.errors[i], line)
			}
		}
		if len(h.errors[i]) > 0 {
			h.open++
		}
	}
	return h
}

// simulation is one session under one strategy and price model.
type simulation struct {
	cost      int // in hundredths of a token's price
	peak      int // tokens of the largest prompt
	openShown int // open failures of which a line is shown at the end
}

// simulate sends a request after each call.
func simulate(t *testing.T, s *sidecar, h *history, strategy string, p prices) (r simulation) {
	t.Helper()
	now := conversation{}
	sent := 0 // results in the cache
	for i := range h.results {
		now.results = append(now.results, h.results[i])
		now.tokens = append(now.tokens, h.tokens[i])
		now.texts = append(now.texts, "")
		first := now.shrink(t, s, strategy, p)
		cached := 0
		if i > 0 {
			cached = system
		}
		for j := range min(first, sent) {
			cached += preceding + now.tokens[j]
		}
		total := system + now.total() + preceding*len(now.tokens)
		r.cost += cached*p.read + (total-cached)*p.write
		r.peak = max(r.peak, total)
		sent = i + 1
	}
	for i, lines := range h.errors {
		if len(lines) > 0 && now.tells(i, lines) {
			r.openShown++
		}
	}
	return r
}

// conversation is what the next request carries.
type conversation struct {
	results []*pb.CanonicalToolResult
	tokens  []int
	texts   []string // of receipts that changed; stubs for those that were cleared
}

func (c *conversation) total() (n int) {
	for _, v := range c.tokens {
		n += v
	}
	return n
}

// tells reports whether a result still has a line of its failure.
func (c *conversation) tells(i int, lines []string) bool {
	if c.texts[i] == "" {
		return true
	}
	for _, line := range lines {
		if strings.Contains(c.texts[i], line) {
			return true
		}
	}
	return false
}

// shrink does what the strategy does, and returns the first result that changed.
func (c *conversation) shrink(t *testing.T, s *sidecar, strategy string, p prices) (first int) {
	t.Helper()
	switch over := c.total() > limit; {
	case strategy == "keep the last 10", strategy == "clear at the limit" && over:
		return c.clear(len(c.tokens) - keepLast)
	case strategy == "toolresult" && over:
		return c.compact(t, s, p)
	}
	return len(c.tokens)
}

// clear replaces the first so many results by a stub.
func (c *conversation) clear(n int) (first int) {
	first = len(c.tokens)
	for i := n - 1; i >= 0; i-- {
		if c.texts[i] == "" && c.tokens[i] > stub {
			c.texts[i], c.tokens[i], first = "[Old tool result content cleared]", stub, i
		}
	}
	return first
}

// compact ends the epoch.
func (c *conversation) compact(t *testing.T, s *sidecar, p prices) (first int) {
	t.Helper()
	entries := entriesOf(c.results)
	for i, e := range entries {
		e.CallId, e.Turn, e.PrecedingTokens = fmt.Sprintf("call_%d", i), uint32(i+1), preceding
	}
	each := max(1, c.total()/len(c.tokens))
	resp, err := s.Compact(t.Context(), &pb.CompactRequest{
		Entries: entries,
		Policy: &pb.CompactionPolicy{
			TotalTokens: target, Protect: &pb.ProtectionPolicy{LastTurns: 2},
			Cache: &pb.CachePolicy{
				CachedResults: uint32(len(c.results) - 1), CacheBreak: pb.CacheBreak_CACHE_BREAK_WHEN_NEEDED,
				WritePercent: uint32(p.write), ReadPercent: new(uint32(p.read)), ExpectedRequests: uint32((limit - target) / each),
			},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	first = len(c.tokens)
	if resp.FirstChanged != nil {
		first = int(resp.GetFirstChanged())
	}
	for _, r := range resp.GetResults() {
		i := r.GetIndex()
		c.results[i], c.tokens[i], c.texts[i] = r.GetCanonical(), int(r.GetReceipt().GetTokens()), r.GetReceipt().GetText()
	}
	return first
}

// entriesOf are results as a history has them.
func entriesOf(results []*pb.CanonicalToolResult) []*pb.CompactEntry {
	entries := make([]*pb.CompactEntry, len(results))
	for i, r := range results {
		entries[i] = &pb.CompactEntry{Result: &pb.CompactEntry_Canonical{Canonical: r}}
	}
	return entries
}
