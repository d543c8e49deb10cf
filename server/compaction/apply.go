package compaction

import (
	"fmt"
	"sync"

	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/compactor"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/redaction"
)

// Bounds of what is made, stored and recorded together, before it is answered.
const (
	maxBatch      = 512
	maxBatchBytes = 1 << 20 // of results and of what has to be stored for them
	maxPuts       = 16      // at one time
	namesPercent  = 3       // of the history's tokens that the names in an overview may cost
)

// madeResult is a result that changed.
type madeResult struct {
	index int
	compactor.Compacted
	stored  []artifactstore.Ref // of what it needs
	receipt *pb.Receipt
}

// apply does what the plan says, and answers it result by result. Nothing is answered that is not stored and on record.
func (m *compaction) apply(answer func(*pb.PlannedResult, *pb.CompactedResult) error) (overview *pb.Receipt, err error) {
	var batch []*madeResult
	size, answered := 0, 0
	flush := func(upTo int, overview *pb.Receipt) error {
		if err := m.record(batch, overview); err != nil {
			return err
		}
		if err := m.answerUpTo(answered, upTo, batch, answer); err != nil {
			return err
		}
		batch, size, answered = nil, 0, upTo
		return nil
	}
	for i := range m.plan.Results {
		if !m.plan.Results[i].Changed {
			continue
		}
		made := &madeResult{index: i}
		if made.Compacted, err = m.plan.Result(i); err != nil {
			return nil, err
		}
		batch, size = append(batch, made), size+made.size()
		if len(batch) == maxBatch || size >= maxBatchBytes {
			if err := m.finish(batch); err != nil {
				return nil, err
			}
			if err := flush(i+1, nil); err != nil {
				return nil, err
			}
		}
	}
	if err := m.finish(batch); err != nil {
		return nil, err
	}
	if overview, err = m.overview(); err != nil {
		return nil, err
	}
	return overview, flush(len(m.plan.Results), overview)
}

// size is about what a result takes in memory.
func (r *madeResult) size() int {
	n := proto.Size(r.Result)
	for _, need := range r.Needs {
		n += len(need.Content)
	}
	return n
}

// finish stores what results need, and renders them.
func (m *compaction) finish(batch []*madeResult) error {
	if err := m.store(batch); err != nil {
		return err
	}
	for _, made := range batch {
		if err := m.name(made); err != nil {
			return err
		}
		receipt, err := m.receipt(made.index, made.Result)
		if err != nil {
			return err
		}
		made.receipt = renderers.Message(receipt, m.policy.receipt.Render.Counter.Name())
		if call := m.history.entries[made.index].Call; call != "" {
			m.changed = append(m.changed, call)
		}
	}
	return nil
}

// store stores what results need: several at a time, so that they share the commits of the store.
func (m *compaction) store(batch []*madeResult) error {
	sink := m.service.Store.SinkFor(catalog.Owner{Session: m.session})
	var wait sync.WaitGroup
	slots, errs := make(chan struct{}, maxPuts), make([]error, len(batch))
	for n, made := range batch {
		if len(made.Needs) == 0 {
			continue
		}
		slots <- struct{}{}
		wait.Go(func() {
			defer func() { <-slots }()
			for _, need := range made.Needs {
				ref, err := sink.Put(m.ctx, artifactstore.BytesBlob(need.Content))
				if err != nil {
					errs[n] = apierror.AtField(fmt.Sprintf("entries[%d]", made.index), err)
					return
				}
				made.stored = append(made.stored, ref)
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// name makes a result again when content that it needs is known by another path than was foreseen, because other
// content has its name, and corrects the plan.
func (m *compaction) name(made *madeResult) error {
	refs, moved := map[string]artifactstore.Ref{}, false
	for i, need := range made.Needs {
		refs[string(need.Content)] = made.stored[i]
		moved = moved || made.stored[i].Path != need.Path
	}
	if !moved {
		return nil
	}
	var err error
	made.Compacted, err = m.plan.ResultAt(made.index, func(payload []byte) (path, digest string) {
		ref := refs[string(payload)]
		return ref.Path, ref.Digest
	})
	if err != nil {
		return err
	}
	m.moved[made.index] = made.Result
	cost, err := m.measure(made.index, made.Result)
	if err != nil {
		return err
	}
	m.plan.After += cost - m.plan.Results[made.index].After
	m.plan.Results[made.index].After = cost
	if m.policy.Budget > 0 {
		m.plan.Shortfall = max(0, m.plan.After-m.policy.Budget)
	}
	return nil
}

// record makes a record of results before they are answered. The last one has the overview, and is made also when nothing
// changed.
func (m *compaction) record(batch []*madeResult, overview *pb.Receipt) error {
	if m.service.Recorder == nil || len(batch) == 0 && overview == nil && m.recorded {
		return nil
	}
	compacted := make([]*pb.AuditCompacted, len(batch))
	for i, made := range batch {
		compacted[i] = &pb.AuditCompacted{
			Index: uint32(made.index), CallId: m.history.entries[made.index].Call, Canonical: made.Result, Receipt: made.receipt,
		}
	}
	m.recorded = true
	made := &pb.AuditRecord{Policy: &pb.ProjectionPolicy{Render: redaction.WithoutUnknown(m.render)}, Compacted: compacted, Receipt: overview}
	return m.service.Recorder.Compacted(m.ctx, m.began, m.session, made, m.policy.receipt.Render.Counter.Name())
}

// answerUpTo answers what becomes of the results of a range, of which batch has those that changed.
func (m *compaction) answerUpTo(from, to int, batch []*madeResult, answer func(*pb.PlannedResult, *pb.CompactedResult) error) error {
	for i := from; i < to; i++ {
		var result *pb.CompactedResult
		if len(batch) > 0 && batch[0].index == i {
			result = &pb.CompactedResult{Index: uint32(i), Receipt: batch[0].receipt}
			var err error
			if result.Canonical, result.CanonicalJson, err = envelope.InForm(m.form, batch[0].Result); err != nil {
				return err
			}
			batch = batch[1:]
		}
		if err := answer(m.planned(i), result); err != nil {
			return err
		}
	}
	return nil
}

// overview is the receipt over all results that are no longer shown whole; nil when there are none.
func (m *compaction) overview() (*pb.Receipt, error) {
	var seen []int
	for i := range m.plan.Results {
		if m.plan.Results[i].Level >= pb.CompactionLevel_COMPACTION_LEVEL_HANDLES {
			seen = append(seen, i)
		}
	}
	if len(seen) == 0 {
		return nil, nil
	}
	names := m.plan.Before * namesPercent / 100
	receipt, err := renderers.Overview(len(seen), renderers.MaxOverview, names, m.policy.receipt.Render.Counter, func(back int) (renderers.Seen, error) {
		return m.mention(seen[len(seen)-1-back])
	})
	if err != nil {
		return nil, err
	}
	return renderers.Message(receipt, m.policy.receipt.Render.Counter.Name()), nil
}

// mention is what the overview says of a result.
func (m *compaction) mention(i int) (renderers.Seen, error) {
	r := m.moved[i]
	if r == nil {
		made, err := m.plan.Result(i)
		if err != nil {
			return renderers.Seen{}, err
		}
		r = made.Result
	}
	var superseded *pb.Superseded
	if _, payload := m.service.Registry.Types().Open(r); payload != nil {
		superseded = envelope.SupersededBy(payload)
	}
	return renderers.Mention(m.service.Registry.ForResult(r).Renderer, r, m.policy.receipt.Render, m.plan.Results[i].Subject, superseded), nil
}
