package shape

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"github.com/toolresult/toolresult/preview/focus"
	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Source code, with or without the numbers that a viewer puts before its lines. A reader who
// cannot have all of it wants its start, its outline (the lines that define a name), and whole
// blocks of it: those with what is looked for, or else those at its start.

// Bounds of the sample in which source code is recognized. It is larger than that of other
// shapes, because a file may begin with a license.
const (
	sourceLines = 256
	sourceBytes = 16 << 10
)

// sourceSample returns the lines in which source code is recognized.
func sourceSample(first []textscan.Line) (lines [][]byte) {
	space := sourceBytes
	for i := range first[:min(len(first), sourceLines)] {
		if space -= len(first[i].Text) + 1; space < 0 {
			break
		}
		lines = append(lines, first[i].Text)
	}
	return lines
}

// isLog reports whether lines are those of a log.
func isLog(lines [][]byte) bool {
	var signs LogSigns
	for _, text := range lines {
		signs.Add(text)
	}
	return signs.IsLog()
}

// leastSource is how many lines source code has at least, beside comments.
const leastSource = 6

// isSource reports whether text is source code. Text with the numbers of a viewer is shown as
// source code, whatever it is, but for a log.
func isSource(lines [][]byte) bool {
	if areNumbered(lines) && len(lines) >= leastSource {
		return !isNumberedLog(withoutNumbers(lines))
	}
	return looksLikeCode(lines) && !isLog(lines)
}

// isNumberedLog reports whether lines that a viewer numbered are those of a log. Code may have a few
// lines of one in it, such as the data of a test.
func isNumberedLog(lines [][]byte) bool {
	s := sample{lines: lines[:min(len(lines), sampleLines)]}
	return s.mostly(25, leastSource, isTimed) || s.isBuildLog() || s.isTestReport() || s.isTrace()
}

// looksLikeCode reports whether lines define or import names, and most of them have a form that
// only code has.
func looksLikeCode(lines [][]byte) bool {
	code, all, named, prose := 0, 0, 0, 0
	inComment := []byte(nil) // what ends it
	for _, text := range lines {
		text = textscan.WithoutEscapes(text)
		text = anyBlanks.TrimRight(text)
		body := blankSet.TrimLeft(text)
		switch {
		case len(body) == 0:
			continue
		case bytes.HasPrefix(body, []byte("```")) && inComment == nil:
			return false // a document that has code
		case inComment != nil:
			if bytes.Contains(body, inComment) {
				inComment = nil
			}
			continue
		case isLineComment(body):
			continue
		}
		if end := opensComment(body); end != nil {
			inComment = end
			continue
		}
		if all++; all == quickLines && code*100 < all*leastCode/2 {
			return false
		}
		switch formOfCode(body, len(text)-len(body)) {
		case codeNames:
			named++
			code++
		case codeOther:
			code++
		case codeProse:
			prose++
		}
	}
	return all >= leastSource && named*leastNames >= all && code*100 >= all*leastCode && prose*8 <= all
}

// quickLines is how many lines are read before a text with less than half of the code that it needs is given up.
const quickLines = 32

// leastNames is the least share of lines that define or import a name: one in 64.
const leastNames = 64

// leastCode is the share of lines that must have a form of code, in per cent.
const leastCode = 60

// isLineComment reports whether a line is a comment as a whole.
func isLineComment(body []byte) bool {
	for _, sign := range [...]string{"//", "# ", "#!", "--", "* ", "*/", ";;", "%%", `"""`, "'''"} {
		if bytes.HasPrefix(body, []byte(sign)) {
			return opensComment(body) == nil
		}
	}
	return len(body) == 1 && (body[0] == '#' || body[0] == '*')
}

// opensComment returns what ends the comment that a line opens and does not end; nil for others.
func opensComment(body []byte) []byte {
	for _, c := range [...][2]string{{"/*", "*/"}, {`"""`, `"""`}, {"'''", "'''"}, {`r"""`, `"""`}, {"<!--", "-->"}, {"=begin", "=end"}, {"{-", "-}"}} {
		if rest, ok := bytes.CutPrefix(body, []byte(c[0])); ok && !bytes.Contains(rest, []byte(c[1])) {
			return []byte(c[1])
		}
	}
	return nil
}

// codeForm is what the form of a line says of it.
type codeForm uint8

const (
	codeUnknown codeForm = iota
	codeOther            // only code has it
	codeNames            // it defines or imports a name
	codeProse            // a sentence, or a line that a program logs
)

// formOfCode returns the form of a line that is no comment, without its indentation.
func formOfCode(body []byte, indent int) codeForm {
	if salience.TimeLength(body) > 0 {
		return codeProse
	}
	if isImport(body) || definesName(body, indent) {
		return codeNames
	}
	last := body[len(body)-1]
	switch last {
	case ';', '{', '}', '(', '[', ',', '\\':
		return codeOther
	case '"':
		if name, _, _ := bytes.Cut(body, []byte{last}); len(bytes.TrimRight(name, " ")) == 0 || isName(bytes.TrimRight(name, " ")) {
			return codeOther // of a list of imports
		}
	case ')', ']':
		if len(body) == 1 || bytes.IndexByte([]byte("(["), body[0]) >= 0 || isCall(body) {
			return codeOther
		}
	}
	if startsStatement(body) {
		return codeOther
	}
	if at := bytes.IndexByte(body, '='); at > 0 && at+1 < len(body) && isTarget(body[:at]) {
		return codeOther
	}
	if isCall(body) {
		return codeOther
	}
	if indent == 0 && isSentence(body) {
		return codeProse
	}
	return codeUnknown
}

// isImport reports whether a line names a package that the code uses, or its own.
func isImport(body []byte) bool {
	word, rest, _ := bytes.Cut(body, []byte(" "))
	switch string(word) {
	case "import", "package", "using", "use", "#include", "#import", "require", "require_relative", "from", "extern", "open", "alias", "include":
		rest = bytes.TrimSpace(rest)
		if len(rest) == 0 || string(word) == "from" && !bytes.Contains(rest, []byte(" import")) {
			return false
		}
		return len(bytes.Fields(rest)) <= 4 || bytes.ContainsAny(rest, `{}"';,`)
	}
	return bytes.HasPrefix(body, []byte("#include")) || bytes.Contains(body, []byte("require(")) || bytes.HasPrefix(body, []byte("import("))
}

// startsStatement reports whether a line begins as a statement of a common language.
func startsStatement(body []byte) bool {
	end := 0
	for end < len(body) && (textscan.BeginsWord(body[end]) || body[end] == '_') {
		end++
	}
	switch string(body[:min(end, longestKeyword)]) {
	case "if", "elif", "elsif", "for", "while", "switch", "with", "when", "match", "except", "catch", "unless":
		return bytes.ContainsAny(body[end:], "(:{") || body[len(body)-1] == ':' || bytes.HasSuffix(body, []byte("then")) || bytes.HasSuffix(body, []byte(" do"))
	case "return", "else", "try", "finally", "end", "yield", "raise", "throw", "break", "continue", "pass", "case", "default", "begin", "rescue",
		"ensure", "do", "done", "fi", "esac", "defer", "go", "var", "let", "const", "assert", "del", "global", "nonlocal", "await", "print", "local",
		"super", "lambda", "loop", "void", "echo":
		return true
	}
	return body[0] == '@' && end == 0 && len(body) > 1 && textscan.BeginsWord(body[1])
}

// isTarget reports whether text before an equals sign is what a value is assigned to: up to four
// names with the signs of types and indices.
func isTarget(text []byte) bool {
	text = bytes.TrimRight(text, " \t:+-*/|&^%?<>!=")
	words := 0
	for field := range bytes.FieldsSeq(text) {
		if words++; words > 4 || !textscan.BeginsWord(field[0]) && bytes.IndexByte([]byte("_$@*&.(["), field[0]) < 0 {
			return false
		}
		for _, c := range field {
			if !textscan.BeginsWord(c) && bytes.IndexByte([]byte("_$@*&.()[]<>,:?!'\"-"), c) < 0 {
				return false
			}
		}
	}
	return words > 0
}

// isCall reports whether a line is a call: a name, or several with dots between, and a bracket.
func isCall(body []byte) bool {
	at := bytes.IndexByte(body, '(')
	if at <= 0 {
		return false
	}
	for _, c := range body[:at] {
		if !textscan.BeginsWord(c) && bytes.IndexByte([]byte("_.$:!&*<>->[]"), c) < 0 {
			return false
		}
	}
	last := body[len(body)-1]
	return last == ')' || last == '(' || last == ',' || last == '{' || last == ':' || last == '['
}

// definesName reports whether a line of code defines a name that belongs into an outline: of a
// class, a function or a type at any depth, of a variable or a constant only outermost.
func definesName(body []byte, indent int) bool {
	rest := body
	for {
		end := bytes.IndexByte(rest[:min(len(rest), longestKeyword)], ' ')
		if end < 0 {
			break
		}
		word := rest[:end]
		switch string(word) {
		case "const", "var", "let", "val", "type", "object", "service", "message", "record", "data", "open", "case", "extension", "module", "local":
			if indent == 0 && len(rest) > end+1 && (textscan.BeginsWord(rest[end+1]) || rest[end+1] == '(') && !isSentence(body) {
				return true
			}
		default:
			if isDefining(word) {
				return isNameOfDefinition(rest[end+1:])
			}
		}
		if !isModifier(word) {
			break
		}
		rest = bytes.TrimLeft(rest[end:], " ")
	}
	return isMethod(body, indent)
}

// isNameOfDefinition reports whether text begins with a name, or with the receiver of a method.
func isNameOfDefinition(text []byte) bool {
	text = bytes.TrimLeft(text, " ")
	end := 0
	for end < len(text) && (textscan.BeginsWord(text[end]) || bytes.IndexByte([]byte("_$.:~*!?"), text[end]) >= 0) {
		end++
	}
	if end == 0 {
		return len(text) > 0 && (text[0] == '(' || text[0] == '<' || text[0] == '{')
	}
	rest := bytes.TrimLeft(text[end:], " ")
	return len(rest) == 0 || bytes.IndexByte([]byte("(<{:=[;-&,|!"), rest[0]) >= 0 || textscan.BeginsWord(rest[0]) && !isSentence(text)
}

// isSentence reports whether a line is made of words, and does not end as code does.
func isSentence(text []byte) bool {
	return isWordy(text) && bytes.IndexByte([]byte("{}();:=,<["), text[len(text)-1]) < 0
}

// notMethods are words before a bracket that are no names of methods.
var notMethods = map[string]bool{
	"if": true, "for": true, "while": true, "switch": true, "catch": true, "return": true, "else": true, "do": true, "try": true, "with": true, "match": true,
	"elif": true, "foreach": true, "using": true, "lock": true, "when": true, "case": true, "throw": true, "new": true, "await": true, "yield": true,
	"assert": true, "super": true, "this": true, "self": true, "not": true, "and": true, "or": true, "in": true, "sizeof": true, "print": true, "raise": true,
	"delete": true, "typeof": true, "unless": true, "until": true, "except": true, "synchronized": true, "guard": true, "select": true, "go": true, "defer": true,
}

// isMethod reports whether a line is the head of a function without a keyword, as C, Java, C#,
// shells and classes of JavaScript have them.
func isMethod(body []byte, indent int) bool {
	open := bytes.IndexByte(body, '(')
	if open <= 0 || bytes.IndexByte(body[:open], '=') >= 0 || bytes.IndexByte(body[:open], '.') >= 0 && bytes.IndexByte(body[:open], ' ') < 0 {
		return false
	}
	before := bytes.Fields(body[:open])
	if len(before) == 0 || len(before) > 6 || body[open-1] == ' ' && len(before) < 2 {
		return false
	}
	for _, word := range before {
		if notMethods[string(word)] || !isWordOfHead(word) {
			return false
		}
	}
	if body[0] == '@' || body[0] == '#' {
		return false
	}
	last := body[len(body)-1]
	switch {
	case last == '{':
		closing := bytes.LastIndexByte(body, ')')
		return closing > open && !bytes.Contains(body[closing:], []byte("=>")) && (len(before) > 1 || bytes.Count(body, []byte("(")) == 1 || indent <= 8)
	case indent == 0 && (last == ')' || last == ','): // the brace is on the next line
		return len(before) > 1 && open+1 < len(body) && (body[open+1] == ')' || !isDigit(body[open+1]) && body[open-1] != ' ')
	}
	return false
}

// isWordOfHead reports whether a word may stand before the bracket of a function: a name, a type.
func isWordOfHead(word []byte) bool {
	for _, c := range word {
		if !textscan.BeginsWord(c) && bytes.IndexByte([]byte("_~*&#@$<>[]:,?"), c) < 0 {
			return false
		}
	}
	return !isDigit(word[0]) && word[len(word)-1] != ':'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// numberWidth returns how many bytes of a line its number takes, as viewers write it:
// "  12→", "  12\t", "12:", "12|". It returns 0 for a line without one.
func numberWidth(text []byte) int {
	at := 0
	for at < len(text) && text[at] == ' ' {
		at++
	}
	_, digits := textscan.Number(text[at:])
	if at += digits; digits == 0 || at == len(text) {
		return 0
	}
	switch {
	case text[at] == '\t' || text[at] == ':' || text[at] == '|':
		return at + 1
	case bytes.HasPrefix(text[at:], []byte("→")):
		return at + len("→")
	}
	return 0
}

// withoutNumbers returns lines without the numbers that a viewer put before them.
func withoutNumbers(lines [][]byte) [][]byte {
	bare := make([][]byte, len(lines))
	for i, text := range lines {
		bare[i] = text[numberWidth(text):]
	}
	return bare
}

// areNumbered reports whether lines are numbered without a gap.
func areNumbered(lines [][]byte) bool {
	next, follow := -1, 0
	for _, text := range lines {
		if numberWidth(text) == 0 {
			continue
		}
		n, _ := textscan.Number(bytes.TrimLeft(text, " "))
		if n == next {
			follow++
		}
		next = n + 1
	}
	return follow*10 >= len(lines)*7
}

// Bounds of a block of code that is shown as a whole.
const (
	mostBlock  = 16 // lines, from which on one ends where its indentation does
	leastBlock = 8  // lines, from which on one ends at an empty line
	headLines  = 3  // of the start that come before all
)

// codeBlock is a run of lines that are shown together.
type codeBlock struct {
	first, last int
	score       float64 // what it has of what the reader looks for, for its cost
}

// rankSource ranks lines of source code: the first lines, the outline, and then block after block.
func rankSource(list []Ranked, terms *focus.Terms) {
	lines := make([][]byte, len(list))
	for i := range list {
		lines[i] = list[i].look().bare
	}
	code := lines
	if areNumbered(lines[:min(len(lines), sourceLines)]) {
		code = withoutNumbers(lines)
	}
	scores := make([]int, len(list))
	if terms != nil {
		scores = terms.Scores(focus.Within, len(list), func(i int) []byte { return lines[i] })
	}
	outline, blocks := readCode(code)
	turn := 0
	place := func(i, score int, reason Reason) {
		turn++
		list[i].set(score, turn, reason)
	}
	slices.SortStableFunc(outline, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	for _, i := range outline {
		place(i, scoreNamed, KeepStructure)
	}
	for k := range blocks {
		b := &blocks[k]
		sum, cost := 0, 0
		for i := b.first; i <= b.last; i++ {
			sum, cost = sum+scores[i], cost+len(lines[i])+lineCost
		}
		b.score = float64(sum) / math.Pow(float64(cost), blockCost)
	}
	slices.SortStableFunc(blocks, func(a, b codeBlock) int { return cmp.Compare(b.score, a.score) })
	for k, b := range blocks {
		for i := b.first; i <= b.last; i++ {
			list[i].Block = int32(k + 1)
			if list[i].turn == 0 {
				place(i, scoreContent, KeepContext)
			}
		}
	}
	for i := range min(headLines, len(list)) {
		list[i].set(scoreHeading, i, KeepHead)
	}
}

// readCode returns the lines that define a name, and all lines as blocks. A block ends before such
// a line, at an empty line, or where the indentation is that of its first line again.
func readCode(lines [][]byte) (outline []int, blocks []codeBlock) {
	first, indent := 0, 0
	end := func(at int) {
		if at > first {
			blocks = append(blocks, codeBlock{first: first, last: at - 1})
			first = at
		}
	}
	for i, text := range lines {
		body := blankSet.TrimLeft(text)
		depth := len(text) - len(body)
		switch {
		case len(body) > 0 && definesName(body, depth):
			outline = append(outline, i)
			end(i)
		case len(body) == 0 && i-first >= leastBlock:
			end(i + 1)
		case i-first >= mostBlock && depth <= indent:
			end(i)
		}
		if i == first {
			indent = depth
		}
	}
	end(len(lines))
	return outline, blocks
}

// blockCost is the power of the cost of a block that its score is divided by: less than 1, so that
// a long block with much of what is looked for is not behind a short one with little.
const blockCost = 0.8
