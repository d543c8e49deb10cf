package eval_test

// This file measures what each recogniser is worth: the recall of every set without it. The binary that is measured is
// built from the sources with a statement at the beginning of some functions that ends them early; the sources
// themselves know nothing of it.

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/integration/eval"
	"github.com/toolresult/toolresult/integration/sidecartest"
	"github.com/toolresult/toolresult/tokens"
)

var (
	ablate   = flag.Bool("ablate", false, "measure what recognisers are worth")
	ablateOf = flag.String("recognisers", "", "names of those that are measured, with commas between; empty: all")
)

// recogniser is a part of the sidecar that knows one kind of text, or one property of lines.
type recogniser struct {
	name string
	code []string // files with its code, or FILE:FUNCTION for a part of one, from the root of the repository
	off  []switchOff
}

// switchOff is a statement at the beginning of a function that turns a recogniser off.
type switchOff struct{ file, function, statement string }

// ofShape returns a recogniser of a shape: how its lines are ranked.
func ofShape(name string, code ...string) recogniser {
	for i, file := range code {
		code[i] = "preview/shape/" + file
	}
	return recogniser{"shape " + strings.ToLower(name), code, []switchOff{
		{"preview/shape/shape.go", "rankShape", "if shape == " + name + " { return false }"},
	}}
}

// ofText returns a recogniser of the lines of logs.
func ofText(name, file, function, statement string) recogniser {
	return recogniser{name, []string{file}, []switchOff{{file, function, statement}}}
}

// recognisers are those that can be turned off.
var recognisers = []recogniser{
	{"steps", []string{"preview/steps/steps.go", "preview/steps/build.go", "preview/steps/tests.go"}, []switchOff{
		{"preview/steps/steps.go", "Of", "return nil"},
	}},
	{"records", []string{"preview/records/records.go", "preview/records/rows.go", "preview/records/table.go", "preview/records/around.go", "preview/rows.go"}, []switchOff{
		{"preview/rows.go", "ParseRows", "return nil, nil"},
		{"preview/rows.go", "ReadRows", "return nil"},
	}},
	{"JSON by value", []string{"preview/json.go", "preview/records/outline.go"}, []switchOff{
		{"projectors/readable.go", "readJSON", "return nil"},
		{"projectors/readable.go", "readRows", "return nil"},
	}},
	{"reports", []string{
		"preview/report.go", "preview/reports/report.go", "preview/reports/events.go", "preview/reports/kinds.go", "preview/reports/results.go",
		"preview/reports/sarif.go", "preview/reports/tap.go", "preview/reports/tree.go", "preview/reports/outline.go",
	}, []switchOff{{"projectors/readable.go", "readReport", "return nil"}}},
	{"digest", []string{
		"preview/digest.go", "preview/reports/digest.go", "preview/reports/check.go", "preview/reports/findings.go", "preview/reports/passed.go",
	}, []switchOff{{"projectors/readable.go", "readDigest", "return nil"}}},
	{"patch", []string{"preview/patch.go", "preview/shape/patch.go"}, []switchOff{{"projectors/readable.go", "readPatch", "return nil"}}},
	{"pages", []string{"preview/page.go", "preview/pages.go"}, []switchOff{{"projectors/readable.go", "readPage", "return nil"}}},
	{"tables of text", []string{"preview/records/text.go"}, []switchOff{{"projectors/readable.go", "readTable", "return nil"}}},
	{"line rules of profiles", []string{"preview/linerule/rules.go", "preview/linerule/literals.go"}, []switchOff{
		{"preview/linerule/rules.go", "Rules.Explain", `return None, ""`},
		{"preview/linerule/rules.go", "Rules.Next", "return -1"},
	}},
	{"profiles", []string{"projectors/profile/match.go"}, []switchOff{{"projectors/profile/explain.go", "Set.explain", "return Choice{}"}}},
	{"new lines", []string{"preview/novel.go:watch.look", "preview/novel.go:lookOf", "preview/novel.go:watch.breakOf"}, []switchOff{
		{"preview/novel.go", "watch.look", "return 0"},
		{"preview/novel.go", "watch.breakOf", "return 0"},
	}},
	{"equal lines", []string{"preview/novel.go:watch.beginRun", "preview/novel.go:watch.endRun", "preview/novel.go:watch.leap"}, []switchOff{
		{"preview/novel.go", "watch.finish", "return equals{}"},
	}},
	{"frequent messages", []string{"preview/frequent.go"}, []switchOff{{"preview/frequent.go", "frequentMessages.has", "return false"}}},
	{"similar lines in the middle", []string{"preview/find.go:finder.isNew"}, []switchOff{{"preview/find.go", "finder.isNew", "return true"}}},
	ofShape("Diff", "diff.go"),
	ofShape("Search", "search.go"),
	ofShape("Listing", "listing.go", "folders.go", "changes.go", "revisions.go", "measured.go"),
	ofShape("Table", "costs.go"),
	ofShape("StackTrace", "trace.go"),
	ofShape("Prose", "prose.go"),
	{"shape source", []string{"preview/shape/source.go", "preview/shape/definition.go"}, []switchOff{
		{"preview/shape/source.go", "isSource", "return false"},
	}},
	ofText("changes", "preview/shape/changes.go", "rankChanges", "return false"),
	ofText("revisions", "preview/shape/revisions.go", "rankRevisions", "return false"),
	ofText("measures", "preview/shape/measured.go", "rankMeasured", "return false"),
	ofText("quiet", "preview/shape/quiet.go", "isQuiet", "return false"),
	ofText("exceptions", "preview/shape/exception.go", "markExceptions", "return"),
	ofText("libraries", "preview/shape/library.go", "ofLibraries", "return"),
	ofText("encoded", "preview/shape/encoded.go", "shortenEncoded", "return"),
	ofText("repeats", "preview/shape/repeat.go", "repeats", "return nil"),
	{"weight of surroundings", []string{"preview/shape/surroundings.go", "preview/shape/tally.go"}, []switchOff{
		{"preview/shape/surroundings.go", "surroundings.worth", "return 0"},
	}},
	{"blocks", []string{"preview/shape/block.go:blocks", "preview/shape/block.go:raiseBlock", "preview/shape/block.go:block"}, []switchOff{
		{"preview/shape/block.go", "blocks", "return nil"},
	}},
	{"neighbors", []string{"preview/shape/block.go:neighbors"}, []switchOff{{"preview/shape/block.go", "neighbors", "return"}}},
	{"lines of JSON", []string{"preview/shape/json.go:rankNDJSON", "preview/shape/json.go:raiseRareLooks"}, []switchOff{
		{"preview/shape/json.go", "rankNDJSON", "return"},
	}},
	{"messages first", []string{"preview/shape/block.go:messagesFirst"}, []switchOff{{"preview/shape/block.go", "messagesFirst", "return"}}},
	{"differences", []string{"preview/shape/block.go:differences"}, []switchOff{{"preview/shape/block.go", "differences", "return"}}},
	{"unlike", []string{"preview/shape/log.go:unlike"}, []switchOff{
		{"preview/shape/log.go", "unlike", "plain := make([]int, len(marks)); for i, m := range marks { plain[i] = int(m.Score) }; return plain"},
	}},
	{"words of salience", []string{
		"preview/salience/rules.go", "preview/salience/runners.go", "preview/salience/consoles.go", "preview/salience/packages.go",
		"preview/salience/reports.go", "preview/salience/servers.go", "preview/salience/conditions.go",
	}, []switchOff{{"preview/salience/classifier.go", "Classifier.mark", "return Mark{}"}}},
	{"noise of salience", []string{"preview/salience/noise.go"}, []switchOff{{"preview/salience/noise.go", "isNoise", "return false"}}},
	{"frames of libraries", []string{"preview/frames/frames.go", "preview/frames/table.go"}, []switchOff{
		{"preview/frames/frames.go", "Library", "return false"},
		{"preview/frames/frames.go", "Foreign", "return false"},
	}},
	{"focus", []string{"preview/focus/focus.go", "preview/shape/focused.go"}, []switchOff{
		{"preview/ranking.go", "Excerpt.rankOptions", `f.Focus = ""`},
	}},
	{"times omitted", []string{"preview/salience/times.go"}, []switchOff{
		{"preview/render.go", "selection.render", "s.untimed = false"},
	}},
}

// root is the folder of the repository.
const root = "../.."

// sourceOf reads a file with its functions by name; that of a method begins with its type.
func sourceOf(file string) (text []byte, set *token.FileSet, parsed *ast.File, functions map[string]*ast.FuncDecl, err error) {
	if text, err = os.ReadFile(filepath.Join(root, file)); err != nil {
		return nil, nil, nil, nil, err
	}
	set = token.NewFileSet()
	if parsed, err = parser.ParseFile(set, file, text, 0); err != nil {
		return nil, nil, nil, nil, err
	}
	functions = map[string]*ast.FuncDecl{}
	for _, d := range parsed.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			functions[receiverOf(f)+f.Name.Name] = f
		}
	}
	return text, set, parsed, functions, nil
}

// receiverOf returns the type of a method with a dot; empty for a function.
func receiverOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	of := f.Recv.List[0].Type
	if p, ok := of.(*ast.StarExpr); ok {
		of = p.X
	}
	if name, ok := of.(*ast.Ident); ok {
		return name.Name + "."
	}
	return ""
}

// lines counts the lines of code of a recogniser.
func (r recogniser) lines() (n int, err error) {
	for _, c := range r.code {
		file, name, part := strings.Cut(c, ":")
		text, set, _, functions, err := sourceOf(file)
		switch {
		case err != nil:
			return 0, err
		case !part:
			n += bytes.Count(text, []byte{'\n'})
		case functions[name] == nil:
			return 0, fmt.Errorf("%s has no function %s", file, name)
		default:
			n += set.Position(functions[name].End()).Line - set.Position(functions[name].Pos()).Line + 1
		}
	}
	return n, nil
}

// ablatedVar names the variable with the recogniser that the binary is to be without.
const ablatedVar = "ABLATED_RECOGNISER"

// overlay writes the sources with all switches below a folder, and returns the file that go build reads.
func overlay(folder string) (string, error) {
	inserts := map[string]map[int]string{} // by file and offset
	for _, r := range recognisers {
		for _, s := range r.off {
			_, set, _, functions, err := sourceOf(s.file)
			if err != nil {
				return "", err
			}
			f := functions[s.function]
			if f == nil {
				return "", fmt.Errorf("%s: %s has no function %s", r.name, s.file, s.function)
			}
			if inserts[s.file] == nil {
				inserts[s.file] = map[int]string{}
			}
			inserts[s.file][set.Position(f.Body.Lbrace).Offset+1] += fmt.Sprintf("if ablated == %q { %s };", r.name, s.statement)
		}
	}
	replaced := map[string]string{}
	for file, at := range inserts {
		text, _, parsed, _, err := sourceOf(file)
		if err != nil {
			return "", err
		}
		offsets := make([]int, 0, len(at))
		for offset := range at {
			offsets = append(offsets, offset)
		}
		slices.Sort(offsets)
		for _, offset := range slices.Backward(offsets) {
			text = slices.Insert(text, offset, []byte(at[offset])...)
		}
		name := parsed.Name.Name
		declared := filepath.Join(filepath.Dir(file), "ablated.go")
		for path, text := range map[string][]byte{
			file:     text,
			declared: fmt.Appendf(nil, "package %s\n\nimport \"os\"\n\nvar ablated = os.Getenv(%q)\n", name, ablatedVar),
		} {
			copied, err := filepath.Abs(filepath.Join(folder, strings.ReplaceAll(path, "/", "-")))
			if err != nil {
				return "", err
			}
			if err := os.WriteFile(copied, text, 0o644); err != nil {
				return "", err
			}
			original, err := filepath.Abs(filepath.Join(root, path))
			if err != nil {
				return "", err
			}
			replaced[original] = copied
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "overlay.json")
	return path, os.WriteFile(path, text, 0o644)
}

// worthBudgets are the budgets at which recognisers are measured, in tokens.
var worthBudgets = []int{1000, 2000}

// measuredSet is a set of outputs with a recall of each.
type measuredSet struct {
	name    string
	outputs []*output
	steps   []*eval.Step
}

// sets reads all sets.
func sets(t *testing.T, counter tokens.Counter) (list []measuredSet) {
	t.Helper()
	of := func(all []*output, is func(*output) bool) (some []*output) {
		for _, d := range all {
			if is(d) {
				some = append(some, d)
			}
		}
		return some
	}
	own, other, kind := readCorpus(t, *corpus, never), readCorpus(t, *unseen, evenDigit), readCorpus(t, *kinds, unreadSplit)
	daily := readCorpus(t, *everyday, unreadSplit)
	list = []measuredSet{
		{name: "own corpus", outputs: own},
		{name: "read", outputs: of(other, wasRead)}, {name: "never read", outputs: of(other, isUnread)},
		{name: "kinds, read", outputs: of(kind, wasRead)}, {name: "kinds, never read", outputs: of(kind, isUnread)},
		{name: "everyday, read", outputs: of(daily, wasRead)}, {name: "everyday, never read", outputs: of(daily, isUnread)},
	}
	list = append(list, measuredSet{name: "of all these, lines with times", outputs: of(slices.Concat(own, other, kind, daily), (*output).isTimed)})
	steps, err := eval.ReadSteps(*recorded)
	if errors.Is(err, fs.ErrNotExist) {
		return list
	}
	if err != nil {
		t.Fatal(err)
	}
	steps = slices.DeleteFunc(steps, func(s *eval.Step) bool { return counter.Count(s.Text) <= longStep })
	return append(list, measuredSet{name: "steps", steps: steps})
}

// recall returns the recall of a set at a budget, in per cent.
func (m *measuredSet) recall(t *testing.T, s *sidecar, budget int) float64 {
	t.Helper()
	sum := 0.0
	for _, d := range m.outputs {
		r, err := s.receipt(t.Context(), d, budget)
		if err != nil {
			t.Fatal(err)
		}
		sum += keep(r.GetText()).share(d.facts)
	}
	for _, step := range m.steps {
		text, err := s.ofStep(t, step, step.Task, budget)
		if err != nil {
			t.Fatal(err)
		}
		sum += step.Kept(text)
	}
	return 100 * sum / float64(len(m.outputs)+len(m.steps))
}

// without returns the recall of all sets at all budgets without a recogniser; an empty name turns none off.
func without(t *testing.T, binary, name string, sets []measuredSet) (list []float64) {
	t.Helper()
	t.Run(cmp.Or(name, "whole"), func(t *testing.T) { // the sidecar ends with it
		c := start(t, binary, fixedDir(t), ablatedVar+"="+name)
		for i := range sets {
			for _, budget := range worthBudgets {
				list = append(list, sets[i].recall(t, c, budget))
			}
		}
	})
	if t.Failed() {
		t.FailNow()
	}
	return list
}

// TestAblation measures what each recogniser is worth on every set, in points of recall. `make eval ABLATE=yes` runs it.
func TestAblation(t *testing.T) {
	if !*ablate {
		t.Skip("leg skipped: `make eval ABLATE=yes` runs it")
	}
	need(t, *corpus, *unseen, *kinds, *everyday)
	counter, err := tokens.O200k()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file, err := overlay(folder)
	if err != nil {
		t.Fatal(err)
	}
	binary, err := sidecartest.Build(folder, "-overlay", file)
	if err != nil {
		t.Fatal(err)
	}
	all := sets(t, counter)
	heading := []string{"without", "lines"}
	for i := range all {
		heading = append(heading, fmt.Sprintf("%s (%d)", all[i].name, len(all[i].outputs)+len(all[i].steps)))
	}
	table := newTable(heading...)
	cells := func(first, second string, values []float64, form string) {
		row := []string{first, second}
		for i := range all {
			row = append(row, fmt.Sprintf(form+", "+form, values[2*i], values[2*i+1]))
		}
		table.row(row...)
		t.Log(strings.Join(row, " | "))
	}
	whole := without(t, binary, "", all)
	cells("nothing: recall at 1000 and 2000 tokens", "", whole, "%.1f")
	for _, r := range recognisers {
		if *ablateOf != "" && !slices.Contains(strings.Split(*ablateOf, ","), r.name) {
			continue
		}
		n, err := r.lines()
		if err != nil {
			t.Fatal(err)
		}
		values := without(t, binary, r.name, all)
		for i := range values {
			values[i] -= whole[i]
		}
		cells(r.name, fmt.Sprint(n), values, "%+.1f")
	}
	publish(t, "ablation", table.String())
}

// Every recogniser that can be turned off is in the sources.
func TestRecognisersExist(t *testing.T) {
	if _, err := overlay(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	for _, r := range recognisers {
		if _, err := r.lines(); err != nil {
			t.Errorf("%s: %v", r.name, err)
		}
	}
}
