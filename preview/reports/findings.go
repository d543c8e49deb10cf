package reports

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/toolresult/toolresult/preview/frames"
)

// Consoles of compilers and linters that print a line for each finding, with its place.
// Findings of one file and one code are together: each place is named, and each
// message once.

// textFinding is one finding of a compiler or a linter.
type textFinding struct {
	file, place   string // the place in it: "12:3"
	level, code   string
	message       string
	line          string // as it was written, with its file
	details       []string
	again         bool // one before it says the same
	first, behind int  // its lines
}

// Bounds of a digest of findings.
const (
	findingLines   = 12 // one line in this many is a finding
	detailedShare  = 40 // percent of a budget for the places of findings that have more lines below
	findingsShare  = 80 // and for findings that have not
	leastPlaces    = 2  // of a code, on average, where their lines are beside the text
	mostCodeLength = 48
	mostAlso       = 80 // bytes of the places of a message that are beside it
)

// findingGroup is findings that say the same.
type findingGroup struct {
	textFinding
	files  []string
	places map[string][]string // by file
}

// add adds a finding.
func (g *findingGroup) add(f *textFinding) {
	if g.places[f.file] == nil {
		g.files = append(g.files, f.file)
	}
	g.places[f.file] = append(g.places[f.file], f.place)
}

// list returns the places by file. The name of one file is left out.
func (g *findingGroup) list(without string) (list []string) {
	for _, file := range g.files {
		places := strings.Join(g.places[file], ", ")
		switch {
		case places == "":
		case file == without:
			list = append(list, places)
		default:
			list = append(list, file+":"+places)
		}
	}
	return list
}

// digestFindings returns the digest of what a compiler or a linter found; nil for any
// other text.
func digestFindings(lines []string) *Digest {
	list := findingsOf(lines)
	if len(list) < leastDigested || len(list)*findingLines < len(lines) {
		return nil
	}
	detailed := 0
	for i := range list {
		next := len(lines)
		if i+1 < len(list) {
			next = list[i+1].first
		}
		if list[i].setDetails(lines[:next], i+1 == len(list)); len(list[i].details) > 0 {
			detailed++
		}
	}
	w := digestWriter{}
	w.add(0, countFindings(list))
	if detailed*2 > len(list) {
		groups := groupFindings(list, func(f *textFinding) string { return f.level + " " + f.code })
		if len(groups)*leastPlaces > len(list) {
			return nil
		}
		for _, g := range groups {
			w.addPlaces(g)
		}
		return w.end(detailedShare, lines)
	}
	w.addMessages(list)
	var others []string
	from := 0
	for i := range list {
		f := &list[i]
		others = append(others, withoutFiles(lines[from:f.first])...)
		if from = f.behind; f.again && len(f.details) > 0 { // they are of this place
			others = append(others, f.line)
		} else {
			from += len(f.details)
		}
	}
	return w.end(findingsShare, append(others, withoutFiles(lines[from:])...))
}

// addPlaces adds the places of findings of one code. Those in libraries come last.
func (w *digestWriter) addPlaces(g *findingGroup) {
	heading := strings.TrimSpace(g.level+" "+g.code) + ":"
	var own, foreign []string
	for _, place := range g.list("") {
		if frames.Foreign([]byte(place)) {
			foreign = append(foreign, place)
		} else {
			own = append(own, place)
		}
	}
	if len(own) > 0 {
		w.addList(1, 1, heading, " ", ";", own)
	}
	if len(foreign) > 0 {
		late := digestWriter{}
		late.addList(0, 0, heading, " ", ";", foreign)
		w.late = append(w.late, late.ranks[0]...)
	}
}

// withoutFiles returns lines without those that ESLint has above its findings.
func withoutFiles(lines []string) (list []string) {
	for _, line := range lines {
		if !isFileOfRows(line) {
			list = append(list, line)
		}
	}
	return list
}

// mostDetails is how many lines of details a finding has at most.
const mostDetails = 12

// setDetails takes the lines that go on with a finding, up to an empty line or the next
// finding. Behind the last one what is not indented sums up.
func (f *textFinding) setDetails(lines []string, last bool) {
	end := f.behind
	for end < len(lines) && end-f.behind < mostDetails && strings.TrimSpace(lines[end]) != "" && !isFileOfRows(lines[end]) && (!last || isBlank(lines[end][0])) {
		end++
	}
	f.details = lines[f.behind:end]
}

// levels are the words of levels, the worst first.
var levels = []string{"fatal error", "error", "warning", "convention", "refactor", "info", "note", "style", ""}

// groupFindings returns the findings that say the same by some key, the worst level
// first.
func groupFindings(list []textFinding, key func(*textFinding) string) (groups []*findingGroup) {
	known := map[string]*findingGroup{}
	for i := range list {
		f := &list[i]
		g := known[key(f)]
		if g == nil {
			g = &findingGroup{textFinding: *f, places: map[string][]string{}}
			known[key(f)], groups = g, append(groups, g)
		}
		f.again = len(g.files) > 0
		g.add(f)
	}
	slices.SortStableFunc(groups, func(a, b *findingGroup) int {
		return slices.Index(levels, a.level) - slices.Index(levels, b.level)
	})
	return groups
}

// Importance of the lines of findings of one level.
const (
	firstMessage = iota // of a file and a code
	otherMessage
	otherPlaces // of a message
	morePlaces  // of other messages of the same file and code
	findingRanks
)

// addMessages adds each message once, as it was written, and the other places that have
// it. Where a file has many messages of one code, their places are in one line, too.
func (w *digestWriter) addMessages(list []textFinding) {
	var others []textFinding
	seen := map[[3]string]bool{}
	for _, g := range groupFindings(list, func(f *textFinding) string { return f.level + "\x00" + f.code + "\x00" + f.message }) {
		level := 1 + findingRanks*max(0, slices.Index(levels, g.level))
		rank := level + firstMessage
		if key := [3]string{g.file, g.level, g.code}; seen[key] && len(g.files) == 1 {
			for _, place := range g.places[g.file] {
				others = append(others, textFinding{file: g.file, level: g.level, code: g.code, place: place})
			}
			rank = level + otherMessage
		} else {
			seen[key] = true
		}
		w.add(rank, g.line)
		for _, line := range g.details {
			w.add(rank, line)
		}
		g.places[g.file] = g.places[g.file][1:]
		more := g.list(g.file)
		if also := "  also " + strings.Join(more, "; "); len(more) > 0 && len(also) <= mostAlso {
			w.add(rank, also)
		} else if len(more) > 0 {
			heading := "more of " + g.file + ":" + g.place + ":"
			w.addMore(g.level, level+otherPlaces, heading, ";", more)
		}
	}
	for _, g := range groupFindings(others, func(f *textFinding) string { return f.file + "\x00" + f.level + "\x00" + f.code }) {
		heading := "more in " + g.file + ":"
		if said := strings.TrimSpace(g.level + " " + g.code); said != "" {
			heading = "more " + said + " in " + g.file + ":"
		}
		rank := 1 + findingRanks*max(0, slices.Index(levels, g.level)) + morePlaces
		w.addMore(g.level, rank, heading, ",", g.places[g.file])
	}
}

// addMore adds further places. Those of warnings and their like come after all else.
func (w *digestWriter) addMore(level string, rank int, heading, separator string, places []string) {
	switch level {
	case "fatal error", "error", "":
		w.addList(rank, rank, heading, " ", separator, places)
	default:
		late := digestWriter{}
		late.addList(0, 0, heading, " ", separator, places)
		w.late = append(w.late, late.ranks[0]...)
	}
}

// countFindings states how many findings there are.
func countFindings(list []textFinding) string {
	byLevel, files := map[string]int{}, map[string]bool{}
	for i := range list {
		byLevel[list[i].level]++
		files[list[i].file] = true
	}
	var parts []string
	for _, level := range levels {
		if n := byLevel[level]; n > 0 {
			word := level
			if word == "" {
				word = "finding"
			}
			if n > 1 {
				word += "s"
			}
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	text := strings.Join(parts, ", ") + " in " + strconv.Itoa(len(files)) + " file"
	if len(files) > 1 {
		text += "s"
	}
	return text
}

// findingsOf returns the findings of a text.
func findingsOf(lines []string) (list []textFinding) {
	file := "" // of ESLint, which names it once
	for i, line := range lines {
		if f, ok := parseFinding(line); ok {
			f.line, f.first, f.behind = line, i, i+1
			list = append(list, f)
			continue
		}
		if f, ok := rustFinding(lines[i:min(len(lines), i+2)]); ok {
			f.line, f.first, f.behind = line+" "+f.file+":"+f.place, i, i+2
			list = append(list, f)
			continue
		}
		if f, ok := rowFinding(line); ok && file != "" {
			f.file, f.line, f.first, f.behind = file, file+":"+strings.TrimSpace(line), i, i+1
			list = append(list, f)
			continue
		}
		if isFileOfRows(line) {
			file = line
		}
	}
	return list
}

// isFileOfRows reports whether a line names a file as ESLint does above its findings.
func isFileOfRows(line string) bool {
	return line != "" && !isBlank(line[0]) && strings.ContainsAny(line, "./\\") && !strings.ContainsAny(line, " :\t")
}

// parseFinding reads "a.c:12:3: error: message", "a.ts(12,3): error TS1: message" and
// "a.ts:12:3 - error TS1: message".
func parseFinding(line string) (f textFinding, ok bool) {
	rest := ""
	if f.file, f.place, rest, ok = cutPlace(line); !ok {
		return f, false
	}
	if f.level, f.code, f.message = cutLevel(rest); rest != "" && isBlank(rest[0]) { // what a template was made for
		return f, false
	}
	if f.message == "" || f.level == "note" || f.level == "" && f.code == "" && !strings.Contains(f.place, ":") {
		return f, false
	}
	return f, true
}

// cutPlace returns the file and the place that a line begins with, and what is behind.
func cutPlace(line string) (file, place, rest string, ok bool) {
	if line == "" || isBlank(line[0]) {
		return "", "", "", false
	}
	for at := 1; at < len(line) && at < mostDigestLine; at++ {
		switch c := line[at]; {
		case c == ':' || c == '(':
			n := digitsAndMarks(line[at+1:], c)
			if n == 0 {
				continue
			}
			file, place, rest = line[:at], strings.ReplaceAll(strings.TrimRight(line[at+1:at+1+n], ":,"), ",", ":"), line[at+1+n:]
			switch {
			case c == '(':
				rest, ok = strings.CutPrefix(rest, "): ")
			case line[at+n] == ':': // the marks end with a colon
				rest, ok = strings.CutPrefix(rest, " ")
			default:
				rest, ok = strings.CutPrefix(rest, " - ")
			}
			return file, place, rest, ok && strings.ContainsAny(file, "./\\") && !strings.Contains(file, ": ")
		case c == '\t':
			return "", "", "", false
		}
	}
	return "", "", "", false
}

// digitsAndMarks returns the length of the numbers at the start of a text, such as
// "12:3:" and "12,3".
func digitsAndMarks(text string, open byte) int {
	mark := byte(':')
	if open == '(' {
		mark = ','
	}
	n := 0
	for n < len(text) && (text[n] >= '0' && text[n] <= '9' || text[n] == mark && n > 0 && text[n-1] != mark) {
		n++
	}
	return n
}

// cutLevel returns the level and the code of a message.
func cutLevel(text string) (level, code, message string) {
	for _, l := range levels[:len(levels)-1] {
		if rest, ok := strings.CutPrefix(text, l); ok && rest != "" {
			if rest[0] == '[' { // of rustc
				if inner, behind, found := strings.Cut(rest[1:], "]: "); found {
					return l, inner, behind
				}
			}
			if behind, found := strings.CutPrefix(rest, ": "); found {
				level, text = l, behind
				break
			}
			if inner, behind, found := strings.Cut(strings.TrimPrefix(rest, " "), ": "); found && isCode(inner) {
				return l, inner, withoutProject(behind)
			}
		}
	}
	if first, rest, found := strings.Cut(text, " "); found && level == "" && isCode(strings.TrimSuffix(first, ":")) {
		return level, strings.TrimSuffix(first, ":"), rest
	}
	if at := strings.LastIndexAny(text, "[("); at > 0 && at+2 < len(text) && (text[len(text)-1] == ']' || text[len(text)-1] == ')') {
		inner := text[at+1 : len(text)-1]
		if len(inner) <= mostCodeLength && !strings.ContainsAny(inner, " /\\'\"") && (text[at] == '[' || text[at-1] == ' ') {
			return level, inner, strings.TrimRight(text[:at], " ")
		}
	}
	return level, "", text
}

// isCode reports whether a word is the code of a finding: capitals and digits, such as
// TS2339, C0114, E501 and CS1002.
func isCode(word string) bool {
	letters := 0
	for letters < len(word) && word[letters] >= 'A' && word[letters] <= 'Z' {
		letters++
	}
	digits := word[letters:]
	_, err := strconv.Atoi(digits)
	return letters >= 1 && letters <= 6 && len(digits) >= 2 && len(digits) <= 6 && err == nil
}

// withoutProject returns a message without the project that MSBuild names behind it.
func withoutProject(message string) string {
	if at := strings.LastIndex(message, " ["); at > 0 && strings.HasSuffix(message, "proj]") {
		return message[:at]
	}
	return message
}

// rustFinding reads "error[E0599]: message" and the place on the line below.
func rustFinding(lines []string) (f textFinding, ok bool) {
	if len(lines) < 2 {
		return f, false
	}
	place, ok := strings.CutPrefix(strings.TrimLeft(lines[1], " "), "--> ")
	if !ok {
		return f, false
	}
	level, code, message := cutLevel(lines[0])
	file, at, found := strings.Cut(place, ":")
	f = textFinding{file: file, place: at, level: level, code: code, message: message}
	return f, level != "" && found && message != ""
}

// rowFinding reads a row of ESLint: "  40:11  error  message  rule".
func rowFinding(line string) (f textFinding, ok bool) {
	if !strings.HasPrefix(line, "  ") {
		return f, false
	}
	var fields []string
	for field := range strings.SplitSeq(line, "  ") {
		if field = strings.TrimSpace(field); field != "" {
			fields = append(fields, field)
		}
	}
	if len(fields) < 3 || fields[1] != "error" && fields[1] != "warning" || digitsAndMarks(fields[0], ':') != len(fields[0]) {
		return f, false
	}
	f = textFinding{place: fields[0], level: fields[1], message: fields[2]}
	if len(fields) > 3 {
		f.message, f.code = strings.Join(fields[2:len(fields)-1], " "), fields[len(fields)-1]
	}
	return f, true
}
