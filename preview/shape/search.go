package shape

import (
	"bytes"
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/preview/textscan"
)

// Results of a search: grep -n, rg and their like, with the path in each line
// or as a heading. Compilers write the same form; their messages begin behind
// one blank and say that something is wrong, which code seldom does.

// match is a line of search results in parts.
type match struct {
	path    []byte // nil when the line is none
	context bool   // it is beside a match
	count   int    // of matches in the file, in place of one; 0: it is one
	text    []byte
}

// longestPath is more bytes than the path of a match has.
const longestPath = 512

// parseMatch reads "path:12:text", "path:12:3:text", "path-12-text",
// "path:text", "path:12" and "path (12 matches)". The path is nil for other lines.
func parseMatch(text []byte) match {
	head := text[:min(len(text), longestPath)]
	if path, n := countedPath(head); path != nil {
		return match{path: path, count: n, text: text[len(path)+1:]}
	}
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
			if n, digits := textscan.Number(text[i+1:]); digits > 0 && n > 0 && isPath(head[:i]) && i+1+digits < len(text) && text[i+1+digits] == '-' {
				return match{path: head[:i], context: true, text: text[i+2+digits:]}
			}
		}
	}
	return match{}
}

// countedPath returns the path and the number of "path (12 matches)"; nil for other lines.
func countedPath(text []byte) (path []byte, count int) {
	open := bytes.LastIndex(text, []byte(" ("))
	if open < 0 || text[len(text)-1] != ')' {
		return nil, 0
	}
	n, digits := textscan.Number(text[open+2:])
	if digits == 0 || !bytes.HasPrefix(text[open+2+digits:], []byte(" match")) || !isPath(text[:open]) {
		return nil, 0
	}
	return text[:open:open], n
}

// parseNumbered reads the rest of a line behind a path and a colon.
func parseNumbered(path, rest []byte) match {
	_, digits := textscan.Number(rest)
	if digits == 0 || digits < len(rest) && rest[digits] != ':' {
		return match{path: path, text: rest}
	}
	if digits == len(rest) { // a count
		return match{path: path, text: rest}
	}
	m := match{path: path, text: rest[digits+1:]}
	if _, more := textscan.Number(m.text); more > 0 && more < len(m.text) && m.text[more] == ':' {
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

// numbered returns how many bytes the "12:", "12-" or "Line 12:" has that a line begins
// with under the name of a file; 0 without one.
func numbered(text []byte) int {
	_, size := lineNumber(text)
	return size
}

// lineNumber is numbered with the number.
func lineNumber(text []byte) (n, size int) {
	rest := bytes.TrimPrefix(text, []byte("Line "))
	n, digits := textscan.Number(rest)
	if digits == 0 || digits == len(rest) || rest[digits] != ':' && rest[digits] != '-' {
		return 0, 0
	}
	return n, len(text) - len(rest) + digits + 1
}

// isOfOneFile reports whether a sample is of matches by line in one file, whose name is in no line
// or in the first one: grep -n in a file. Their numbers grow, and not by one each.
func (s sample) isOfOneFile() bool {
	last, growing, all, gaps := 0, 0, 0, 0
	for i, text := range s.lines {
		if len(text) == 0 || isSeparator(text) || i == 0 && numbered(text) == 0 {
			continue
		}
		all++
		n, size := lineNumber(text)
		if size > 0 && n > last {
			growing++
			if n > last+1 && last > 0 {
				gaps++
			}
		}
		if size > 0 {
			last = n
		}
	}
	return growing >= 3 && gaps > 0 && growing*10 >= all*9
}

// isSeparator reports whether a line separates groups of matches.
func isSeparator(text []byte) bool { return string(text) == "--" }

// isSearch reports whether nearly all lines of a sample are matches, and do not
// read as the diagnostics of a compiler or the messages of a program: their
// text does not begin behind one blank, and does not say that something went
// wrong.
func (s sample) isSearch() bool {
	if s.isUnderHeadings() || s.isOfOneFile() {
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

// found is a line of search results with its place in the tree.
type found struct {
	match
	is      foundLine
	in      string // the path of the file
	file    *folder
	heading int // index of the line with the name of the file, from 1; 0 where each line has it
	class   matchClass
}

// foundLine is the kind of a line of search results.
type foundLine uint8

const (
	foundSaid    foundLine = iota // what the program says of its search
	foundBlank                    // an empty line, or between groups
	foundHeading                  // the name of a file, before its matches
	foundMatch                    // a match
	foundBeside                   // a line beside one
)

// rankSearch ranks matches: definitions of what was searched for, then those of names
// that have it in them, then the first match below every folder and of every file, then
// as many bytes of each folder and of each file in it, and then the lines beside them.
func rankSearch(list []Ranked) {
	rankFound(list, readSearch(list), batchBytes)
}

// rankFound ranks lines that were read.
func rankFound(list []Ranked, lines []found, batch int) {
	matches := inClasses(lines)
	firsts := make([]*folder, len(lines)) // that a line names
	for _, i := range matches {
		if firsts[i] = lines[i].file.names(); firsts[i] != nil {
			firsts[i].countName(list[i].Line.Text)
		}
	}
	for i := range lines {
		l, r := &lines[i], &list[i]
		switch l.is {
		case foundBlank:
			r.set(1, 0, KeepContext)
		case foundSaid:
			r.set(scoreNamed, 0, KeepSummary)
		case foundHeading: // with its first match, below
			r.set(scoreBeside, 0, KeepStructure)
		}
	}
	rankCounted(list, lines)
	for _, i := range matches {
		l, r := &lines[i], &list[i]
		if l.count > 0 {
			continue
		}
		l.rank(r, firsts[i], batch)
		if l.heading > 0 && list[l.heading-1].Score < r.Score {
			list[l.heading-1].set(r.Score, r.turn, KeepStructure)
		}
	}
	for i := range lines {
		if l := &lines[i]; l.is == foundBeside {
			list[i].set(scoreBeside, l.file.own.turn(list[i].Line.Text), KeepContext)
		}
	}
	InOrder(list)
}

// rankCounted ranks the lines that count the matches of a file: files that are named for what was
// searched for first, and then those with the most matches. Documents come last: who searches code
// seldom wants its manual.
func rankCounted(list []Ranked, lines []found) {
	searched, counted := "", []int(nil)
	for i := range lines {
		switch l := &lines[i]; {
		case l.is == foundMatch && l.count > 0:
			counted = append(counted, i)
		case l.is == foundSaid && searched == "":
			searched = strings.ToLower(quoted(list[i].Line.Text))
		}
	}
	class := func(l *found) int {
		switch named := searched != "" && strings.Contains(strings.ToLower(path.Base(l.in)), searched); {
		case isDocument(l.in):
			return 2
		case named:
			return 0
		}
		return 1
	}
	slices.SortStableFunc(counted, func(a, b int) int {
		x, y := &lines[a], &lines[b]
		return cmp.Or(cmp.Compare(class(x), class(y)), cmp.Compare(y.count, x.count))
	})
	for turn, i := range counted {
		list[i].set(scoreContent, turn, KeepStructure)
	}
}

// quoted returns the text between the first two quotes of a line; "" if it has none.
func quoted(line []byte) string {
	_, rest, _ := bytes.Cut(line, []byte{'"'})
	text, _, ok := bytes.Cut(rest, []byte{'"'})
	if !ok {
		return ""
	}
	return string(text)
}

// documents are the endings of files that people read and programs do not run.
var documents = []string{".html", ".htm", ".md", ".rst", ".txt", ".adoc", ".svg", ".csv", ".json", ".lock", ".po", ".log"}

// isDocument reports whether a path is that of a document.
func isDocument(name string) bool { return slices.Contains(documents, path.Ext(name)) }

// rank ranks a match, which is the first one of a folder or a file unless first
// is nil.
func (l *found) rank(r *Ranked, first *folder, batch int) {
	score, reason := scoreContent, KeepContext
	switch l.class {
	case classSearched:
		score, reason = scoreNamed, KeepStructure
	case classRelated:
		score, reason = scoreRelated, KeepStructure
	}
	if first != nil {
		r.set(score, first.nameTurn(r.Line.Text), KeepStructure)
		return
	}
	r.set(score, l.file.ownTurn(r.Line.Text, batch), reason)
}

// readSearch reads the lines of search results.
func readSearch(list []Ranked) []found {
	tree, lines := newFolders(), make([]found, len(list))
	var current *folder // under the name of a file
	under, heading := "", 0
	for i := range list {
		l, text := &lines[i], textscan.WithoutEscapes(list[i].Line.Text)
		m := parseMatch(text)
		n := numbered(text)
		if n > 0 && m.path == nil && current == nil { // of one file, which no line names
			current = tree.at(under)
		}
		switch {
		case n > 0 && current != nil && (m.path == nil || !m.context):
			*l = found{match: match{text: text[n:], context: text[n-1] == '-'}, is: foundMatch, in: under, file: current, heading: heading}
		case m.path != nil:
			current, heading = nil, 0
			*l = found{match: m, is: foundMatch, in: cleanPath(string(m.path))}
			l.file = tree.at(l.in)
		case isPath(text) || len(text) > 0 && i+1 < len(list) && list[i+1].Number == list[i].Number+1 && numbered(textscan.WithoutEscapes(list[i+1].Line.Text)) > 0:
			under, heading = cleanPath(string(text[:min(len(text), longestPath)])), i+1
			current = tree.at(under)
			l.is = foundHeading
		case len(text) == 0 || isSeparator(text):
			l.is = foundBlank
		}
		if l.is == foundMatch && l.context {
			l.is = foundBeside
		}
	}
	markLeaves(lines)
	return lines
}

// markLeaves says of the files with matches that they are files.
func markLeaves(lines []found) {
	for i := range lines {
		if l := &lines[i]; l.is == foundMatch {
			l.file.leaf = true
		}
	}
}

// Match is a match of a search that was not read from text.
type Match struct{ Path, Text string }

// OrderMatches returns the indices of matches in the order in which they are to be
// shown, which is that of the lines of a search: what defines the name that was searched
// for, then by folders and files.
func OrderMatches(matches []Match) []int {
	tree := newFolders()
	list, lines, text := make([]Ranked, len(matches)), make([]found, len(matches)), make([]textscan.Line, len(matches))
	for i, m := range matches {
		text[i].Text = []byte(m.Text)
		list[i].Line, list[i].Number = &text[i], int64(i+1)
		l := &lines[i]
		*l = found{match: match{text: text[i].Text}, is: foundMatch, in: cleanPath(m.Path)}
		l.file = tree.at(l.in)
	}
	markLeaves(lines)
	rankFound(list, lines, 1)
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(list[b].Score, list[a].Score), cmp.Compare(list[a].turn, list[b].turn))
	})
	return order
}
