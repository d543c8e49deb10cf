package bench_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/eval"
	"github.com/toolresult/toolresult/tokens"
)

// corpora are folders of real outputs. The first is in this repository; the others are measured where they are.
var corpora = []string{"../eval/testdata/kinds", "../../../shared/corpus", "../../../shared/corpus-more"}

// largestDocument is the largest output that is sent in one message.
const largestDocument = 3 << 20

// BenchmarkDocuments asks for the receipt of every document of a corpus, in a fresh store, and makes a plain head and tail
// of the same number of tokens, counted the same way, in turns. It reports the median and the 95th percentile over the
// documents, in milliseconds: of the whole call, and of the cut.
func BenchmarkDocuments(b *testing.B) {
	for _, folder := range corpora {
		if _, err := os.Stat(folder); err != nil {
			continue
		}
		documents, err := eval.ReadCorpus(folder, "")
		if err != nil {
			b.Fatal(err)
		}
		documents = slices.DeleteFunc(documents, func(d *eval.Document) bool { return len(d.Payload) > largestDocument })
		for _, budget := range []int{1000, 4000} {
			b.Run(fmt.Sprintf("%s/%d", filepath.Base(folder), budget), func(b *testing.B) { timeDocuments(b, documents, budget) })
		}
	}
}

// timeDocuments measures both sides over documents.
func timeDocuments(b *testing.B, documents []*eval.Document, budget int) {
	counter, err := tokens.O200k()
	if err != nil {
		b.Fatal(err)
	}
	own, floor := make([][]float64, len(documents)), make([][]float64, len(documents))
	for b.Loop() {
		// What a store has is not written again.
		s := startSidecar(b, b.TempDir(), "--volatile=true")
		timeReceipt(b, s, &eval.Document{Payload: []byte("warm\n")}, budget)
		for i, d := range documents {
			own[i] = append(own[i], timeReceipt(b, s, d, budget))
			floor[i] = append(floor[i], timeCut(counter, d, budget))
		}
	}
	for name, times := range map[string][][]float64{"ms": own, "cut-ms": floor} {
		each := make([]float64, len(times))
		for i, t := range times {
			each[i] = median(t)
		}
		slices.Sort(each)
		b.ReportMetric(each[len(each)/2], "median-"+name)
		b.ReportMetric(each[len(each)*95/100], "p95-"+name)
	}
	b.ReportMetric(0, "ns/op")
}

// timeReceipt is how long a call takes, in milliseconds.
func timeReceipt(b *testing.B, s side, d *eval.Document, budget int) float64 {
	b.Helper()
	req := request(d.Command, d.Payload)
	req.GetOutput().GetCommand().ExitStatus = d.ExitStatus
	req.Policy = &pb.ProjectionPolicy{Render: &pb.RenderPolicy{
		Budget: &pb.Budget{MaxTokens: uint32(budget)}, TokenVocabulary: pb.TokenVocabulary_TOKEN_VOCABULARY_O200K_BASE,
	}}
	begin := time.Now()
	if _, err := s.Project(b.Context(), req); err != nil {
		b.Fatal(err)
	}
	return milliseconds(begin)
}

// timeCut is how long a plain cut takes, in milliseconds.
func timeCut(counter tokens.Counter, d *eval.Document, budget int) float64 {
	begin := time.Now()
	_ = eval.HeadAndTail(counter, strings.ToValidUTF8(string(d.Payload), "\uFFFD"), budget)
	return milliseconds(begin)
}

func milliseconds(begin time.Time) float64 { return float64(time.Since(begin).Microseconds()) / 1000 }
