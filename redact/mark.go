package redact

import (
	"fmt"
	"regexp"
	"sync"
)

// The form of a placeholder: markBegin, a kind and "]".
const (
	markBegin = "[redacted:"
	maxName   = 64
)

// Placeholder matches a placeholder of any kind.
var Placeholder = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(fmt.Sprintf(`%s[\w.-]{1,%d}\]`, regexp.QuoteMeta(markBegin), maxName))
})

// kinds are names of kinds and their placeholders.
type kinds struct {
	names []string
	marks [][]byte
	index map[string]int
}

// grow prepares for n names.
func (k *kinds) grow(n int) {
	k.names, k.marks, k.index = make([]string, 0, n), make([][]byte, 0, n), make(map[string]int, n)
}

// add returns the number of a name, and adds it if it is new.
func (k *kinds) add(name string) int {
	if i, ok := k.index[name]; ok {
		return i
	}
	if k.index == nil {
		k.index = map[string]int{}
	}
	k.index[name] = len(k.names)
	k.names = append(k.names, name)
	k.marks = append(k.marks, []byte(markBegin+name+"]"))
	return len(k.names) - 1
}

// marks are the placeholders that a Redactor writes. Only these are left as
// they are: a tool could write a secret in the form of one.
type marks struct{ values, patterns *kinds }

// has reports whether a Redactor writes placeholders of a name.
func (m *marks) has(name []byte) bool {
	for _, k := range [2]*kinds{m.values, m.patterns} {
		if k != nil {
			if _, ok := k.index[string(name)]; ok {
				return true
			}
		}
	}
	return false
}

// at returns the length of the placeholder at i, 0 without one, and undecided
// if more bytes must come.
func (m *marks) at(b []byte, i int, end bool) int {
	if m == nil {
		return 0
	}
	for k := range len(markBegin) {
		if i+k >= len(b) {
			return open(end)
		}
		if b[i+k] != markBegin[k] {
			return 0
		}
	}
	name := i + len(markBegin)
	for k := name; k <= name+maxName; k++ {
		if k >= len(b) {
			return open(end)
		}
		if b[k] == ']' {
			if m.has(b[name:k]) {
				return k + 1 - i
			}
			return 0
		}
		if !isName(b[k]) {
			return 0
		}
	}
	return 0
}

// undecided is the length of a placeholder or a sequence whose end must still
// come.
const undecided = -1

// open returns undecided, or 0 at the end of the stream.
func open(end bool) int {
	if end {
		return 0
	}
	return undecided
}

// isName reports whether c may be part of the name of a kind.
func isName(c byte) bool {
	return isWord(c) || c == '.' || c == '-'
}

// isWord reports whether c is an ASCII letter or digit or an underscore.
func isWord(c byte) bool {
	return c|0x20-'a' < 26 && c < 0x80 || c-'0' < 10 || c == '_'
}

// all reports whether a secret is nothing but placeholders and asterisks: then
// somebody redacted it before.
func (m *marks) all(secret []byte) bool {
	for i := 0; i < len(secret); {
		n := 1
		if secret[i] != '*' {
			if n = m.at(secret, i, true); n == 0 {
				return false
			}
		}
		i += n
	}
	return true
}
