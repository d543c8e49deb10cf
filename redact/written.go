package redact

import (
	"bytes"
	"strings"
)

// Values that are no secrets: words, paths, code, and the placeholders of examples and templates.

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

// code reports whether a text looks like an expression: the address of a name, or a name with brackets behind it, as a call or an index
// has them.
func code(b []byte) bool {
	address := b[0] == '&'
	for len(b) > 1 && (b[0] == '&' || b[0] == '*' || b[0] == '!' || b[0] == '-') {
		b = b[1:]
	}
	name := 0
	for name < len(b) && (isWord(b[name]) && (name > 0 && b[name-1] != '.' || b[name]-'0' >= 10) || b[name] == '.' && name > 0) {
		name++
	}
	if address && name > 0 && len(bytes.TrimRight(b[name:], ",;)")) == 0 {
		return true
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

// alphabetBegin is in examples, and nowhere at random.
const alphabetBegin = "abcdefgh"

// placeholder reports whether a text takes the place of a secret in examples
// and templates: the global allow list of gitleaks, and some more.
func placeholder(b []byte) bool {
	if variable(b) || bytes.Count(b, b[:1]) == len(b) || bytes.Contains(b[:min(len(b), maxDrawn)], []byte("****")) || len(b) > len(alphabetBegin) && bytes.EqualFold(b[:len(alphabetBegin)], []byte(alphabetBegin)) {
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
		rare = rare || s[i] == 'x' || c == '{' || c == '.' || s[i] == 'h' // one of these is in each of the parts below
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
	for _, part := range [...]string{"example", "${", "{{", "...", alphabetBegin} {
		if bytes.Contains(s, []byte(part)) {
			return true
		}
	}
	return bytes.Contains(b, []byte("xxxx")) || bytes.Contains(b, []byte("XXXX"))
}

// variable reports whether a text begins like the name of a variable, or is all in
// brackets.
func variable(b []byte) bool {
	last := b[len(b)-1]
	switch b[0] {
	case '{':
		if last == '}' || begins(b, "{{") || begins(b, "{%") {
			return true
		}
		name, _, closed := bytes.Cut(b[1:], []byte("}")) // as in Python's strings
		return closed && isMember(append(name[:len(name):len(name)], '.')) && len(name)+4 >= len(b)
	case '&':
		return (last == '>' || bytes.HasSuffix(b, []byte("&gt;"))) && (begins(b, "&lt;") || begins(b, "&#x3C;") || begins(b, "&#60;"))
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
	if len(b) > 1 && bytes.IndexByte([]byte("{(["), b[1]) >= 0 || b[0] == last && len(b) > 1 && !bytes.ContainsFunc(b[1:len(b)-1], isSymbol) {
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

// isSymbol reports whether a character is in no name of a variable.
func isSymbol(r rune) bool { return r >= 0x80 || !isWord(byte(r)) && r != '.' && r != '-' }

// isExpression reports whether a text is a regular expression: it has a class of letters or a group, and something more of one.
func isExpression(b []byte) bool {
	b = b[:min(len(b), maxDrawn)]
	if bytes.IndexByte(b, '[') < 0 && bytes.IndexByte(b, '(') < 0 {
		return false
	}
	signs, sure := 0, false
	for _, s := range [...]string{"[^", "(?", "]+", "]*", "]{", ")?", ".*", "\\w", "\\d", "\\s"} {
		if bytes.Contains(b, []byte(s)) {
			signs++
		}
	}
	for _, s := range [...]string{"A-Z", "a-z", "0-9", ".*?", "(?:", "(?P<"} {
		sure = sure || bytes.Contains(b, []byte(s))
	}
	return signs > 0 && sure || signs > 1 && bytes.Contains(b, []byte("[^"))
}

// isEscapes reports whether a text is hardly more than escapes of bytes, as in compiled descriptors.
func isEscapes(b []byte) bool {
	if bytes.IndexByte(b, '\\') < 0 {
		return false
	}
	rest := len(b)
	for i := 0; i < len(b)-1; i++ {
		if b[i] != '\\' {
			continue
		}
		i++
		switch b[i] {
		case 'x':
			rest -= 4
		case 'u':
			rest -= 6
		default:
			rest -= 2
		}
	}
	return rest < minAssigned && rest < len(b)/2
}

// isData reports whether a text begins a list or an object, is concatenated from others, or is the next option of a command.
func isData(b []byte, v value) bool {
	if v.quoted {
		return isQuote(b[0]) && b[1] == '+'
	}
	for _, key := range [...]string{"id=", "source=", "src=", "type="} {
		if begins(b, key) {
			return true
		}
	}
	return (b[0] == '{' || b[0] == '[') && isQuote(b[1]) || b[0] == '-' && b[1] == '-' && !needs(aDigit).met(b)
}

// isMember reports whether a text is names with points between them, as those of members are.
func isMember(b []byte) bool {
	points := 0
	for i, c := range b {
		switch {
		case c == '.' && i > 0 && b[i-1] != '.':
			points++
		case isLetter(c) || c == '_':
		case c-'0' < 10 && i > 0 && b[i-1] != '.':
		case (c == ',' || c == ';' || c == ')') && i == len(b)-1:
		default:
			return false
		}
	}
	return points > 0
}

// isConstant reports whether a text is capitals, as the names of variables and constants are.
func isConstant(b []byte) bool {
	for _, c := range b {
		if c-'A' >= 26 && c != '_' && c != ',' {
			return false
		}
	}
	return true
}

// isHexNumber reports whether a text is a number of at most 64 bits as code writes it: 0x and digits.
func isHexNumber(b []byte) bool {
	return len(b) <= len("0x")+16 && begins(b, "0x") && len(bytes.Trim(b[2:], "0123456789abcdefABCDEF,;)")) == 0
}

// namesSecret reports whether the name of a secret is in a text, as in "my-api-key" and "cfg.APIKey".
func namesSecret(b []byte) bool {
	var buffer [maxDrawn]byte
	s := buffer[:0]
	for _, c := range b {
		if isLetter(c) {
			s = append(s, lower(c))
		} else if strings.IndexByte("_-.", c) < 0 {
			s = append(s, c)
		}
	}
	for _, name := range [...]string{"password", "passwd", "secret", "token", "apikey", "accesskey", "privatekey", "hostkey", "credential"} {
		if bytes.Contains(s, []byte(name)) {
			return true
		}
	}
	return false
}

// digests are the names of hashes that are written before them, as in a go.sum.
var digests = [...]string{"h1", "md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "blake3"}

// isDigest reports whether the name of a hash is directly before a value, or begins it.
func isDigest(before, b []byte) bool {
	for _, name := range digests {
		if n := len(before) - 1 - len(name); n >= 0 && strings.IndexByte(":-=", before[len(before)-1]) >= 0 && begins(before[n:], name) && (n == 0 || !isWord(before[n-1])) {
			return true
		}
		if n := len(name); len(b) > n && (b[n] == ':' || b[n] == '-') && begins(b, name) {
			return true
		}
	}
	return false
}
