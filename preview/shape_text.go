package preview

import (
	"bytes"

	"github.com/toolresult/toolresult/preview/textscan"
)

// Beginnings of lines that only build tools write, and only test runners.
var (
	buildLines = [...]string{
		"   Compiling ", "    Compiling ", "    Blocking ", "[INFO] Scanning for projects", "[INFO] Building ", "> Task :", "> Configure project", "-- The C compiler",
		"-- Configuring done", "-- Build files have", "[  ", "[1/", "Scanning dependencies of target", "make[", "make: ", "gcc ", "g++ ", "cc ", "clang ",
		"/usr/bin/cc ", "  CC ", "  CXX ", "  LD ", "ninja: ", "#1 [", "#2 [", "Step 1/", "STEP 1", "webpack ", "vite v", "Building wheel", "running build", "Buildfile: ",
		"Microsoft (R) Build Engine", "Build started ", "> tsc", "libtool: ",
	}
	testLines = [...]string{
		"============================= test session starts", "=== RUN ", "--- PASS", "--- FAIL", "ok  \t", "FAIL\t", "?   \t", "running ", "test ", "TAP version ", "ok 1", "not ok ",
		"PASS ", "FAIL ", " RUN  v", " ✓ ", " ✔ ", " × ", "  ✓ ", "  ✔ ", "    ✓ ", " T E S T S", "Tests run: ", "[==========]", "[----------]", "[ RUN      ]", "[       OK ]", "[  FAILED  ]",
		"collected ", "platform ", "rootdir: ", "Testsuite: ", "Testcase: ", "PHPUnit ", "Running ",
	}
)

func begins(text []byte, list []string) bool {
	for _, p := range list {
		if bytes.HasPrefix(text, []byte(p)) {
			return true
		}
	}
	return false
}

// isBuildLog reports whether a third of a sample's lines are those of build tools. Such a payload is ranked as any log;
// the shape is what a reader of the ledger learns.
func (s sample) isBuildLog() bool {
	return s.mostly(33, 3, func(text []byte) bool { return begins(text, buildLines[:]) })
}

// isTestReport is the same for test runners.
func (s sample) isTestReport() bool {
	return s.mostly(33, 3, func(text []byte) bool { return begins(text, testLines[:]) })
}

// isJSON reports whether a sample begins with a JSON container and is the start of a valid one.
func (s sample) isJSON() bool {
	if first := s.first(); len(first) == 0 || first[0] != '{' && first[0] != '[' {
		return false
	}
	var p jsonPrefix
	for i, text := range s.lines {
		if !p.takes(text) {
			return false
		}
		if i+1 < len(s.lines) && !p.takes(newline) {
			return false
		}
	}
	return true
}

// first is the first line that is not empty, without the blanks before it.
func (s sample) first() []byte {
	for _, text := range s.lines {
		if text = bytes.TrimLeft(text, " \t"); len(text) > 0 {
			return text
		}
	}
	return nil
}

// isNDJSON reports whether every line of a sample is a JSON object, and there are several.
func (s sample) isNDJSON() bool {
	objects := 0
	for i, text := range s.lines {
		text = bytes.TrimSpace(text)
		if len(text) == 0 {
			continue
		}
		var p jsonPrefix
		if text[0] != '{' || !p.takes(text) {
			return false
		}
		last := i == len(s.lines)-1
		if !p.done() && !(s.cut && last) {
			return false
		}
		objects++
	}
	return objects >= 2 || objects == 1 && s.cut && len(s.lines) > 1
}

// Scores of lines in JSON that say how bad they are.
var levels = [...]struct {
	value  string
	score  int
	reason Reason
}{
	{"fatal", 92, KeepCrash}, {"panic", 92, KeepCrash}, {"critical", 90, KeepError}, {"emerg", 90, KeepError}, {"alert", 90, KeepError}, {"60", 92, KeepCrash},
	{"error", 88, KeepError}, {"err", 88, KeepError}, {"severe", 88, KeepError}, {"50", 88, KeepError}, {"fail", 88, KeepFailure}, {"failed", 88, KeepFailure},
	{"warn", 62, KeepWarning}, {"warning", 62, KeepWarning}, {"40", 62, KeepWarning},
}

// levelKeys are what loggers call it.
var levelKeys = [...]string{`"level":`, `"severity":`, `"lvl":`, `"levelname":`, `"log.level":`, `"Action":`, `"status":`, `"@l":`}

// rankNDJSON raises the lines of a log in JSON that say that something went wrong. Those that look the same as many before
// matter less.
func rankNDJSON(list []ranked) {
	like := map[uint64]int{}
	for i := range list {
		r := &list[i]
		text := r.line.Text
		for _, key := range levelKeys {
			at := bytes.Index(text, []byte(key))
			if at < 0 {
				continue
			}
			value := bytes.TrimLeft(text[at+len(key):], ` "`)
			value = bytes.ToLower(value[:min(len(value), 12)])
			for _, level := range levels {
				if rest, ok := bytes.CutPrefix(value, []byte(level.value)); ok && (len(rest) == 0 || !inWordStart(rest[0])) {
					h := shape(text, true)
					r.raise(level.score-min(30, 6*like[h]), level.reason)
					like[h]++
					break
				}
			}
		}
	}
}

// isProse reports whether a sample is text for people: sentences under headings. Most lines begin with a letter, a mark of
// a list or a blank, are made of words, and few have what logs have: levels, times and paths with places.
func (s sample) isProse() bool {
	headings, wordy, all, fenced := 0, 0, 0, false
	for i, text := range s.lines {
		if bytes.HasPrefix(text, []byte("```")) {
			fenced = !fenced
			continue
		}
		switch {
		case len(text) == 0, fenced, text[0] == '|', bytes.HasPrefix(text, []byte("    ")) && !isWordy(text): // code and tables
			continue
		case s.isHeading(i):
			headings++
		case isWordy(text):
			wordy++
		}
		all++
	}
	return headings >= 2 && wordy >= 4 && wordy > headings && (headings+wordy)*10 >= all*7
}

// isHeading reports whether line i of a sample is a heading of Markdown, one that is underlined, or one of a manual:
// capitals, between empty lines or above an indented one.
func (s sample) isHeading(i int) bool {
	var before, after []byte
	if i > 0 {
		before = s.lines[i-1]
	}
	if i+1 < len(s.lines) {
		after = s.lines[i+1]
	}
	return isHeadingLine(before, s.lines[i], after, i == 0)
}

func isHeadingLine(before, text, after []byte, first bool) bool {
	marks := 0
	for marks < len(text) && text[marks] == '#' {
		marks++
	}
	switch {
	case len(text) == 0 || len(text) > 120:
		return false
	case len(before) > 0 && !first:
		return false
	case marks > 0:
		return marks <= 6 && marks < len(text) && text[marks] == ' ' && (len(after) == 0 || after[0] != '#')
	case len(after) >= 3 && len(after) >= len(text)/2 && len(bytes.Trim(after, "=")) == 0, len(after) >= 4 && len(after) >= len(text)/2 && len(bytes.Trim(after, "-~")) == 0:
		return true
	}
	return text[0] >= 'A' && text[0] <= 'Z' && len(text) >= 4 && allCapitals(text) && len(bytes.TrimLeft(after, " \t")) < len(after) &&
		!bytes.ContainsAny(text, "0123456789:=[]|")
}

// isWordy reports whether a line is made of words as sentences are.
func isWordy(text []byte) bool {
	text = bytes.TrimLeft(text, " \t*->0123456789.")
	if len(text) < 20 {
		return false
	}
	letters, blanks, marks := 0, 0, 0
	for _, c := range text {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80:
			letters++
		case c == ' ':
			blanks++
		case bytes.IndexByte([]byte(".,;!?'\"-()`*_"), c) < 0:
			marks++
		}
	}
	return letters*100 >= len(text)*70 && blanks*100 >= len(text)*10 && marks*100 <= len(text)*5
}

// How the start of a text and its sections share the room: a reader sees so many bytes from the start before the first
// heading behind them, and then that many times as many bytes of the start as of each section.
const (
	proseStart  = 1200
	proseFavour = 3
	proseEnd    = 3   // lines with text at the end, where a report says what came of it
	proseFirst  = 300 // bytes of the start that come before these
)

// rankProse ranks text for people: its start without a gap, its last lines, then headings, then the beginnings of sections
// and more of the start.
func rankProse(list []ranked) {
	start, section := &share{}, &share{had: proseStart}
	text := func(i int) []byte {
		if i < 0 || i >= len(list) {
			return nil
		}
		return bytes.TrimRight(textscan.WithoutEscapes(list[i].line.Text), " \t\r")
	}
	fenced := false
	for i := range list {
		line := text(i)
		if bytes.HasPrefix(line, []byte("```")) {
			fenced = !fenced
		}
		heading := !fenced && isHeadingLine(text(i-1), line, text(i+1), i == 0)
		early := start.takes(line)
		if early >= proseStart {
			early = proseStart + (early-proseStart)/proseFavour
		}
		if heading {
			section = &share{had: proseStart}
			list[i].as(scoreContent, min(early, section.had), KeepStructure)
			continue
		}
		turn, reason := section.takes(line), KeepContext
		if early <= turn {
			turn, reason = early, KeepHead
		}
		list[i].as(scoreContent, turn, reason)
	}
	for i, end := len(list)-1, 0; i >= 0 && end < proseEnd; i-- {
		if len(text(i)) > 0 {
			list[i].as(scoreContent, min(list[i].turn, proseFirst), KeepTail)
			end++
		}
	}
	inOrder(list)
}
