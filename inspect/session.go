package inspect

import (
	"context"
	"net/http"
	"slices"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/compactstream"
)

// maxCompacted is the number of results for which the plan of a compaction is made: the last ones of a session. The plan is made anew
// with every move of the slider.
const maxCompacted = 300

// sessionPage is the timeline of a session, the oldest call first.
type sessionPage struct {
	ID      string
	Calls   []call
	Total   totals
	Older   string // page token of earlier calls; empty: there are none
	Newer   bool   // later calls are on other pages
	Breaks  map[uint64]*cacheBreak
	Results int    // that the plan of a compaction is made for
	Tokens  uint64 // of their receipts
}

// cacheBreak is a compaction on record: from the first result that it changed on, the provider's cache was of no use.
type cacheBreak struct {
	Results int // that it changed
	First   *pb.AuditCompacted
}

// session answers with the timeline of a session.
func (p *page) session(r *http.Request) (any, error) {
	id := r.PathValue("id")
	list, err := p.Sidecar.ListRecords(r.Context(), &pb.ListRecordsRequest{
		SessionId: id, PageSize: listRecords, PageToken: r.URL.Query().Get("page"), Summaries: true,
	})
	if err != nil {
		return nil, err
	}
	records := list.GetRecords()
	slices.Reverse(records)
	read, err := p.readBack(r.Context(), records)
	if err != nil {
		return nil, err
	}
	shown := sessionPage{
		ID: id, Calls: calls(records), Total: sum(records, read), Older: list.GetNextPageToken(), Newer: r.URL.Query().Get("page") != "",
	}
	strip(shown.Calls)
	if shown.Breaks, err = p.breaks(r.Context(), records); err != nil {
		return nil, err
	}
	if !shown.Newer {
		results, _, err := p.results(r.Context(), id)
		if err != nil {
			return nil, err
		}
		shown.Results = len(results)
		for _, record := range results {
			shown.Tokens += uint64(record.GetReceipt().GetTokens())
		}
	}
	return shown, nil
}

// breaks returns what the compactions among some records changed, by their sequence.
func (p *page) breaks(ctx context.Context, records []*pb.AuditRecord) (map[uint64]*cacheBreak, error) {
	found := map[uint64]*cacheBreak{}
	for _, r := range records {
		if r.GetKind() != pb.AuditKind_AUDIT_KIND_COMPACTION {
			continue
		}
		whole, err := p.Sidecar.GetRecord(ctx, &pb.GetRecordRequest{Sequence: r.GetSequence()})
		if err != nil {
			return nil, err
		}
		b := &cacheBreak{Results: len(whole.GetRecord().GetCompacted())}
		if b.Results > 0 {
			b.First = whole.GetRecord().GetCompacted()[0]
		}
		found[r.GetSequence()] = b
	}
	return found, nil
}

// compactionPlan is what a compaction of a session's results would do.
type compactionPlan struct {
	Plan    *pb.CompactionPlan
	Rows    []plannedCall
	Omitted bool // the session has earlier results, which the plan is not of
	Most    uint32
}

// plannedCall is a result of the session and what the plan does to it.
type plannedCall struct {
	*pb.PlannedResult
	Call   *pb.AuditRecord
	Breaks bool // the provider's cache ends here
	Cached bool // it is in the provider's cache
}

// compaction answers with the plan of a compaction to a number of tokens.
func (p *page) compaction(r *http.Request) (any, error) {
	policy, err := compactionPolicy(r)
	if err != nil {
		return nil, err
	}
	records, more, err := p.results(r.Context(), r.PathValue("id"))
	if err != nil {
		return nil, err
	}
	policy.Cache.CachedResults = min(policy.Cache.CachedResults, uint32(len(records)))
	header := &pb.CompactHeader{Policy: policy, SessionId: r.PathValue("id"), DryRun: true}
	resp, err := compactstream.Compact(r.Context(), p.Sidecar, header, func(yield func(*pb.CompactEntry, error) bool) {
		for _, record := range records {
			if !yield(p.entry(r.Context(), record)) {
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	plan := resp.GetPlan()
	shown := compactionPlan{Plan: plan, Omitted: more, Most: 1}
	for i, planned := range plan.GetResults() {
		row := plannedCall{PlannedResult: planned, Call: records[i], Cached: uint32(i) < policy.Cache.CachedResults}
		row.Breaks = row.Cached && plan.FirstChanged != nil && int(plan.GetFirstChanged()) == i
		shown.Rows, shown.Most = append(shown.Rows, row), max(shown.Most, planned.GetTokensBefore())
	}
	return shown, nil
}

// compactionPolicy reads the form of a compaction.
func compactionPolicy(r *http.Request) (*pb.CompactionPolicy, error) {
	q := r.URL.Query()
	budget, err := numberOf("The budget", q.Get("tokens"), 0, 16, 100_000_000)
	if err != nil {
		return nil, err
	}
	cached, err := numberOf("The number of cached results", q.Get("cached"), 0, 0, 100_000)
	if err != nil {
		return nil, err
	}
	last, err := numberOf("The number of protected turns", q.Get("protect"), 0, 0, 100_000)
	if err != nil {
		return nil, err
	}
	policy := &pb.CompactionPolicy{
		TotalTokens: uint32(budget), Cache: &pb.CachePolicy{CachedResults: uint32(cached)}, Protect: &pb.ProtectionPolicy{LastTurns: uint32(last)},
	}
	if q.Get("break") != "" {
		policy.Cache.CacheBreak = pb.CacheBreak_CACHE_BREAK_WHEN_NEEDED
	}
	return policy, nil
}

// results returns the last results of a session, the oldest first, and whether there are earlier ones.
func (p *page) results(ctx context.Context, session string) ([]*pb.AuditRecord, bool, error) {
	list, err := p.Sidecar.ListRecords(ctx, &pb.ListRecordsRequest{
		SessionId: session, Kinds: []pb.AuditKind{pb.AuditKind_AUDIT_KIND_PROJECTION}, PageSize: maxCompacted,
	})
	if err != nil {
		return nil, false, err
	}
	records := list.GetRecords()
	slices.Reverse(records)
	return records, list.GetNextPageToken() != "", nil
}

// entry returns an entry of a history: the result as it was answered.
func (p *page) entry(ctx context.Context, record *pb.AuditRecord) (*pb.CompactEntry, error) {
	whole, err := p.Sidecar.GetRecord(ctx, &pb.GetRecordRequest{Sequence: record.GetSequence()})
	return &pb.CompactEntry{
		Result: &pb.CompactEntry_Canonical{Canonical: whole.GetRecord().GetCanonical()}, CallId: record.GetCall().GetCallId(),
	}, err
}
