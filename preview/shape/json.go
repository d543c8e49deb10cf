package shape

import (
	"bytes"

	"github.com/toolresult/toolresult/preview/textscan"
)

// JSON whose end is not known yet, and logs of JSON objects. A prefix is enough
// to know that a text is JSON, so a payload that is cut, or still arriving, is
// recognized.

// jsonPrefix reads the beginning of a JSON value, and knows whether it can
// still become one. It checks the order of brackets, keys and commas, and not
// how scalars are written.
type jsonPrefix struct {
	open   []byte // brackets that are not closed yet
	state  jsonState
	string bool // in a string
	escape bool // behind a backslash in it
	key    bool // the string is a key
	word   bool // in a number or a word
}

// jsonState is what the grammar of RFC 8259 expects next.
type jsonState uint8

const (
	jsonValue  jsonState = iota // a value must come
	jsonFirst                   // a value, or the end of an array
	jsonKey                     // a key must come
	jsonKeyEnd                  // a key, or the end of an object
	jsonColon
	jsonAfter // a comma or the end of a container
	jsonDone
)

// deepest is the nesting at which the reader gives up.
const deepest = 10_000

// accept reads more bytes. It reports false for what no JSON value begins with.
func (p *jsonPrefix) accept(text []byte) bool {
	for _, c := range text {
		if !p.next(c) {
			return false
		}
	}
	return true
}

// done reports whether a whole value was read.
func (p *jsonPrefix) done() bool { return p.state == jsonDone && !p.string }

// next reads one byte.
func (p *jsonPrefix) next(c byte) bool {
	if p.string {
		switch {
		case p.escape:
			p.escape = false
		case c == '\\':
			p.escape = true
		case c == '"':
			p.string = false
			if p.key {
				p.key, p.state = false, jsonColon
			} else {
				p.after()
			}
		case c < ' ':
			return false
		}
		return true
	}
	if p.word {
		if c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '.' || c == '+' || c == '-' || c == 'E' {
			return true
		}
		p.word = false
		p.after()
	}
	switch c {
	case ' ', '\t', '\r', '\n':
		return true
	case '{', '[':
		return p.opens(c)
	case '}', ']':
		return p.closes(c)
	case ',':
		if p.state != jsonAfter {
			return false
		}
		p.state = jsonValue
		if p.open[len(p.open)-1] == '{' {
			p.state = jsonKey
		}
		return true
	case ':':
		ok := p.state == jsonColon
		p.state = jsonValue
		return ok
	case '"':
		p.key = p.state == jsonKey || p.state == jsonKeyEnd
		p.string = true
		return p.key || p.state == jsonValue || p.state == jsonFirst
	}
	p.word = true
	return (c >= '0' && c <= '9' || c == '-' || c == 't' || c == 'f' || c == 'n') && (p.state == jsonValue || p.state == jsonFirst)
}

// opens reads an opening bracket.
func (p *jsonPrefix) opens(c byte) bool {
	if p.state != jsonValue && p.state != jsonFirst || len(p.open) == deepest {
		return false
	}
	p.open = append(p.open, c)
	p.state = jsonFirst
	if c == '{' {
		p.state = jsonKeyEnd
	}
	return true
}

// closes reads a closing bracket.
func (p *jsonPrefix) closes(c byte) bool {
	if len(p.open) == 0 || p.open[len(p.open)-1] != c-2 {
		return false
	}
	empty := p.state == jsonKeyEnd && c == '}' || p.state == jsonFirst && c == ']'
	if p.state != jsonAfter && !empty {
		return false
	}
	p.open = p.open[:len(p.open)-1]
	p.after()
	return true
}

// after sets the state behind a value.
func (p *jsonPrefix) after() {
	p.state = jsonAfter
	if len(p.open) == 0 {
		p.state = jsonDone
	}
}

// isJSON reports whether a sample begins with a JSON container and is the start
// of a valid one, or of several that each begin on a line.
func (s sample) isJSON() bool {
	if first := s.first(); len(first) == 0 || first[0] != '{' && first[0] != '[' {
		return false
	}
	var p jsonPrefix
	for i, text := range s.lines {
		if p.done() && len(text) > 0 && text[0] == '{' { // objects in sequence
			p = jsonPrefix{}
		}
		if !p.accept(text) {
			return false
		}
		if i+1 < len(s.lines) && !p.accept([]byte{'\n'}) {
			return false
		}
	}
	return true
}

// first returns the first line that is not empty, without the blanks before it.
func (s sample) first() []byte {
	for _, text := range s.lines {
		if text = blankSet.TrimLeft(text); len(text) > 0 {
			return text
		}
	}
	return nil
}

// isNDJSON reports whether every line of a sample is a JSON object, and there
// are several.
func (s sample) isNDJSON() bool {
	objects := 0
	for i, text := range s.lines {
		text = bytes.TrimSpace(text)
		if len(text) == 0 {
			continue
		}
		var p jsonPrefix
		if text[0] != '{' || !p.accept(text) {
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

// levels are the values by which loggers say how bad a line is, with their
// scores. Numbers are those of bunyan and pino.
var levels = [...]struct {
	value  string
	score  int
	reason Reason
}{
	{"fatal", 92, KeepCrash}, {"panic", 92, KeepCrash}, {"critical", 90, KeepError}, {"emerg", 90, KeepError}, {"alert", 90, KeepError}, {"60", 92, KeepCrash},
	{"error", 88, KeepError}, {"err", 88, KeepError}, {"severe", 88, KeepError}, {"50", 88, KeepError}, {"fail", 88, KeepFailure}, {"failed", 88, KeepFailure},
	{"warn", 62, KeepWarning}, {"warning", 62, KeepWarning}, {"40", 62, KeepWarning},
}

// levelKeys are the keys that loggers use for the level.
var levelKeys = [...]string{`"level":`, `"severity":`, `"lvl":`, `"levelname":`, `"log.level":`, `"Action":`, `"status":`, `"@l":`}

// rankNDJSON raises the lines of a log in JSON that say that something went
// wrong. Those that look the same as many before matter less. A line that is no
// value of JSON is raised where few are, and so is one that looks like few of many
// that have few looks.
func rankNDJSON(list []Ranked) {
	like := map[uint64]int{}
	var others []int
	for i := range list {
		r := &list[i]
		text := r.Line.Text
		if !saysNothing(text) && text[0] != '{' && text[0] != '[' {
			others = append(others, i)
		}
		for _, key := range levelKeys {
			at := bytes.Index(text, []byte(key))
			if at < 0 {
				continue
			}
			value := bytes.TrimLeft(text[at+len(key):], ` "`)
			value = bytes.ToLower(value[:min(len(value), 12)])
			for _, level := range levels {
				if rest, ok := bytes.CutPrefix(value, []byte(level.value)); ok && (len(rest) == 0 || !textscan.BeginsWord(rest[0])) {
					h := Fingerprint(text, true)
					r.raise(level.score-min(30, 6*like[h]), level.reason)
					like[h]++
					break
				}
			}
		}
	}
	if IsRare(len(others), len(list)) {
		for _, i := range others {
			list[i].raise(scoreOdd, KeepContext)
		}
	}
	raiseRareLooks(list)
}

// raiseRareLooks raises the lines that look like few others, but for their numbers
// and names, where all lines have few looks.
func raiseRareLooks(list []Ranked) {
	looks, each := map[uint64]int{}, make([]uint64, len(list))
	for i := range list {
		each[i] = Fingerprint(list[i].Line.Text, true)
		if looks[each[i]]++; len(looks) > MostStates {
			return
		}
	}
	for i := range list {
		if IsRare(looks[each[i]], len(list)) {
			list[i].raise(scoreOdd, KeepContext)
		}
	}
}
