package eval_test

// This file measures what a text spends on lines that decide nothing.
//
// The definition: a line of a document is useful when it is marked, or belongs to the block of a marked line. A mark by
// words marks every line that has them. The block of a line is what is next to it, without a blank line between: at most
// blockLines before it and after it, and below it also every line that is indented deeper. A line that is shown is useful
// when it is a useful line, a part of one of at least leastClip characters, or has one in it. What the receipt says
// itself, its heading and the marks of cuts, is its frame and no text.

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/toolresult/toolresult/integration/eval"
	"github.com/toolresult/toolresult/renderers"
)

const (
	blockLines = 5
	sampled    = 20 // documents whose bytes are counted: the first by name of receipt, which is a hash
)

// spent are the bytes of a text.
type spent struct{ useful, useless, frame int }

// spending adds up what a policy spends on the sampled documents.
func (e *evaluation) spending(t *testing.T, policy string, budget int) (sum spent) {
	t.Helper()
	order := make([]int, len(e.documents))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(e.documents[a].receiptName(), e.documents[b].receiptName()) })
	for _, i := range order[:min(sampled, len(order))] {
		text := e.results[cell{policy, budget}][i].text
		lines := plainLines(text)
		if policy == receipts {
			lines = receiptLines(t, text)
		}
		s := spend(usefulLines(e.documents[i]), lines)
		sum.useful, sum.useless, sum.frame = sum.useful+s.useful, sum.useless+s.useless, sum.frame+max(0, len(text)-s.useful-s.useless) // the last line has no end
	}
	return sum
}

// plainLines are the lines of a plain cut without its mark.
func plainLines(text string) []string {
	return slices.DeleteFunc(splitLines(text), isMark)
}

// isMark reports whether a line of a plain cut says how much is missing.
func isMark(line string) bool {
	return strings.HasPrefix(line, "[") && strings.HasSuffix(line, " bytes left out]")
}

// receiptLines are the lines of the tool that a receipt shows.
func receiptLines(t *testing.T, text string) (lines []string) {
	t.Helper()
	if text == "" {
		return nil // there is no receipt, and the test has failed
	}
	d, err := renderers.ParseReceipt(text)
	if err != nil {
		t.Error(err)
	}
	for _, s := range d.Sections {
		for _, piece := range s.Body {
			if piece.Mark == nil {
				lines = append(lines, splitLines(piece.Text)...)
			}
		}
	}
	return lines
}

// spend counts the bytes of lines, with their ends.
func spend(useful, lines []string) (s spent) {
	known := map[string]bool{}
	for _, line := range useful {
		known[line] = true
	}
	all := strings.Join(useful, "\n")
	for _, line := range lines {
		n := len(line) + 1
		if line = oneBlank(shownLine(line)); known[line] || len(line) >= leastClip && (strings.Contains(all, line) || hasAny(line, useful)) {
			s.useful += n
		} else {
			s.useless += n
		}
	}
	return s
}

// hasAny reports whether a line has one of others in it that is no short one.
func hasAny(line string, others []string) bool {
	return slices.ContainsFunc(others, func(o string) bool { return len(o) >= leastClip && strings.Contains(line, o) })
}

// usefulLines are the useful lines of a document, with single blanks.
func usefulLines(d *output) (list []string) {
	lines := splitLines(string(d.Payload))
	useful := make([]bool, len(lines))
	for i := range lines {
		if isMarked(d.Marks, i+1, oneBlank(shownLine(lines[i]))) {
			markBlock(lines, useful, i)
		}
	}
	for i, line := range lines {
		if line = oneBlank(shownLine(line)); useful[i] && line != "" {
			list = append(list, line)
		}
	}
	return list
}

// isMarked reports whether a line, by its number and without further blanks, is marked.
func isMarked(marks []eval.Mark, number int, line string) bool {
	return slices.ContainsFunc(marks, func(m eval.Mark) bool {
		switch {
		case m.All != nil:
			return containsEach(line, m.All)
		case m.Any != nil:
			return slices.ContainsFunc(m.Any, func(l string) bool { return line == oneBlank(shownLine(l)) })
		}
		return m.From <= number && number <= m.To
	})
}

// markBlock marks the block of a line.
func markBlock(lines []string, useful []bool, at int) {
	useful[at] = true
	for i := at - 1; i >= max(0, at-blockLines) && strings.TrimSpace(lines[i]) != ""; i-- {
		useful[i] = true
	}
	deeper := true
	for i := at + 1; i < len(lines) && strings.TrimSpace(lines[i]) != ""; i++ {
		deeper = deeper && indent(lines[i]) > indent(lines[at])
		if i > at+blockLines && !deeper {
			return
		}
		useful[i] = true
	}
}

// indent is the width of the white space before a line, with a tab as one.
func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

// The block of a marked line ends at a blank line, after five lines, and where what is indented deeper ends.
func TestUsefulLines(t *testing.T) {
	t.Parallel()
	d := &output{Document: eval.Document{Marks: []eval.Mark{{From: 3, To: 3}, {All: []string{"five", "six"}}}, Payload: []byte(strings.Join([]string{
		"far", "", "FAIL: one", "  two", "  three", "  four", "  fives", "  sixes", "  seven", "back", "", "end five six", "", "last",
	}, "\n"))}}
	want := []string{"FAIL: one", "two", "three", "four", "fives", "sixes", "seven", "end five six"}
	if got := usefulLines(d); !slices.Equal(got, want) {
		t.Errorf("useful are %q, want %q", got, want)
	}
	lines := []string{"FAIL:   one", "far", "timeout: an end five six and a half, which is long", "end five"}
	if got := spend(append(want, "an end five six and a half, which is"), lines); got != (spent{useful: 12 + 51, useless: 4 + 9}) {
		t.Errorf("spent are %+v", got)
	}
}
