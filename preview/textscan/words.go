package textscan

import "strings"

// Words, numbers and names as programs write them. What they mean is for others
// to know.

// BeginsWord reports whether a word can begin with c: a letter, a digit, or a
// byte of a character that is not ASCII.
func BeginsWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c >= 0x80
}

// EndsScalar reports whether c ends a number or a word of JSON.
func EndsScalar(c byte) bool {
	return c == ',' || c == ':' || c == '}' || c == ']' || c == ' ' || c == '\t' || c == '\r' || c == '\n'
}

// Number reads a decimal number of at most nine digits, and returns how many it
// has.
func Number(text []byte) (n, digits int) {
	for digits < len(text) && digits < 9 && text[digits] >= '0' && text[digits] <= '9' {
		n = n*10 + int(text[digits]-'0')
		digits++
	}
	return n, digits
}

// PlainName appends the name of a member in lower case without signs, so that
// "exit_code" and "exitCode" are the same. It appends nothing if dst has too
// little capacity: a name that is longer than all known ones is not known.
func PlainName(dst, name []byte) []byte {
	from := len(dst)
	for _, c := range name {
		if c == '_' || c == '-' || c == ' ' || c == '.' {
			continue
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if len(dst) == cap(dst) {
			return dst[:from]
		}
		dst = append(dst, c)
	}
	return dst
}

// HasWord reports whether a word is in a list with blanks between.
func HasWord(list string, word []byte) bool {
	if len(word) == 0 {
		return false
	}
	for one := range strings.SplitSeq(list, " ") {
		if one == string(word) {
			return true
		}
	}
	return false
}
