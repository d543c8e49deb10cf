package dialect

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/zeebo/blake3"
)

// pattern is what a provider takes for an id or a name. Sources are in the files of the
// providers.
type Pattern struct {
	min, max int               // bytes
	first    func(c byte) bool // the first one; nil: as the others
	other    func(c byte) bool // every one
}

func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func word(c byte) bool { return alphanumeric(c) || c == '_' || c == '-' }

func printable(c byte) bool { return c > ' ' && c < 0x7f }

// takes reports whether an id or a name is one that the provider takes.
func (p Pattern) Accepts(text string) bool {
	if len(text) < p.min || len(text) > p.max || text == "" {
		return false
	}
	for i := range len(text) {
		if !p.other(text[i]) {
			return false
		}
	}
	return p.first == nil || p.first(text[0])
}

// id returns the id that stands for one that a provider does not take, always the same
// one. Two ids that differ get two that differ.
func (p Pattern) replace(id string) string {
	if p.Accepts(id) {
		return id
	}
	const prefix = "call_"
	if len(prefix)+digestChars <= p.max && p.other('_') {
		return prefix + digest(id, digestChars)
	}
	return digest(id, min(p.max, digestChars))
}

// unused returns the id that stands for one, and marks it as used. Of two calls of a
// message that have the same id the second gets another one.
func (p Pattern) UniqueID(id string, used map[string]bool) string {
	stands := p.replace(id)
	for n := 2; used[stands]; n++ {
		stands = p.replace(id + "\n#" + strconv.Itoa(n)) // which no provider has
	}
	used[stands] = true
	return stands
}

// name returns the name that stands for one that a provider does not take: as much of it
// as can be kept, and a digest, so that two names that differ get two that differ.
func (p Pattern) FunctionName(name string) string {
	if p.Accepts(name) {
		return name
	}
	const tail = 7 // "_" and six characters
	var b strings.Builder
	for i := 0; i < len(name) && b.Len() < p.max-tail-1; i++ {
		c := name[i]
		if !p.other(c) {
			c = '_'
		}
		if b.Len() == 0 && p.first != nil && !p.first(c) {
			b.WriteByte('_')
		}
		b.WriteByte(c)
	}
	return b.String() + "_" + digest(name, tail-1)
}

// digestChars are as many characters of a digest as two ids cannot share by accident.
const digestChars = 22

// digest writes the first characters of a digest of text in letters and digits, which
// every provider takes.
func digest(text string, chars int) string {
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	h := blake3.New()
	_, _ = h.WriteString(text) // a hash does not fail
	source := h.Digest()
	var word [8]byte
	out := make([]byte, chars)
	for i := range out {
		_, _ = source.Read(word[:])
		out[i] = alphabet[binary.LittleEndian.Uint64(word[:])%uint64(len(alphabet))]
	}
	return string(out)
}

// separator stands between the server and the tool in the name of a function. Source:
// "Native Tool Result Format".
const separator = "___"

// JoinName returns the name of a function.
func JoinName(server, tool string) string {
	if server == "" {
		return tool
	}
	return server + separator + tool
}

// SplitName returns the server and the tool of a function. One without a server, or
// without a tool behind the separator, is a tool alone.
func SplitName(name string) (server, tool string) {
	server, tool, found := strings.Cut(name, separator)
	if !found || server == "" || tool == "" {
		return "", name
	}
	return server, tool
}
