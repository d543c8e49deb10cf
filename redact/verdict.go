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
	if r.drawn != 0 && v.bits >= r.drawn && (!v.code || r.drawn <= hardly) {
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

// Bits that a value needs by its form.
const (
	bracketed = 16 // that of code
	wordy     = 8  // more than others, without a digit: words are letters
	named     = 8  // more than others, with the name of a secret in it
)

// weigh adds to a value what every rule asks of it.
func (m *matcher) weigh(v value) value {
	b := m.v.b[v.from:v.to]
	v.bits = math.Inf(-1)
	if len(b) < minAssigned {
		return v
	}
	bits := drawn(b)
	v.never = m.isTemplate(v) || m.isARN(v) || m.isTest(v) || isDigest(m.v.b[max(0, v.from-lookBack):v.from], b) || isExpression(b) || isEscapes(b) || isData(b, v) ||
		bits < described && m.describes(v.from)
	if head := b[:min(len(b), maxDrawn)]; !v.never && bits >= hardly && needs(aLetter).met(head) { // a number is none, also of JSON
		v.bits, v.code = m.evidence(bits, head, b, v)
	}
	return v
}

// evidence returns the bits of evidence that a value was drawn at random beyond those that its form needs, and whether it looks like code.
func (m *matcher) evidence(bits float64, head, b []byte, v value) (beyond float64, isCode bool) {
	none := math.Inf(-1)
	hasDigit := needs(aDigit).met(head)
	isCode = bits < bracketed && (!v.quoted && (code(b) || m.endsStatement(v)) || !hasDigit && (isConstant(b) || !v.quoted && !v.tight && isMember(b)))
	beyond = bits
	if !hasDigit {
		beyond -= wordy
	}
	if namesSecret(head) {
		if beyond -= named; !hasDigit {
			return none, isCode
		}
	}
	switch {
	case placeholder(b), isHexNumber(b), path(b) && madeOfNames(b), v.quoted && bits <= sentence && bytes.IndexByte(b, ' ') >= 0:
		return none, isCode
	}
	return beyond, isCode
}

// sentence are bits that no text of several words has.
const sentence = 32

// minSegment is the length that segments of a text with slashes have at least on average if the slashes are digits of base64.
const minSegment = 8

// madeOfNames reports whether a text that looks like a path is one: its names are short, or the first one behind a root was written.
func madeOfNames(b []byte) bool {
	if b[len(b)-1] == '=' || drawn(b) > sentence && len(bytes.Trim(b, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")) == 0 { // base64
		return false
	}
	if bytes.Contains(b, []byte("://")) || bytes.Contains(b, []byte("::")) || len(b) < minSegment*(bytes.Count(b[1:], []byte("/"))+1) {
		return true
	}
	first, _, _ := bytes.Cut(bytes.TrimLeft(b, "/.~"), []byte("/"))
	if len(b) > 4*minSegment*bytes.Count(b, []byte("/")) {
		return false
	}
	return strings.IndexByte("/.~", b[0]) >= 0 && drawn(first) < clearly
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
