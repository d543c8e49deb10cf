package inspect

import (
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
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
func (p *page) session(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	list, err := p.Sidecar.ListRecords(r.Context(), &pb.ListRecordsRequest{
		SessionId: id, PageSize: listRecords, PageToken: r.URL.Query().Get("page"), Summaries: true,
	})
	if err != nil {
		p.failed(w, r, err)
		return
	}
	records := list.GetRecords()
	slices.Reverse(records)
	read, err := p.readBack(r.Context(), records)
	if err != nil {
		p.failed(w, r, err)
		return
	}
	shown := sessionPage{
		ID: id, Calls: calls(records), Total: sum(records, read), Older: list.GetNextPageToken(), Newer: r.URL.Query().Get("page") != "",
	}
	strip(shown.Calls)
	if shown.Breaks, err = p.breaks(r.Context(), records); err != nil {
		p.failed(w, r, err)
		return
	}
	if !shown.Newer {
		results, _, err := p.results(r.Context(), id)
		if err != nil {
			p.failed(w, r, err)
			return
		}
		shown.Results = len(results)
		for _, record := range results {
			shown.Tokens += uint64(record.GetReceipt().GetTokens())
		}
	}
	p.views.show(w, http.StatusOK, "session.html", shown)
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
func (p *page) compaction(w http.ResponseWriter, r *http.Request) {
	policy, err := compactionPolicy(r)
	if err != nil {
		p.failed(w, r, err)
		return
	}
	records, more, err := p.results(r.Context(), r.PathValue("id"))
	if err != nil {
		p.failed(w, r, err)
		return
	}
	policy.Cache.CachedResults = min(policy.Cache.CachedResults, uint32(len(records)))
	results, plan, err := p.plan(r.Context(), &pb.CompactHeader{Policy: policy, SessionId: r.PathValue("id"), DryRun: true}, records)
	if err != nil {
		p.failed(w, r, err)
		return
	}
	shown := compactionPlan{Plan: plan, Omitted: more, Most: 1}
	for i, planned := range results {
		row := plannedCall{PlannedResult: planned, Call: records[i], Cached: uint32(i) < policy.Cache.CachedResults}
		row.Breaks = row.Cached && plan.FirstChanged != nil && int(plan.GetFirstChanged()) == i
		shown.Rows, shown.Most = append(shown.Rows, row), max(shown.Most, planned.GetTokensBefore())
	}
	p.views.show(w, http.StatusOK, "compaction.html", shown)
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

// plan asks what a compaction would do to results on record: to each of them, and all together.
func (p *page) plan(ctx context.Context, header *pb.CompactHeader, records []*pb.AuditRecord) ([]*pb.PlannedResult, *pb.CompactionPlan, error) {
	call, err := p.Sidecar.CompactStream(ctx)
	if err != nil {
		return nil, nil, err
	}
	err = call.Send(&pb.CompactStreamRequest{Message: &pb.CompactStreamRequest_Header{Header: header}})
	for i := 0; i < len(records) && err == nil; i++ {
		var entry *pb.CompactEntry
		if entry, err = p.entry(ctx, records[i]); err == nil {
			err = call.Send(&pb.CompactStreamRequest{Message: &pb.CompactStreamRequest_Entry{Entry: entry}})
		}
	}
	if err = cmp.Or(err, call.CloseSend()); err != nil && !errors.Is(err, io.EOF) { // which means that the answer has the status
		return nil, nil, err
	}
	var results []*pb.PlannedResult
	for {
		answer, err := call.Recv()
		if err != nil {
			return nil, nil, err
		}
		if r := answer.GetPlanned(); r != nil {
			results = append(results, r)
		}
		if s := answer.GetSummary(); s != nil {
			return results, s.GetPlan(), nil
		}
	}
}

// entry returns an entry of a history: the result as it was answered.
func (p *page) entry(ctx context.Context, record *pb.AuditRecord) (*pb.CompactEntry, error) {
	whole, err := p.Sidecar.GetRecord(ctx, &pb.GetRecordRequest{Sequence: record.GetSequence()})
	return &pb.CompactEntry{
		Result: &pb.CompactEntry_Canonical{Canonical: whole.GetRecord().GetCanonical()}, CallId: record.GetCall().GetCallId(),
	}, err
}
