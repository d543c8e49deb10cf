package shape

import (
	"bytes"

	"github.com/toolresult/toolresult/preview/textscan"
)

// match is a line of what a search found, in parts.
type match struct {
	path    []byte // nil when the line is none
	context bool   // it stands beside a match
	text    []byte
	column  bool
}

// longestPath is more bytes than the path of a match has.
const longestPath = 512

// matchOf reads "path:12:text", "path:12:3:text", "path-12-text", "path:text" and "path:12".
func matchOf(text []byte) match {
	head := text[:min(len(text), longestPath)]
	for i := 1; i < len(head); i++ {
		switch c := head[i]; {
		case c == ' ' || c == '\t' || c == '"' || c == '(' || c == '[' || c == '<' || c == '=':
			return match{}
		case c == ':':
			if !isPath(head[:i]) {
				return match{}
			}
			return matchIn(text[:i], text[i+1:])
		case c == '-':
			if n, digits := number(text[i+1:]); digits > 0 && n > 0 && isPath(head[:i]) && i+1+digits < len(text) && text[i+1+digits] == '-' {
				return match{path: head[:i], context: true, text: text[i+2+digits:]}
			}
		}
	}
	return match{}
}

// matchIn reads what stands behind a path and a colon.
func matchIn(path, rest []byte) match {
	_, digits := number(rest)
	if digits == 0 || digits < len(rest) && rest[digits] != ':' {
		return match{path: path, text: rest}
	}
	if digits == len(rest) { // a count
		return match{path: path, text: rest}
	}
	m := match{path: path, text: rest[digits+1:]}
	if _, more := number(m.text); more > 0 && more < len(m.text) && m.text[more] == ':' {
		m.text, m.column = m.text[more+1:], true
	}
	return m
}

// isPath reports whether a text is the path of a file, so far as that can be told: it has a letter, and a slash or a dot
// with an ending.
func isPath(text []byte) bool {
	if len(text) < 3 || len(text) > longestPath || bytes.Contains(text, []byte("://")) {
		return false
	}
	letters, marks := 0, 0
	for i, c := range text {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80:
			letters++
		case c == '/', c == '.' && i+1 < len(text):
			marks++
		case c < ' ' || c == ' ' || c == '"' || c == '\'' || c == '(' || c == ')' || c == '[' || c == ']' || c == '{' || c == '}' || c == '<' || c == '>' || c == '|' || c == '=' || c == ',' || c == ';' || c == '*' || c == '?' || c == '!':
			return false
		}
	}
	return letters > 0 && marks > 0
}

// numbered is how many bytes the "12:" and "12-" have that a line begins with under the name of a file.
func numbered(text []byte) int {
	_, digits := number(text)
	if digits == 0 || digits == len(text) || text[digits] != ':' && text[digits] != '-' {
		return 0
	}
	return digits + 1
}

func isSeparator(text []byte) bool { return string(text) == "--" }

// isSearch reports whether nearly all lines of a sample are matches, and do not read as the diagnostics of a compiler or
// the messages of a program: their text does not begin behind one blank, and does not say that something went wrong.
func (s sample) isSearch() bool {
	if s.isUnderHeadings() {
		return true
	}
	matches, all, messages, faults, plain, columns := 0, 0, 0, 0, 0, 0
	for i, text := range s.lines {
		if len(text) == 0 || isSeparator(text) || s.cut && i == len(s.lines)-1 {
			continue
		}
		all++
		m := matchOf(text)
		if m.path == nil {
			continue
		}
		matches++
		if len(m.text) > 1 && m.text[0] == ' ' && m.text[1] != ' ' && !m.context {
			messages++
		}
		if m.column {
			columns++
		} else if bytes.IndexByte(m.path, '/') < 0 {
			plain++
		}
		if bytes.Contains(m.text, []byte("error:")) || bytes.Contains(m.text, []byte("warning:")) || bytes.Contains(m.text, []byte("note:")) {
			faults++
		}
	}
	return matches >= 3 && matches*10 >= all*9 && messages*5 < matches*2 && faults*4 < matches
}

// isUnderHeadings reports whether a sample is of matches by line under the names of their files.
func (s sample) isUnderHeadings() bool {
	if len(s.lines) < 3 || !isPath(s.lines[0]) || bytes.IndexByte(s.lines[0], ':') >= 0 || numbered(s.lines[1]) == 0 {
		return false
	}
	return s.mostly(90, 3, func(text []byte) bool { return numbered(text) > 0 || isSeparator(text) || isPath(text) })
}

// rankSearch ranks matches: the first one of every file, then as many bytes of each file, and then what stands beside
// them.
func rankSearch(list []Ranked) {
	files := map[string]*share{}
	var current *share // under the name of a file
	for i := range list {
		r := &list[i]
		text := textscan.WithoutEscapes(r.Line.Text)
		m := matchOf(text)
		switch n := numbered(text); {
		case n > 0 && current != nil && (m.path == nil || !m.context):
			context := text[n-1] == '-'
			r.ofFile(current, text, context, current.had == 0)
		case m.path != nil:
			current = nil
			file := files[string(m.path)]
			first := file == nil || file.had == 0 && !m.context
			if file == nil {
				file = &share{weight: weightOf(m.path)}
				files[string(m.path)] = file
			}
			r.ofFile(file, text, m.context, first && !m.context)
		case isPath(text) || len(text) > 0 && i+1 < len(list) && list[i+1].Number == r.Number+1 && numbered(textscan.WithoutEscapes(list[i+1].Line.Text)) > 0:
			current = &share{weight: weightOf(text)}
			r.as(scoreHeading, 0, KeepStructure)
		case len(text) == 0 || isSeparator(text):
			r.as(1, 0, KeepContext)
		default: // what the program says of its search
			r.as(scoreNamed, 0, KeepSummary)
		}
	}
	inOrder(list)
}

// ofFile ranks a match of a file, or a line beside one. With first it names the file.
func (r *Ranked) ofFile(file *share, text []byte, context, first bool) {
	switch {
	case context:
		r.as(scoreBeside, file.had, KeepContext)
	case first:
		file.takes(text)
		r.as(scoreNamed, 0, KeepStructure)
	default:
		r.as(scoreContent, file.takes(text), KeepContext)
	}
}
