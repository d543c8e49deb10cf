package eval_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/integration/sidecartest"
)

var (
	corpus   = flag.String("corpus", "../../../shared/corpus", "folder with manifest.jsonl and score.py")
	out      = flag.String("out", "../../.run/eval", "folder for receipts and scores")
	source   = flag.String("source", "", "only documents of this source")
	budgets  = flag.String("budgets", "1000,2000,4000", "tokens of whole receipts")
	document = flag.String("document", "", "document whose table of results is written anew")
)

// least is the recall over all documents, in per cent, below which something has become worse. What was reached last
// is in docs/evaluation.md.
var least = map[int]float64{1000: 89, 2000: 94.5, 4000: 97}

// TestRecall fails when a receipt is over its budget, claims a success that its document does not, or when fewer of the
// lines that matter survive than before.
func TestRecall(t *testing.T) {
	if !sidecartest.All() {
		t.Skip("leg skipped: `make eval` runs it")
	}
	if _, err := os.Stat(*corpus); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("LEG NOT RUN: there is no corpus in %s", *corpus)
	}
	e := evaluation{corpus: *corpus, out: *out, source: *source}
	if err := errors.Join(e.parse(*budgets), e.run()); err != nil {
		t.Fatal(err)
	}
	for budget, s := range e.scores {
		if recall := 100 * s[allDocuments].Recall; *source == "" && recall < least[budget] {
			t.Errorf("%d tokens: %.1f %% of the lines that matter survive, and %.1f %% did", budget, recall, least[budget])
		}
	}
	if *document != "" {
		if err := e.write(*document); err != nil {
			t.Error(err)
		}
	}
}

// evaluation is one run.
type evaluation struct {
	corpus, out, source string
	budgets             []int
	scores              map[int]scores // by budget
}

func (e *evaluation) parse(budgets string) error {
	for b := range strings.SplitSeq(budgets, ",") {
		n, err := strconv.Atoi(b)
		if err != nil {
			return err
		}
		e.budgets = append(e.budgets, n)
	}
	return nil
}

func (e *evaluation) run() (err error) {
	documents, err := e.documents()
	if err != nil {
		return err
	}
	s, err := serve()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	e.scores = map[int]scores{}
	for _, budget := range e.budgets {
		if err := e.project(s, budget, documents); err != nil {
			return err
		}
		if e.scores[budget], err = e.score(budget); err != nil {
			return err
		}
	}
	return nil
}

// output is a document: a line of the manifest.
type output struct {
	ID         string `json:"id"`
	Path       string `json:"path"`
	Source     string `json:"source"`
	Command    string `json:"command"`
	ExitStatus *int32 `json:"exit_status"`
	Split      string `json:"split"`
}

// receiptName is the file that the scorer looks for.
func (d *output) receiptName() string {
	sum := sha256.Sum256([]byte(d.ID))
	return hex.EncodeToString(sum[:])[:16] + ".txt"
}

// documents reads the manifest.
func (e *evaluation) documents() (list []output, err error) {
	manifest, err := os.ReadFile(filepath.Join(e.corpus, "manifest.jsonl"))
	if err != nil {
		return nil, err
	}
	lines := bufio.NewReader(bytes.NewReader(manifest))
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		var d output
		if err := json.Unmarshal(line, &d); err != nil {
			return nil, err
		}
		if d.Split != "dropped-dev" && (e.source == "" || e.source == d.Source) {
			list = append(list, d)
		}
	}
}

// folder is where the receipts for a budget are.
func (e *evaluation) folder(budget int) string { return filepath.Join(e.out, strconv.Itoa(budget)) }

// project makes all receipts for one budget.
func (e *evaluation) project(s *sidecar, budget int, documents []output) error {
	receipts, costs := map[string]string{}, map[string]uint32{}
	for i := range documents {
		d := &documents[i]
		payload, err := os.ReadFile(filepath.Join(e.corpus, d.Path))
		if err != nil {
			return err
		}
		receipt, err := s.receipt(d, payload, budget)
		if err == nil {
			err = checkHonest(receipt.GetText(), payload)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", d.ID, err)
		}
		receipts[d.receiptName()], costs[d.receiptName()] = receipt.GetText(), receipt.GetTokens()
	}
	return e.keep(budget, receipts, costs)
}

// keep writes what the scorer reads: texts by file name, and their tokens.
func (e *evaluation) keep(budget int, receipts map[string]string, costs map[string]uint32) error {
	if err := os.RemoveAll(e.folder(budget)); err != nil {
		return err
	}
	if err := os.MkdirAll(e.folder(budget), 0o755); err != nil {
		return err
	}
	for name, text := range receipts {
		if err := os.WriteFile(filepath.Join(e.folder(budget), name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	counts, err := json.Marshal(costs)
	if err != nil {
		return err
	}
	return os.WriteFile(e.folder(budget)+".tokens.json", counts, 0o644)
}

// scores are those of a source, or of all.
type scores map[string]struct {
	Documents int     `json:"docs"`
	Recall    float64 `json:"recall"`
	Tokens    float64 `json:"tokens"`
}

// score calls the scorer, which is beside the first corpus.
func (e *evaluation) score(budget int) (s scores, err error) {
	result := e.folder(budget) + ".json"
	args := []string{
		filepath.Join(*corpus, "score.py"), "--manifest", filepath.Join(e.corpus, "manifest.jsonl"), "--root", e.corpus,
		"--receipts", e.folder(budget), "--split", "all", "--tokens", e.folder(budget) + ".tokens.json", "--json", result,
	}
	if e.source != "" {
		args = append(args, "--source", e.source)
	}
	scorer := exec.Command("python3", args...)
	scorer.Stdout, scorer.Stderr = os.Stdout, os.Stderr
	fmt.Println("budget", budget)
	if err := scorer.Run(); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(result)
	if err != nil {
		return nil, err
	}
	return s, json.Unmarshal(text, &s)
}
