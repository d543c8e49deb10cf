package bpe

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// A class is the kind of a character in the patterns. Each is a bit, so that a set
// of classes is one too.
type class uint8

const (
	other   class = 1 << iota // none of the following: punctuation, symbols, controls
	accent                    // \p{M}
	upper                     // \p{Lu}, \p{Lt}
	lower                     // \p{Ll}
	letter                    // \p{Lm}, \p{Lo}: letters without case
	number                    // \p{N}
	blank                     // \s but for \r and \n
	newline                   // \r, \n
)

// classes has the class of every character below its length, by the Unicode
// tables of the Go toolchain.
type classes struct {
	ascii [256]class // by byte; nothing for a byte of a longer character
	wide  [0x20000]class
}

// alphabet is made at the first use of any vocabulary, and shared by all.
var alphabet = sync.OnceValue(func() *classes {
	c := new(classes)
	for r := range c.wide {
		c.wide[r] = other
	}
	c.set(unicode.White_Space, blank)
	c.set(unicode.M, accent)
	c.set(unicode.N, number)
	c.set(unicode.Lm, letter)
	c.set(unicode.Lo, letter)
	c.set(unicode.Ll, lower)
	c.set(unicode.Lu, upper)
	c.set(unicode.Lt, upper)
	c.wide['\r'], c.wide['\n'] = newline, newline
	copy(c.ascii[:utf8.RuneSelf], c.wide[:])
	return c
})

func (c *classes) set(table *unicode.RangeTable, k class) {
	for _, r := range table.R16 {
		for char := uint32(r.Lo); char <= uint32(r.Hi); char += uint32(r.Stride) {
			c.wide[char] = k
		}
	}
	for _, r := range table.R32 {
		for char := r.Lo; char <= r.Hi && char < uint32(len(c.wide)); char += r.Stride {
			c.wide[char] = k
		}
	}
}

// at returns the class of the character at i, and its length in bytes.
func (c *classes) at(text string, i int) (class, int) {
	if b := text[i]; b < utf8.RuneSelf {
		return c.ascii[b], 1
	}
	r, n := utf8.DecodeRuneInString(text[i:])
	if int(r) < len(c.wide) {
		return c.wide[r], n
	}
	return rare(r), n
}

// rare is the class of a character beyond the table: ideographs and what is used
// for nothing, mostly.
func rare(r rune) class {
	switch {
	case unicode.In(r, unicode.Lo, unicode.Lm):
		return letter
	case unicode.Is(unicode.M, r):
		return accent
	case unicode.Is(unicode.Ll, r):
		return lower
	case unicode.In(r, unicode.Lu, unicode.Lt):
		return upper
	case unicode.Is(unicode.N, r):
		return number
	}
	return other
}
