package shape

import (
	"bytes"

	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/textscan"
)

// LogSigns counts the lines of a file that are signs of a log, whatever its
// name is. The zero LogSigns has seen no line. Words such as "error" are no sign:
// source files have them too.
type LogSigns struct {
	lines    int // that are not empty
	timed    int // that begin with a time of day
	exits    int // that say how a step or a program ended
	findings int // diagnostics with a place, and failures by name
	likeCode int // that end as those of source files do

	forms map[uint64]int // lines by their form, of which the names are left out
}

// Add counts one line.
func (s *LogSigns) Add(text []byte) {
	text = anyBlanks.TrimRight(textscan.WithoutEscapes(text))
	if len(text) == 0 {
		return
	}
	s.lines++
	if isTimed(text) {
		s.timed++
	}
	if bytes.IndexByte([]byte("{};(,"), text[len(text)-1]) >= 0 {
		s.likeCode++
	}
	if _, coarse := fingerprintsBehind(text); s.forms[coarse] > 0 || len(s.forms) < mostForms {
		if s.forms == nil {
			s.forms = map[uint64]int{}
		}
		s.forms[coarse]++
	}
	switch m := salience.Builtin().Classify(text); {
	case m.Reason == salience.Exit:
		s.exits++
	case m.Reason == salience.Diagnostic, m.Reason == salience.Failure && m.Score >= salience.Named:
		s.findings++
	}
}

// Shares of lines, one in this many.
const (
	leastTimed    = 50
	leastFindings = 16
	mostLikeCode  = 5
)

// Bounds of lines that are data: how many there are at least, the percentage of them
// that has one form, and how many forms are counted.
const (
	leastData   = 64
	dataPercent = 80
	mostForms   = 256
)

// IsData reports whether nearly all lines are values of one form: which of them is
// not like the others says more than the first ones.
func (s *LogSigns) IsData() bool {
	most := 0
	for _, n := range s.forms {
		most = max(most, n)
	}
	return s.lines >= leastData && most*100 >= s.lines*dataPercent && s.likeCode*mostLikeCode < s.lines
}

// IsLog reports whether the lines are those of a log: some have times, or they say
// how a program ended or what it found, and do not look like code.
func (s *LogSigns) IsLog() bool {
	if s.timed*leastTimed > s.lines {
		return true
	}
	return (s.exits > 0 || s.findings*leastFindings > s.lines) && s.likeCode*mostLikeCode < s.lines
}

// mostBeforeTime is the number of words that a line of a log may have before its
// time, such as a level, or a month and a day.
const mostBeforeTime = 2

// isTimed reports whether a line begins with a time of day.
func isTimed(text []byte) bool {
	for range mostBeforeTime + 1 {
		if salience.TimeLength(text) > 0 {
			return true
		}
		_, rest, found := bytes.Cut(text, []byte{' '})
		if !found {
			return false
		}
		text = bytes.TrimLeft(rest, " ")
	}
	return false
}
