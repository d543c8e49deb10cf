package eval_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/integration/eval"
	"github.com/toolresult/toolresult/tokens"
)

var (
	corpus   = flag.String("corpus", "../../../shared/corpus", "folder with manifest.jsonl and score.py")
	unseen   = flag.String("unseen", "../../../shared/corpus-more", "folder with documents of other projects")
	everyday = flag.String("everyday", "testdata/everyday", "folder with documents that agents read every day")
	kinds    = flag.String("kinds", "testdata/kinds", "folder with documents of other kinds")
	out      = flag.String("out", "../../.run/eval", "folder for receipts")
	source   = flag.String("source", "", "only documents of this source")
	budgets  = flag.String("budgets", "1000,2000,4000", "tokens of whole receipts")
	each     = flag.Bool("each", false, "list every document that was read, with the facts that its receipt loses")
	document = flag.String("document", "", "document whose tables of results are written anew")
)

// The policies that are compared: receipts, and plain cuts of the same number of tokens.
const (
	receipts    = "receipt"
	headAndTail = "head and tail"
	tail        = "tail"
)

// policies are in the order of the tables.
var policies = []string{receipts, headAndTail, tail}

// behind is how many points of recall receipts may be below a plain cut, on a kind of outputs.
const behind = 2

// leastSpent is how much of a budget a receipt spends that leaves text out, in per cent.
const leastSpent = 90

// evaluation is one run over a corpus.
type evaluation struct {
	documents []*output
	budgets   []int
	out       string // folder for receipts; empty: they are not written
	counter   tokens.Counter
	results   map[cell][]result // in the order of the documents
	broken    []broken
}

// cell is what is run over all documents.
type cell struct {
	policy string
	budget int
}

// result is what a policy shows of a document.
type result struct {
	text   string
	tokens int
	recall float64
}

// broken is a receipt that did not keep a promise.
type broken struct {
	document *output
	budget   int
	promise  string // that it broke
	detail   error
}

// String has nothing of what a document says that nobody reads.
func (b broken) String() string {
	if b.document.unread {
		return fmt.Sprintf("%s at %d tokens: %s", b.document.receiptName(), b.budget, b.promise)
	}
	return fmt.Sprintf("%s (%s) at %d tokens: %s: %v", b.document.ID, b.document.receiptName(), b.budget, b.promise, b.detail)
}

// evaluate runs all policies over the documents. Receipts that break a promise fail the test at its end, all of them
// together; what they show counts.
func evaluate(t *testing.T, documents []*output, folder string) *evaluation {
	t.Helper()
	counter, err := tokens.O200k()
	if err != nil {
		t.Fatal(err)
	}
	e := &evaluation{documents: documents, out: folder, counter: counter, results: map[cell][]result{}}
	for b := range strings.SplitSeq(*budgets, ",") {
		n, err := strconv.Atoi(b)
		if err != nil {
			t.Fatal(err)
		}
		e.budgets = append(e.budgets, n)
	}
	s := serve(t)
	for _, budget := range e.budgets {
		for _, d := range documents {
			e.add(receipts, budget, d, e.receipt(t, s, d, budget))
			text := strings.ToValidUTF8(d.Text(), "\uFFFD")
			e.add(headAndTail, budget, d, eval.HeadAndTail(counter, text, budget))
			e.add(tail, budget, d, eval.Tail(counter, text, budget))
		}
		if err := e.keep(budget); err != nil {
			t.Error(err)
		}
	}
	for _, b := range e.broken {
		t.Error(b)
	}
	if *each {
		e.logLost(t)
	}
	return e
}

// logLost lists the documents that were read, with the facts that their receipts lose.
func (e *evaluation) logLost(t *testing.T) {
	for i, d := range e.documents {
		for _, b := range e.budgets {
			if r := e.results[cell{receipts, b}][i]; !d.unread && r.recall < 1 {
				t.Logf("%s at %d tokens, %s: %.0f %%", d.ID, b, d.receiptName(), 100*r.recall)
				for _, f := range d.facts {
					if !keep(r.text).has(f) {
						t.Logf("\tlost: %s%q%q", f.line, f.all, f.any)
					}
				}
			}
		}
	}
}

// receipt returns the receipt of a document; nothing when there is none.
func (e *evaluation) receipt(t *testing.T, s *sidecar, d *output, budget int) string {
	r, err := s.receipt(t.Context(), d, budget)
	if err != nil {
		e.broken = append(e.broken, broken{d, budget, "there is no receipt", err})
		return ""
	}
	if n := max(int(r.GetTokens()), e.counter.Count(r.GetText())); n > budget {
		e.broken = append(e.broken, broken{d, budget, "it is over its budget", fmt.Errorf("it has %d tokens", n)})
	}
	if err := checkHonest(r.GetText(), d.Payload); err != nil {
		e.broken = append(e.broken, broken{d, budget, "it claims a success that the document does not", err})
	}
	return r.GetText()
}

// checkSpent fails where receipts leave a line out while budget is left. Noise is left out in any
// case, so it is for documents without it.
func (e *evaluation) checkSpent(t *testing.T) {
	t.Helper()
	for _, b := range e.budgets {
		for i, d := range e.documents {
			if r := e.results[cell{receipts, b}][i]; leftOut(r, d, b) != "" {
				t.Errorf("%s at %d tokens: %d are spent, and a line is left out", d.receiptName(), b, r.tokens)
			}
		}
	}
}

// leftOut returns a line that a receipt has nothing like, although a tenth of the budget is left. A
// readable form says less than its text, and all of it.
func leftOut(r result, d *output, budget int) string {
	if r.tokens*100 >= budget*leastSpent || readableForm.MatchString(r.text) {
		return ""
	}
	shown := map[string]bool{"": true}
	for line := range strings.Lines(r.text) {
		shown[likeness(line)] = true
	}
	for line := range strings.Lines(strings.ToValidUTF8(string(d.Payload), "\uFFFD")) {
		if !shown[likeness(line)] && len(line) < budget-r.tokens {
			return line
		}
	}
	return ""
}

// readableForm matches the heading of a payload that is shown in a readable form.
var readableForm = regexp.MustCompile(`(?m)^[^\n]*: (\d+ of )?\d+ lines? of `)

// likeness returns what lines have in common that differ in numbers and names alone.
func likeness(line string) string {
	return strings.Join(wordsOfLine.FindAllString(shownLine(line), -1), " ")
}

// wordsOfLine matches words without digits in them, but not names with signs.
var wordsOfLine = regexp.MustCompile(`\b[A-Za-z]{3,}\b`)

// add scores what a policy shows of the next document.
func (e *evaluation) add(policy string, budget int, d *output, text string) {
	c := cell{policy, budget}
	e.results[c] = append(e.results[c], result{text, e.counter.Count(text), keep(text).share(d.facts)})
}

// keep writes receipts as score.py reads them: texts by file name, and their tokens.
func (e *evaluation) keep(budget int) error {
	if e.out == "" {
		return nil
	}
	folder := filepath.Join(e.out, strconv.Itoa(budget))
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	costs := map[string]int{}
	for i, r := range e.results[cell{receipts, budget}] {
		name := e.documents[i].receiptName()
		costs[name] = r.tokens
		if err := os.WriteFile(filepath.Join(folder, name), []byte(r.text), 0o644); err != nil {
			return err
		}
	}
	counts, err := json.Marshal(costs)
	if err != nil {
		return err
	}
	return os.WriteFile(folder+".tokens.json", counts, 0o644)
}

// group is some documents of a corpus.
type group struct {
	name string
	has  func(*output) bool
}

// everything is a group of all documents.
func everything(name string) group { return group{name, func(*output) bool { return true }} }

// bySource returns a group for each source of a group.
func (e *evaluation) bySource(of group) (list []group) {
	for _, d := range e.documents {
		name := d.Source
		if of.name != "" {
			name = of.name + ": " + name
		}
		if of.has(d) && !slices.ContainsFunc(list, func(g group) bool { return g.name == name }) {
			list = append(list, group{name, func(x *output) bool { return of.has(x) && x.Source == d.Source }})
		}
	}
	slices.SortFunc(list, func(a, b group) int { return cmp.Compare(a.name, b.name) })
	return list
}

// of returns the results of a group.
func (e *evaluation) of(c cell, g group) (list []result) {
	for i, d := range e.documents {
		if g.has(d) {
			list = append(list, e.results[c][i])
		}
	}
	return list
}

// mean is the mean of a number over results.
func mean(list []result, of func(result) float64) float64 {
	sum := 0.0
	for _, r := range list {
		sum += of(r)
	}
	return sum / float64(max(len(list), 1))
}

// recall is the mean over the documents of a group, in per cent.
func (e *evaluation) recall(c cell, g group) float64 {
	return mean(e.of(c, g), func(r result) float64 { return 100 * r.recall })
}

// recallOfSources is the mean over the sources of a group, in per cent.
func (e *evaluation) recallOfSources(c cell, g group) float64 {
	sum, sources := 0.0, e.bySource(g)
	for _, s := range sources {
		sum += e.recall(c, s)
	}
	return sum / float64(len(sources))
}

// tokens is the mean cost of a group.
func (e *evaluation) tokens(c cell, g group) float64 {
	return mean(e.of(c, g), func(r result) float64 { return float64(r.tokens) })
}

// checkNotBehind fails when receipts keep less of a group than a plain cut does.
func (e *evaluation) checkNotBehind(t *testing.T, groups []group) {
	t.Helper()
	for _, g := range groups {
		for _, budget := range e.budgets {
			own := e.recall(cell{receipts, budget}, g)
			for _, policy := range []string{headAndTail, tail} {
				if plain := e.recall(cell{policy, budget}, g); plain-own > behind {
					t.Errorf("%s at %d tokens: receipts keep %.1f %%, and %s %.1f %%", g.name, budget, own, policy, plain)
				}
			}
		}
	}
}

// checkLeast fails when receipts keep less of a group than they did.
func (e *evaluation) checkLeast(t *testing.T, g group, least map[int]float64) {
	t.Helper()
	for _, budget := range e.budgets {
		if recall := e.recall(cell{receipts, budget}, g); *source == "" && recall < least[budget] {
			t.Errorf("%s at %d tokens: %.1f %% of the lines that matter survive, and %.1f %% did", g.name, budget, recall, least[budget])
		}
	}
}
