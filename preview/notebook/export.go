package notebook

import (
	"bytes"
	"slices"
	"strings"
)

// A notebook that is exported as Markdown has its code in fences. What the code put out is behind
// it: indented text, tables of HTML, and links to images.
//
//	```python
//	print(1)
//	```
//
//	    1

// leastOutputs is how many outputs of code tell an export from other Markdown.
const leastOutputs = 2

// ParseText reads a notebook that was exported as Markdown. It returns ErrNone for other text.
func ParseText(text []byte) (*Notebook, error) {
	if len(text) > mostBytes || !bytes.Contains(text, []byte("\n```")) {
		return nil, ErrNone
	}
	e := exported{}
	for line := range strings.SplitSeq(string(text), "\n") {
		e.read(strings.TrimRight(line, "\r"))
	}
	e.endOutput()
	if e.inCode || e.outputs < leastOutputs || 3*e.outputs < e.fences {
		return nil, ErrNone
	}
	return write(nil, e.cells, nil)
}

// exported reads an export line by line.
type exported struct {
	cells   []cell
	inCode  bool     // between fences
	inHTML  int      // depth of the elements around
	behind  bool     // code is before the line, and what it put out
	printed []string // lines that it put out, so far
	html    []string
	fences  int
	outputs int
}

// read reads a line.
func (e *exported) read(line string) {
	text := strings.TrimSpace(line)
	switch {
	case e.inCode:
		if text == "```" {
			e.inCode, e.behind = false, true
			return
		}
		e.add("code", line)
	case e.inHTML > 0 || e.behind && strings.HasPrefix(text, "<div"):
		e.html = append(e.html, line)
		if e.inHTML += strings.Count(line, "<div") - strings.Count(line, "</div"); e.inHTML <= 0 {
			e.endHTML()
		}
	case strings.HasPrefix(line, "```") && len(text) > len("```"):
		e.endOutput()
		e.inCode, e.fences = true, e.fences+1
		e.cells = append(e.cells, cell{kind: "code"})
	case e.behind && text == "":
	case e.behind && strings.HasPrefix(line, "    "):
		e.printed = append(e.printed, line[len("    "):])
	case e.behind && strings.HasPrefix(text, "![") && strings.Contains(text, "_files/"):
		e.endPrinted()
		e.put(output{result: true, note: plain(text)})
	case strings.HasPrefix(text, "[") && strings.Contains(text, "App] "):
		e.endOutput()
		e.add("raw", line)
	default:
		e.endOutput()
		e.add("markdown", line)
	}
}

// add adds a line to the last cell, or to a new one if that is of another kind.
func (e *exported) add(kind, line string) {
	if len(e.cells) == 0 || e.cells[len(e.cells)-1].kind != kind {
		e.cells = append(e.cells, cell{kind: kind})
	}
	c := &e.cells[len(e.cells)-1]
	c.source = append(c.source, line)
}

// put adds an output to the last cell.
func (e *exported) put(o output) {
	c := &e.cells[len(e.cells)-1]
	c.outputs, e.outputs = append(c.outputs, o), e.outputs+1
}

// endOutput ends what code put out.
func (e *exported) endOutput() {
	e.endHTML()
	e.endPrinted()
	e.behind = false
}

// endHTML adds a table.
func (e *exported) endHTML() {
	if len(e.html) > 0 {
		e.endPrinted()
		e.put(output{result: true, lines: htmlLines(strings.Join(e.html, "\n"))})
	}
	e.html, e.inHTML = nil, 0
}

// endPrinted adds lines that were printed, and the error that they end with.
func (e *exported) endPrinted() {
	lines := textLines(e.printed)
	e.printed = nil
	if len(lines) == 0 {
		return
	}
	for i, line := range lines {
		if !isTracebackHead(line) {
			continue
		}
		at := len(lines) - 1
		for k := len(lines) - 1; k > i; k-- {
			if isTitle(lines[k]) {
				at = k
				break
			}
		}
		if i > 0 && strings.Trim(lines[i-1], "- ") == "" {
			lines, i, at = append(lines[:i-1:i-1], lines[i:]...), i-1, at-1
		}
		if i > 0 {
			e.put(output{lines: lines[:i]})
		}
		e.put(output{failed: true, title: lines[at], lines: slices.Concat(lines[min(i+1, at):at], lines[at+1:])})
		return
	}
	e.put(output{lines: lines})
}

// isTitle reports whether a line is the name of an error and its message.
func isTitle(line string) bool {
	name, _, ok := strings.Cut(line, ": ")
	return ok && name != "" && !strings.ContainsAny(name, " /\\()[]\"'")
}
