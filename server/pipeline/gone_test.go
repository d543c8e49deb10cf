package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// countdown is the context of a caller that goes away: it is looked at some times before.
type countdown struct {
	context.Context
	left  int // looks before the caller has gone; negative: it stays
	looks int
	after int // looks that found that it has gone
}

func (c *countdown) Err() error {
	c.looks++
	if c.left == 0 {
		c.after++
		return context.Canceled
	}
	c.left--
	return nil
}

// TestWorkEndsWithItsCaller has callers that go away after each step of the work on their output, of one and of several payloads: the
// call fails with that, and no step is begun any more.
func TestWorkEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	inline := func(seed, bytes int) *pb.Payload {
		var b strings.Builder
		for i := 0; b.Len() < bytes; i++ {
			fmt.Fprintf(&b, "line %d of %d: error %x\n", i, seed, i*seed)
		}
		return &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(b.String())}}
	}
	two := &pb.CompleteToolOutput{ToolName: "Bash", Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
		CommandLine: "make", ExitStatus: new(int32), Stdout: inline(3, 1<<20), Stderr: inline(5, 600_000),
	}}}
	batch := &pb.CommandBatchOutput{}
	for i := range 8 {
		batch.Items = append(batch.Items, &pb.CommandBatchItemOutput{CommandLine: "make", Result: &pb.CommandOutput{ExitStatus: new(int32), Stdout: inline(i, 50_000)}})
	}
	many := &pb.CompleteToolOutput{ToolName: "Batch", Result: &pb.CompleteToolOutput_CommandBatch{CommandBatch: batch}}
	for name, out := range map[string]*pb.CompleteToolOutput{"two streams": two, "a batch": many} {
		project := func(ctx *countdown) error {
			_, err := h.Project(ctx, &pb.ProjectRequest{Output: out})
			return err
		}
		all := &countdown{Context: t.Context(), left: -1}
		if err := project(all); err != nil || all.looks < 8 {
			t.Errorf("%s: %d looks, %v", name, all.looks, err)
		}
		for left := range all.looks {
			ctx := &countdown{Context: t.Context(), left: left}
			if err := project(ctx); !errors.Is(err, context.Canceled) || ctx.after > 2 {
				t.Errorf("%s: %d looks after the end at %d of %d, %v", name, ctx.after, left, all.looks, err)
			}
		}
	}
}
