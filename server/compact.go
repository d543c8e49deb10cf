package server

import (
	"context"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/library"
	"github.com/toolresult/toolresult/compactor"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/tokens"
	"github.com/toolresult/toolresult/renderers"
)

// newCompactor returns the compactor of a registry's families, for a store.
func newCompactor(r *Registry, s store) (*compactor.Compactor, error) {
	return compactor.New(r.types, func(payload []byte) (path, digest string) {
		ref := s.RefOf(payload)
		return ref.Path, ref.Digest
	})
}

// Compact brings the results of a history to fewer tokens.
func (s *service) Compact(ctx context.Context, req *pb.CompactRequest) (*pb.CompactResponse, error) {
	session, err := confine(ctx, req.GetSessionId())
	if err != nil {
		return nil, err
	}
	began, check := time.Now(), envelope.NewChecker("")
	check.Name("session_id", session, false)
	checkHandles(check, req.GetPolicy().GetRender(), "session_id", session)
	if err := check.Err(); err != nil {
		return nil, err
	}
	resolved, err := s.compaction(req.GetPolicy(), len(req.GetEntries()))
	if err != nil {
		return nil, err
	}
	history, err := historyOf(req, s.registry.types)
	if err != nil {
		return nil, err
	}
	m := &compaction{service: s, compactionPolicy: resolved, receipts: make([][]madeReceipt, len(history))}
	resolved.Measure = m.measure
	plan, err := s.compactor.Plan(history, resolved.Policy)
	if err != nil {
		return nil, err
	}
	if req.GetDryRun() {
		return m.response(plan, nil), nil
	}
	if err := m.store(ctx, plan, s.store.For(library.Owner{Session: session}), history); err != nil {
		return nil, err
	}
	var results []*pb.CompactedResult
	for i := range plan.Results {
		p := &plan.Results[i]
		if !p.Changed {
			continue
		}
		receipt, err := m.receipt(i, p.Result)
		if err != nil {
			return nil, err
		}
		results = append(results, &pb.CompactedResult{Index: uint32(i), Canonical: p.Result, Receipt: receiptOf(receipt, m.counter.Name())})
	}
	resp := m.response(plan, results)
	if err := s.audit.compacted(ctx, began, session, req, resp, m.counter.Name()); err != nil {
		return nil, err
	}
	if s.metrics != nil {
		s.metrics.Compacted(compactedOf(resp))
	}
	return resp, nil
}

// historyOf checks the results of a request, and puts them together with what the
// runtime knows of them.
func historyOf(req *pb.CompactRequest, types envelope.Types) ([]compactor.Entry, error) {
	const bounds = pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS
	entries := req.GetEntries()
	check := envelope.NewChecker("")
	if len(entries) > maxResults {
		check.Fail("entries", bounds, "has %d results, at most %d are allowed", len(entries), maxResults)
		return nil, check.Err()
	}
	history := make([]compactor.Entry, len(entries))
	for i, c := range entries {
		if err := envelope.ValidateCanonical(fmt.Sprintf("entries[%d].canonical", i), c.GetCanonical(), types); err != nil {
			return nil, err
		}
		at := check.At(fmt.Sprintf("entries[%d]", i))
		at.CallID("call_id", c.GetCallId(), false)
		at.Length("subject", c.GetSubject(), maxSubject)
		if i > 0 && c.GetTurn() < entries[i-1].GetTurn() {
			at.Fail("turn", bounds, "is %d, after a result of turn %d", c.GetTurn(), entries[i-1].GetTurn())
		}
		e := &history[i]
		e.Result = c.GetCanonical()
		e.Call, e.Turn, e.Subject, e.Preceding = c.GetCallId(), int(c.GetTurn()), c.GetSubject(), int(c.GetPrecedingTokens())
	}
	return history, check.Err()
}

// compaction is one call of Compact.
type compaction struct {
	*service
	compactionPolicy
	receipts [][]madeReceipt // of each entry: of what it is, and of what it was tried as
}

// madeReceipt is the receipt of a result, so that none is made twice.
type madeReceipt struct {
	of *pb.CanonicalToolResult
	renderers.Receipt
}

// measure says what the receipt of a result costs.
func (m *compaction) measure(entry int, r *pb.CanonicalToolResult) (int, error) {
	receipt, err := m.receipt(entry, r)
	return receipt.Tokens, err
}

func (m *compaction) receipt(entry int, r *pb.CanonicalToolResult) (renderers.Receipt, error) {
	made := m.receipts[entry]
	if i := slices.IndexFunc(made, func(r2 madeReceipt) bool { return r2.of == r }); i >= 0 {
		return made[i].Receipt, nil
	}
	receipt, err := m.registry.ofResult(r).Renderer.Render(r, renderers.Policy{Counter: m.counter, Handle: m.naming})
	if err == nil {
		err = receipt.Cost().Fits(m.budget.receipt)
	}
	if err != nil {
		return receipt, located{fmt.Sprintf("entries[%d]", entry), err}
	}
	m.receipts[entry] = append(made, madeReceipt{r, receipt})
	return receipt, nil
}

// store stores what the results of a plan need. Content that is known by another path
// than was foreseen, because other content has its name, changes the result that needs
// it by that path.
func (m *compaction) store(ctx context.Context, plan *compactor.Plan, sink artifactstore.Sink, history []compactor.Entry) error {
	for i := range plan.Results {
		p := &plan.Results[i]
		paths := map[string]artifactstore.Ref{}
		moved := false
		for _, need := range p.Needs {
			ref, err := sink.Put(ctx, artifactstore.BytesBlob(need.Content))
			if err != nil {
				return located{fmt.Sprintf("entries[%d]", i), err}
			}
			paths[string(need.Content)] = ref
			moved = moved || ref.Path != need.Path
		}
		if !moved {
			continue
		}
		p.Compacted = m.compactor.At(func(payload []byte) (path, digest string) {
			ref := paths[string(payload)]
			return ref.Path, ref.Digest
		}).Compact(history[i].Result, p.Target)
		if err := m.moved(plan, i); err != nil {
			return err
		}
	}
	return nil
}

// moved corrects a plan after the path of an artifact was another than was foreseen.
func (m *compaction) moved(plan *compactor.Plan, i int) error {
	cost, err := m.measure(i, plan.Results[i].Result)
	if err != nil {
		return err
	}
	plan.After += cost - plan.Results[i].After
	plan.Results[i].After = cost
	if m.Budget > 0 {
		plan.Shortfall = max(0, plan.After-m.Budget)
	}
	return nil
}

// maxPlannedSubject is how much of a subject a plan repeats, in bytes.
const maxPlannedSubject = 200

// response is the answer with a plan.
func (m *compaction) response(plan *compactor.Plan, results []*pb.CompactedResult) *pb.CompactResponse {
	p := &pb.CompactionPlan{
		Results: make([]*pb.PlannedResult, len(plan.Results)), TokensBefore: uint64(plan.Before), TokensAfter: uint64(plan.After),
		CachedTokensInvalidated: uint64(plan.Invalidated), BudgetMet: plan.Shortfall == 0, ShortfallTokens: uint64(plan.Shortfall),
	}
	for i := range plan.Results {
		r := &plan.Results[i]
		p.Results[i] = &pb.PlannedResult{
			Level: m.compactor.Level(r.Result), TokensBefore: uint32(r.Before), TokensAfter: uint32(r.After), Changed: r.Changed,
			Hold: r.Hold, OpenFailure: r.Open, Subject: cutText(r.Subject, maxPlannedSubject),
		}
		if r.SupersededBy >= 0 {
			p.Results[i].SupersededBy = new(uint32(r.SupersededBy))
		}
	}
	if first := plan.FirstChanged(); first >= 0 {
		p.FirstChanged = new(uint32(first))
	}
	return &pb.CompactResponse{Results: results, FirstChanged: p.FirstChanged, Plan: p}
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
	maxResults           = 10_000
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
	c.PreviewTokens = bounded(check, "preview_tokens", p.GetPreviewTokens(), defaultPreviewTokens, minTokens, maxTokens)
	c.Budget = bounded(check, "total_tokens", p.GetTotalTokens(), 0, minTokens, maxHistoryTokens)
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
		c.OpenFailure = atMost(check, "open_failure_tokens", p.GetOpenFailureTokens(), maxTokens)
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
		if s.registry.families[name] == nil && name != s.registry.failed.Name {
			check.Fail(fmt.Sprintf("families[%d]", i), pb.ErrorReason_ERROR_REASON_FAMILY_UNKNOWN, "is no family that this server has")
		}
		into.Families[name] = true
	}
}

// cachePolicy resolves what is in the provider's cache.
func cachePolicy(check envelope.Checker, p *pb.CachePolicy, results int) compactor.Cache {
	c := compactor.Cache{
		Results: atMost(check, "cached_results", p.GetCachedResults(), results), MinSaving: int(p.GetMinSavingTokens()),
		Write:    bounded(check, "write_percent", p.GetWritePercent(), defaultWritePercent, 1, maxPercent),
		Requests: bounded(check, "expected_requests", p.GetExpectedRequests(), defaultRequests, 1, maxRequests),
	}
	c.Read = min(defaultReadPercent, c.Write)
	if p != nil && p.ReadPercent != nil {
		c.Read = atMost(check, "read_percent", p.GetReadPercent(), c.Write)
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

// atMost is a value of a policy that may be 0.
func atMost(check envelope.Checker, field string, value uint32, highest int) int {
	if int64(value) > int64(highest) {
		check.Fail(field, pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "is %d, and at most %d is allowed", value, highest)
		return 0
	}
	return int(value)
}
