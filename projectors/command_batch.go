package projectors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors/profile"
)

// maxItems bounds a batch.
const maxItems = 64

// CommandBatch projects several commands of one call. Their streams share one
// budget, max-min fair. The profiles are as for Command.
func CommandBatch(profiles *profile.Set) Projector {
	return batch{newCommand(profiles), newErrorProjection()}
}

type batch struct {
	command command
	errors  errorProjection
}

// Project returns the canonical result of a batch. Where what must be kept does
// not fit the budget, the hints of ours are left out.
func (b batch) Project(ctx context.Context, in Input, sink artifactstore.Sink) (*pb.CanonicalToolResult, error) {
	out := in.Output.GetCommandBatch()
	check := envelope.NewChecker("output.command_batch")
	b.check(check, out, &in)
	if err := check.Err(); err != nil {
		return nil, err
	}
	r, err := b.project(ctx, in, withHint, sink)
	var shortfall *envelope.ShortfallError
	if errors.As(err, &shortfall) && slices.ContainsFunc(out.GetItems(), func(i *pb.CommandBatchItemOutput) bool { return wantsHint(i.GetError()) }) {
		return b.project(ctx, in, asGiven, sink)
	}
	return r, err
}

// hinting says whether an error that came without a recovery hint gets the one
// of its kind.
type hinting bool

const (
	withHint hinting = true
	asGiven  hinting = false
)

func (b batch) project(ctx context.Context, in Input, hint hinting, sink artifactstore.Sink) (*pb.CanonicalToolResult, error) {
	out := in.Output.GetCommandBatch()
	result := &pb.CommandBatchResult{StopOnError: out.GetStopOnError()}
	var parts []part
	for _, given := range out.GetItems() {
		item, texts, err := b.item(ctx, given, hint, &in, sink)
		if err != nil {
			return nil, err
		}
		parts = append(parts, texts...)
		if item.GetResult() != nil {
			parts = b.command.parts(parts, given.GetResult(), commandLineOf(given), item.GetResult(), &in)
		}
		result.Items = append(result.Items, item)
	}
	r := canonical(in.Output, batchSummary(out))
	r.Result = &pb.CanonicalToolResult_CommandBatch{CommandBatch: result}
	finish := func() error {
		for _, item := range result.GetItems() {
			if item.GetResult() != nil {
				setTruncated(item.GetResult())
			}
		}
		return nil
	}
	if err := fit(ctx, in, r, parts, finish, sink); err != nil {
		return nil, err
	}
	return r, nil
}

// commandLineOf is the command line of an item, as its result has it or else the item.
func commandLineOf(given *pb.CommandBatchItemOutput) string {
	return cmp.Or(given.GetResult().GetCommandLine(), given.GetCommandLine())
}

// item returns an item and, of its error, what is to be fitted to the budget.
func (b batch) item(ctx context.Context, given *pb.CommandBatchItemOutput, hint hinting, in *Input, sink artifactstore.Sink) (*pb.CommandBatchItem, []part, error) {
	item := &pb.CommandBatchItem{
		Status: itemStatus(given), CommandPreview: oneLine(given.GetCommandLine(), maxCommandPreview),
	}
	if out := given.GetResult(); out != nil {
		item.Result = b.command.facts(out, commandLineOf(given))
		if item.GetResult().GetCommandPreview() == item.GetCommandPreview() &&
			item.GetResult().GetDisposition() != pb.CommandDisposition_COMMAND_DISPOSITION_ALREADY_RUNNING {
			item.Result.CommandPreview = "" // the item has it
		}
	}
	if given.GetError() == nil {
		return item, nil, nil
	}
	e, parts, err := b.errors.project(ctx, given.GetError(), in, sink)
	if err != nil {
		return nil, nil, err
	}
	if item.Error = e; hint == asGiven {
		e.RecoveryHint = givenHint(given.GetError())
	}
	return item, parts, nil
}

// itemStatus returns the status of an item: as it is stated or, where it is not, as it
// follows from what is set.
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

func batchSummary(out *pb.CommandBatchOutput) string {
	ran := 0
	for _, item := range out.GetItems() {
		if itemStatus(item) == pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_RAN {
			ran++
		}
	}
	return fmt.Sprintf("%d of %d commands ran", ran, len(out.GetItems()))
}

func (b batch) check(c envelope.Checker, out *pb.CommandBatchOutput, in *Input) {
	if n := len(out.GetItems()); n < 1 || n > maxItems {
		c.Fail("items", pb.ErrorReason_ERROR_REASON_FIELD_OUT_OF_BOUNDS, "has %d items, 1 to %d are allowed", n, maxItems)
		return
	}
	for i, item := range out.GetItems() {
		b.checkItem(c.At(fmt.Sprintf("items[%d]", i)), item, in)
	}
}

// checkItem checks that status, result and error of an item agree.
func (b batch) checkItem(c envelope.Checker, item *pb.CommandBatchItemOutput, in *Input) {
	c.Required("command_line", item.GetCommandLine(), maxCommandLine)
	status := itemStatus(item)
	ran := status == pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_RAN
	rejected := status == pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_REJECTED
	if ran != (item.GetResult() != nil) {
		c.Fail("result", pb.ErrorReason_ERROR_REASON_ENVELOPE_EXCLUSIVITY, "is set if and only if the command ran")
	}
	if rejected != (item.GetError() != nil) {
		c.Fail("error", pb.ErrorReason_ERROR_REASON_ENVELOPE_EXCLUSIVITY, "is set if and only if the command was rejected")
	}
	if item.GetResult() != nil {
		checkCommand(c.At("result"), item.GetResult(), in)
	}
	if item.GetError() != nil {
		b.errors.check(c.At("error"), item.GetError(), in)
	}
}
