package salience

import "bytes"

// mostNested is how many lines below one may belong to it by their indentation.
const mostNested = 20

// Nest follows the lines below one that matters: many tools write what is wrong
// in lines that are indented deeper than the name of what failed. The zero Nest
// contains no line.
type Nest struct{ indent, left int }

// NewNest returns the nest of a line with a mark. Only errors, failures,
// crashes and diagnostics have one.
func NewNest(text []byte, m Mark) Nest {
	switch m.Reason {
	case Error, Failure, Crash, Diagnostic:
		return Nest{Indentation(text), mostNested}
	}
	return Nest{}
}

// Contains takes the next line and reports whether it is still inside. An empty
// line ends no nest.
func (n *Nest) Contains(text []byte) bool {
	if n.left == 0 {
		return false
	}
	n.left--
	if len(bytes.TrimSpace(text)) > 0 && Indentation(text) <= n.indent {
		n.left = 0
	}
	return n.left > 0
}

// Done reports whether no further line is inside.
func (n *Nest) Done() bool { return n.left == 0 }

// Indentation counts the blanks that a line begins with, behind its times.
func Indentation(text []byte) int {
	text = text[TimeLength(text):]
	return len(text) - len(blankSet.TrimLeft(text))
}
