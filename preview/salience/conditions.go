package salience

import "bytes"

// Conditions of rules. Each has a text for integration/testdata/rules.md and a function that
// looks at the line around a literal. They answer the false alarms that were
// met in real logs: a counter of zero, an exit status of 0, a word of the error
// in a stack frame.

// condition is a property of a line and the place of a literal in it, from at
// to end.
type condition struct {
	text  string // for integration/testdata/rules.md
	holds func(l line, at, end int) bool
}

// The conditions of rules.
var (
	zeroCount = &condition{"counted as 0, or after \"no\" or \"not\"", func(l line, at, end int) bool {
		return l.noneBefore(at) || l.zeroAfter(end)
	}}
	noneBefore      = &condition{"after \"0\", \"no\" or \"not\"", func(l line, at, _ int) bool { return l.noneBefore(at) }}
	digitBefore     = &condition{"right after a number", func(l line, at, _ int) bool { return at > 0 && isDigit(l.text[at-1]) }}
	digitAfter      = &condition{"right before a number", func(l line, _, end int) bool { return end < len(l.text) && isDigit(l.text[end]) }}
	codeAfter       = &condition{"before a number that is not 0", func(l line, _, end int) bool { return l.codeAfter(end) }}
	isFrame         = &condition{"in a frame of a stack", func(l line, _, _ int) bool { return bytes.HasPrefix(l.text[l.body:], []byte("at ")) }}
	saysError       = &condition{"before the word error", func(l line, _, end int) bool { return contains(l.text[end:], "rror") }}
	saysFail        = &condition{"before the word fail", func(l line, _, end int) bool { return contains(l.text[end:], "fail") }}
	saysRunning     = &condition{"before [running]", func(l line, _, end int) bool { return contains(l.text[end:], "[running]") }}
	beginsWithNo    = &condition{"in a line that begins with No", func(l line, _, _ int) bool { return contains(l.text[l.body:min(len(l.text), l.body+3)], "No ") }}
	inParenthesis   = &condition{"in a line that ends with a name in parentheses", func(l line, _, _ int) bool { return l.endsInParenthesis() }}
	underlined      = &condition{"before a title and more of the same", func(l line, _, end int) bool { return l.endsWith("____") && end+4 < len(l.text) }}
	atIndent        = &condition{"behind blanks alone", func(l line, at, _ int) bool { return l.onlyBlanks(at) }}
	failedStatus    = &condition{"before a status of 400 to 599", func(l line, _, end int) bool { return l.failedStatus(end) }}
	beforeAddress   = &condition{"before an address", func(l line, _, end int) bool { return bytes.HasPrefix(l.text[end:], []byte("http")) }}
	positioned      = &condition{"behind a path, before a position and what is wrong there", func(l line, at, end int) bool { return l.positioned(at, end) }}
	atProcessor     = &condition{"before a processor and a process", func(l line, _, end int) bool { return contains(l.text[end:], ", CPU#") }}
	endsWithLine    = &condition{"in a line that ends with the line of a file", func(l line, at, end int) bool { return l.endsWithLine(at, end) }}
	namesProcess    = &condition{"around the name of a process", func(l line, _, _ int) bool { return l.endsWith("<<<") }}
	behindTime      = &condition{"in a line that begins with a time", func(l line, at, _ int) bool { return at <= levelWithin && beginsWithTime(l.text) }}
	glogError       = &condition{"in a line that begins with E or F, a date and a time", func(l line, _, _ int) bool { return l.glogError() }}
	saysBut         = &condition{"before the word but", func(l line, _, end int) bool { return contains(l.text[end:], " but ") }}
	positionedFirst = &condition{"behind a path that the line begins with, before a position and what is wrong there", func(l line, at, end int) bool {
		return l.text[0] != ' ' && l.text[0] != '\t' && l.positioned(at, end)
	}}
	behindPosition = &condition{"behind a position such as 12:3", func(l line, at, _ int) bool { return l.behindPosition(at) }}
)

// contains is bytes.Contains for a constant text.
func contains(text []byte, what string) bool { return bytes.Contains(text, []byte(what)) }

// noneBefore reports whether "0", "no", "not" or "without" is the word before
// an offset.
func (l line) noneBefore(at int) bool {
	before := bytes.TrimRight(l.text[:at], " ")
	if what, counted := bytes.CutSuffix(before, []byte("(s)")); counted { // "0 chart(s) failed"
		before = lettersAndBlanks.TrimRight(what)
	}
	from := len(before)
	for from > 0 && isAlphanumeric(before[from-1]) {
		from--
	}
	switch word := before[from:]; len(word) {
	case 1:
		return word[0] == '0'
	case 2:
		return fold(word[0]) == 'n' && fold(word[1]) == 'o'
	case 3:
		return bytes.EqualFold(word, []byte("not"))
	case 7:
		return bytes.EqualFold(word, []byte("without"))
	}
	return false
}

// zeroAfter reports whether a count of 0 is behind the word at an offset:
// "Errors: 0", or a last column of 0.
func (l line) zeroAfter(at int) bool {
	for at < len(l.text) && isAlphanumeric(l.text[at]) {
		at++
	}
	if rest := blanksAndReturns.TrimRight(l.text[at:]); bytes.HasSuffix(rest, []byte("  0")) {
		return true // in a table
	}
	rest := assigns.TrimLeft(l.text[at:])
	return len(rest) > 0 && rest[0] == '0' && (len(rest) == 1 || !isAlphanumeric(rest[1]))
}

// mostBeforeCode is how many bytes there may be between "exit" and the code.
const mostBeforeCode = 32

// codeAfter reports whether the next number is not 0.
func (l line) codeAfter(at int) bool {
	for _, c := range l.text[at:min(len(l.text), at+mostBeforeCode)] {
		if isDigit(c) {
			return c != '0'
		}
	}
	return false
}

// endsInParenthesis reports whether the line ends as "ERROR: test_x
// (tests.Case)" does.
func (l line) endsInParenthesis() bool { return l.endsWith(")") && contains(l.text, " (") }

// endsWith reports whether the line ends with a suffix, but for blanks.
func (l line) endsWith(suffix string) bool {
	return bytes.HasSuffix(blanksAndReturns.TrimRight(l.text), []byte(suffix))
}

// onlyBlanks reports whether nothing but a time and blanks is before an offset.
func (l line) onlyBlanks(at int) bool {
	return len(bytes.TrimLeft(l.text[min(at, TimeLength(l.text)):at], " ")) == 0
}

// behindPosition reports whether "12:3" and blanks are before an offset.
func (l line) behindPosition(at int) bool {
	before := bytes.TrimSpace(l.text[:at])
	if i := bytes.LastIndexByte(before, ' '); i >= 0 {
		before = before[i+1:]
	}
	return bytes.IndexByte(before, ':') > 0 && len(timeSigns.Trim(before)) == 0
}

// positioned reports whether the line begins with a path that ends at an
// offset, and goes on with a position and a text, as "main.go:12:2: x is not
// used" and "main.ts(12,2): x is not used" do.
func (l line) positioned(at, end int) bool {
	if from := bytes.LastIndexByte(l.text[:at], ' ') + 1; from > l.body+1 && l.text[from-2] != ':' { // "W-123: main.v(12): "
		return false
	}
	for end > at && l.text[end-1] != ':' && l.text[end-1] != '(' {
		end--
	}
	rest := positions.TrimLeft(l.text[end:])
	digits := l.text[end : len(l.text)-len(rest)]
	if len(digits) == 0 || !isDigit(digits[0]) {
		return false
	}
	if l.text[end-1] == '(' {
		if !bytes.HasPrefix(rest, []byte("):")) {
			return false
		}
		rest = rest[2:]
	} else if digits[len(digits)-1] != ':' {
		return false
	}
	return len(rest) > 1 && rest[0] == ' '
}

// failedStatus reports whether a status from 400 to 599 follows the version of
// HTTP at an offset.
func (l line) failedStatus(at int) bool {
	status := quotesAndBlanks.TrimLeft(versions.TrimLeft(l.text[at:]))
	return len(status) >= 3 && (status[0] == '4' || status[0] == '5') && isDigit(status[1]) && isDigit(status[2]) &&
		(len(status) == 3 || !isAlphanumeric(status[3]))
}

// endsWithLine reports whether "main.pl line 12." ends the line, as messages of
// Perl do.
func (l line) endsWithLine(at, end int) bool {
	rest := blanksAndReturns.TrimRight(l.text[end:])
	digits := bytes.TrimSuffix(rest, []byte("."))
	return len(digits) < len(rest) && len(digits) > 0 && len(digitSet.Trim(digits)) == 0 && contains(l.text[:at], " at ")
}

// glogError reports whether the line begins as errors of glog and klog do:
// "E0102 03:04:05.678901".
func (l line) glogError() bool {
	body := l.text[l.body:]
	if len(body) < len("E0102 ") || body[0] != 'E' && body[0] != 'F' || body[5] != ' ' {
		return false
	}
	return len(digitSet.Trim(body[1:5])) == 0 && TimeLength(body[6:]) > 0
}

// beginsWithTime reports whether the line begins with a time, perhaps behind a
// bracket or a word: "26233:M 25 Nov" does not.
func beginsWithTime(text []byte) bool {
	for range 2 {
		if TimeLength(text) > 0 {
			return true
		}
		i := bytes.IndexByte(text, ' ')
		if i < 0 {
			return false
		}
		text = text[i+1:]
	}
	return false
}
