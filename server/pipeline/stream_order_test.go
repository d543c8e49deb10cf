package pipeline_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/servertest"
)

// written are all pieces of a stream; of every stream when it has no name.
func written(list []servertest.Piece, stream string) (all []byte) {
	for _, p := range list {
		if stream == "" || stream == p.Stream {
			all = append(all, p.Data...)
		}
	}
	return all
}

// The order of arrival is kept however the streams interleave and are torn, each
// stream is its own, and nothing else of the answer changes.
func TestOrderOfArrival(t *testing.T) {
	h := newHarness(t)
	rapid.Check(t, func(t *rapid.T) {
		list, policy := servertest.Pieces().Draw(t, "pieces"), servertest.Policies().Draw(t, "policy")
		cut := rapid.IntRange(0, len(list)).Draw(t, "snapshot")
		at := map[string]uint64{}
		requests := append([]*pb.ProjectStreamRequest{servertest.Ordered(policy)}, servertest.ChunksOf(t, list[:cut], at)...)
		requests = append(requests, servertest.Snapshot(servertest.Completed()))
		requests = append(append(requests, servertest.ChunksOf(t, list[cut:], at)...), servertest.Finish(servertest.Completed()))
		answers, err := h.Stream(t.Context(), requests)
		var shortfall *envelope.ShortfallError
		if errors.As(err, &shortfall) {
			return
		}
		if err != nil || len(answers) != 2 {
			t.Fatalf("%d answers, %v", len(answers), err)
		}
		h.checkInOrder(t, answers[0].GetSnapshot(), list[:cut], policy, false)
		h.checkInOrder(t, answers[1].GetResult(), list, policy, true)
		h.checkBesideTheOrder(t, answers[1].GetResult(), list, policy)
	})
}

// checkInOrder checks the artifacts and the receipt of an answer to pieces.
func (h harness) checkInOrder(t *rapid.T, resp *pb.ProjectResponse, list []servertest.Piece, policy *pb.ProjectionPolicy, ended bool) {
	result := resp.GetCanonical().GetCommand()
	h.CheckCanonical(t, resp.GetCanonical())
	h.CheckReceipt(t, resp)
	servertest.CheckBudget(t, resp.GetReceipt(), policy.GetRender().GetBudget())
	open := 0 // a stream that goes on ends in a masked word
	if !ended {
		open = 1
	}
	read := func(index *uint32) []byte {
		return servertest.ReadBack(t, h.Store, result.GetArtifacts()[*index].GetPath())
	}
	if i := result.StdoutArtifact; i != nil && !same(read(i), written(list, "stdout"), open) {
		t.Fatal("standard output is not what was written to it")
	}
	if i := result.StderrArtifact; i != nil && !same(read(i), written(list, "stderr"), open) {
		t.Fatal("standard error is not what was written to it")
	}
	both := len(written(list, "stdout")) > 0 && len(written(list, "stderr")) > 0 && len(written(list, "other")) == 0
	all := policy.GetArtifactPolicy() == pb.ArtifactPolicy_ARTIFACT_POLICY_ALWAYS
	tokens := policy.GetRender().GetBudget().GetMaxTokens()
	small := tokens > 0 && tokens < 256
	switch i := result.InOrderArtifact; {
	case i == nil && both && (all || result.GetTruncated() && !small):
		t.Fatal("the order was not kept")
	case i != nil && !both:
		t.Fatal("there is an order of one stream, or of more than there is a place for")
	case i != nil && !same(read(i), written(list, ""), 2*open):
		t.Fatalf("the order is not that of arrival: %.200q", read(i))
	case i != nil && !strings.Contains(resp.GetReceipt().GetText(), "\nIn order of arrival: "+result.GetArtifacts()[*i].GetPath()):
		t.Fatalf("the receipt does not name the order\n%s", resp.GetReceipt().GetText())
	case i != nil:
		level := rapid.SampledFrom([]pb.CompactionLevel{
			pb.CompactionLevel_COMPACTION_LEVEL_TRIMMED, pb.CompactionLevel_COMPACTION_LEVEL_HANDLES,
		}).Draw(t, "level")
		compacted := h.Only(t, resp.GetCanonical(), h.CompactOne(t, resp.GetCanonical(), level, 0)).GetCanonical()
		h.CheckCanonical(t, compacted)
		h.CheckKept(t, resp.GetCanonical(), compacted)
	}
}

// maxMasked is how long the masked word at the end of an open stream may be, in bytes.
const maxMasked = 128

// same compares what is shown with what was written. While a stream is open, its last word is masked: it
// may be the beginning of a secret.
func same(shown, written []byte, open int) bool {
	if open == 0 || len(shown) != len(written) {
		return bytes.Equal(shown, written)
	}
	masked := 0
	for i := range shown {
		if shown[i] != written[i] {
			if masked++; shown[i] != '*' {
				return false
			}
		}
	}
	return masked <= maxMasked*open
}

// checkBesideTheOrder compares with the answer to one message where no order follows from
// it, and so with a stream that did not ask for one.
func (h harness) checkBesideTheOrder(t *rapid.T, got *pb.ProjectResponse, list []servertest.Piece, policy *pb.ProjectionPolicy) {
	out := servertest.Completed()
	out.GetCommand().Stdout.Source = &pb.Payload_Inline{Inline: written(list, "stdout")}
	out.GetCommand().Stderr.Source = &pb.Payload_Inline{Inline: written(list, "stderr")}
	want, err := h.Project(t.Context(), &pb.ProjectRequest{Output: out, Policy: policy})
	if err != nil {
		t.Fatal(err)
	}
	if got.GetCanonical().GetCommand().InOrderArtifact == nil && !proto.Equal(want, got) {
		t.Fatal(cmp.Diff(want, got, protocmp.Transform()))
	}
}

// A small budget pays for lines of both streams, and not for a third place.
func TestOrderDoesNotReplaceLines(t *testing.T) {
	h := newHarness(t)
	big := []byte(strings.Repeat("a line of a log\n", 500))
	for tokens, named := range map[uint32]bool{120: false, 200: false, 255: false, 256: true, 2000: true} {
		policy := &pb.ProjectionPolicy{Render: &pb.RenderPolicy{Budget: &pb.Budget{MaxTokens: tokens}}}
		answers, err := h.Stream(t.Context(), []*pb.ProjectStreamRequest{servertest.Ordered(policy), servertest.Chunk("stdout", big), servertest.Chunk("stderr", big), servertest.Chunk("stdout", big), servertest.Finish(servertest.Completed())})
		if err != nil {
			t.Fatal(err)
		}
		text := answers[0].GetResult().GetReceipt().GetText()
		if strings.Contains(text, "In order of arrival") != named || strings.Count(text, "a line of a log") < 2 {
			t.Errorf("at %d tokens the receipt is\n%s", tokens, text)
		}
	}
}

// Another family, and a call that does not ask, has no order.
func TestOrderThatNobodyAskedFor(t *testing.T) {
	h := newHarness(t)
	big := []byte(strings.Repeat("a line of a log\n", 5000))
	requests := []*pb.ProjectStreamRequest{servertest.Ordered(nil), servertest.Chunk("stdout", big), servertest.Chunk("stderr", big), servertest.Chunk("stdout", big), servertest.Finish(servertest.Completed())}
	answers, err := h.Stream(t.Context(), requests)
	if err != nil || answers[0].GetResult().GetCanonical().GetCommand().InOrderArtifact == nil {
		t.Fatalf("asked for, and not there: %v", err)
	}
	requests[0].GetHeader().KeepOrder = false
	answers, err = h.Stream(t.Context(), requests)
	if err != nil || answers[0].GetResult().GetCanonical().GetCommand().InOrderArtifact != nil {
		t.Errorf("nobody asked for the order: %v", err)
	}
	batch := &pb.CompleteToolOutput{
		ToolName: "ExecCommandBatch", Status: pb.ToolStatus_TOOL_STATUS_SUCCESS,
		Result: &pb.CompleteToolOutput_CommandBatch{CommandBatch: &pb.CommandBatchOutput{Items: []*pb.CommandBatchItemOutput{{
			Status: pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_RAN, CommandLine: "make", Result: servertest.Completed().GetCommand(),
		}}}},
	}
	requests = append(slices.Clone(requests[:4]), servertest.Finish(batch))
	requests[0].GetHeader().Family, requests[0].GetHeader().KeepOrder = "command_batch", true
	answers, err = h.Stream(t.Context(), requests)
	if err != nil || strings.Contains(answers[0].GetResult().GetReceipt().GetText(), "In order of arrival") {
		t.Errorf("a batch has no place for the order: %v", err)
	}
}

// Both payloads from one stream are not both streams in order.
func TestOrderOfOneStreamTwice(t *testing.T) {
	h := newHarness(t)
	big := []byte(strings.Repeat("a line of a log\n", 5000))
	out := servertest.Completed()
	out.GetCommand().Stderr.Source = &pb.Payload_Stream{Stream: "stdout"}
	answers, err := h.Stream(t.Context(), []*pb.ProjectStreamRequest{servertest.Ordered(nil), servertest.Chunk("stdout", big), servertest.Chunk("stderr", big), servertest.Finish(out)})
	if err != nil || answers[0].GetResult().GetCanonical().GetCommand().InOrderArtifact != nil {
		t.Errorf("%v\n%s", err, answers[0].GetResult().GetReceipt().GetText())
	}
}
