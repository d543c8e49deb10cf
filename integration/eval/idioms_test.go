package eval_test

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/grpc/status"

	"github.com/toolresult/toolresult/integration/eval"
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
	need(t, *corpus, *unseen)
	documents := failedOutputs(t)
	s := serve(t)
	rows := newTable(fmt.Sprintf("idiom at %d tokens", idiomBudget), "documents", "command alone", "idiom", "before")
	for _, i := range idioms() {
		printed := i.printAll(documents)
		alone := recallAs(t, s, printed, func(d *output) output { return *d })
		with := recallAs(t, s, printed, func(d *output) output {
			named := *d
			named.Command, named.ExitStatus = strings.ReplaceAll(i.line, "COMMAND", d.Command), new(int32(0))
			return named
		})
		rows.row("`"+strings.ReplaceAll(i.line, "|", "\\|")+"`", strconv.Itoa(len(printed)), fmt.Sprintf("%.1f %%", alone),
			fmt.Sprintf("%.1f %%", with), fmt.Sprintf("%.1f %%", i.before))
		if lost := alone - with; lost > i.slack+0.1 {
			t.Errorf("%s: %.1f points of recall are lost", i.line, lost)
		}
	}
	publish(t, "idioms", rows.String())
}

// failedOutputs are the failed commands of both corpora. Each has a name.
func failedOutputs(t *testing.T) (list []*output) {
	t.Helper()
	for _, folder := range []string{*corpus, *unseen} {
		for _, d := range readCorpus(t, folder, never) {
			if d.Command == "" {
				d.Command = "./run.sh"
			}
			if d.Failed() {
				list = append(list, d)
			}
		}
	}
	return list
}

// recallAs is the mean recall of receipts of documents under another command line and exit status, in per cent.
func recallAs(t *testing.T, s *sidecar, documents []*output, as func(*output) output) float64 {
	t.Helper()
	sum := 0.0
	for _, d := range documents {
		named := as(d)
		r, err := s.receipt(t.Context(), &named, idiomBudget)
		if err != nil {
			t.Errorf("%s: %v", d.receiptName(), status.Code(err))
		}
		sum += keep(r.GetText()).share(d.facts)
	}
	return 100 * sum / float64(max(len(documents), 1))
}

// printAll returns what the idiom prints of documents. Those without a marked line among it are omitted.
func (i *idiom) printAll(documents []*output) (list []*output) {
	for _, d := range documents {
		p := *d
		if p.Payload, p.Marks = i.print(d.Payload, d.Marks); len(p.Marks) == 0 {
			continue
		}
		if p.facts = facts(p.Marks, splitLines(string(p.Payload))); len(p.facts) > 0 {
			list = append(list, &p)
		}
	}
	return list
}

// print returns what the idiom prints of a payload, and what of it is marked.
func (i *idiom) print(payload []byte, marks []eval.Mark) ([]byte, []eval.Mark) {
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
	var left []eval.Mark
	for _, m := range marks {
		if m, ok := remaining(m, numbers, text.String()); ok {
			left = append(left, m)
		}
	}
	return text.Bytes(), left
}

// remaining returns a mark for a text that has a part of the lines, and whether anything of it is there.
func remaining(m eval.Mark, numbers []int, text string) (eval.Mark, bool) {
	switch {
	case m.All != nil:
		for line := range strings.Lines(text) {
			if containsEach(oneBlank(line), m.All) {
				return m, true
			}
		}
		return m, false
	case m.Any != nil:
		text = oneBlank(text)
		m.Any = slices.DeleteFunc(slices.Clone(m.Any), func(line string) bool { return !strings.Contains(text, oneBlank(line)) })
		return m, len(m.Any) > 0
	}
	m.From, m.To = numbers[m.From-1]+1, numbers[min(m.To, len(numbers)-1)]
	return m, m.From <= m.To
}
