package records

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Shells print objects as their language writes them: mongosh and Node as literals of JavaScript,
// Python as literals of its own. They are read as the JSON that says the same:
//
//	{ _id: ObjectId('96d5'), paid: undefined }    {"_id":"96d5","paid":null}
//	[{'at': datetime.date(2026, 3, 1), 'n': None}]    [{"at":"2026-03-01","n":null}]

// Bounds of literals that are read.
const (
	mostLiterals   = 1 << 20 // bytes
	deepestLiteral = 64      // containers in one another
	mostBehind     = 128     // bytes of other text behind the literals
)

// JSONOfLiterals returns objects or lists that are written as literals of JavaScript or Python as
// JSON, with a line of it for each and a few lines of other text behind them. It returns nil for
// other text.
func JSONOfLiterals(text []byte) []byte {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || len(text) > mostLiterals || text[0] != '{' && text[0] != '[' || !utf8.Valid(text) || json.Valid(text) {
		return nil
	}
	l := literals{src: text}
	for l.at < len(text) && (text[l.at] == '{' || text[l.at] == '[') {
		if !l.value(0) {
			return nil
		}
		l.out.WriteByte('\n')
		l.blanks()
	}
	rest, first := text[l.at:], l.out.Bytes()
	first, _, _ = bytes.Cut(first, []byte("\n"))
	if len(rest) > mostBehind || bytes.IndexByte(first, '{') < 0 || !json.Valid(first) {
		return nil
	}
	return append(l.out.Bytes(), rest...)
}

// literals reads values of literals one after another, and writes them as JSON.
type literals struct {
	src []byte
	at  int
	out bytes.Buffer
}

// blanks skips white space.
func (l *literals) blanks() {
	for l.at < len(l.src) && strings.IndexByte(" \t\r\n", l.src[l.at]) >= 0 {
		l.at++
	}
}

// next returns the next byte behind white space; 0 at the end.
func (l *literals) next() byte {
	if l.blanks(); l.at < len(l.src) {
		return l.src[l.at]
	}
	return 0
}

// accept skips a text, if it is next.
func (l *literals) accept(text string) bool {
	l.blanks()
	if !bytes.HasPrefix(l.src[l.at:], []byte(text)) {
		return false
	}
	l.at += len(text)
	return true
}

// value reads a value, and writes it. It reports false for other text.
func (l *literals) value(depth int) bool {
	if depth > deepestLiteral {
		return false
	}
	switch c := l.next(); {
	case c == '{':
		return l.container('}', depth)
	case c == '(':
		return l.container(')', depth)
	case c == '[' && l.isLabel():
		text := l.until("]")
		if l.next() == '{' { // [Object: null prototype] { .. }
			return l.container('}', depth)
		}
		writeString(&l.out, text+"]")
		return l.accept("]")
	case c == '[':
		return l.container(']', depth)
	case c == '"' || c == '\'' || c == '`':
		text, ok := l.text()
		writeString(&l.out, text)
		return ok
	case c == '<':
		text := l.until(">\n")
		writeString(&l.out, text+">")
		return l.accept(">")
	}
	return l.word(depth)
}

// isLabel reports whether a bracket begins a note of Node, such as [Array], and not a list.
func (l *literals) isLabel() bool {
	for _, label := range []string{"[Object", "[Array", "[Function", "[AsyncFunction", "[Getter", "[Setter", "[Circular", "[class "} {
		if bytes.HasPrefix(l.src[l.at:], []byte(label)) && !bytes.HasPrefix(l.src[l.at:], []byte("[ObjectId")) {
			return true
		}
	}
	return false
}

// until returns the text up to one of some bytes.
func (l *literals) until(ends string) string {
	from := l.at
	for l.at < len(l.src) && strings.IndexByte(ends, l.src[l.at]) < 0 {
		l.at++
	}
	return string(bytes.TrimSpace(l.src[from:l.at]))
}

// container reads an object, a list, a tuple or a set. A set is written as a list.
func (l *literals) container(closing byte, depth int) bool {
	l.at++
	from := l.out.Len()
	if l.out.WriteByte('['); closing == '}' {
		l.out.Bytes()[from] = '{'
	}
	for n := 0; ; n++ {
		switch c := l.next(); {
		case c == 0:
			return false
		case c == closing:
			if l.at++; l.out.Bytes()[from] == '{' {
				closing = '}'
			} else {
				closing = ']'
			}
			l.out.WriteByte(closing)
			return true
		case n > 0:
			l.out.WriteByte(',')
		}
		if l.accept("...") { // 5 more items
			if text := "... " + l.until(",]})\n"); l.out.Bytes()[from] == '{' {
				l.out.WriteString(`"...":`)
				writeString(&l.out, text)
			} else {
				writeString(&l.out, text)
			}
		} else if !l.element(from, n, depth) {
			return false
		}
		if !l.accept(",") && l.next() != closing {
			return false
		}
	}
}

// element reads a member or an element of the container that begins at an offset of the output.
func (l *literals) element(from, n, depth int) bool {
	if l.out.Bytes()[from] == '[' {
		return l.value(depth + 1)
	}
	key, ok := l.key()
	if !ok {
		return false
	}
	writeString(&l.out, key)
	if !l.accept(":") && !l.accept("=>") {
		l.out.Bytes()[from] = '[' // a set
		return n == 0
	}
	l.out.WriteByte(':')
	return l.value(depth + 1)
}

// key reads a key: a string or a word.
func (l *literals) key() (string, bool) {
	if c := l.next(); c == '"' || c == '\'' || c == '`' {
		return l.text()
	}
	text := l.until(":,=}{[()] \t\r\n\"'")
	return text, text != ""
}

// text reads strings, of which those that follow one another are one.
func (l *literals) text() (string, bool) {
	var b strings.Builder
	for n := 0; ; n++ {
		quote := l.next()
		if quote != '\'' && quote != '"' && quote != '`' {
			return b.String(), n > 0
		}
		l.at++
		for {
			if l.at >= len(l.src) {
				return "", false
			}
			c := l.src[l.at]
			l.at++
			if c == quote {
				break
			}
			if c == '\\' && l.at < len(l.src) {
				l.escape(&b)
				continue
			}
			b.WriteByte(c)
		}
		if l.accept("+") { // a long string of mongosh
			l.blanks()
		}
	}
}

// escape reads what is behind a backslash.
func (l *literals) escape(b *strings.Builder) {
	c := l.src[l.at]
	l.at++
	digits := 0
	switch c {
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case '\n':
	case 'x':
		digits = 2
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	default:
		b.WriteByte(c)
	}
	if digits == 0 {
		return
	}
	if end := l.at + digits; end <= len(l.src) {
		if char, err := strconv.ParseUint(string(l.src[l.at:end]), 16, 31); err == nil {
			b.WriteRune(rune(char))
			l.at = end
		}
	}
}

// word reads a number, a name, a date without quotes, or a call.
func (l *literals) word(depth int) bool {
	text := l.until(",=}{[()] \t\r\n\"'`")
	switch l.peek() {
	case '(':
		return l.call(text, depth)
	case '\'', '"':
		if len(text) > 0 && len(text) <= 2 { // b'..', u'..'
			text, ok := l.text()
			writeString(&l.out, text)
			return ok
		}
		return false
	case ' ':
		if text == "new" || text != "" && l.next() == '{' {
			return l.value(depth + 1)
		}
	}
	switch text {
	case "":
		return false
	case "null", "undefined", "None", "NaN", "nan":
		l.out.WriteString("null")
	case "true", "True":
		l.out.WriteString("true")
	case "false", "False":
		l.out.WriteString("false")
	default:
		if number := strings.TrimSuffix(text, "n"); json.Valid([]byte(number)) && number[0] != '"' {
			l.out.WriteString(number)
			return true
		}
		writeString(&l.out, text)
	}
	return true
}

// peek returns the next byte; 0 at the end.
func (l *literals) peek() byte {
	if l.at < len(l.src) {
		return l.src[l.at]
	}
	return 0
}

// call reads the arguments of a call. It is written as its only argument, as a date, or as its text.
func (l *literals) call(name string, depth int) bool {
	from, start := l.out.Len(), l.at
	if !l.container(')', depth) {
		return false
	}
	if l.next() == '{' { // Map(2) { .. }
		l.out.Truncate(from)
		return l.container('}', depth)
	}
	arguments := l.out.Bytes()[from:]
	var parts []int
	if name == "datetime.date" || name == "datetime.datetime" {
		if json.Unmarshal(arguments, &parts) == nil && len(parts) >= 3 {
			l.out.Truncate(from)
			writeString(&l.out, dateText(parts))
			return true
		}
	}
	if one := arguments[1 : len(arguments)-1]; len(one) > 0 && json.Valid(one) {
		only := bytes.Clone(one)
		l.out.Truncate(from)
		l.out.Write(only)
		return true
	}
	text := name + string(l.src[start:l.at])
	l.out.Truncate(from)
	writeString(&l.out, strings.Join(strings.Fields(text), " "))
	return true
}

// dateText returns a date, and a time if there is one.
func dateText(parts []int) string {
	text := fmt.Sprintf("%04d-%02d-%02d", parts[0], parts[1], parts[2])
	for i, part := range parts[3:min(len(parts), 6)] {
		text += fmt.Sprintf("%c%02d", "T::"[i], part)
	}
	return text
}
