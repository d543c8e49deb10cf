// Package compaction implements Compact and CompactStream: it takes a history entry by entry, has package compactor plan what
// becomes of each result, and makes, stores, records and answers what changes, in batches. Nothing is answered that is not
// stored and on record.
package compaction

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/compactor"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/textscan"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/admission"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/metrics"
	"github.com/toolresult/toolresult/server/policy"
	"github.com/toolresult/toolresult/server/recorder"
	"github.com/toolresult/toolresult/server/redaction"
)

// Store is what a Service needs of the catalog of artifacts.
type Store interface {
	artifactstore.Stager
	SinkFor(catalog.Owner) artifactstore.Sink
}

// Options are what a Service is made of.
type Options struct {
	Registry     *families.Registry
	Policies     *policy.Resolver
	Compactor    *compactor.Compactor
	Store        Store
	Screen       redaction.Screen                     // of what callers bring
	Recorder     *recorder.Recorder                   // nil: no audit log is kept
	Metrics      metrics.Reporter                     // nil: nothing is measured
	StreamIdle   time.Duration                        // that a stream may be without a message
	Memory       *admission.Memory                    // nil: it is not bounded
	StreamMemory int                                  // bytes of a history in a stream that are kept in memory; negative: none
	Forget       func(session string, calls []string) // called for calls whose results changed
}

// Service implements the methods of ToolResultService that compact. Safe for concurrent use.
type Service struct{ Options }

// New returns a Service. Without StreamMemory a stream keeps DefaultStreamMemory bytes.
func New(o Options) *Service {
	if o.StreamMemory == 0 {
		o.StreamMemory = DefaultStreamMemory
	}
	return &Service{o}
}

// Compact brings the results of a history to fewer tokens.
func (s *Service) Compact(ctx context.Context, req *pb.CompactRequest) (*pb.CompactResponse, error) {
	m := &compaction{service: s, ctx: ctx, began: time.Now(), form: req.GetCanonicalForm()}
	if n := len(req.GetEntries()); n > maxResults {
		return nil, tooManyEntries(maxResults)
	}
	if err := m.begin(req.GetSessionId(), req.GetPolicy(), len(req.GetEntries()), requestMemory); err != nil {
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
	service  *Service
	ctx      context.Context // of the call
	began    time.Time
	session  string
	policy   resolvedPolicy
	render   *pb.RenderPolicy // as it was asked for
	form     pb.CanonicalForm
	history  *history
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
	policy.CheckHandles(check, p.GetRender(), "session_id", m.session)
	if err := check.Err(); err != nil {
		return err
	}
	if m.policy, err = m.service.resolve(p, limit); err != nil {
		return err
	}
	m.history, m.moved = newHistory(m.ctx, m.service, m.session, limit, memory, m.policy.receipt.Render.Counter), map[int]*pb.CanonicalToolResult{}
	return nil
}

// run compacts the history. It hands over what becomes of each result in their order, those that changed once they
// are stored and on record, and returns the answer without them.
func (m *compaction) run(dry bool, answer func(*pb.PlannedResult, *pb.CompactedResult) error) (_ *pb.CompactResponse, err error) {
	n := len(m.history.entries)
	m.policy.Measure = m.measure
	if m.plan, err = m.service.Compactor.Plan(m.history.planned(), m.policy.Policy); err != nil {
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
	if m.session != "" && m.service.Forget != nil {
		m.service.Forget(m.session, m.changed)
	}
	if m.service.Metrics != nil {
		m.service.Metrics.Compacted(measured(m.plan))
	}
	return m.summary(overview), nil
}

// measure says what the receipt of a result costs.
func (m *compaction) measure(entry int, r *pb.CanonicalToolResult) (int, error) {
	receipt, err := m.receipt(entry, r)
	return receipt.Tokens, err
}

// receipt renders a result. The error of one that cannot be rendered is a *compactor.UnknownError.
func (m *compaction) receipt(entry int, r *pb.CanonicalToolResult) (renderers.Receipt, error) {
	receipt, err := m.service.Registry.ForResult(r).Renderer.Render(r, m.policy.receipt.Render)
	if err != nil {
		return receipt, m.history.unknownMessage(r, err)
	}
	if err := receipt.Cost().Fits(m.policy.receipt.Limit); err != nil {
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
	if r.Unknown != nil {
		p.UnknownWhy = unknownWhy(r.Unknown)
	}
	return p
}

// maxUnknownWhy bounds why a result is not known, in bytes, as service.proto states it.
const maxUnknownWhy = 256

// unknownWhy returns on one line why a result is not known.
func unknownWhy(unknown *compactor.UnknownError) string {
	why := textscan.OneLine(apierror.ToStatus(unknown).Message)
	if len(why) > maxUnknownWhy {
		why = strings.ToValidUTF8(why[:maxUnknownWhy], "")
	}
	return why
}

// summary is the answer without what becomes of each result.
func (m *compaction) summary(overview *pb.Receipt) *pb.CompactResponse {
	p := &pb.CompactionPlan{
		TokensBefore: uint64(m.plan.Before), TokensAfter: uint64(m.plan.After), CachedTokensInvalidated: uint64(m.plan.Invalidated),
		BudgetMet: m.plan.Shortfall == 0, ShortfallTokens: uint64(m.plan.Shortfall), UnknownResults: uint32(m.plan.Unknown),
		UnknownTokens: uint64(m.plan.UnknownTokens),
	}
	if first := m.plan.FirstChanged(); first >= 0 {
		p.FirstChanged = new(uint32(first))
	}
	return &pb.CompactResponse{FirstChanged: p.FirstChanged, Plan: p, Overview: overview}
}

// measured returns the facts of a compaction for Metrics.
func measured(plan *compactor.Plan) metrics.Compacted {
	c := metrics.Compacted{Results: int64(len(plan.Results)), Before: int64(plan.Before), After: int64(plan.After)}
	for i := range plan.Results {
		if plan.Results[i].Changed {
			c.Changed++
		}
	}
	return c
}
