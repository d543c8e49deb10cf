package preview

import (
	"bytes"

	"github.com/toolresult/toolresult/preview/salience"
)

// mostNested is how many lines below one belong to it for their indentation.
const mostNested = 20

// nest follows the lines below one that matters: many tools write what is wrong
// in lines that are indented deeper than the name of what failed.
type nest struct{ indent, left int }

// nestOf is the nest of a line.
func nestOf(text []byte, m salience.Mark) nest {
	switch m.Reason {
	case salience.Error, salience.Failure, salience.Crash, salience.Diagnostic:
		return nest{indentOf(text), mostNested}
	}
	return nest{}
}

// holds reports whether the next line is still inside.
func (n *nest) holds(text []byte) bool {
	if n.left == 0 {
		return false
	}
	n.left--
	if len(bytes.TrimSpace(text)) > 0 && indentOf(text) <= n.indent {
		n.left = 0
	}
	return n.left > 0
}

// indentOf counts the blanks that a line begins with, behind its times.
func indentOf(text []byte) int {
	text = text[salience.TimeLength(text):]
	return len(text) - len(bytes.TrimLeft(text, " \t"))
}
