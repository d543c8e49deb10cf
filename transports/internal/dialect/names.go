package dialect

import (
	"encoding/binary"
	"strconv"
	"strings"

	"github.com/zeebo/blake3"
)

// Pattern describes the ids or names that a provider accepts.
type Pattern struct {
	min, max int               // length in bytes
	first    func(c byte) bool // the first byte; nil: as the others
	other    func(c byte) bool // the other bytes
}

// alphanumeric reports whether c is an ASCII letter or digit.
func alphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// word reports whether c is an ASCII letter or digit, "_" or "-".
func word(c byte) bool { return alphanumeric(c) || c == '_' || c == '-' }

// printable reports whether c is printable ASCII other than a space.
func printable(c byte) bool { return c > ' ' && c < 0x7f }

// Accepts reports whether a provider accepts an id or a name. No provider accepts "".
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

// replace returns an id that the provider accepts: the id itself or a digest of it. The same id always gets the same
// replacement, and two ids that differ get two that differ (docs/adr/0024).
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

// UniqueID returns an id that the provider accepts and that is not in used, and adds it. If two calls of a message have
// the same id, the second gets a new one.
func (p Pattern) UniqueID(id string, used map[string]bool) string {
	unused := p.replace(id)
	for n := 2; used[unused]; n++ {
		unused = p.replace(id + "\n#" + strconv.Itoa(n)) // no provider sends a line break in an id
	}
	used[unused] = true
	return unused
}

// FunctionName returns a name that the provider accepts: the name itself, or as much of it as can be kept and a digest,
// so that two names that differ get two that differ.
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

// digestChars is the length of a digest that two ids do not share by accident: 22 characters of 62 are 131 bits.
const digestChars = 22

// digest returns the first characters of a digest of text as letters and digits, which every provider accepts. The
// BLAKE3 digest is read as 64-bit words, because a byte modulo 62 would be biased.
func digest(text string, chars int) string {
	const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	h := blake3.New()
	_, _ = h.WriteString(text) // writing to a hash does not fail
	source := h.Digest()
	var word [8]byte
	out := make([]byte, chars)
	for i := range out {
		_, _ = source.Read(word[:])
		out[i] = alphabet[binary.LittleEndian.Uint64(word[:])%uint64(len(alphabet))]
	}
	return string(out)
}

// separator separates the server and the tool in the name of a function. Source: "Native Tool Result Format".
const separator = "___"

// JoinName returns the name of the function of a tool. A tool without a server has its own name.
func JoinName(server, tool string) string {
	if server == "" {
		return tool
	}
	return server + separator + tool
}

// SplitName returns the server and the tool of a function. A name without a server, or without a tool after the
// separator, is a tool alone.
func SplitName(name string) (server, tool string) {
	server, tool, found := strings.Cut(name, separator)
	if !found || server == "" || tool == "" {
		return "", name
	}
	return server, tool
}
