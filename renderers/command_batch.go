package renderers

import (
	"cmp"
	"fmt"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// CommandBatch renders several commands of one call: first the outcome of each, then
// their texts.
func CommandBatch() Renderer {
	c := newCommand()
	return Describe(func(payload protoreflect.Message) Document {
		r, _ := payload.Interface().(*pb.CommandBatchResult)
		return c.batch(r)
	})
}

// batch describes a batch. A recovery hint is stated once, with the first item that
// has it.
func (c command) batch(r *pb.CommandBatchResult) Document {
	d := Document{Outcome: batchOutcome(r)}
	said := map[string]bool{} // hints: one is said with the first item that has it
	for i, item := range r.GetItems() {
		d.fact(fmt.Sprintf("%s %d", labelItem, i+1), itemOutcome(item)+": "+cmp.Or(item.GetCommandPreview(), "(no command)"))
		if item.GetResult() != nil {
			c.describe(&d, item.GetResult(), itemPrefix(i))
		}
		if e := item.GetError(); e != nil {
			d.fact(itemPrefix(i)+labelMessage, e.GetMessage())
			if said[e.GetRecoveryHint()] {
				e = proto.CloneOf(e)
				e.RecoveryHint = nil
			}
			said[e.GetRecoveryHint()] = true
			d.addError(e, itemPrefix(i))
			d.addErrorText(e, itemPrefix(i))
		}
	}
	if o := r.GetItemsOmitted(); o != nil {
		d.fact(labelItemsOmitted, fmt.Sprintf("%d to %d; all items: %s", len(r.GetItems())+1, omittedItems(r)+int64(len(r.GetItems())), o.GetArtifact().GetPath()))
	}
	return d
}

// omittedItems returns the number of commands that the result omits.
func omittedItems(r *pb.CommandBatchResult) int64 {
	o := r.GetItemsOmitted()
	return int64(o.GetSucceeded() + o.GetOtherwise() + o.GetRejected() + o.GetSkipped())
}

// batchOutcome counts the outcomes of the items, those that are omitted included.
func batchOutcome(r *pb.CommandBatchResult) string {
	o := r.GetItemsOmitted()
	succeeded, other, rejected, skipped := o.GetSucceeded(), o.GetOtherwise(), o.GetRejected(), o.GetSkipped()
	for _, item := range r.GetItems() {
		switch item.GetStatus() {
		case pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_REJECTED:
			rejected++
		case pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_SKIPPED:
			skipped++
		default:
			if r := item.GetResult(); r != nil && r.ExitStatus != nil && r.GetExitStatus() == 0 {
				succeeded++
			} else {
				other++
			}
		}
	}
	return fmt.Sprintf("%s %s: %d exited with code 0, %d otherwise, %d rejected, %d skipped",
		outcomeBatch, count(int64(len(r.GetItems()))+omittedItems(r), "command"), succeeded, other, rejected, skipped)
}

// itemOutcome returns the outcome of an item.
func itemOutcome(item *pb.CommandBatchItem) string {
	switch item.GetStatus() {
	case pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_RAN:
		return commandOutcome(item.GetResult())
	case pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_REJECTED:
		return outcomeError + " " + item.GetError().GetKind()
	case pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_SKIPPED:
		return "skipped, because an earlier command failed"
	}
	return fmt.Sprintf("status %d", item.GetStatus())
}
