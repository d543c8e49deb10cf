package redaction

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/ingest"
)

// redacted returns an output without its secrets.
func redacted(t interface {
	Helper()
	Fatal(...any)
}, r *Pass, out *pb.CompleteToolOutput, family *families.Family, streams map[string]ingest.Payload) *pb.CompleteToolOutput {
	t.Helper()
	got, err := r.Redact(context.Background(), out, family, streams)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

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

// TestRedactionEndsWithItsCaller has large outputs of several forms whose caller goes away after each number of pieces: nothing is
// looked at from then on.
func TestRedactionEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	const pieces = 4
	text := strings.Repeat("a line of the output\n", pieces*(256<<10)/21)
	var list []string
	for i := range 64 {
		list = append(list, fmt.Sprintf("%d \x1b[31m", i))
	}
	escaped, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	batch := &pb.CommandBatchOutput{}
	for range 16 {
		batch.Items = append(batch.Items, &pb.CommandBatchItemOutput{Result: &pb.CommandOutput{CommandLine: "make", Stdout: inlineBytes("out")}})
	}
	command := func(stdout string) *pb.CompleteToolOutput {
		return &pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{Stdout: inlineBytes(stdout)}}}
	}
	outputs := map[string]struct {
		out   *pb.CompleteToolOutput
		whole bool
		least int // looks
	}{
		"a text":              {command(text), false, pieces},
		"a text with secrets": {command(text[:len(text)/2] + hidden + text[len(text)/2:]), false, 2 * pieces},
		"strings of JSON":     {command(string(escaped)), true, 64},
		"a broken JSON":       {command(`["` + hidden + `",` + strings.Repeat("1234567,", 64) + `1]`), true, 2},
		"many fields":         {&pb.CompleteToolOutput{Result: &pb.CompleteToolOutput_CommandBatch{CommandBatch: batch}}, false, 32},
	}
	for name, c := range outputs {
		family := &families.Family{Whole: c.whole}
		all := &countdown{Context: t.Context(), left: -1}
		if _, err := withValues(t).Redact(all, c.out, family, nil); err != nil || all.looks < c.least {
			t.Errorf("%s: %d looks, %v", name, all.looks, err)
		}
		for left := range all.looks {
			ctx := &countdown{Context: t.Context(), left: left}
			got, err := withValues(t).Redact(ctx, c.out, family, nil)
			if got != nil || !errors.Is(err, context.Canceled) || ctx.after != 1 {
				t.Errorf("%s: %d looks after the end at %d of %d, %v", name, ctx.after, left, all.looks, err)
			}
		}
	}
	sink := withValues(t).NewSink(sinkhole{})
	for left := range pieces {
		ctx := &countdown{Context: t.Context(), left: left}
		if _, err := sink.Put(ctx, artifactstore.BytesBlob([]byte(text))); !errors.Is(err, context.Canceled) || ctx.after != 1 {
			t.Errorf("a derived text: %d looks after the end, %v", ctx.after, err)
		}
	}
}

// sinkhole takes everything.
type sinkhole struct{}

func (sinkhole) Put(context.Context, artifactstore.Blob) (artifactstore.Ref, error) {
	return artifactstore.Ref{}, nil
}
