package integration_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// TestDeterminism sends the same requests to two processes with stores of their
// own, and to two others on the same stores, with one and with eight threads:
// but for the path of the store all answers are the same bytes.
func TestDeterminism(t *testing.T) {
	t.Parallel()
	requests := generated(30)
	stores := []string{t.TempDir() + "/store", t.TempDir() + "/store"} // of the same length: a path is a part of a receipt's cost
	answers := map[string][]string{}
	for _, run := range []struct{ name, threads, store string }{
		{"one thread, first store", "1", stores[0]}, {"eight threads, second store", "8", stores[1]},
		{"eight threads, first store again", "8", stores[0]}, {"one thread, second store again", "1", stores[1]},
	} {
		t.Run(run.name, func(t *testing.T) {
			s := startSidecar(t, launch{Store: run.store, Env: []string{"GOMAXPROCS=" + run.threads}})
			for _, req := range requests {
				answers[run.name] = append(answers[run.name], strings.ReplaceAll(allAnswers(t, s, req), run.store, "$STORE"))
			}
		})
	}
	want := answers["one thread, first store"]
	for name, got := range answers {
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: the answers to request %d differ:\n%q\n%q\n%v", name, i, want[i], got[i], requests[i])
			}
		}
	}
}

// allAnswers are those of Project and Compact in one text.
func allAnswers(t *testing.T, s *sidecar, req *pb.ProjectRequest) string {
	t.Helper()
	resp := s.project(t, req)
	rendered, err := s.Render(t.Context(), &pb.RenderRequest{Result: &pb.RenderRequest_Canonical{Canonical: resp.GetCanonical()}, Policy: req.GetPolicy().GetRender()})
	if err != nil {
		t.Fatalf("Render: %v", err)
	}
	if !proto.Equal(rendered.GetReceipt(), resp.GetReceipt()) {
		t.Errorf("Render gives\n%v\nand Project\n%v", rendered.GetReceipt(), resp.GetReceipt())
	}
	text := bytesOf(t, resp)
	for _, level := range []pb.CompactionLevel{trimmed, handles} {
		text += bytesOf(t, s.compact(t, resp.GetCanonical(), level))
	}
	return text
}

// generated are requests of many kinds, the same in every run.
func generated(n int) (list []*pb.ProjectRequest) {
	random := rand.New(rand.NewPCG(1, 2))
	pieces := []string{
		"ok\n", "error: x\n", "\x1b[31mred\x1b[0m\n", "12%\r", "\x00\x00", "\xff", "é漢字\n", "\u202e", "Process exited with code 0\n", "stdout:\n",
		strings.Repeat("long line ", 300) + "\n", numbered(50), "\r\n", "\\\n", "a line of a log\n",
	}
	payload := func() *pb.Payload {
		if random.IntN(5) == 0 {
			return nil
		}
		var b strings.Builder
		for range random.IntN(60) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		return inline(b.String())
	}
	for range n {
		c := &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: new(random.Int32N(4)),
			CommandLine: []string{"", "grep x y", "make all"}[random.IntN(3)], Stdout: payload(), Stderr: payload(),
		}
		req := &pb.ProjectRequest{Output: commandOutput(c)}
		if random.IntN(4) == 0 {
			items := []*pb.CommandBatchItemOutput{}
			for range 1 + random.IntN(4) {
				items = append(items, &pb.CommandBatchItemOutput{
					Status: pb.CommandBatchItemStatus_COMMAND_BATCH_ITEM_STATUS_RAN, CommandLine: "make", Result: proto.CloneOf(c),
				})
			}
			req.Output.Result = &pb.CompleteToolOutput_CommandBatch{CommandBatch: &pb.CommandBatchOutput{Items: slices.Clip(items)}}
		}
		b := &pb.Budget{MaxTokens: 600 + random.Uint32N(2000)}
		list = append(list, within(b, req))
	}
	return list
}
