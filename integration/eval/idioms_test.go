package eval_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/integration/sidecartest"
)

// The lines of the document around the table of idioms.
const (
	idiomsBegin = "<!-- idioms -->\n"
	idiomsEnd   = "<!-- /idioms -->\n"
)

// idiomBudget is the budget at which idioms are compared, in tokens.
const idiomBudget = 2000

// idiom is a way to ask for the output of a command or for a part of it. COMMAND stands for the command.
type idiom struct {
	line   string
	prints func(lines [][]byte) []bool // which lines of the output are printed
	before float64                     // recall of commit 3f179f0, which took every reader for one of source files; not measured again
	slack  float64                     // points that the idiom may lose
}

// idioms returns the idioms that are measured. A reader does not say which command wrote what it reads, so it may lose
// what the profile of the command adds; and a text without the signs of a log is shown from its start.
func idioms() []idiom {
	return []idiom{
		{"COMMAND 2>&1 | tail -300", last(300), 28.6, 0},
		{"COMMAND 2>&1 | tail -n 100", last(100), 71.8, 0},
		{"COMMAND 2>&1 | head -100", between(1, 100), 99.8, 0},
		{"COMMAND 2>&1 | tee build.log | tail -50", last(50), 95.9, 0},
		{"COMMAND 2>&1 | sed -n '1,400p'", between(1, 400), 54.5, 0},
		{"COMMAND 2>&1 | grep -v DEBUG", matching(`DEBUG`, false), 73.5, 0},
		{"COMMAND 2>&1 | grep -iE 'error|fail'", matching(`(?i)error|fail`, true), 92.4, 0},
		{"COMMAND > /tmp/o.txt 2>&1; tail -100 /tmp/o.txt", last(100), 96.9, 0},
		{"(COMMAND) 2>&1 | tail -n +5", between(5, 1<<30), 13.2, 0},
		{"cat build.log", all, 13.7, 2},
		{"tail -300 build.log", last(300), 28.6, 2},
		{"sed -n '100,400p' build.log", between(100, 400), 40.0, 3},
		{"cat out.txt", all, 13.7, 3},
		{"tail -300 out.txt", last(300), 28.6, 2},
	}
}

// all prints every line.
func all(lines [][]byte) []bool { return between(1, len(lines))(lines) }

// last prints the last n lines.
func last(n int) func([][]byte) []bool {
	return func(lines [][]byte) []bool { return between(len(lines)-n+1, len(lines))(lines) }
}

// between prints the lines with these numbers.
func between(from, to int) func([][]byte) []bool {
	return func(lines [][]byte) []bool {
		printed := make([]bool, len(lines))
		for i := range lines {
			printed[i] = i+1 >= from && i+1 <= to
		}
		return printed
	}
}

// matching prints the lines that match a pattern, or those that do not.
func matching(pattern string, want bool) func([][]byte) []bool {
	re := regexp.MustCompile(pattern)
	return func(lines [][]byte) []bool {
		printed := make([]bool, len(lines))
		for i := range lines {
			printed[i] = re.Match(lines[i]) == want
		}
		return printed
	}
}

// TestIdioms compares, for each idiom, receipts of what it prints of failed commands with receipts of the same bytes as
// the output of the command itself. Only marked lines that the idiom prints count.
func TestIdioms(t *testing.T) {
	if !sidecartest.All() {
		t.Skip("leg skipped: `make eval` runs it")
	}
	for _, folder := range []string{*corpus, *unseen} {
		if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
			t.Skipf("LEG NOT RUN: there is no corpus in %s", folder)
		}
	}
	s, err := serve()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.stop(); err != nil {
			t.Error(err)
		}
	}()
	table := fmt.Sprintf("| idiom at %d tokens | documents | command alone | idiom | before |\n| --- | --- | --- | --- | --- |\n", idiomBudget)
	for _, i := range idioms() {
		alone, err := i.recall(s, t.TempDir(), false)
		if err != nil {
			t.Fatal(err)
		}
		with, err := i.recall(s, t.TempDir(), true)
		if err != nil {
			t.Fatal(err)
		}
		all := alone[allDocuments]
		table += fmt.Sprintf("| `%s` | %d | %.1f %% | %.1f %% | %.1f %% |\n",
			strings.ReplaceAll(i.line, "|", "\\|"), all.Documents, 100*all.Recall, 100*with[allDocuments].Recall, i.before)
		if lost := 100 * (all.Recall - with[allDocuments].Recall); lost > i.slack+0.1 {
			t.Errorf("%s: %.1f points of recall are lost", i.line, lost)
		}
	}
	t.Log("\n" + table)
	if *document != "" {
		if err := replaceBetween(*document, idiomsBegin, idiomsEnd, table); err != nil {
			t.Error(err)
		}
	}
}

// recall scores receipts of what the idiom prints of the failed commands of both corpora, with its command line and exit
// status, or with those of the command.
func (i *idiom) recall(s *sidecar, dir string, named bool) (scores, error) {
	e := evaluation{corpus: dir, out: filepath.Join(dir, "out")}
	var manifest bytes.Buffer
	for _, folder := range []string{*corpus, *unseen} {
		if err := i.printAll(folder, dir, named, &manifest); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "manifest.jsonl"), manifest.Bytes(), 0o644); err != nil {
		return nil, err
	}
	documents, err := e.documents()
	if err != nil {
		return nil, err
	}
	if err := e.project(s, idiomBudget, documents); err != nil {
		return nil, err
	}
	return e.score(idiomBudget)
}

// printAll writes what the idiom prints of the failed commands of a corpus into a folder, and adds their lines of the
// manifest. Documents without a marked line among them are omitted.
func (i *idiom) printAll(folder, dir string, named bool, manifest *bytes.Buffer) error {
	rows, err := os.ReadFile(filepath.Join(folder, "manifest.jsonl"))
	if err != nil {
		return err
	}
	for row := range bytes.Lines(rows) {
		var given output
		var fields map[string]any
		if err := errors.Join(json.Unmarshal(row, &given), json.Unmarshal(row, &fields)); err != nil {
			return err
		}
		if given.Split == "dropped-dev" || given.ExitStatus == nil || *given.ExitStatus == 0 {
			continue
		}
		payload, err := os.ReadFile(filepath.Join(folder, given.Path))
		if err != nil {
			return err
		}
		text, marked, err := i.print(payload, row)
		if err != nil {
			return err
		}
		if len(marked) == 0 {
			continue
		}
		if given.Command == "" {
			given.Command, fields["command"] = "./run.sh", "./run.sh"
		}
		if named {
			fields["command"], fields["exit_status"] = strings.ReplaceAll(i.line, "COMMAND", given.Command), 0
		}
		fields["ground_truth"], fields["path"] = marked, given.receiptName()
		line, err := json.Marshal(fields)
		if err != nil {
			return err
		}
		manifest.Write(append(line, '\n'))
		if err := os.WriteFile(filepath.Join(dir, given.receiptName()), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// print returns what the idiom prints of a payload, and what of it the manifest marks.
func (i *idiom) print(payload, row []byte) ([]byte, []map[string]any, error) {
	var truth struct {
		Marked []map[string]any `json:"ground_truth"`
	}
	if err := json.Unmarshal(row, &truth); err != nil {
		return nil, nil, err
	}
	lines := bytes.SplitAfter(payload, []byte{'\n'})
	printed := i.prints(lines)
	var text bytes.Buffer
	numbers := make([]int, len(lines)+1) // of the printed lines up to each
	for k, line := range lines {
		if numbers[k+1] = numbers[k]; printed[k] {
			numbers[k+1]++
			text.Write(line)
		}
	}
	var marked []map[string]any
	for _, m := range truth.Marked {
		if m = remaining(m, numbers, text.String()); m != nil {
			marked = append(marked, m)
		}
	}
	return text.Bytes(), marked, nil
}

// remaining returns a mark of the manifest for a text that has a part of the lines; nil if nothing of it is there.
func remaining(mark map[string]any, numbers []int, text string) map[string]any {
	if from, ok := mark["line_start"].(float64); ok {
		to, _ := mark["line_end"].(float64)
		first, last := numbers[int(from)-1]+1, numbers[min(int(to), len(numbers)-1)]
		if first > last {
			return nil
		}
		return map[string]any{"role": mark["role"], "line_start": first, "line_end": last}
	}
	if list, ok := mark["all_of"].([]any); ok {
		for line := range strings.Lines(text) {
			if containsAll(line, list) {
				return mark
			}
		}
		return nil
	}
	list, _ := mark["any_line"].([]any)
	var found []any
	for _, line := range list {
		if containsAll(text, []any{line}) {
			found = append(found, line)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return map[string]any{"role": mark["role"], "any_line": found}
}

// containsAll reports whether a text contains all of a list, without regard to white space.
func containsAll(text string, list []any) bool {
	text = squashed(text)
	for _, part := range list {
		if part, _ := part.(string); !strings.Contains(text, squashed(part)) {
			return false
		}
	}
	return true
}
