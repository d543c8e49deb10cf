package projectors

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors/profile"
)

// A batch is several commands of one call, each with a result or an error of its own.
// All their streams are parts of one projection, so they share the budget; when even
// the facts of all items do not fit, the items at the end move into an artifact.

// maxItems bounds the items of the result of a batch.
const maxItems = 64

// CommandBatch projects several commands of one call. Their streams share one budget,
// max-min fair. The profiles are as for Command.
func CommandBatch(profiles *profile.Set) Projector {
	return batchProjector{newCommand(profiles), newErrorProjection()}
}

// batchProjector projects the items of a batch with the projectors of a command and
// of an error, so an item reads as the result of a call of its own.
type batchProjector struct {
	command commandProjector
	errors  errorProjection
}

// Project returns the canonical result of a batch. What must be kept may not fit the
// budget: then hints of the table of kinds go first, then texts are cut, and at last
// the items at the end are moved into an artifact.
func (b batchProjector) Project(ctx context.Context, in Input, sink artifactstore.Sink) (Projection, error) {
	out := in.Output.GetCommandBatch()
	check := envelope.NewChecker("output.command_batch")
	b.check(check, out, &in)
	if err := check.Err(); err != nil {
		return Projection{}, err
	}
	n := min(len(out.GetItems()), maxItems)
	all := &batchItems{}
	p, err := b.project(ctx, in, itemShape{hint: withHint, items: n}, all, sink)
	if isShortfall(err) && slices.ContainsFunc(out.GetItems(), func(i *pb.CommandBatchItemOutput) bool { return wantsHint(i.GetError()) }) {
		p, err = b.project(ctx, in, itemShape{hint: asGiven, items: n}, all, sink)
	}
	last := itemShape{hint: asGiven, items: n}
	for _, l := range tightening[1:] {
		if !isShortfall(err) {
			return p, err
		}
		last.limits = l
		p, err = b.project(ctx, in, last, all, sink)
	}
	for isShortfall(err) && last.items > 1 {
		last.items /= 2
		p, err = b.project(ctx, in, last, all, sink)
	}
	return p, err
}

// hinting states whether an error without a recovery hint gets the one of its kind.
type hinting bool

const (
	withHint hinting = true
	asGiven  hinting = false
)

// itemShape states how much of its items the result of a batch has.
type itemShape struct {
	limits
	hint  hinting
	items int // number of items, from the first one on
}

// project projects a batch with its items in a shape.
func (b batchProjector) project(ctx context.Context, in Input, shape itemShape, all *batchItems, sink artifactstore.Sink) (Projection, error) {
	out := in.Output.GetCommandBatch()
	result := &pb.CommandBatchResult{StopOnError: out.GetStopOnError()}
	var parts []part
	for _, given := range out.GetItems()[:shape.items] {
		item, own, err := b.item(ctx, given, shape, &in, sink)
		if err != nil {
			return Projection{}, err
		}
		parts = append(parts, own...)
		result.Items = append(result.Items, item)
	}
	if shape.items < len(out.GetItems()) {
		if err := b.store(ctx, in, all, sink); err != nil {
			return Projection{}, err
		}
		result.ItemsOmitted = all.omittedAfter(shape.items)
	}
	r := canonical(in.Output, batchSummary(out))
	r.Result = &pb.CanonicalToolResult_CommandBatch{CommandBatch: result}
	finish := func() error {
		for _, item := range result.GetItems() {
			finishItem(item)
		}
		return nil
	}
	return fit(ctx, in, r, parts, finish, sink)
}

// batchItems holds all items of a batch, once they are stored.
type batchItems struct {
	items  []*pb.CommandBatchItem
	stored artifactstore.Ref
}

// store stores all items of a batch and their outputs, once.
func (b batchProjector) store(ctx context.Context, in Input, all *batchItems, sink artifactstore.Sink) error {
	if len(all.items) > 0 {
		return nil
	}
	whole := in.Policy
	whole.KeepAll = true
	for _, given := range in.Output.GetCommandBatch().GetItems() {
		item, parts, err := b.item(ctx, given, itemShape{hint: asGiven}, &in, sink)
		if err != nil {
			return err
		}
		for _, p := range parts {
			if err := p.show(ctx, envelope.Cost{}, whole, sink); err != nil {
				return err
			}
		}
		finishItem(item)
		all.items = append(all.items, item)
	}
	m := (&pb.CommandBatchResult{Items: all.items}).ProtoReflect()
	items := m.Descriptor().Fields().ByName("items")
	var err error
	all.stored, err = sink.Put(ctx, artifactstore.BytesBlob(envelope.ListText(items, m.Get(items).List())))
	return err
}

// omittedAfter counts the items after the first ones by their outcome.
func (all *batchItems) omittedAfter(first int) *pb.CommandBatchOmitted {
	omitted := &pb.CommandBatchOmitted{Artifact: &pb.ArtifactReference{Path: all.stored.Path}, Digest: all.stored.Digest}
	for _, item := range all.items[first:] {
		countOmitted(omitted, item)
	}
	return omitted
}

// countOmitted counts the outcome of one item.
func countOmitted(omitted *pb.CommandBatchOmitted, item *pb.CommandBatchItem) {
	switch {
	case item.GetStatus() == pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_REJECTED:
		omitted.Rejected++
	case item.GetStatus() == pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_SKIPPED:
		omitted.Skipped++
	case item.GetResult() != nil && item.GetResult().ExitStatus != nil && item.GetResult().GetExitStatus() == 0:
		omitted.Succeeded++
	default:
		omitted.Otherwise++
	}
}

// finishItem completes an item after its streams are shown.
func finishItem(item *pb.CommandBatchItem) {
	if item.GetResult() != nil {
		setTruncated(item.GetResult())
	}
}

// itemCommandLine returns the command line of an item: that of its result, or else its
// own.
func itemCommandLine(given *pb.CommandBatchItemOutput) string {
	return cmp.Or(given.GetResult().GetCommandLine(), given.GetCommandLine())
}

// item returns an item, and the parts of it that are fitted to the budget.
func (b batchProjector) item(ctx context.Context, given *pb.CommandBatchItemOutput, shape itemShape, in *Input, sink artifactstore.Sink) (*pb.CommandBatchItem, []part, error) {
	item := &pb.CommandBatchItem{
		Status: itemStatus(given), CommandPreview: oneLine(given.GetCommandLine(), minLimit(shape.text, maxCommandPreview)),
	}
	var parts []part // an item has a result or an error: the check rejects others
	if e := given.GetError(); e != nil {
		var err error
		shape := errorShape{shape.limits, shape.hint, shape.limits != (limits{})}
		if item.Error, parts, err = b.errors.project(ctx, e, shape, in, sink); err != nil {
			return nil, nil, err
		}
	}
	if out := given.GetResult(); out != nil {
		item.Result = b.command.facts(out, itemCommandLine(given), shape.limits)
		if item.GetResult().GetCommandPreview() == item.GetCommandPreview() &&
			item.GetResult().GetDisposition() != pb.CommandDisposition_COMMAND_DISPOSITION_ALREADY_RUNNING {
			item.Result.CommandPreview = "" // the item has it
		}
		parts = b.command.parts(parts, out, itemCommandLine(given), item.GetResult(), in)
	}
	return item, parts, nil
}

// itemStatus returns the status of an item: the stated one or, if there is none, the
// one that follows from the fields that are set.
func itemStatus(given *pb.CommandBatchItemOutput) pb.CommandBatchItemStatus {
	switch {
	case given.GetStatus() != pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_UNSPECIFIED:
		return given.GetStatus()
	case given.GetResult() != nil:
		return pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_RAN
	case given.GetError() != nil:
		return pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_REJECTED
	}
	return pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_SKIPPED
}

// batchSummary is the summary for a batch without one.
func batchSummary(out *pb.CommandBatchOutput) string {
	ran := 0
	for _, item := range out.GetItems() {
		if itemStatus(item) == pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_RAN {
			ran++
		}
	}
	return fmt.Sprintf("%d of %d commands ran", ran, len(out.GetItems()))
}

// check checks a complete batch.
func (b batchProjector) check(c envelope.Checker, out *pb.CommandBatchOutput, in *Input) {
	if len(out.GetItems()) == 0 {
		c.Fail("items", pb.ErrorReason_ERROR_REASON_FIELD_MISSING, "has no command")
		return
	}
	for i, item := range out.GetItems() {
		b.checkItem(c.At(fmt.Sprintf("items[%d]", i)), item, in)
	}
}

// checkItem checks that status, result and error of an item agree.
func (b batchProjector) checkItem(c envelope.Checker, item *pb.CommandBatchItemOutput, in *Input) {
	switch status := itemStatus(item); status {
	case pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_RAN, pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_REJECTED,
		pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_SKIPPED:
		if ran := status == pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_RAN; ran != (item.GetResult() != nil) {
			c.Fail("result", pb.ErrorReason_ERROR_REASON_ENVELOPE_EXCLUSIVITY, "is set if and only if the command ran")
		}
		if rejected := status == pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_REJECTED; rejected != (item.GetError() != nil) {
			c.Fail("error", pb.ErrorReason_ERROR_REASON_ENVELOPE_EXCLUSIVITY, "is set if and only if the command was rejected")
		}
	}
	if item.GetResult() != nil {
		checkCommand(c.At("result"), item.GetResult(), in)
	}
	if item.GetError() != nil {
		b.errors.check(c.At("error"), item.GetError(), in)
	}
}
