package eval_test

// This file measures how much of what an agent used next is in what it reads. A needle is a path, a
// line number, a name or a quotation of the agent's next action or of the words beside it, which the
// output has and nothing before it had. A score is the mean over steps of the share of needles.

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/integration/eval"
	"github.com/toolresult/toolresult/integration/sidecartest"
	"github.com/toolresult/toolresult/tokens"
)

var (
	recorded    = flag.String("steps", "../../../shared/steps", "folder with steps of recorded agents")
	stepBudgets = flag.String("step-budgets", "500,1000,2000", "tokens of what an agent reads of a step")
)

const (
	longStep     = 2000 // tokens; shorter outputs are hardly cut
	maxFocus     = 8 << 10
	randomWords  = 60 // of a focus that has nothing to do with the step
	behindSteps  = 1  // points that receipts without a focus may be below head and tail, of a kind
	behindRandom = 2  // points that a focus of random words may cost
)

// cut is a way to make what an agent reads of a step.
type cut struct {
	name string
	text func(step *eval.Step, budget int) (string, error)
}

// stepsRun scores cuts of steps.
type stepsRun struct {
	steps   []*eval.Step
	counter tokens.Counter
	budgets []int
	cuts    []cut
	scores  map[stepCell]float64 // in per cent
}

// stepCell is a cut at a budget over a kind of steps; "" is all of them.
type stepCell struct {
	cut    string
	budget int
	kind   string
}

// The names of cuts.
const (
	withTask   = "**receipt, with the task as focus**"
	withoutAny = "**receipt, without a focus**"
	withRandom = "receipt, random words as focus"
	halves     = "head and tail (as Codex and Claude Code cut)"
	fifths     = "a fifth of head, four of tail (Gemini CLI)"
	onlyHead   = "head (OpenCode)"
	onlyTail   = "tail (pi)"
)

// runSteps makes receipts and plain cuts of steps, and writes them to a folder as the scorer of the
// recorded steps reads them.
func runSteps(t *testing.T, steps []*eval.Step, folder string) *stepsRun {
	t.Helper()
	counter, err := tokens.O200k()
	if err != nil {
		t.Fatal(err)
	}
	r := &stepsRun{counter: counter, scores: map[stepCell]float64{}}
	for _, s := range steps {
		if counter.Count(s.Text) > longStep {
			r.steps = append(r.steps, s)
		}
	}
	for b := range strings.SplitSeq(*stepBudgets, ",") {
		n, err := strconv.Atoi(b)
		if err != nil {
			t.Fatal(err)
		}
		r.budgets = append(r.budgets, n)
	}
	s := serve(t)
	receipt := func(focus func(*eval.Step) string) func(*eval.Step, int) (string, error) {
		return func(step *eval.Step, budget int) (string, error) { return s.ofStep(t, step, focus(step), budget) }
	}
	plain := func(head int) func(*eval.Step, int) (string, error) {
		return func(step *eval.Step, budget int) (string, error) {
			return eval.Ends(counter, strings.ToValidUTF8(step.Text, "\uFFFD"), budget, head), nil
		}
	}
	r.cuts = []cut{
		{withTask, receipt(func(step *eval.Step) string { return step.Task })},
		{withoutAny, receipt(func(*eval.Step) string { return "" })},
		{withRandom, receipt(r.random)},
		{halves, plain(50)}, {fifths, plain(20)}, {onlyHead, plain(100)}, {onlyTail, plain(0)},
	}
	for _, c := range r.cuts {
		for _, budget := range r.budgets {
			if err := r.run(c, budget, filepath.Join(folder, strings.Map(asName, c.name)+"-"+strconv.Itoa(budget))); err != nil {
				t.Fatal(err)
			}
		}
	}
	return r
}

// asName keeps letters and digits of a name.
func asName(c rune) rune {
	switch {
	case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		return c
	case c == ' ':
		return '-'
	}
	return -1
}

// run scores a cut at a budget.
func (r *stepsRun) run(c cut, budget int, folder string) error {
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o755)); err != nil {
		return err
	}
	sum, n := map[string]float64{}, map[string]int{}
	for _, step := range r.steps {
		text, err := c.text(step, budget)
		if err != nil {
			return fmt.Errorf("%s at %d tokens: %w", step.ID, budget, err)
		}
		if got := r.counter.Count(text); got > budget {
			return fmt.Errorf("%s: %s costs %d tokens of %d", step.ID, c.name, got, budget)
		}
		if err := os.WriteFile(filepath.Join(folder, step.ID+".txt"), []byte(text), 0o644); err != nil {
			return err
		}
		kept := 100 * step.Kept(text)
		for _, kind := range []string{"", step.Kind} {
			sum[kind] += kept
			n[kind]++
		}
	}
	for kind := range n {
		r.scores[stepCell{c.name, budget, kind}] = sum[kind] / float64(n[kind])
	}
	return nil
}

// random returns words of the tasks of all steps, drawn by the id of one.
func (r *stepsRun) random(step *eval.Step) string {
	var all []string
	for _, s := range r.steps {
		all = append(all, strings.Fields(s.Task)...)
	}
	slices.Sort(all)
	all = slices.Compact(all)
	h := fnv.New64a()
	_, _ = h.Write([]byte(step.ID)) // it never fails
	draw := rand.New(rand.NewPCG(h.Sum64(), 1))
	words := make([]string, randomWords)
	for i := range words {
		words[i] = all[draw.IntN(len(all))]
	}
	return strings.Join(words, " ")
}

// ofStep returns the receipt of a step.
func (s *sidecar) ofStep(t *testing.T, step *eval.Step, focus string, budget int) (string, error) {
	resp, err := s.projectStep(t, step, focus, budget)
	return resp.GetReceipt().GetText(), err
}

// projectStep projects the output of a step.
func (s *sidecar) projectStep(t *testing.T, step *eval.Step, focus string, budget int) (*pb.ProjectResponse, error) {
	payload := &pb.Payload{Source: &pb.Payload_Inline{Inline: []byte(step.Text)}}
	out := &pb.CompleteToolOutput{ToolName: cmp.Or(step.Tool, toolName), Status: pb.ToolStatus_TOOL_STATUS_SUCCESS}
	if step.Tool != "" {
		out.Result = &pb.CompleteToolOutput_Text{Text: &pb.TextOutput{Content: payload}}
	} else {
		out.Result = &pb.CompleteToolOutput_Command{Command: &pb.CommandOutput{
			Disposition: pb.CommandDisposition_COMMAND_DISPOSITION_COMPLETED, ExitStatus: step.ExitStatus,
			CommandLine: step.Command, CombinedOutput: payload,
		}}
	}
	return s.Project(t.Context(), &pb.ProjectRequest{Output: out, Policy: &pb.ProjectionPolicy{
		Focus: strings.ToValidUTF8(focus[:min(len(focus), maxFocus)], ""),
		Render: &pb.RenderPolicy{
			Budget: &pb.Budget{MaxTokens: uint32(budget)}, TokenVocabulary: pb.TokenVocabulary_TOKEN_VOCABULARY_O200K_BASE,
		},
	}})
}

// stepKinds are the kinds of steps, by their names in tables.
var stepKinds = []struct{ kind, name string }{{"", "all"}, {"find", "searches, listings"}, {"view", "views"}, {"run", "other commands"}}

// table has a row for each cut, and in a cell the scores of all steps and of each kind.
func (r *stepsRun) table() string {
	n := map[string]int{}
	for _, s := range r.steps {
		n[s.Kind]++
	}
	n[""] = len(r.steps)
	heading := []string{"tokens: " + strings.ReplaceAll(*stepBudgets, ",", " / ")}
	for _, k := range stepKinds {
		heading = append(heading, fmt.Sprintf("%s (%d)", k.name, n[k.kind]))
	}
	t := newTable(heading...)
	for _, c := range r.cuts {
		cells := []string{c.name}
		for _, k := range stepKinds {
			var scores []string
			for _, b := range r.budgets {
				scores = append(scores, fmt.Sprintf("%.1f", r.scores[stepCell{c.name, b, k.kind}]))
			}
			cells = append(cells, strings.Join(scores, " / "))
		}
		t.row(cells...)
	}
	return t.String()
}

// checkFloor fails where receipts without a focus keep less than head and tail, or a focus that has
// nothing to do with a step costs what it must not.
func (r *stepsRun) checkFloor(t *testing.T) {
	t.Helper()
	for _, b := range r.budgets {
		for _, k := range stepKinds {
			own, plain := r.scores[stepCell{withoutAny, b, k.kind}], r.scores[stepCell{halves, b, k.kind}]
			if own < plain-behindSteps {
				t.Errorf("%s at %d tokens: receipts keep %.1f, head and tail %.1f", k.name, b, own, plain)
			}
			if random := r.scores[stepCell{withRandom, b, k.kind}]; k.kind == "" && random < own-behindRandom {
				t.Errorf("%s at %d tokens: %.1f with a focus of random words, %.1f without", k.name, b, random, own)
			}
		}
	}
}

// TestSteps measures steps of recorded agents. Rules were written with their help.
func TestSteps(t *testing.T) {
	if !sidecartest.All() {
		t.Skip("leg skipped: `make eval` runs it")
	}
	steps, err := eval.ReadSteps(*recorded)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("there are no steps in %s", *recorded)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := runSteps(t, steps, filepath.Join(*out, "steps"))
	r.checkFloor(t)
	publish(t, "steps", r.table())
}

// TestStepsOfRepository measures a few steps that are a part of this repository.
func TestStepsOfRepository(t *testing.T) {
	if !sidecartest.All() {
		t.Skip("leg skipped: `make eval` runs it")
	}
	steps, err := eval.ReadSteps(filepath.Join("testdata", "steps"))
	if err != nil {
		t.Fatal(err)
	}
	r := runSteps(t, steps, filepath.Join(t.TempDir(), "steps"))
	for _, b := range r.budgets {
		own, plain := r.scores[stepCell{withTask, b, ""}], r.scores[stepCell{halves, b, ""}]
		if own < plain {
			t.Errorf("at %d tokens receipts keep %.1f, head and tail %.1f", b, own, plain)
		}
	}
	publish(t, "steps of this repository", r.table())
}
