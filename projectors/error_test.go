package projectors_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"github.com/toolresult/toolresult/artifactstore/memory"
	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/projectors"
	"github.com/toolresult/toolresult/tokens"
)

// hintBytes measures a result by its hint and details alone: what a budget may
// make a projection leave out.
func hintBytes(r *pb.CanonicalToolResult) (envelope.Receipt, error) {
	n := len(r.GetError().GetRecoveryHint()) + len(r.GetError().GetDetailsJson())
	for _, item := range r.GetCommandBatch().GetItems() {
		n += len(item.GetError().GetRecoveryHint())
	}
	return envelope.Receipt{Text: strings.Repeat("x", n)}, nil
}

func errorInput(out *pb.CompleteToolOutput, bytes int) projectors.Input {
	out.ToolName = "ExecCommand"
	return projectors.Input{
		Output: out, Measure: hintBytes, Policy: projectors.Policy{Budget: envelope.Cost{Tokens: 1000, Bytes: bytes}, LineBytes: 2000, Counter: tokens.Estimate()},
	}
}

func hintOf(t *testing.T, kind string) *string {
	t.Helper()
	k, known := envelope.LookupErrorKind(kind)
	if !known {
		t.Fatalf("%s is not known", kind)
	}
	return &k.Hint
}

// A hint comes from the table only where the runtime gave none, and nothing else
// of an error does. It never takes the place of what the runtime gave.
func TestRecoveryHint(t *testing.T) {
	t.Parallel()
	const kind, details = "task_not_found", `{"task_id":"task_124"}`
	hint := hintOf(t, kind)
	for _, c := range []struct {
		name        string
		kind        string
		given, want *string
		budget      int // of hint and details, in bytes
		details     bool
	}{
		{"known kind without a hint", kind, nil, hint, 0, true},
		{"known kind with a hint", kind, new("ask again"), new("ask again"), 0, true},
		{"known kind, no hint wanted", kind, new(""), new(""), 0, true},
		{"unknown kind without a hint", "kind_of_nobody", nil, nil, 0, true},
		{"unknown kind with a hint", "kind_of_nobody", new("ask again"), new("ask again"), 0, true},
		{"space for both", kind, nil, hint, len(*hint) + len(details), true},
		{"no space for the table's hint", kind, nil, nil, len(*hint) + len(details) - 1, true},
		{"no space for the details", kind, new("ask again"), new("ask again"), len("ask again"), false},
	} {
		for _, retryable := range []bool{false, true} {
			given := &pb.CompleteToolError{Kind: c.kind, Message: inline("no"), RecoveryHint: c.given, Retryable: &retryable, Details: inline(details)}
			want := &pb.ToolError{Kind: c.kind, Message: "no", RecoveryHint: c.want, Retryable: &retryable, DetailsJson: new(details)}
			out := &pb.CompleteToolOutput{Status: pb.ToolStatus_TOOL_STATUS_ERROR, Error: proto.CloneOf(given)}
			r, err := projectors.Error().Project(context.Background(), errorInput(out, c.budget), memory.New())
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			got := r.Canonical.GetError()
			if !c.details {
				want.DetailsJson, want.DetailsOmitted = nil, got.GetDetailsOmitted()
			}
			if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" || (got.GetDetailsOmitted() == nil) != c.details {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
			if !proto.Equal(out.GetError(), given) {
				t.Errorf("%s: the complete error was changed", c.name)
			}
		}
	}
}

// Errors of the items of a batch follow the same rule.
func TestRecoveryHintOfItems(t *testing.T) {
	t.Parallel()
	const kind = "execution_root_violation"
	hint := *hintOf(t, kind)
	rejected := func(kind string, hint *string) *pb.CommandBatchItemOutput {
		return &pb.CommandBatchItemOutput{
			Status: pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_REJECTED, CommandLine: "make",
			Error: &pb.CompleteToolError{Kind: kind, Message: inline("no"), RecoveryHint: hint},
		}
	}
	hints := func(items []*pb.CommandBatchItemOutput, budget int) (list []string, err error) {
		out := &pb.CompleteToolOutput{
			Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
			Result: &pb.CompleteToolOutput_CommandBatch{CommandBatch: &pb.CommandBatchOutput{Items: items}},
		}
		r, err := projectors.CommandBatch(nil).Project(context.Background(), errorInput(out, budget), memory.New())
		for _, item := range r.Canonical.GetCommandBatch().GetItems() {
			if item.GetError().RecoveryHint == nil {
				list = append(list, "absent")
			} else {
				list = append(list, item.GetError().GetRecoveryHint())
			}
		}
		return list, err
	}
	items := []*pb.CommandBatchItemOutput{rejected(kind, nil), rejected(kind, new("my own")), rejected(kind, new("")), rejected("kind_of_nobody", nil)}
	for _, c := range []struct {
		budget int
		want   []string
	}{
		{0, []string{hint, "my own", "", "absent"}},
		{len(hint) + len("my own"), []string{hint, "my own", "", "absent"}},
		{len("my own"), []string{"absent", "my own", "", "absent"}},
	} {
		got, err := hints(items, c.budget)
		if diff := cmp.Diff(c.want, got); err != nil || diff != "" {
			t.Errorf("budget %d, error %v (-want +got):\n%s", c.budget, err, diff)
		}
	}
	if got, err := hints(items, len("my own")-1); err != nil || len(got) != 1 {
		t.Errorf("without space for the runtime's hint: %q, %v", got, err)
	}
	var shortfall *envelope.ShortfallError
	if _, err := hints(items[1:2], len("my own")-1); !errors.As(err, &shortfall) || shortfall.Needed != len("my own") {
		t.Errorf("without space for the only item: %v", err)
	}
}
