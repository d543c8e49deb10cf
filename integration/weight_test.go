package integration_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"


	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// What a canonical result may weigh: its compact JSON by the bytes of its receipt, of receipts
// that have so many.
const (
	mostWeight  = 1.8
	leastWeighs = 1000
)

// weighed is one canonical result.
type weighed struct {
	name            string
	receipt, result int // bytes
}

func (w weighed) weight() float64 { return float64(w.result) / float64(w.receipt) }

// The canonical result of a receipt with the default policy is at most 1.8 times the receipt,
// of the outputs of the golden corpus and, where they are there, of real ones.
func TestCanonicalIsLean(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{args: withFamilies(t)})
	weigh := func(t *testing.T, name string, list *[]weighed, out *pb.CompleteToolOutput) {
		resp, err := s.Project(t.Context(), &pb.ProjectRequest{Output: out})
		if err != nil {
			return // golden cases have refusals, too
		}
		text, err := envelope.ToJSON(resp.GetCanonical())
		if err != nil {
			t.Fatal(err)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, text); err != nil {
			t.Fatal(err)
		}
		if n := len(resp.GetReceipt().GetText()); n >= leastWeighs {
			*list = append(*list, weighed{name, n, compact.Len()})
		}
	}
	t.Run("golden", func(t *testing.T) {
		var list []weighed
		for _, c := range goldenCases(t) {
			weigh(t, filepath.Base(filepath.Dir(c)), &list, readRequest(t, c).GetOutput())
		}
		checkWeights(t, list, 20)
	})
	t.Run("real", func(t *testing.T) {
		var list []weighed
		for name, out := range corpusOutputs(t) {
			weigh(t, name, &list, out)
		}
		checkWeights(t, list, 100)
	})
}

// checkWeights checks the median and the 95th percentile.
func checkWeights(t *testing.T, list []weighed, least int) {
	t.Helper()
	if len(list) < least {
		t.Fatalf("only %d results are weighed", len(list))
	}
	slices.SortFunc(list, func(a, b weighed) int { return int(1e6 * (a.weight() - b.weight())) })
	median, high := list[len(list)/2], list[len(list)*95/100]
	t.Logf("%d results: median %.2f, 95th percentile %.2f, most %.2f", len(list), median.weight(), high.weight(), list[len(list)-1].weight())
	for _, w := range list[len(list)*95/100:] {
		t.Logf("%.2f: %s, %d bytes of JSON for %d", w.weight(), w.name, w.result, w.receipt)
	}
	if high.weight() > mostWeight {
		t.Errorf("the 95th percentile is %.2f, and at most %.2f are allowed", high.weight(), mostWeight)
	}
}

// corpusOutputs are real outputs of commands, by name.
func corpusOutputs(t *testing.T) map[string]*pb.CompleteToolOutput {
	t.Helper()
	var root string
	for _, dir := range []string{"../../shared/corpus", "../../../shared/corpus"} {
		if _, err := os.Stat(filepath.Join(dir, "manifest.jsonl")); err == nil {
			root = dir
		}
	}
	manifest, err := os.ReadFile(filepath.Join(root, "manifest.jsonl"))
	if root == "" || errors.Is(err, fs.ErrNotExist) {
		t.Skip("LEG NOT RUN: there is no corpus")
	} else if err != nil {
		t.Fatal(err)
	}
	outputs := map[string]*pb.CompleteToolOutput{}
	lines := bufio.NewScanner(bytes.NewReader(manifest))
	for lines.Buffer(nil, 1<<20); lines.Scan(); {
		var d struct {
			ID, Path, Command string
			ExitStatus        *int32 `json:"exit_status"`
		}
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(filepath.Join(root, d.Path))
		if err != nil {
			t.Fatal(err)
		}
		if len(content) > 3<<20 {
			continue // it would be a stream
		}
		outputs[d.ID] = &pb.CompleteToolOutput{ToolName: "ExecCommand", Result: &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			CommandLine: d.Command, ExitStatus: d.ExitStatus, CombinedOutput: &pb.Payload{Source: &pb.Payload_Inline{Inline: content}},
		}}}
	}
	return outputs
}

