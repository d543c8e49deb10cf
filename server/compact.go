package server

import (
	"context"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/toolresult/toolresult/compactor"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/tokens"
)

// newCompactor returns the compactor of a registry's families, for a store.
func newCompactor(r *families.Registry, s store) (*compactor.Compactor, error) {
	return compactor.New(r.Types(), func(payload []byte) (path, digest string) {
		ref := s.RefFor(payload)
		return ref.Path, ref.Digest
	})
}

// Compact brings the results of a history to fewer tokens.
func (s *service) Compact(ctx context.Context, req *pb.CompactRequest) (*pb.CompactResponse, error) {
	m := &compaction{service: s, ctx: ctx, began: time.Now(), form: req.GetCanonicalForm()}
	if n := len(req.GetEntries()); n > maxResults {
		return nil, tooManyEntries(maxResults)
	}
	if err := m.begin(req.GetSessionId(), req.GetPolicy(), len(req.GetEntries()), maxRequestInMemory); err != nil {
		return nil, err
	}
	defer m.history.close()
	for _, e := range req.GetEntries() {
		if err := m.history.add(e); err != nil {
			return nil, err
		}
	}
	var planned []*pb.PlannedResult
	var results []*pb.CompactedResult
	resp, err := m.run(req.GetDryRun(), func(p *pb.PlannedResult, r *pb.CompactedResult) error {
		if planned = append(planned, p); r != nil {
			results = append(results, r)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	resp.Results, resp.Plan.Results = results, planned
	return resp, nil
}

// compaction is one call of Compact or CompactStream.
type compaction struct {
	*service
	compactionPolicy
	ctx      context.Context //nolint:containedctx // of the call
	began    time.Time
	session  string
	render   *pb.RenderPolicy // as it was asked for
	form     pb.CanonicalForm
	history  *givenHistory
	plan     *compactor.Plan
	moved    map[int]*pb.CanonicalToolResult // that name other paths than were foreseen
	changed  []string                        // calls whose results changed
	recorded bool                            // the audit log has a record of the call
}

// begin checks what is asked before there are results: of how many entries, and how many bytes of them are in memory.
func (m *compaction) begin(session string, p *pb.CompactionPolicy, limit, memory int) (err error) {
	if m.session, err = identity.Confine(m.ctx, session); err != nil {
		return err
	}
	m.render = p.GetRender()
	check := envelope.NewChecker("")
	check.Name("session_id", m.session, false)
	envelope.CheckForm(check, m.form)
	checkHandles(check, p.GetRender(), "session_id", m.session)
	if err := check.Err(); err != nil {
		return err
	}
	if m.compactionPolicy, err = m.compaction(p, limit); err != nil {
		return err
	}
	m.history, m.moved = m.newHistory(m.ctx, m.session, limit, memory), map[int]*pb.CanonicalToolResult{}
	return nil
}

// run compacts the history. It hands over what becomes of each result in their order, those that changed once they
// are stored and on record, and returns the answer without them.
func (m *compaction) run(dry bool, answer func(*pb.PlannedResult, *pb.CompactedResult) error) (_ *pb.CompactResponse, err error) {
	n := len(m.history.entries)
	m.Measure = m.measure
	if m.plan, err = m.compactor.Plan(m.history.planned(), m.Policy); err != nil {
		return nil, err
	}
	if dry {
		for i := range n {
			if err := answer(m.planned(i), nil); err != nil {
				return nil, err
			}
		}
		return m.summary(nil), nil
	}
	overview, err := m.apply(answer)
	if err != nil {
		return nil, err
	}
	if m.session != "" {
		m.outputs.forget(m.session, m.changed)
	}
	if m.metrics != nil {
		m.metrics.Compacted(compactedOf(m.plan))
	}
	return m.summary(overview), nil
}

// measure says what the receipt of a result costs.
func (m *compaction) measure(entry int, r *pb.CanonicalToolResult) (int, error) {
	receipt, err := m.receipt(entry, r)
	return receipt.Tokens, err
}

func (m *compaction) receipt(entry int, r *pb.CanonicalToolResult) (renderers.Receipt, error) {
	receipt, err := m.registry.ForResult(r).Renderer.Render(r, renderers.Policy{Counter: m.counter, Handle: m.naming})
	if err == nil {
		err = receipt.Cost().Fits(m.budget.receipt)
	}
	if err != nil {
		return receipt, apierror.AtField(fmt.Sprintf("entries[%d]", entry), err)
	}
	return receipt, nil
}

// planned is what the plan says of a result.
func (m *compaction) planned(i int) *pb.PlannedResult {
	r := &m.plan.Results[i]
	p := &pb.PlannedResult{
		Level: r.Level, TokensBefore: uint32(r.Before), TokensAfter: uint32(r.After), Changed: r.Changed,
		Hold: r.Hold, OpenFailure: r.Open, Subject: r.Subject,
	}
	if r.SupersededBy >= 0 {
		p.SupersededBy = new(uint32(r.SupersededBy))
	}
	return p
}

// summary is the answer without what becomes of each result.
func (m *compaction) summary(overview *pb.Receipt) *pb.CompactResponse {
	p := &pb.CompactionPlan{
		TokensBefore: uint64(m.plan.Before), TokensAfter: uint64(m.plan.After), CachedTokensInvalidated: uint64(m.plan.Invalidated),
		BudgetMet: m.plan.Shortfall == 0, ShortfallTokens: uint64(m.plan.Shortfall), UnknownResults: uint32(m.plan.Unknown),
	}
	if first := m.plan.FirstChanged(); first >= 0 {
		p.FirstChanged = new(uint32(first))
	}
	return &pb.CompactResponse{FirstChanged: p.FirstChanged, Plan: p, Overview: overview}
}

// cutText returns the beginning of a text: whole characters of it.
func cutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// compactionPolicy is a compaction policy of the contract with every default in its
// place.
type compactionPolicy struct {
	compactor.Policy
	budget  budget // of each receipt
	counter tokens.Counter
	naming  func(path string) string // how receipts name artifacts; nil: by their paths
}

// Bounds and defaults of compaction policies, as policy.proto states them.
const (
	defaultPreviewTokens = 256
	maxResults           = 10_000    // of one request
	maxStreamedResults   = 1_000_000 // of one stream
	maxSubject           = 65_536
	maxHistoryTokens     = 100_000_000
	maxPinned            = 10_000
	maxPinnedFamilies    = 128
	maxPercent           = 1_000
	defaultWritePercent  = 100
	defaultReadPercent   = 10
	defaultRequests      = 16
	maxRequests          = 10_000
)

// compaction resolves a compaction policy for a history of some results.
func (s *service) compaction(p *pb.CompactionPolicy, results int) (c compactionPolicy, err error) {
	check := envelope.NewChecker("policy")
	if c.budget, c.counter, err = s.counters.render(check.At("render"), p.GetRender(), maxTokens); err != nil {
		return c, err
	}
	c.Level, c.naming = p.GetLevel(), s.handle(p.GetRender())
	c.PreviewTokens = check.Bounded("preview_tokens", p.GetPreviewTokens(), defaultPreviewTokens, minTokens, maxTokens)
	c.Budget = check.Bounded("total_tokens", p.GetTotalTokens(), 0, minTokens, maxHistoryTokens)
	switch c.Level {
	case pb.CompactionLevel_COMPACTION_LEVEL_TRIMMED, pb.CompactionLevel_COMPACTION_LEVEL_HANDLES, pb.CompactionLevel_COMPACTION_LEVEL_LINE:
	case pb.CompactionLevel_COMPACTION_LEVEL_UNSPECIFIED:
		c.Level = pb.CompactionLevel_COMPACTION_LEVEL_LINE
		if p.GetTotalTokens() == 0 {
			check.Fail("level", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "is required without total_tokens")
		}
	default:
		check.Fail("level", pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN, "is no level that this server knows")
	}
	c.OpenFailure = c.PreviewTokens
	if p != nil && p.OpenFailureTokens != nil {
		c.OpenFailure = check.AtMost("open_failure_tokens", p.GetOpenFailureTokens(), maxTokens)
	}
	s.protection(check.At("protect"), p.GetProtect(), &c.Policy)
	c.Cache = cachePolicy(check.At("cache"), p.GetCache(), results)
	return c, check.Err()
}

// protection resolves what a compaction leaves as it is.
func (s *service) protection(check envelope.Checker, p *pb.ProtectionPolicy, into *compactor.Policy) {
	const bounds = pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS
	into.LastTurns = int(p.GetLastTurns())
	if n := len(p.GetCallIds()); n > maxPinned {
		check.Fail("call_ids", bounds, "has %d ids, at most %d are allowed", n, maxPinned)
	} else if n > 0 {
		into.Calls = make(map[string]bool, n)
	}
	for i, id := range p.GetCallIds()[:min(maxPinned, len(p.GetCallIds()))] {
		check.CallID(fmt.Sprintf("call_ids[%d]", i), id, true)
		if into.Calls != nil {
			into.Calls[id] = true
		}
	}
	if n := len(p.GetFamilies()); n > maxPinnedFamilies {
		check.Fail("families", bounds, "has %d names, at most %d are allowed", n, maxPinnedFamilies)
		return
	}
	into.Families = make(map[string]bool, len(p.GetFamilies()))
	for i, name := range p.GetFamilies() {
		if s.registry.ByName(name) == nil && name != s.registry.ErrorFamily().Name {
			check.Fail(fmt.Sprintf("families[%d]", i), pb.ErrorReason_ERROR_REASON_FAMILY_UNKNOWN, "is no family that this server has")
		}
		into.Families[name] = true
	}
}

// cachePolicy resolves what is in the provider's cache.
func cachePolicy(check envelope.Checker, p *pb.CachePolicy, results int) compactor.Cache {
	c := compactor.Cache{
		Results: check.AtMost("cached_results", p.GetCachedResults(), results), MinSaving: int(p.GetMinSavingTokens()),
		Write:    check.Bounded("write_percent", p.GetWritePercent(), defaultWritePercent, 1, maxPercent),
		Requests: check.Bounded("expected_requests", p.GetExpectedRequests(), defaultRequests, 1, maxRequests),
	}
	c.Read = min(defaultReadPercent, c.Write)
	if p != nil && p.ReadPercent != nil {
		c.Read = check.AtMost("read_percent", p.GetReadPercent(), c.Write)
	}
	switch p.GetCacheBreak() {
	case pb.CacheBreak_CACHE_BREAK_UNSPECIFIED, pb.CacheBreak_CACHE_BREAK_NEVER:
	case pb.CacheBreak_CACHE_BREAK_WHEN_NEEDED:
		c.MayBreak = true
	default:
		check.Fail("cache_break", pb.ErrorReason_ERROR_REASON_ENUM_UNKNOWN, "is no policy that this server knows")
	}
	return c
}
