package salience

import "bytes"

// line is a line that rules are applied to.
type line struct {
	text []byte // as a reader sees it
	body int    // where it begins behind times, levels and margins
}

// isDigit reports whether c is an ASCII digit.
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// fold returns a letter in lower case; other bytes become others.
func fold(c byte) byte { return c | 0x20 }

// isAlphanumeric reports whether c is an ASCII digit or letter.
func isAlphanumeric(c byte) bool { return isDigit(c) || fold(c) >= 'a' && fold(c) <= 'z' }

// joins reports whether the text behind a byte belongs to the same name or
// path.
func joins(c byte) bool {
	return isAlphanumeric(c) || c == '_' || c == '-' || c == '/' || c == '.' || c == '\\'
}

// goesOn reports whether the word before an offset is a part of a longer name
// or path.
func (l line) goesOn(end int) bool {
	if end >= len(l.text) {
		return false
	}
	switch c := l.text[end]; c {
	case '.':
		return end+1 < len(l.text) && isAlphanumeric(l.text[end+1])
	case '_', '-', '/', '=':
		return true
	default:
		return isAlphanumeric(c)
	}
}

// levels are what loggers write in a line that is no error, by their first
// byte.
var levels = [256][]string{
	'I': {"INFO"}, 'D': {"DEBUG"}, 'T': {"TRACE"}, 'l': {"level=info", "level=debug"}, 'W': {"WARN", "Warning:"},
	'w': {"warning:", "warn]"}, 'n': {"note: "},
}

// levelWithin is where a level has to begin, in bytes from the start of the
// line.
const levelWithin = 80

// belowError reports whether a logger marks the line as less than an error.
func (l line) belowError() bool {
	for i, c := range l.text[:min(len(l.text), levelWithin)] {
		if levels[c] == nil || i > 0 && isAlphanumeric(l.text[i-1]) {
			continue
		}
		for _, level := range levels[c] {
			if bytes.HasPrefix(l.text[i:], []byte(level)) {
				return true
			}
		}
	}
	return false
}

// hasPlace reports whether the line names a place in a file: "main.go:12",
// "Main.java:[12,3]", "main.cs(12)".
func (l line) hasPlace() bool {
	text := l.text[l.body:]
	for i := 1; i+1 < len(text); i++ {
		if c := text[i]; c != ':' && c != '(' || !isAlphanumeric(text[i-1]) || isDigit(text[i-1]) {
			continue
		}
		digit := text[i+1]
		if digit == '[' && i+2 < len(text) {
			digit = text[i+2]
		}
		if isDigit(digit) && hasExtension(text[:i]) {
			return true
		}
	}
	return false
}

// longestExtension is more letters than the extension of a source file has.
const longestExtension = 8

// hasExtension reports whether a text ends as the name of a file does.
func hasExtension(text []byte) bool {
	for i := len(text) - 1; i > 0 && len(text)-i <= longestExtension; i-- {
		if text[i] == '.' {
			return true
		}
		if !isAlphanumeric(text[i]) {
			return false
		}
	}
	return false
}

// longestTag is more than the name of a level or of a step has, in bytes.
const longestTag = 40

// bodyBehind returns where a line begins behind times, margins and tags: "[exec]
// ", "[12:00:01] ", "[INFO] ", "Jan  2 03:04:05 host sshd[77]: ", "==77== ". time is the length
// of its times.
func bodyBehind(text []byte, time int) int {
	for i := 0; ; {
		from := i
		for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '|' || text[i] == '>') {
			i++
		}
		n := time
		if i > 0 {
			n = TimeLength(text[i:])
		}
		if n > 0 {
			i += n
			i += originLength(text[i:])
		}
		if i < len(text) && text[i] == '[' {
			i += tagLength(text[i:])
		}
		i += processLength(text[i:])
		if i == from {
			return i
		}
	}
}

// tagLength returns the length of the tag that a text begins with; 0 where it
// says that something failed.
func tagLength(text []byte) int {
	end := bytes.IndexByte(text[:min(len(text), longestTag)], ']')
	if end <= 1 {
		return 0
	}
	tag := bytes.ToLower(text[1:end])
	if bytes.IndexByte(tag, '/') >= 0 || contains(tag, "err") || contains(tag, "fail") {
		return 0
	}
	return end + 1
}

// originLength returns the length of a host and a program that syslog writes
// behind the time, "host sshd[77]: " or "host kernel: ", with the blank.
func originLength(text []byte) int {
	host := bytes.IndexByte(text, ' ')
	if host <= 0 || !isAlphanumeric(text[host-1]) {
		return 0
	}
	program := bytes.IndexByte(text[host+1:], ' ')
	if program <= 0 {
		return 0
	}
	name := text[host+1 : host+1+program]
	if string(name) != "kernel:" && !(bytes.HasSuffix(name, []byte("]:")) && bytes.IndexByte(name, '[') > 0) {
		return 0
	}
	return host + 1 + program + 1
}

// processLength returns the length of the margin that Valgrind and the
// sanitizers write, "==77==", with the blank.
func processLength(text []byte) int {
	if !bytes.HasPrefix(text, []byte("==")) {
		return 0
	}
	rest := digitSet.TrimLeft(text[2:])
	if len(rest) == len(text)-2 || !bytes.HasPrefix(rest, []byte("==")) {
		return 0
	}
	return len(text) - len(bytes.TrimLeft(rest[2:], " "))
}
