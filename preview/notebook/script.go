package notebook

import (
	"bytes"
	"strings"
)

// A notebook that is exported as a script has the number of a cell before its code. Text is in
// comments of their own, between two empty lines and one:
//
//	# In[2]:
//
//
//	print(1)
//
//
//	# # Result

// leastNumbered is how many cells with numbers tell an export from other code.
const leastNumbered = 2

// ParseScript reads a notebook that was exported as a script. It returns ErrNone for other text.
func ParseScript(text []byte) (*Notebook, error) {
	if len(text) > mostBytes || bytes.Count(text, []byte("\n# In[")) < leastNumbered {
		return nil, ErrNone
	}
	var cells []cell
	var block []string
	empty, numbered := 0, false // lines before the block, and whether a cell with a number is
	add := func() {
		kind := "code"
		if (empty >= 2 || !numbered) && isComment(block) {
			kind = "markdown"
		}
		if len(cells) == 0 || cells[len(cells)-1].kind != kind {
			cells = append(cells, cell{kind: kind})
		}
		c := &cells[len(cells)-1]
		for _, line := range block {
			if kind == "markdown" {
				line = strings.TrimPrefix(strings.TrimPrefix(line, "#"), " ")
			}
			c.source = append(c.source, line)
		}
	}
	lines := strings.Split(string(text), "\n")
	for i, line := range append(lines, "") {
		line = strings.TrimRight(line, " \r")
		if line != "" && i < len(lines) {
			block = append(block, line)
			continue
		}
		switch {
		case len(block) == 1 && strings.HasPrefix(block[0], "# In[") && strings.HasSuffix(block[0], "]:"):
			cells = append(cells, cell{kind: "code", number: strings.TrimSpace(block[0][len("# In[") : len(block[0])-len("]:")])})
			block, empty, numbered = nil, 0, true
			continue
		case len(block) > 0 && strings.HasPrefix(block[0], "#!"):
		case len(block) > 0:
			add()
			empty = 0
		}
		block, empty = nil, empty+1
	}
	return write(nil, cells, nil)
}

// isComment reports whether all lines are comments.
func isComment(lines []string) bool {
	for _, line := range lines {
		if !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}
