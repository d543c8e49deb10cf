package redact

import (
	"bytes"
	"math"
	"strings"
)

// The second look at the match of a pattern: is it a secret, or a word, a path,
// a placeholder of a template? Entropy alone rejects words; the rest was learnt
// from false alarms in real logs.

// entropyBytes is how many bytes of a secret its entropy is taken from, at
// most.
const entropyBytes = 512

// logs has n*log2(n).
var logs = func() (l [entropyBytes + 1]float64) {
	for n := 1; n <= entropyBytes; n++ {
		l[n] = float64(n) * math.Log2(float64(n))
	}
	return l
}()

// entropy returns Shannon's entropy of the bytes, in bits for each: 0 for a run of one
// byte, and log2(n) for n different ones.
func entropy(b []byte) float64 {
	b = b[:min(len(b), entropyBytes)]
	if len(b) == 0 {
		return 0
	}
	var counts [256]uint16
	for _, c := range b {
		counts[c]++
	}
	sum := logs[len(b)]
	for _, c := range b { // each byte once: its count is taken and cleared
		if n := counts[c]; n > 1 {
			sum -= logs[n]
		}
		counts[c] = 0
	}
	return sum / float64(len(b))
}

// secret reports whether the match of a pattern of the rule is a secret.
func (r *rule) secret(b []byte) bool { return r.secretThat(r.needs, b) }

// secretThat is secret with other needs.
func (r *rule) secretThat(n needs, b []byte) bool {
	if n != 0 && !n.met(b) {
		return false
	}
	if r.entropy > 0 && entropy(b) <= r.entropy {
		return false
	}
	for _, a := range r.allow {
		if bytes.Contains(b, []byte(a)) {
			return false
		}
	}
	return r.rank >= rankPrefix || !placeholder(b)
}

// minAssigned is the length of the shortest assigned value that is a secret.
const minAssigned = 8

// assigned reports whether an assigned value is a secret by the rule.
func (r *rule) assigned(b []byte, v value) bool {
	if len(b) < minAssigned {
		return false
	}
	if (v.quoted || r.needs&noCode != 0) && refers(b) {
		return false
	}
	if r.drawn != 0 && r.random(b, v) {
		return true
	}
	if r.needs&^(noPath|noCode) == 0 || v.element && r.loose&strong == 0 {
		return false
	}
	n := r.needs
	if v.quoted {
		if n &^= noCode; n&strong != 0 {
			n = n&^strong | odd
		}
	}
	if !v.quoted && !v.tight {
		n |= r.loose
	}
	if !r.secretThat(n, b) {
		return false
	}
	return !v.quoted || bytes.IndexByte(b, ' ') < 0 || !prose(b)
}

// bracketed are bits that a value with the form of a call or an index needs.
const bracketed = 16

// wordy are bits that a value without a digit needs more than others: words are letters.
const wordy = 4

// random reports whether a value was drawn at random, as far as the rule asks for that.
func (r *rule) random(b []byte, v value) bool {
	head := b[:min(len(b), maxDrawn)]
	if !needs(aLetter).met(head) { // a number, also of JSON
		return false
	}
	least := r.drawn
	if !needs(aDigit).met(head) {
		least += wordy
	}
	if !v.quoted && code(b) {
		least = max(least, bracketed)
	}
	switch {
	case drawn(b) < least, placeholder(b):
		return false
	case path(b):
		return !madeOfNames(b)
	}
	return !v.quoted || bytes.IndexByte(b, ' ') < 0 || drawn(b) > sentence
}

// sentence are bits that no text of several words has.
const sentence = 32

// minSegment is the length that segments of a text with slashes have at least on average if the slashes are digits of base64.
const minSegment = 8

// madeOfNames reports whether a text that looks like a path is one: its names are short, or the first one behind a root was written.
func madeOfNames(b []byte) bool {
	if bytes.Contains(b, []byte("://")) || bytes.Contains(b, []byte("::")) || len(b) < minSegment*(bytes.Count(b[1:], []byte("/"))+1) {
		return true
	}
	first, _, _ := bytes.Cut(bytes.TrimLeft(b, "/.~"), []byte("/"))
	if len(b) > 4*minSegment*bytes.Count(b, []byte("/")) {
		return false
	}
	return strings.IndexByte("/.~", b[0]) >= 0 && drawn(first) < likely
}

// prose reports whether a text with spaces reads like words: more than four, or none
// with a letter and a digit or a symbol inside.
func prose(b []byte) bool {
	words := bytes.Fields(b)
	for _, w := range words {
		if needs(aDigit|aLetter).met(w) || len(w) > 2 && bytes.ContainsAny(w[1:len(w)-1], "!#$%&*+?^~@|=<>") {
			return len(words) > 4
		}
	}
	return true
}

// symbols are bytes that names of things do not have.
const symbols = "!#$%&*+?^~@()|;=,{}[]\\<>"

// met reports whether a secret has the properties.
func (n needs) met(b []byte) bool {
	digit, letter, lowers, uppers, inside, other, symbol := false, false, false, false, false, false, false
	for i, c := range b[:min(len(b), entropyBytes)] {
		switch {
		case c-'0' < 10:
			digit = true
		case c-'a' < 26:
			letter, lowers = true, true
		case c-'A' < 26:
			letter, uppers = true, true
			inside = inside || i > 0
		default:
			other = true
			symbol = symbol || (i < len(b)-1 || c != ',' && c != ';') && strings.IndexByte(symbols, c) >= 0
		}
	}
	switch {
	case n&strong != 0 && !(digit && letter && symbol), n&odd != 0 && !(digit && letter && (symbol || other && lowers && uppers)), n&noCode != 0 && code(b):
		return false
	case n&aDigit != 0 && !digit, n&aLetter != 0 && !letter:
		return false
	case n&noWord != 0 && !digit && !(lowers && inside):
		return false
	case n&mixed != 0 && !(digit && letter || lowers && uppers && other):
		return false
	case n&noPath != 0 && path(b):
		return false
	}
	return true
}

// code reports whether a text looks like an expression: a name with brackets behind
// it, as a call or an index has them.
func code(b []byte) bool {
	for len(b) > 1 && (b[0] == '&' || b[0] == '*' || b[0] == '!' || b[0] == '-') {
		b = b[1:]
	}
	name := 0
	for name < len(b) && (isWord(b[name]) && (name > 0 && b[name-1] != '.' || b[name]-'0' >= 10) || b[name] == '.' && name > 0) {
		name++
	}
	if name == 0 || name == len(b) || bytes.IndexByte([]byte("([{"), b[name]) < 0 {
		return false
	}
	inside := b[name+1:]
	end := bytes.LastIndexAny(inside, ")]}")
	if end < 0 { // it goes on behind white space
		return !bytes.ContainsAny(inside, "!#$%;<=>?@\\^|~{}+")
	}
	return end == len(inside)-1 || bytes.IndexByte([]byte(".,;([)]"), inside[end+1]) >= 0
}

// refers reports whether a text has a template in it: "${", "$(" or "{{", and what
// ends it.
func refers(b []byte) bool {
	if bytes.IndexByte(b, '{') < 0 && bytes.IndexByte(b, '(') < 0 {
		return false
	}
	for _, t := range [...][2]string{{"${", "}"}, {"$(", ")"}, {"{{", "}}"}} {
		if at := bytes.Index(b, []byte(t[0])); at >= 0 && bytes.Contains(b[at:], []byte(t[1])) {
			return true
		}
	}
	return false
}

// path reports whether a text begins like a path, or has several slashes or a
// scheme.
func path(b []byte) bool {
	switch {
	case b[0] == '/', b[0] == '.', b[0] == '~':
		if bytes.IndexByte(b[1:], '/') >= 0 || b[0] != '~' && !bytes.ContainsAny(b, symbols) {
			return true
		}
	case len(b) > 2 && b[1] == ':' && (b[2] == '\\' || b[2] == '/'):
		return true
	}
	return bytes.Contains(b, []byte("://")) || bytes.Count(b, []byte("/")) > 2 || bytes.Contains(b, []byte("::"))
}

// placeholder reports whether a text takes the place of a secret in examples
// and templates: the global allow list of gitleaks, and some more.
func placeholder(b []byte) bool {
	if variable(b) || bytes.Count(b, b[:1]) == len(b) {
		return true
	}
	if len(b) > 40 {
		return false
	}
	var buffer [40]byte
	s := buffer[:len(b)]
	rare := false
	for i, c := range b {
		s[i] = lower(c)
		rare = rare || s[i] == 'x' || c == '*' || c == '{' // one of these is in each of the parts below
	}
	switch string(s) {
	case "true", "false", "null", "none", "undefined", "password", "passwd", "pass", "pwd", "secret", "token", "changeme", "changeit",
		"example", "username", "user", "test", "redacted", "masked", "hidden", "default", "optional", "required", "string", "process", "empty",
		"014df517-39d1-4453-b7b3-9930c563627c":
		return true
	}
	for _, begin := range [...]string{"your", "/users/", "process.env", "os.environ"} {
		if begins(s, begin) {
			return true
		}
	}
	if !rare {
		return false
	}
	for _, part := range [...]string{"example", "xxxx", "****", "${", "{{", "abcdefghijklmnopqrstuvwxyz"} {
		if bytes.Contains(s, []byte(part)) {
			return true
		}
	}
	return false
}

// variable reports whether a text begins like the name of a variable, or is all in
// brackets.
func variable(b []byte) bool {
	last := b[len(b)-1]
	switch b[0] {
	case '{':
		return last == '}' || begins(b, "{{") || begins(b, "{%")
	case '<':
		return last == '>' || begins(b, "<%")
	case '(':
		return last == ')'
	case '[': // a list, or text that was redacted
		return bytes.IndexByte(b, ']') > 0
	case '$', '%', '@':
	default:
		return false
	}
	if len(b) > 1 && bytes.IndexByte([]byte("{(["), b[1]) >= 0 || b[0] == last && len(b) > 1 {
		return true
	}
	n, digits, lowers, uppers := 1, false, false, false
	for n < len(b) && isWord(b[n]) {
		digits, lowers, uppers = digits || b[n]-'0' < 10, lowers || b[n]-'a' < 26, uppers || b[n]-'A' < 26
		n++
	}
	if b[0] != '$' {
		return n == len(b) && !digits
	}
	return n == len(b) || n > 1 && (!lowers || !uppers || bytes.IndexByte([]byte("-[.:/"), b[n]) >= 0)
}
