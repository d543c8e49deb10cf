package integration_test

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/families"
)

// What a canonical result may weigh: its compact JSON by the bytes of its receipt, of receipts
// that have so many.
const (
	mostWeight  = 1.9
	leastWeighs = 1000
)

// weighed is one canonical result.
type weighed struct {
	name                  string
	receipt, result, text int // bytes; text are those of previews
}

func (w weighed) weight() float64 { return float64(w.result) / float64(w.receipt) }

// isText reports whether most of the receipt is text of the tool. Where it is a list of
// records, the names of their fields in JSON weigh more than anything else.
func (w weighed) isText() bool { return 2*w.text >= w.receipt }

// The canonical result of a receipt with the default policy is at most 1.9 times the receipt:
// of half of all outputs of the golden corpus and, where they are there, of real ones, and of
// 95 % of those that are text.
func TestCanonicalIsLean(t *testing.T) {
	t.Parallel()
	s := startSidecar(t, launch{Args: withFamilies(t)})
	families, err := families.LoadCustomFamilies(exampleFamilies)
	if err != nil {
		t.Fatal(err)
	}
	types := envelope.Types{}
	for _, f := range families {
		types[f.Name] = f.Type
	}
	weigh := func(t *testing.T, name string, list *[]weighed, out *pb.CompleteToolOutput) {
		resp, err := s.Project(t.Context(), &pb.ProjectRequest{Output: out})
		if err != nil {
			return // golden cases have refusals, too
		}
		if n := len(resp.GetReceipt().GetText()); n >= leastWeighs {
			*list = append(*list, weighed{name, n, compactSize(t, resp.GetCanonical()), shownText(types, resp.GetCanonical())})
		}
	}
	t.Run("golden", func(t *testing.T) {
		var list []weighed
		for _, c := range goldenCases(t) {
			weigh(t, c, &list, readRequest(t, c).GetOutput())
		}
		checkWeights(t, list, 20)
	})
	t.Run("real", func(t *testing.T) {
		if testing.Short() {
			t.Skip("skipped with -short: it projects the corpus; `make integration` runs it")
		}
		var list []weighed
		for name, out := range corpusOutputs(t) {
			weigh(t, name, &list, out)
		}
		checkWeights(t, list, 100)
	})
}

// compactSize is the size of a canonical result as compact JSON.
func compactSize(t *testing.T, r *pb.CanonicalToolResult) int {
	t.Helper()
	text, err := envelope.ToCompactJSON(r)
	if err != nil {
		t.Fatal(err)
	}
	return len(text)
}

// shownText is how many bytes the previews of a result have.
func shownText(types envelope.Types, r *pb.CanonicalToolResult) (n int) {
	_, payload := types.Open(r)
	if r.GetError() != nil {
		payload = r.GetError().ProtoReflect()
	}
	envelope.Walk("", payload, func(_ string, m protoreflect.Message) {
		fields := envelope.LargeFields(m.Descriptor())
		for i := range fields {
			n += len(fields[i].Text(m))
		}
	})
	return n
}

// checkWeights checks the median of all, and the 95th percentile of texts.
func checkWeights(t *testing.T, all []weighed, least int) {
	t.Helper()
	texts := slices.DeleteFunc(slices.Clone(all), func(w weighed) bool { return !w.isText() })
	if len(texts) < least {
		t.Fatalf("only %d texts are weighed", len(texts))
	}
	for _, list := range [][]weighed{all, texts} {
		slices.SortFunc(list, func(a, b weighed) int { return cmp.Compare(a.weight(), b.weight()) })
		t.Logf("%d results: median %.2f, 95th percentile %.2f, most %.2f", len(list), percentile(list, 50), percentile(list, 95), percentile(list, 100))
	}
	for _, w := range all[len(all)*9/10:] {
		t.Logf("%.2f: %s, %d bytes of JSON for %d, text %t", w.weight(), w.name, w.result, w.receipt, w.isText())
	}
	if percentile(all, 50) > mostWeight || percentile(texts, 95) > mostWeight {
		t.Errorf("at most %.2f are allowed", mostWeight)
	}
}

// percentile is the weight that so many per cent of a sorted list do not exceed.
func percentile(list []weighed, p int) float64 { return list[max(1, (len(list)*p+99)/100)-1].weight() }

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
