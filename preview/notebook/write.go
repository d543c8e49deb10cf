package notebook

import (
	"strings"

	"github.com/toolresult/toolresult/preview/records"
	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/shape"
)

// Scores of lines. Lines of one text lose some by their place, so that the first ones of all cells
// come before all of one cell.
const (
	scoreError    = 97 // name and message of an error
	scoreFrame    = 92 // the line of the own code that failed
	scoreHead     = 90 // where that is
	scoreTitle    = 89 // the first heading
	scoreHeading  = 85
	scoreLead     = 84 // the first line below a heading
	scorePrinted  = 82 // the first and the last line that a cell prints
	scoreResult   = 78 // the first line of a value
	scoreText     = 72 // further text
	scoreSample   = 62 // of a value that is a sample of its rows
	scoreCode     = 60 // the first line of code
	scoreProgress = 40 // of a line that differs from others by its numbers only
	scoreNote     = 36 // of data that is no text
	scoreCause    = 66 // of another error in a traceback
	scoreInside   = 44 // of the frames of libraries
	scoreAround   = 56 // of the code around the line of the own code that failed
	scoreImport   = 24
	leastScore    = 16
)

// writer writes the readable form.
type writer struct{ Notebook }

// write writes cells, with the lines of other text before and behind them.
func write(before []string, cells []cell, after []string) (*Notebook, error) {
	w := &writer{}
	w.printed(before, scoreResult)
	last := lastMarkdown(cells)
	first := true
	for i := range cells {
		switch c := &cells[i]; c.kind {
		case "code":
			w.code(c)
		case "raw":
			w.printed(textLines(c.source), scoreText)
		default:
			w.markdown(c.source, first, i == last)
			first = false
		}
	}
	w.printed(after, scoreResult)
	if len(w.starts) == 0 {
		return nil, ErrNone
	}
	w.text = append(w.text, '\n')
	return &w.Notebook, nil
}

// lastMarkdown returns the index of the last cell of text, which often concludes; -1 for none.
func lastMarkdown(cells []cell) int {
	for i := len(cells) - 1; i >= 0; i-- {
		if cells[i].kind == "markdown" {
			return i
		}
	}
	return -1
}

// line writes a line.
func (w *writer) line(text string, score int, reason shape.Reason) {
	if len(w.starts) == mostLines {
		return
	}
	if len(text) > mostLine {
		text = strings.ToValidUTF8(text[:mostLine], "") + "…"
	}
	if len(w.starts) > 0 {
		w.text = append(w.text, '\n')
	}
	w.starts = append(w.starts, int32(len(w.text)))
	w.text = append(w.text, text...)
	w.ranks = append(w.ranks, records.Rank{Score: max(leastScore, min(score, 100)), Reason: reason, Column: -1})
}

// markdown writes the text of a cell. Its headings and the lines below them come first.
func (w *writer) markdown(source []string, first, last bool) {
	conclusion := 0
	if last {
		conclusion = 3
	}
	score := scoreLead
	for k, line := range textLines(source) {
		switch level := headingLevel(line); {
		case first && k == 0:
			w.line(line, scoreTitle, shape.KeepStructure)
			score = scoreLead
		case level > 0:
			w.line(line, scoreHeading-level+conclusion, shape.KeepStructure)
			score = scoreLead
		default:
			w.line(line, score+conclusion, shape.KeepStructure)
			score = min(scoreText, score) - 1
		}
	}
}

// headingLevel returns the level of a heading of Markdown; 0 for another line.
func headingLevel(line string) int {
	level := len(line) - len(strings.TrimLeft(line, "#"))
	if level > 6 || level > 0 && !strings.HasPrefix(line[level:], " ") {
		return 0
	}
	return level
}

// code writes a cell of code and what it put out.
func (w *writer) code(c *cell) {
	lines := textLines(c.source)
	for k, line := range lines {
		score := scoreCode - 2*min(k, 10)
		switch text := strings.TrimSpace(line); {
		case strings.HasPrefix(text, "import ") || strings.HasPrefix(text, "from ") || strings.HasPrefix(text, "library("):
			score = scoreImport
		case k == 0:
		case strings.HasPrefix(text, "def ") || strings.HasPrefix(text, "class "):
			score = scoreCode - 2
		case k == len(lines)-1 && len(c.outputs) > 0:
			score = scoreCode - 4
		}
		if k == 0 {
			line = mark("In ", c.number) + line
		}
		w.line(line, score, shape.KeepStructure)
	}
	result := scoreResult
	if len(lines) > 0 && isSample(lines[len(lines)-1]) {
		result = scoreSample
	}
	for i := range c.outputs {
		switch o := &c.outputs[i]; {
		case o.failed:
			w.failure(c.number, o)
		case o.note != "":
			w.line(mark("Out", c.number)+o.note, scoreNote, shape.KeepContext)
		case !o.result:
			w.printed(o.lines, scorePrinted)
		case len(o.lines) == 1:
			w.line(mark("Out", c.number)+o.lines[0], result, shape.KeepStructure)
		case len(o.lines) > 0:
			w.line(strings.TrimSpace(mark("Out", c.number)), result, shape.KeepStructure)
			w.value(o.lines, result)
		}
	}
}

// mark returns what is before the code or the value of a cell with a number.
func mark(name, number string) string {
	if number == "" {
		return strings.TrimSpace(name) + ": "
	}
	return name + "[" + number + "]: "
}

// isSample reports whether a line of code shows some rows of more.
func isSample(line string) bool {
	return strings.Contains(line, ".head(") || strings.Contains(line, ".sample(") || strings.Contains(line, ".tail(") || strings.HasPrefix(line, "head(")
}

// value writes the lines of a value, the first ones first.
func (w *writer) value(lines []string, score int) {
	for k, line := range lines {
		w.said(line, score-min(k, 28))
	}
}

// said writes a line with a score, or with that of what it says.
func (w *writer) said(line string, score int) {
	reason := shape.KeepContext
	if m := salience.Builtin().Classify([]byte(line)); m.Score > uint8(max(0, score)) && shape.Reasons[m.Reason] != 0 {
		score, reason = int(m.Score), shape.Reasons[m.Reason]
	}
	w.line(line, score, reason)
}

// mostAlike is how many lines that differ by their numbers are no progress.
const mostAlike = 5

// printed writes lines that a cell printed: its first and its last ones first, and those of a
// progress last.
func (w *writer) printed(lines []string, score int) {
	forms := make([]string, len(lines))
	count, seen := map[string]int{}, map[string]int{}
	for k, line := range lines {
		forms[k] = withoutNumbers(line)
		count[forms[k]]++
	}
	for k, line := range lines {
		form := forms[k]
		seen[form]++
		if n := count[form]; n > mostAlike && seen[form] > 1 && seen[form] < n {
			w.said(line, scoreProgress)
			continue
		}
		w.said(line, score-2*min(k, len(lines)-1-k, 14))
	}
}

// withoutNumbers returns a line with one sign for each run of digits, and bars of progress without
// their length.
func withoutNumbers(line string) string {
	var b strings.Builder
	var before rune
	for _, c := range line {
		switch {
		case c >= '0' && c <= '9' || c == '.' && before == '0':
			c = '0'
		case c >= '▏' && c <= '█' || c == '=' || c == '#' || c == '>' || c == '-' || c == ' ':
			c = ' '
		}
		if c != before || c != '0' && c != ' ' {
			b.WriteRune(c)
		}
		before = c
	}
	return b.String()
}
