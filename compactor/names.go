package compactor

import (
	"cmp"
	"slices"
	"strings"

	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/frames"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/tokens"
)

// A compacted text leaves an index of the names that it introduced: ids, hashes, URLs,
// paths, definitions and labelled numbers. A name costs a few tokens, and without it the
// next call cannot be made. Names are chosen once, when a text is first compacted, from
// that text and the names that earlier results of the history keep. So two compactions
// choose as one does.

// Bounds of the names of a text.
const (
	maxName     = 200 // bytes of a name
	maxNames    = 64  // names of a text
	leastName   = 3   // tokens of a name
	namesShare  = 33  // one token in this many of a text, which is 3 %
	leastNames  = 256 // tokens of a text's names that are allowed in any case
	namesOfText = 4   // but no more than one in this many of its tokens
	mostInRow   = 4   // names of a text that differ in their numbers alone

	longestLabel = 16 // bytes of a word that names the id behind it
)

// candidate is a name of a text, with its value to a later call.
type candidate struct {
	text string
	key  string // the name without what differs between mentions, such as a line number
	rank int
}

// Values of names. Those that cannot be guessed come first.
const (
	rankUUID       = 100
	rankHash       = 95
	rankURL        = 90
	rankID         = 85
	rankDefinition = 76
	rankAddress    = 75
	rankPath       = 70
	rankFile       = 60
	rankLabelled   = 58
	rankVersion    = 50
	rankIdentifier = 45
	rankDotted     = 40
	rankForeign    = 30 // a file of a library

	rankLone    = 25 // more for a name in a line that looks like no other
	rankFew     = 12 // more for one of few that look alike
	rankCreated = 20 // more behind a word that says that it is new, or an id

	// rankIntroduced is the value from which on a name raises the line that it is in.
	rankIntroduced = rankURL + rankLone
)

// nameCandidates returns the names of a text, the most valuable first, each once.
func nameCandidates(text string) []candidate {
	var list []candidate
	eachNamed(text, func(_ int, names []candidate) { list = append(list, names...) })
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(b.rank, a.rank) })
	seen := make(map[string]bool, len(list))
	return slices.DeleteFunc(list, func(c candidate) bool {
		known := seen[c.key]
		seen[c.key] = true
		return known
	})
}

// eachNamed visits the names of each line of a text that has any, with the offset of the
// line. The names are valid until visit returns.
func eachNamed(text string, visit func(at int, names []candidate)) {
	looks := map[uint32]int{}
	for line := range strings.Lines(text) {
		looks[lookOf(line)]++
	}
	at := 0
	var names []candidate
	for line := range strings.Lines(text) {
		bonus := 0
		switch n := looks[lookOf(line)]; {
		case n == 1:
			bonus = rankLone
		case n <= 4:
			bonus = rankFew
		}
		names = appendNames(names[:0], line)
		for i := range names {
			names[i].rank += bonus
		}
		if len(names) > 0 {
			visit(at, names)
		}
		at += len(line)
	}
}

// introductions returns the offsets of the lines of a text that introduce a name which
// cannot be guessed, and look like no other line.
func introductions(text string) map[int]bool {
	lines := map[int]bool{}
	eachNamed(text, func(at int, names []candidate) {
		if slices.ContainsFunc(names, func(c candidate) bool { return c.rank >= rankIntroduced }) {
			lines[at] = true
		}
	})
	return lines
}

// lookOf returns a hash of a line in which all words with a digit are equal.
func lookOf(line string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(line); {
		j, digit := i, false
		for ; j < len(line) && isNameByte(line[j]); j++ {
			digit = digit || isDigit(line[j])
		}
		if j == i {
			h = (h ^ uint32(line[i])) * 16777619
			i++
			continue
		}
		if digit {
			h = (h ^ '0') * 16777619
		} else {
			for ; i < j; i++ {
				h = (h ^ uint32(line[i])) * 16777619
			}
		}
		i = j
	}
	return h
}

// nameBudget returns the tokens that the names of a text may cost.
func nameBudget(textTokens int) int {
	return min(max(leastNames, textTokens/namesShare), textTokens/namesOfText)
}

// chooseNames returns the names of a text that fit its budget, the most valuable first,
// without those that are known, and those that are worth less than least.
func chooseNames(text string, least int, known map[string]bool) []string {
	budget := nameBudget(tokens.Estimate().Count(text))
	var list []string
	rows, folder := map[string]int{}, ""
	for _, c := range nameCandidates(text) {
		row := withoutDigits(c.text)
		if c.rank < least {
			break
		}
		if known[c.key] || rows[row] == mostInRow {
			continue
		}
		if slices.ContainsFunc(list, func(longer string) bool { return strings.Contains(longer, c.text) }) {
			continue
		}
		in, base := folderOf(c.text)
		if in != folder { // a receipt has the folder once for names behind each other
			base = c.text
		}
		n := tokens.Estimate().Count(base) + 1
		if n > budget {
			continue
		}
		folder = in
		known[c.key] = true
		rows[row]++
		list, budget = append(list, c.text), budget-n
		if len(list) == maxNames || budget < leastName {
			break
		}
	}
	return list
}

// folderOf splits the path of a file. Another name has a folder like no other.
func folderOf(name string) (folder, base string) {
	at := strings.LastIndexByte(name, '/')
	if at < 0 || !hasFileEnd(name[at+1:]) || strings.Contains(name, "://") {
		return name, name
	}
	return name[:at+1], name[at+1:]
}

// withoutDigits returns a name without its numbers.
func withoutDigits(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, name)
}

// appendNames appends the names of a line, with their ranks.
func appendNames(list []candidate, line string) []candidate {
	line = withoutNumber(line)
	if defined := definition(line); defined != "" {
		list = append(list, candidate{defined, defined, rankDefinition})
	}
	before := "" // the word before, in lower case
	for i := 0; i < len(line); {
		if !isNameByte(line[i]) {
			if line[i] == '[' && strings.HasPrefix(line[i:], "[redacted:") {
				if end := strings.IndexByte(line[i:], ']'); end > 0 {
					i += end
				}
			}
			i++
			continue
		}
		j := i
		for j < len(line) && isNameByte(line[j]) {
			j++
		}
		if line[i] != '/' || i == 0 || strings.IndexByte(" \t\"'`([", line[i-1]) >= 0 { // "</li>", "}/x"
			list, before = appendWord(list, line[i:j], before)
		}
		i = j
	}
	return list
}

// appendWord appends the names of a run of name bytes. It returns its last word, in lower
// case.
func appendWord(list []candidate, word, before string) ([]candidate, string) {
	if !strings.Contains(word, "://") {
		for {
			part, rest, ok := strings.Cut(word, "=")
			if !ok {
				break
			}
			list, before = appendPlain(list, part, before)
			word = rest
		}
	}
	return appendPlain(list, word, before)
}

func appendPlain(list []candidate, word, before string) ([]candidate, string) {
	colon := strings.HasSuffix(word, ":")
	word = trimName(strings.Trim(word, "‘’“”"))
	if word == "" {
		return list, before
	}
	next := strings.ToLower(word[max(0, len(word)-longestLabel):])
	if colon {
		next += ":"
	}
	if len(word) > maxName || len(word) < 2 {
		return list, next
	}
	if path, line, ok := cutPlace(word); ok {
		if place := placeIn(line); place == line || line[len(place)] == ':' { // and no tag of an image
			word = path + ":" + place
		}
	}
	c := candidate{word, word, rankOf(word)}
	if c.rank == rankPath && frames.Foreign([]byte(word)) {
		c.rank = rankForeign
	}
	label := strings.TrimSuffix(before, ":")
	switch {
	case c.rank == 0 && isNumber(word) && isLabel(label):
		c.text, c.rank = label+" "+word, rankLabelled
	case c.rank == 0:
		return list, next
	case isLabel(label) || strings.HasSuffix(label, "ed"):
		c.rank += rankCreated
	}
	c.key = nameKey(c.text)
	return append(list, c), next
}

// nameKey returns what all mentions of a name have in common: a path without its line.
func nameKey(name string) string {
	if path, _, ok := cutPlace(name); ok {
		return path
	}
	return name
}

// definition returns what a line of source defines, with its keyword; empty for none.
// Only unindented definitions and those directly inside one count.
func definition(line string) string {
	text := strings.TrimRight(line, "\r\n")
	code := strings.TrimLeft(text, " \t")
	if len(text)-len(code) > 4 || len(code) > 400 || strings.IndexByte(code, ' ') < 0 {
		return ""
	}
	name := string(shape.DefinedName([]byte(code)))
	if len(name) < 2 {
		return ""
	}
	at := wordIndex(code, name)
	if at < 0 {
		return ""
	}
	keyword := strings.Fields(code[:at])
	if len(keyword) == 0 || len(text) > len(code) && !isBody(keyword[len(keyword)-1]) {
		return ""
	}
	rest := strings.TrimLeft(code[at+len(name):], " ")
	if rest != "" && !strings.ContainsRune("(:{<[=;", rune(rest[0])) && !isType(keyword) {
		return "" // a sentence
	}
	for _, word := range slices.Backward(keyword) {
		if word[0] != '(' && !strings.HasSuffix(word, ")") {
			return word + " " + name
		}
	}
	return ""
}

// wordIndex returns the offset of a name that is no part of a longer one; -1 for none.
func wordIndex(text, name string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return -1
		}
		i += from
		end := i + len(name)
		if (i == 0 || !isNameByte(text[i-1]) || text[i-1] == '.') && (end == len(text) || !isNameByte(text[end]) || text[end] == ':' || text[end] == '=') {
			return i
		}
		from = i + 1
	}
}

// isBody reports whether a keyword defines what has a body, and so counts inside another.
func isBody(word string) bool {
	switch word {
	case "func", "function", "fn", "fun", "def", "defp", "class", "struct", "enum", "interface", "trait":
		return true
	}
	return false
}

// isType reports whether keywords are those of a type, which more words may follow.
func isType(words []string) bool {
	switch words[len(words)-1] {
	case "class", "type", "struct", "interface", "trait", "impl", "enum":
		return true
	}
	return false
}

// withoutNumber returns a line without the number that a view puts before it.
func withoutNumber(line string) string {
	text := strings.TrimLeft(line, " ")
	n := 0
	for n < len(text) && isDigit(text[n]) {
		n++
	}
	if n == 0 || n == len(text) || n > 7 {
		return line
	}
	switch text[n] {
	case '\t':
		return text[n+1:]
	case ':', '|':
		return strings.TrimPrefix(text[n+1:], " ")
	}
	return line
}

// namesIn returns the names that a text has.
func namesIn(text string, names []string) (list []string) {
	for _, name := range names {
		if strings.Contains(text, nameOf(name)) {
			list = append(list, name)
		}
	}
	return list
}

// nameOf returns a name without the word that says what it is.
func nameOf(name string) string { return name[strings.LastIndexByte(name, ' ')+1:] }

// isCompacted reports whether a preview was shortened by a compaction.
func isCompacted(v *envelope.Large) bool {
	return len(v.Source.GetNames()) > 0 ||
		slices.ContainsFunc(v.Cuts, func(c *pb.Cut) bool { return c.GetKind() == pb.CutKind_CUT_KIND_COMPACTED })
}

// eachText visits the texts of a payload.
func eachText(s *schema, m protoreflect.Message, visit func(v *envelope.Large)) {
	for i := range s.large {
		if f := &s.large[i]; f.Has(m) {
			v := f.Get(m)
			visit(&v)
		}
	}
	s.each(m, func(s *schema, m protoreflect.Message) { eachText(s, m, visit) })
}

// nameAll finds the names that each entry introduces, the oldest first. Of a superseded
// entry those count that cannot be guessed, and that the later one does not have.
func (l *planner) nameAll() error {
	known := map[string]bool{}
	for i := range l.list {
		if l.list[i].schema == nil {
			continue
		}
		d, err := l.results.get(i)
		if err != nil {
			return err
		}
		later, err := l.textOf(l.list[i].superseded)
		if err != nil {
			return err
		}
		eachText(d.schema, d.payload, func(v *envelope.Large) {
			if isCompacted(v) {
				for _, name := range v.Source.GetNames() {
					known[nameKey(name)] = true
				}
				return
			}
			least := 0
			if l.list[i].superseded >= 0 && !l.list[i].edited {
				least = rankIntroduced
			}
			for _, name := range chooseNames(v.Preview, least, known) {
				if !strings.Contains(later, nameOf(name)) {
					l.list[i].names = append(l.list[i].names, name)
				}
			}
		})
	}
	return nil
}

// textOf returns all texts of an entry; empty for -1.
func (l *planner) textOf(entry int) (string, error) {
	if entry < 0 {
		return "", nil
	}
	d, err := l.results.get(entry)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	eachText(d.schema, d.payload, func(v *envelope.Large) { text.WriteString(v.Preview + "\n") })
	return text.String(), nil
}
