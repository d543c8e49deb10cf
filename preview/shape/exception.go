package shape

import (
	"bytes"

	"github.com/toolresult/toolresult/preview/textscan"
)

// Languages print an exception as one line among announcements, frames and causes:
// Python below the frames, Java above them, Rust on the line after the place, Lua and
// Haskell before the words that announce the stack. If little can be shown, that one
// line must stay. Of exceptions that follow from each other it is the one that the
// others come from; Python, Ruby and PHP print them the other way round, and the last
// one has the words of the program.

// Scores of the lines of an exception.
const (
	scoreException = 100 // of the line that says what went wrong
	scoreWrapping  = 98  // of an exception that follows from another
	scorePart      = 96  // of one of several that happened together
	scoreAnnounced = 80  // most of a line that only announces an exception or a stack
)

// exceptions finds the lines of exceptions.
type exceptions struct {
	list      []Ranked
	decisive  int          // the line of the exception that is read; -1 for none
	python    bool         // a traceback of Python is open, so the next unindented line is its exception
	chained   bool         // the next exception goes on with the one before
	announced int          // the line after this one is the exception; -1 for none
	found     []int        // all lines that were decisive
	parts     map[int]bool // lines that announce an exception or follow from another
}

// markExceptions gives the lines of exceptions their scores. raise is false if the
// program succeeded: then announcements lose theirs, and nothing is raised.
func markExceptions(list []Ranked, raise bool) {
	e := exceptions{list: list, decisive: -1, announced: -1, parts: map[int]bool{}}
	for i := range list {
		before := e.decisive
		if e.read(i, raise); e.decisive != before {
			e.found = append(e.found, e.decisive)
		}
	}
	for _, i := range e.found {
		if list[i].Score == scoreException {
			e.bringForward(i)
		}
	}
}

// printLines is the number of lines on each side of an exception that its print has.
const printLines = 24

// bringForward exchanges the worth of the line of an exception with that of the best line
// of its print, where lines are chosen by their worth.
func (e *exceptions) bringForward(i int) {
	best := i
	for k := max(0, i-printLines); k < min(len(e.list), i+printLines+1); k++ {
		if e.list[k].worth > e.list[best].worth && e.isOfPrint(k) {
			best = k
		}
	}
	e.list[i].worth, e.list[best].worth = e.list[best].worth, e.list[i].worth
}

// isOfPrint reports whether a line beside an exception is a part of its print.
func (e *exceptions) isOfPrint(i int) bool {
	text := e.text(i)
	return e.list[i].look().frame || e.parts[i] || len(text) > 0 && (text[0] == ' ' || text[0] == '\t')
}

// text returns a line without times, escapes and blanks at its end.
func (e *exceptions) text(i int) []byte {
	return bytes.TrimRight(e.list[i].look().behindTime(), " \t\r")
}

// read reads the next line.
func (e *exceptions) read(i int, raise bool) {
	text := e.text(i)
	body := traceMargins.TrimLeft(text)
	if len(body) == 0 {
		return
	}
	switch kind := e.kindOf(i, text, body); {
	case kind == partAnnouncing:
		e.parts[i] = true
		e.lower(i, scoreAnnounced)
	case !raise:
	case kind == partException:
		if e.chained && e.decisive >= 0 {
			e.wraps(e.decisive)
		}
		e.list[i].raise(scoreException, KeepCrash)
		e.decisive, e.chained = i, false
	case kind == partCause:
		if e.decisive >= 0 {
			e.wraps(e.decisive)
		}
		e.list[i].raise(scoreException, KeepCrash)
		e.decisive = i
	case kind == partTogether:
		e.list[i].raise(scorePart, KeepCrash)
		e.lower(i, scorePart)
		e.parts[i] = true
	}
}

// wraps marks a line as an exception that follows from another.
func (e *exceptions) wraps(i int) {
	e.list[i].Score, e.parts[i] = scoreWrapping, true
}

// lower bounds the score of a line.
func (e *exceptions) lower(i, score int) { e.list[i].Score = min(e.list[i].Score, score) }

// exceptionPart is what a line is in the print of an exception.
type exceptionPart uint8

const (
	partOther      exceptionPart = iota
	partAnnouncing               // "Traceback (most recent call last):"
	partException                // it says what went wrong
	partCause                    // what the exception before follows from
	partTogether                 // one of several exceptions of a group
)

// Announcements of what follows or precedes.
var (
	stackTitles = [...]string{
		"stack backtrace:", "Stack backtrace:", "Stack trace:", "Stacktrace:", "stack traceback:", "Current stack trace:", "Backtrace:", "Call stack:",
		"CallStack (from HasCallStack):", "Calls: ",
	}
	nextIsException = [...]string{"Unhandled exception:", "Uncaught exception:", "Error Message:", "Caused by:", "Caused by error:"}
	chains          = [...]string{"During handling of the above exception", "The above exception was the direct cause"}
	stackEnds       = [...]string{
		"Execution halted", "Illegal instruction", "Aborted", "thrown in ", "note: run with `RUST_BACKTRACE", "note: Some details are omitted",
	}
)

// titleBytes has the bytes that announcements begin with.
var titleBytes = func() (set [256]bool) {
	for _, list := range [][]string{stackTitles[:], nextIsException[:], chains[:], stackEnds[:], {"Traceback", "Exception Group", "Execution error"}} {
		for _, title := range list {
			set[title[0]] = true
		}
	}
	return set
}()

// kindOf says what a line is in the print of an exception.
func (e *exceptions) kindOf(i int, text, body []byte) exceptionPart {
	if e.announced >= 0 {
		if part := e.behindAnnouncement(i, text, body); part != partOther {
			return part
		}
	}
	if !e.python && !titleBytes[body[0]] {
		if e.isShellEnd(body) {
			return partAnnouncing
		}
		return e.byLanguage(i, text, body)
	}
	switch {
	case hasAnyPrefix(body, chains[:]):
		e.chained = true
		return partAnnouncing
	case bytes.HasPrefix(body, []byte("Traceback (most recent call last)")), bytes.HasPrefix(body, []byte("Exception Group Traceback")):
		e.python = true
		return partAnnouncing
	case e.python:
		if inner := pythonMargin(text); inner[0] != ' ' && inner[0] != '\t' {
			e.python = false
			return partException
		}
		return partOther
	case hasAnyPrefix(body, stackTitles[:]):
		return e.stackTitle(i, body)
	case hasAnyPrefix(body, nextIsException[:]) && body[len(body)-1] == ':', bytes.HasPrefix(body, []byte("Execution error (")):
		e.announced = i
		return partAnnouncing
	case hasAnyPrefix(body, stackEnds[:]), e.isShellEnd(body):
		return partAnnouncing
	}
	return e.byLanguage(i, text, body)
}

// stackTitle reads the title of a stack. Before that of Lua and of Haskell is the
// exception.
func (e *exceptions) stackTitle(i int, body []byte) exceptionPart {
	if !bytes.HasPrefix(body, []byte("stack traceback:")) && !bytes.HasPrefix(body, []byte("CallStack (")) {
		return partAnnouncing
	}
	if i > 0 && len(e.text(i-1)) > 0 && e.text(i - 1)[0] != ' ' {
		e.list[i-1].raise(scoreException, KeepCrash)
		e.decisive = i - 1
	}
	return partAnnouncing
}

// behindAnnouncement reads a line after one that announces an exception.
func (e *exceptions) behindAnnouncement(i int, text, body []byte) exceptionPart {
	title := e.text(e.announced)
	switch {
	case bytes.HasPrefix(title, []byte("Caused by:")):
		// "    0: failed to open /etc/app.toml": the last is what the others follow from
		if text[0] == ' ' || text[0] == '\t' {
			return partCause
		}
	case bytes.HasPrefix(title, []byte("Caused by error")):
		if body[0] == '!' {
			e.announced = -1
			return partCause
		}
		return partOther
	default:
		e.announced = -1
		return partException
	}
	e.announced = -1
	return partOther
}

// languageForms are the lines of exceptions that need no announcement, by their beginnings.
var languageForms = [...]struct {
	beginning string
	part      exceptionPart
}{
	{"[cause]: ", partCause},                // Node
	{"[signal ", partAnnouncing},            // Go
	{"---> ", partCause},                    // .NET
	{"** (", partException},                 // Elixir
	{"** exception ", partException},        // Erlang
	{"Exception in thread ", partException}, // Java
	{"ERROR: LoadError: ", partException},   // Julia
	{"Suppressed: ", partTogether},          // Java
	{"PHP Fatal error:  Uncaught ", partException},
	{"Fatal error: Uncaught ", partException}, // PHP
	{"Unhandled exception. ", partException},  // .NET
	{"what():", partCause},                    // C++
}

// byLanguage reads the line of an exception that needs no announcement.
func (e *exceptions) byLanguage(i int, text, body []byte) exceptionPart {
	for k := range languageForms {
		if f := &languageForms[k]; f.beginning[0] == body[0] && bytes.HasPrefix(body, []byte(f.beginning)) {
			return f.part
		}
	}
	switch {
	case bytes.HasPrefix(text, []byte("Caused by: ")):
		return partCause
	case bytes.HasPrefix(body, []byte("! ")) && i > 0 && bytes.HasPrefix(e.text(i-1), []byte("Error in ")):
		return partCause
	case bytes.HasPrefix(text, []byte("E   ")) && isException(bytes.TrimLeft(text[1:], " ")):
		return partException
	case bytes.HasPrefix(text, []byte("Error in ")) && body[len(body)-1] != ':':
		return partException
	case bytes.HasPrefix(text, []byte("Next ")) && bytes.Contains(text, []byte(" in /")):
		e.chained = true
		return partException
	case bytes.HasPrefix(body, []byte("goroutine ")) && bytes.HasSuffix(body, []byte("]:")):
		return partAnnouncing
	case body[0] == 'p', body[0] == 'f':
		return e.ofGo(text, body)
	case body[0] == 't':
		return e.ofNative(i, body)
	}
	return e.byForm(i, text, body)
}

// ofGo reads a panic. One inside a deferred function comes later, and one that was
// recovered is said twice.
func (e *exceptions) ofGo(text, body []byte) exceptionPart {
	if !bytes.HasPrefix(body, []byte("panic: ")) && !bytes.HasPrefix(body, []byte("fatal error: ")) {
		return partOther
	}
	if text[0] != '\t' {
		return partException
	}
	if e.decisive >= 0 && bytes.HasPrefix(traceMargins.TrimLeft(e.text(e.decisive)), body) {
		return partTogether
	}
	return partCause
}

// ofNative reads the panic of Rust, whose message is on the next line, and the end of a
// program in C++.
func (e *exceptions) ofNative(i int, body []byte) exceptionPart {
	switch {
	case bytes.HasPrefix(body, []byte("thread '")) && bytes.Contains(body, []byte("' panicked at ")),
		bytes.HasPrefix(body, []byte("thread '")) && bytes.Contains(body, []byte(") panicked at ")):
		if body[len(body)-1] != ':' {
			return partException
		}
		if i+1 < len(e.list) && len(e.text(i+1)) > 0 {
			e.lower(i, scoreWrapping)
			e.announced, e.parts[i] = i, true
			return partOther
		}
		return partException
	case bytes.HasPrefix(body, []byte("terminate called ")):
		return partException
	}
	return partOther
}

// byForm reads lines that are known by their form, or by the lines around them.
func (e *exceptions) byForm(i int, text, body []byte) exceptionPart {
	if isThrown(e, i, body) {
		e.lower(i-3, scoreAnnounced)
		return partException
	}
	colon := bytes.IndexByte(body, ':')
	if colon < 0 && !bytes.HasSuffix(body, []byte("Exception")) && !bytes.HasSuffix(body, []byte("Error")) {
		return partOther
	}
	switch {
	case bytes.HasSuffix(body, []byte("' failed.")) && bytes.Contains(body, []byte(": Assertion `")):
		return partException
	case colon > 0 && bytes.HasSuffix(body[:colon], []byte(".swift")) && bytes.Contains(body, []byte(": Fatal error: ")):
		return partException
	case body[len(body)-1] == ')' && text[0] != ' ' && text[0] != '\t' && bytes.Contains(body, []byte(":in ")) && e.isFollowedBy(i, "\tfrom ", "    from "):
		e.chained = true // what rescue raised comes first
		return partException
	case bytes.HasSuffix(body, []byte("):")) && isRaised(body):
		return partException
	case text[0] == ' ' && bytes.Contains(body, []byte(", called at ")):
		return partAnnouncing
	case isFramePlace(body):
		return partAnnouncing
	case e.decisive >= 0 && i-e.decisive <= reach && isSummaryOf(body):
		return partAnnouncing
	case text[0] != ' ' && text[0] != '\t' && isException(text) && e.isFollowedBy(i, "    at ", "\tat ", "  at ", "   at "):
		return partException
	case e.decisive >= 0 && text[0] == ' ' && isException(body) && e.isFollowedBy(i, "        at "):
		return partTogether
	}
	return partOther
}

// reach is the number of lines after an exception in which its place is said again.
const reach = 6

// isFollowedBy reports whether the next line with text has one of the beginnings.
func (e *exceptions) isFollowedBy(i int, beginnings ...string) bool {
	for k := i + 1; k < min(len(e.list), i+4); k++ {
		if text := e.text(k); len(text) > 0 {
			return hasAnyPrefix(text, beginnings)
		}
	}
	return false
}

// isShellEnd reports whether a shell says how a program ended that said more itself.
func (e *exceptions) isShellEnd(body []byte) bool {
	return e.decisive >= 0 && (bytes.Contains(body, []byte(" Aborted ")) || bytes.HasPrefix(body, []byte("Segmentation fault")))
}

// isSummaryOf reports whether a line is a place and the name of an exception, as pytest
// ends a failure: "stats.py:3: ZeroDivisionError".
func isSummaryOf(body []byte) bool {
	at := bytes.LastIndex(body, []byte(": "))
	return at > 0 && body[at-1] >= '0' && body[at-1] <= '9' && bytes.IndexByte(body[:at], ' ') < 0 && isException(body[at+2:]) && bytes.IndexByte(body[at+2:], ':') < 0
}

// isRaised reports whether a line is an exception with its message in brackets, as Rails logs it.
func isRaised(body []byte) bool {
	name, _, ok := bytes.Cut(body, []byte(" ("))
	return ok && bytes.IndexByte(name, ' ') < 0 && isException(name)
}

// isFramePlace reports whether a line is a frame of Ruby: a place and the name of a method.
func isFramePlace(body []byte) bool {
	if body[len(body)-1] != '\'' || !bytes.Contains(body, []byte(":in ")) {
		return false
	}
	at := bytes.IndexByte(body, ':')
	_, digits := textscan.Number(body[at+1:])
	return digits > 0 && bytes.IndexByte(body[:at], ' ') < 0
}

// isThrown reports whether a line is what a program in JavaScript threw that is no
// Error: below the place, its line of source, and a caret.
func isThrown(e *exceptions, i int, body []byte) bool {
	if i < 3 || !bytes.HasSuffix(e.text(i-1), []byte("^")) || len(bytes.Trim(e.text(i-1), " \t^")) > 0 {
		return false
	}
	place := e.text(i - 3)
	at := bytes.LastIndexByte(place, ':')
	if at <= 0 || bytes.IndexByte(place, ' ') >= 0 {
		return false
	}
	_, digits := textscan.Number(place[at+1:])
	return digits > 0 && at+1+digits == len(place) && !isException(body)
}

// pythonMargin returns a line without the bars of the exceptions of a group.
func pythonMargin(text []byte) []byte {
	for k := 0; k < len(text); k++ {
		switch text[k] {
		case ' ':
		case '|':
			if rest := text[k+1:]; len(rest) > 1 && rest[0] == ' ' {
				return rest[1:]
			}
			return text[k:]
		default:
			return text
		}
	}
	return text
}

// hasAnyPrefix reports whether a text begins with one of several.
func hasAnyPrefix(text []byte, beginnings []string) bool {
	for _, b := range beginnings {
		if len(text) >= len(b) && string(text[:len(b)]) == b {
			return true
		}
	}
	return false
}
