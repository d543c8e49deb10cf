package compaction

import (
	"fmt"

	"github.com/toolresult/toolresult/compactor"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/policy"
)

// resolvedPolicy is a CompactionPolicy of the contract with every default in its place.
type resolvedPolicy struct {
	compactor.Policy
	receipt policy.Receipt // each receipt's
}

// Bounds and defaults of compaction policies, as policy.proto states them.
const (
	defaultPreviewTokens = 256
	maxResults           = 10_000 // of one request
	maxStreamedResults   = 32_768 // of one stream
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

// resolve resolves a compaction policy for a history of some results.
func (s *Service) resolve(p *pb.CompactionPolicy, results int) (c resolvedPolicy, err error) {
	check := envelope.NewChecker("policy")
	if c.receipt, err = s.Policies.Receipt(check.At("render"), p.GetRender(), policy.MaxTokens); err != nil {
		return c, err
	}
	c.Level = p.GetLevel()
	c.PreviewTokens = check.Bounded("preview_tokens", p.GetPreviewTokens(), defaultPreviewTokens, policy.MinTokens, policy.MaxTokens)
	c.Budget = check.Bounded("total_tokens", p.GetTotalTokens(), 0, policy.MinTokens, maxHistoryTokens)
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
		c.OpenFailure = check.AtMost("open_failure_tokens", p.GetOpenFailureTokens(), policy.MaxTokens)
	}
	s.protection(check.At("protect"), p.GetProtect(), &c.Policy)
	c.Cache = cachePolicy(check.At("cache"), p.GetCache(), results)
	return c, check.Err()
}

// protection resolves what a compaction leaves as it is.
func (s *Service) protection(check envelope.Checker, p *pb.ProtectionPolicy, into *compactor.Policy) {
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
		if s.Registry.ByName(name) == nil && name != s.Registry.ErrorFamily().Name {
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
