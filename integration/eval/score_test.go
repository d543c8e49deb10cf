package eval_test

// This file says what of the marked lines a text keeps, by the rules of the corpora's own scorer (score.py), which
// TestScorer compares it with.

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolresult/toolresult/integration/eval"
)

// fact is one thing that a text keeps or loses: a line, when only one is there, with all of the parts or any of them.
type fact struct {
	line string
	all  []string
	any  []string
}

const (
	shortest  = 12  // shorter lines must stand alone, at most behind a prefix
	leastClip = 24  // characters of a clipped line that count
	clipShare = 0.6 // of the line
	leastWord = 3   // letters or digits of a line that is a fact: rulers and lone brackets are none
)

// facts are what the marks of a document of these lines ask for.
func facts(marks []eval.Mark, lines []string) (list []fact) {
	for _, m := range marks {
		switch {
		case m.All != nil:
			list = append(list, fact{all: m.All})
		case m.Any != nil:
			list = append(list, fact{any: m.Any})
		default:
			seen := map[string]bool{}
			for _, line := range lines[min(m.From-1, len(lines)):min(m.To, len(lines))] {
				if line = shownLine(line); !seen[line] && hasWord(line) {
					seen[line] = true
					list = append(list, fact{line: line})
				}
			}
		}
	}
	return list
}

// hasWord reports whether a line says more than punctuation does.
func hasWord(line string) bool {
	n := 0
	for _, r := range line {
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			n++
		}
	}
	return n >= leastWord
}

// times matches the times that a line begins with.
var times = regexp.MustCompile(`^(?:\[task \d{4}-\d\d-\d\dT[\d:.]+Z\] (?:\d\d:\d\d:\d\d\s+)?` +
	`|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,\d]*(?:Z|[+-]\d\d:?\d\d)?\s+` +
	`|\[\s*\d+\.\d{4,}\](?:\[\s*[TC]\d+\])?\s*|\[\d\d:\d\d:\d\d\]\s*|\d\d:\d\d:\d\d(?:[.,]\d+)?\s+)+`)

// untimed returns a line without the times that it begins with; empty if there is no time, or little behind it.
func untimed(line string) string {
	if end := times.FindStringIndex(line); end != nil && hasWord(line[end[1]:]) {
		return line[end[1]:]
	}
	return ""
}

// isTime reports whether a fact is a line with a time and no word behind it.
func (f fact) isTime() bool { return f.line != "" && !hasWord(times.ReplaceAllString(f.line, "")) }

// isTimed reports whether most lines of a document begin with a time.
func (d *output) isTimed() bool {
	timed, lines := 0, splitLines(string(d.Payload))
	for _, line := range lines {
		if times.MatchString(shownLine(line)) {
			timed++
		}
	}
	return 2*timed > len(lines)
}

// escape is a sequence that a terminal does not show, and control a character.
var (
	escape  = regexp.MustCompile("\x1b\\[[0-9;:?<=>]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|\x1b[@-Z\\\\-_]|\u009b[0-9;:?]*[ -/]*[@-~]")
	control = regexp.MustCompile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
)

// segments are what a terminal shows of a line before and after each carriage return.
func segments(line string) (list []string) {
	for part := range strings.SplitSeq(escape.ReplaceAllString(line, ""), "\r") {
		if part = strings.TrimSpace(control.ReplaceAllString(part, "")); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// shownLine is what a terminal finally shows of a line.
func shownLine(line string) string {
	if list := segments(line); len(list) > 0 {
		return list[len(list)-1]
	}
	return ""
}

// splitLines returns the lines of a text without their ends.
func splitLines(text string) []string {
	lines := strings.Split(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// oneBlank returns a text with one blank for each run of white space.
func oneBlank(text string) string { return strings.Join(strings.Fields(text), " ") }

// kept is a text in which facts are looked for.
type kept struct {
	lines []string // with single blanks
	all   string
}

func keep(text string) *kept {
	k := &kept{}
	for _, line := range splitLines(text) {
		for _, s := range segments(line) {
			k.lines = append(k.lines, oneBlank(s))
		}
	}
	k.all = strings.Join(k.lines, "\n")
	return k
}

// share is the part of the facts that the text has.
func (k *kept) share(list []fact) float64 {
	n := 0
	for _, f := range list {
		if k.has(f) {
			n++
		}
	}
	return float64(n) / float64(len(list))
}

func (k *kept) has(f fact) bool {
	switch {
	case f.all != nil:
		return k.hasAll(f.all)
	case f.any != nil:
		for _, line := range f.any {
			if k.hasLine(line) {
				return true
			}
		}
		return false
	}
	return k.hasLine(f.line)
}

// hasAll reports whether one line has all of the parts.
func (k *kept) hasAll(parts []string) bool {
	for _, line := range k.lines {
		if containsEach(line, parts) {
			return true
		}
	}
	return false
}

// containsEach reports whether a line with single blanks contains all parts.
func containsEach(line string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(line, oneBlank(part)) {
			return false
		}
	}
	return true
}

// hasLine reports whether a line is there, perhaps without its times, behind a prefix, or clipped.
func (k *kept) hasLine(line string) bool {
	bare := untimed(line)
	return k.hasText(line) || bare != "" && k.hasText(bare)
}

// hasText reports whether a text is there, perhaps behind a prefix or clipped.
func (k *kept) hasText(line string) bool {
	line = oneBlank(line)
	length := utf8.RuneCountInString(line)
	if length < shortest {
		for _, l := range k.lines {
			if l == line || strings.HasSuffix(l, " "+line) {
				return true
			}
		}
		return false
	}
	if strings.Contains(k.all, line) {
		return true
	}
	need := max(leastClip, int(float64(length)*clipShare))
	if length < need {
		return false
	}
	for _, l := range k.lines {
		if l = strings.TrimRight(l, ".… "); utf8.RuneCountInString(l) >= need && strings.Contains(line, l) {
			return true
		}
	}
	return strings.Contains(k.all, string([]rune(line)[:need]))
}
