package literal

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// What a Set takes.
const (
	// MaxLiterals is the limit of literals in a Set.
	MaxLiterals = 1024
	// MinBytes is the length of the shortest literal. One of three bytes must
	// begin with a byte of at least 0x80, as a symbol in UTF-8 does.
	MinBytes = 4
	// MaxBytes is the length of the longest literal.
	MaxBytes = 64
)

// What is wrong with a list of literals.
var (
	ErrNone  = errors.New("no literals")
	ErrMany  = errors.New("too many literals")
	ErrShort = errors.New("literal is too short")
	ErrLong  = errors.New("literal is too long")
)

// Set finds any of a set of literals; letters of ASCII match in any case. It
// never changes, so any number of goroutines may use it at the same time.
type Set struct {
	filter     filter
	buckets    [1<<bucketBits + 1]uint16
	candidates []candidate
	literals   []string // lower case
}

// filter answers for four bytes whether they can be a window. The low five
// bits of the first byte choose a bit of the word that the hash chooses.
type filter struct {
	multiplier uint32
	words      [1 << wordBits]uint32
}

// candidate is a window of a literal, as it is checked once the filter lets
// four bytes of a text through.
type candidate struct {
	value, mask uint64 // the first eight bytes; a letter's mask lacks the bit of its case
	literal     uint16
	offset      int16 // of the window in the literal
	look        int16 // how far behind the literal's begin a probe may find one that is better
	length      int16
}

const (
	wordBits   = 12
	bucketBits = 10
	fold       = 0x20202020 // makes letters lower case, and merges some other bytes
	fold8      = fold<<32 | fold
)

// New makes a Set of literals of MinBytes to MaxBytes bytes. It takes about a
// millisecond. The errors are ErrNone, ErrMany, ErrShort and ErrLong.
func New(literals []string) (*Set, error) {
	switch {
	case len(literals) == 0:
		return nil, ErrNone
	case len(literals) > MaxLiterals:
		return nil, fmt.Errorf("%w: %d, the limit is %d", ErrMany, len(literals), MaxLiterals)
	}
	s := &Set{literals: make([]string, len(literals))}
	for i, l := range literals {
		if len(l) < MinBytes && !(len(l) == 3 && l[0] >= 0x80) {
			return nil, fmt.Errorf("%w: %q", ErrShort, l)
		}
		if len(l) > MaxBytes {
			return nil, fmt.Errorf("%w: %q has %d bytes, the limit is %d", ErrLong, l, len(l), MaxBytes)
		}
		s.literals[i] = lower(l)
	}
	s.prepare()
	return s, nil
}

// Next returns where the first literal at or after from begins in text, and
// its index in the list: of several that begin there the longest one, of equal
// ones the first. Without one it returns -1, -1.
func (s *Set) Next(text []byte, from int) (at, literal int) {
	from = max(from, 0)
	for i := from; ; i += 2 {
		if i = s.filter.scan(text, i); i < 0 {
			return -1, -1
		}
		c := s.check(text, from, i)
		if c == nil {
			continue
		}
		if c.look > c.offset+1 {
			return s.leftmost(text, from, i, c)
		}
		return i - int(c.offset), int(c.literal)
	}
}

// leftmost looks on from probe i, which found c, for a literal that begins
// before it, or there and is longer: its window may come later.
func (s *Set) leftmost(text []byte, from, i int, c *candidate) (at, literal int) {
	at = i - int(c.offset)
	for i += 2; i <= at+int(c.look) && i < len(text); i += 2 {
		if d := s.check(text, from, i); d != nil && d.before(i, c, at+int(c.offset)) {
			c, at = d, i-int(d.offset)
		}
	}
	return at, int(c.literal)
}

// check returns the best of the literals with a window at i, or nil.
func (s *Set) check(text []byte, from, i int) (best *candidate) {
	b := bucket(load(text, i))
	candidates := s.candidates[s.buckets[b]:s.buckets[b+1]]
	for k := range candidates {
		c := &candidates[k]
		at := i - int(c.offset)
		if at < from {
			continue
		}
		if at <= len(text)-8 {
			if (binary.LittleEndian.Uint64(text[at:])^c.value)&c.mask != 0 {
				continue
			}
			if c.length > 8 && !begins(text[at+8:], s.literals[c.literal][8:]) {
				continue
			}
		} else if !begins(text[at:], s.literals[c.literal]) {
			continue
		}
		if best == nil || c.before(i, best, i) {
			best = c
		}
	}
	return best
}

// before is true if c, found by the probe at i, is better than d, found by the
// one at j: it begins before it, is longer, or comes first in the list.
func (c *candidate) before(i int, d *candidate, j int) bool {
	at, than := i-int(c.offset), j-int(d.offset)
	return at < than || at == than && (c.length > d.length || c.length == d.length && c.literal < d.literal)
}

// begins is true if text begins with a literal, in any case.
func begins(text []byte, literal string) bool {
	if len(text) < len(literal) {
		return false
	}
	for i := range len(literal) {
		if lowerByte(text[i]) != literal[i] {
			return false
		}
	}
	return true
}

// scan returns the first of i, i+2, i+4 ... where the filter lets the text
// through, or -1. Nothing in the first loop is a call, a store or a check of
// bounds; it takes three windows from each word of eight bytes.
func (f *filter) scan(text []byte, i int) int {
	if i > len(text) {
		return -1
	}
	m := f.multiplier
	t := text[i:]
	for ; len(t) >= 14; t = t[12:] {
		a := binary.LittleEndian.Uint64(t) | fold8
		if f.has(uint32(a), m) {
			return len(text) - len(t)
		}
		if f.has(uint32(a>>16), m) {
			return len(text) - len(t) + 2
		}
		if f.has(uint32(a>>32), m) {
			return len(text) - len(t) + 4
		}
		a = binary.LittleEndian.Uint64(t[6:]) | fold8
		if f.has(uint32(a), m) {
			return len(text) - len(t) + 6
		}
		if f.has(uint32(a>>16), m) {
			return len(text) - len(t) + 8
		}
		if f.has(uint32(a>>32), m) {
			return len(text) - len(t) + 10
		}
	}
	for ; len(t) >= 4; t = t[2:] {
		if f.has(binary.LittleEndian.Uint32(t)|fold, m) {
			return len(text) - len(t)
		}
	}
	for i = len(text) - len(t); i < len(text); i += 2 { // windows that reach over the end
		if f.has(load(text, i), m) {
			return i
		}
	}
	return -1
}

// has takes the multiplier as an argument so that it stays in a register.
func (f *filter) has(window, multiplier uint32) bool {
	return f.words[window*multiplier>>(32-wordBits)]>>(window&31)&1 != 0
}

func (f *filter) add(window uint32) {
	f.words[window*f.multiplier>>(32-wordBits)] |= 1 << (window & 31)
}

// bucket is a hash of the second and third byte of a window: all windows of a
// literal have these two, also those that reach over one of its ends.
func bucket(window uint32) uint32 {
	return (window >> 8 & 0xffff) * 0x9E3779B1 >> (32 - bucketBits)
}

// load returns the four bytes from i, folded; behind the end of the text they
// are zero.
func load(text []byte, i int) uint32 {
	if i <= len(text)-4 {
		return binary.LittleEndian.Uint32(text[i:]) | fold
	}
	var b [4]byte
	copy(b[:], text[i:])
	return binary.LittleEndian.Uint32(b[:]) | fold
}

func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		b[i] = lowerByte(c)
	}
	return string(b)
}

func lowerByte(c byte) byte {
	if c-'A' < 26 {
		c += 'a' - 'A'
	}
	return c
}
