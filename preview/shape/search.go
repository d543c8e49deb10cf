package shape

import (
	"bytes"

	"github.com/toolresult/toolresult/preview/textscan"
)

// Results of a search: grep -n, rg and their like, with the path in each line
// or as a heading. Compilers write the same form; their messages begin behind
// one blank and say that something is wrong, which code seldom does.

// match is a line of search results in parts.
type match struct {
	path    []byte // nil when the line is none
	context bool   // it is beside a match
	text    []byte
}

// longestPath is more bytes than the path of a match has.
const longestPath = 512

// parseMatch reads "path:12:text", "path:12:3:text", "path-12-text",
// "path:text" and "path:12". The path is nil for other lines.
func parseMatch(text []byte) match {
	head := text[:min(len(text), longestPath)]
	for i := 1; i < len(head); i++ {
		switch c := head[i]; {
		case c == ' ' || c == '\t' || c == '"' || c == '(' || c == '[' || c == '<' || c == '=':
			return match{}
		case c == ':':
			if !isPath(head[:i]) {
				return match{}
			}
			return parseNumbered(text[:i], text[i+1:])
		case c == '-':
			if n, digits := number(text[i+1:]); digits > 0 && n > 0 && isPath(head[:i]) && i+1+digits < len(text) && text[i+1+digits] == '-' {
				return match{path: head[:i], context: true, text: text[i+2+digits:]}
			}
		}
	}
	return match{}
}

// parseNumbered reads the rest of a line behind a path and a colon.
func parseNumbered(path, rest []byte) match {
	_, digits := number(rest)
	if digits == 0 || digits < len(rest) && rest[digits] != ':' {
		return match{path: path, text: rest}
	}
	if digits == len(rest) { // a count
		return match{path: path, text: rest}
	}
	m := match{path: path, text: rest[digits+1:]}
	if _, more := number(m.text); more > 0 && more < len(m.text) && m.text[more] == ':' {
		m.text = m.text[more+1:]
	}
	return m
}

// isPath reports whether a text may be the path of a file: it has a letter, and
// a slash or a dot with an ending.
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

// numbered returns how many bytes the "12:" or "12-" has that a line begins
// with under the name of a file; 0 without one.
func numbered(text []byte) int {
	_, digits := number(text)
	if digits == 0 || digits == len(text) || text[digits] != ':' && text[digits] != '-' {
		return 0
	}
	return digits + 1
}

// isSeparator reports whether a line separates groups of matches.
func isSeparator(text []byte) bool { return string(text) == "--" }

// isSearch reports whether nearly all lines of a sample are matches, and do not
// read as the diagnostics of a compiler or the messages of a program: their
// text does not begin behind one blank, and does not say that something went
// wrong.
func (s sample) isSearch() bool {
	if s.isUnderHeadings() {
		return true
	}
	matches, all, messages, faults := 0, 0, 0, 0
	for i, text := range s.lines {
		if len(text) == 0 || isSeparator(text) || s.cut && i == len(s.lines)-1 {
			continue
		}
		all++
		m := parseMatch(text)
		if m.path == nil {
			continue
		}
		matches++
		if len(m.text) > 1 && m.text[0] == ' ' && m.text[1] != ' ' && !m.context {
			messages++
		}
		if bytes.Contains(m.text, []byte("error:")) || bytes.Contains(m.text, []byte("warning:")) || bytes.Contains(m.text, []byte("note:")) {
			faults++
		}
	}
	return matches >= 3 && matches*10 >= all*9 && messages*5 < matches*2 && faults*4 < matches
}

// isUnderHeadings reports whether a sample is of matches by line under the
// names of their files.
func (s sample) isUnderHeadings() bool {
	if len(s.lines) < 3 || !isPath(s.lines[0]) || bytes.IndexByte(s.lines[0], ':') >= 0 || numbered(s.lines[1]) == 0 {
		return false
	}
	return s.mostly(90, 3, func(text []byte) bool { return numbered(text) > 0 || isSeparator(text) || isPath(text) })
}

// rankSearch ranks matches: the first one of every file, then as many bytes of
// each file, and then the lines beside them.
func rankSearch(list []Ranked) {
	files := map[string]*share{}
	var current *share // under the name of a file
	for i := range list {
		r := &list[i]
		text := textscan.WithoutEscapes(r.Line.Text)
		m := parseMatch(text)
		switch n := numbered(text); {
		case n > 0 && current != nil && (m.path == nil || !m.context):
			context := text[n-1] == '-'
			r.setMatch(current, text, context, current.had == 0)
		case m.path != nil:
			current = nil
			file := files[string(m.path)]
			first := file == nil || file.had == 0 && !m.context
			if file == nil {
				file = &share{weight: pathWeight(m.path)}
				files[string(m.path)] = file
			}
			r.setMatch(file, text, m.context, first && !m.context)
		case isPath(text) || len(text) > 0 && i+1 < len(list) && list[i+1].Number == r.Number+1 && numbered(textscan.WithoutEscapes(list[i+1].Line.Text)) > 0:
			current = &share{weight: pathWeight(text)}
			r.set(scoreHeading, 0, KeepStructure)
		case len(text) == 0 || isSeparator(text):
			r.set(1, 0, KeepContext)
		default: // what the program says of its search
			r.set(scoreNamed, 0, KeepSummary)
		}
	}
	inOrder(list)
}

// setMatch ranks a match of a file, or a line beside one. With first it names
// the file.
func (r *Ranked) setMatch(file *share, text []byte, context, first bool) {
	switch {
	case context:
		r.set(scoreBeside, file.had, KeepContext)
	case first:
		file.turn(text)
		r.set(scoreNamed, 0, KeepStructure)
	default:
		r.set(scoreContent, file.turn(text), KeepContext)
	}
}
