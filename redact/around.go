package redact

import (
	"bytes"
	"strings"
)

// The surroundings of a value can say that it is no secret, whatever it looks like: the name before it, and the rest of its line.

// isTemplate reports whether a value follows the name of a part in angle brackets, as in `<user>:<password>@<host>`, and no element of XML.
func (m *matcher) isTemplate(v value) bool {
	b := m.v.b
	return v.from > 0 && b[v.from-1] == '>' && strings.IndexByte("@:\\/&?#", b[v.from]) >= 0 && (v.to == len(b) || b[v.to] != '<')
}

// isARN reports whether a value is the last part of the name of a secret of AWS, which is not the secret.
func (m *matcher) isARN(v value) bool {
	before := m.v.b[max(0, v.from-lookBack):v.from]
	return bytes.HasSuffix(before, []byte(":secret:")) && bytes.Contains(before, []byte(":secretsmanager:"))
}

// isKeyID reports whether the name before a value that begins at from is that of the number of a key, as KEY_ID and keyId.
func (m *matcher) isKeyID(from int) bool {
	b := m.v.b[max(0, from-lookBack):from]
	for len(b) > 0 && !isLetter(b[len(b)-1]) && b[len(b)-1] != '\n' {
		b = b[:len(b)-1]
	}
	b = b[max(0, len(b)-len("key_id")):]
	if n := len(b) - 2; n < 3 || !bytes.EqualFold(b[n:], []byte("id")) {
		return false
	}
	b = bytes.TrimRight(b[:len(b)-2], "_-.")
	return len(b) >= 3 && bytes.EqualFold(b[len(b)-3:], []byte("key"))
}

// described are bits that a value needs whose name says that it is a property of a secret and no secret.
const described = 16

// describing are the last words of such names, as in TOKEN_TYPE.
var describing = map[string]bool{
	"type": true, "name": true, "file": true, "path": true, "url": true, "uri": true, "ttl": true, "expiry": true, "expires": true, "header": true, "length": true,
	"algorithm": true, "endpoint": true, "version": true, "policy": true, "issuer": true, "audience": true, "scope": true, "lifetime": true, "timeout": true,
	"tiktoken": true, "webtoken": true, "jsonwebtoken": true,
	"prefix": true, "format": true, "count": true, "limit": true, "ref": true, "arn": true, "location": true, "provider": true, "store": true, "rotation": true,
}

// describes reports whether the name before a value that begins at from says so.
func (m *matcher) describes(from int) bool {
	b, floor := m.v.b, max(0, from-lookBack)
	to := from
	for to > floor && !isLetter(b[to-1]) && b[to-1] != '\n' {
		to--
	}
	var word [12]byte
	n := len(word)
	for to > floor && n > 0 && isLetter(b[to-1]) {
		n--
		to--
		word[n] = lower(b[to])
		if b[to]-'A' < 26 && (to == floor || b[to-1]-'a' < 26) { // a word in a name like tokenType
			break
		}
	}
	name := string(word[n:])
	return describing[name] || name == "token" && m.isOfParser(to) || name == "pass" && b[to] == 'P' && b[to+1] == 'A' && (to == 0 || !isWord(b[to-1])) // of a test
}

// isTest reports whether a value is the name of a test of Go that passed.
func (m *matcher) isTest(v value) bool { return bytes.HasSuffix(m.v.b[:v.from], []byte("--- PASS: ")) }

// isOfParser reports whether the word that begins at to is a token of a text that a parser does not understand.
func (m *matcher) isOfParser(to int) bool {
	before := bytes.TrimRight(m.v.b[max(0, to-lookBack):to], " ")
	for _, word := range [...]string{"nexpected", "nrecognized", "nknown", "llegal", "xtraneous", "ismatched"} { // without a first capital
		if bytes.HasSuffix(before, []byte(word)) {
			return true
		}
	}
	return false
}

// endsStatement reports whether a value has a comma or a semicolon behind it and nothing more on its line, and a space before it, as the
// members of literals and the statements of many languages have. A colon is that of a message that goes on.
func (m *matcher) endsStatement(v value) bool {
	b := m.v.b
	if v.quoted || v.tight || v.to == v.from || strings.IndexByte(",;:", b[v.to-1]) < 0 {
		return false
	}
	return b[v.to-1] == ':' || v.to == len(b) || b[v.to] == '\n' || b[v.to] == '\r' || b[v.to] == '\\'
}
