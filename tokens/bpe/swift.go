package bpe

import (
	"math/bits"
	"unicode/utf8"
)

// reach is how far swift looks beyond where a piece begins, in bytes: one
// character, a word of eight, and what follows.
const reach = 10

// swift is end for what most pieces are: ASCII that does not begin with a digit,
// and not one of the rare forms. It returns 0 for the others. At least reach bytes
// are left from i on.
func (s *splitter) swift(text string, i int) int {
	k := s.ascii[text[i]]
	if k&(upper|lower) != 0 {
		return s.swiftWord(text, i)
	}
	next := s.ascii[text[i+1]]
	switch {
	case next == 0:
		return 0
	case next&(upper|lower) != 0 && k&(other|blank) != 0:
		if s.pattern == cl100k && text[i] == '\'' {
			return 0
		}
		return s.swiftWord(text, i+1)
	case k == other:
		return s.swiftMarks(text, i)
	case k == blank && next == number, k == newline && next&(blank|newline) == 0:
		return i + 1
	case text[i] == ' ' && next == other:
		return s.swiftMarks(text, i+1)
	case k == blank:
		return s.swiftBlanks(text, i)
	}
	return 0
}

// swiftMarks ends a piece of marks with the line ends behind it, of which o200k takes
// slashes for ones, too. A character that is not ASCII may be a mark: then it returns 0.
func (s *splitter) swiftMarks(text string, i int) int {
	for i < len(text) && s.ascii[text[i]] == other {
		i++
	}
	if i < len(text) && text[i] >= utf8.RuneSelf {
		return 0
	}
	for i < len(text) && (text[i] == '\n' || text[i] == '\r' || text[i] == '/' && s.pattern == o200k) {
		i++
	}
	return i
}

// swiftBlanks ends two or more blanks before the last, if no line end follows.
func (s *splitter) swiftBlanks(text string, i int) int {
	start := i
	for i < len(text) && s.ascii[text[i]] == blank {
		i++
	}
	if i == len(text) || i == start+1 || s.ascii[text[i]]&(other|upper|lower|number) == 0 {
		return 0
	}
	return i - 1
}

// swiftWord ends a word that begins with an ASCII letter. It looks at eight letters at
// once. In o200k a word is capitals and then small letters; in cl100k case does not
// count.
func (s *splitter) swiftWord(text string, i int) int {
	word := load(text, i)
	capitals, small := within(word, 'A', 'Z'), within(word, 'a', 'z')
	if s.pattern == cl100k {
		small |= capitals
		capitals = 0
	}
	n := run(capitals)
	n += run(small >> (8 * n))
	i += n
	if n == 8 {
		i = s.longWord(text, i)
	}
	if i == len(text) {
		return i
	}
	switch b := text[i]; {
	case b >= utf8.RuneSelf:
		return 0
	case b == '\'' && s.pattern == o200k:
		return contraction(text, i)
	}
	return i
}

// longWord ends a word that has its first eight bytes before i.
func (s *splitter) longWord(text string, i int) int {
	if s.pattern == cl100k {
		for i < len(text) && s.ascii[text[i]]&letters != 0 {
			i++
		}
		return i
	}
	if s.ascii[text[i-1]] == upper {
		for i < len(text) && s.ascii[text[i]] == upper {
			i++
		}
	}
	for i < len(text) && s.ascii[text[i]] == lower {
		i++
	}
	return i
}

const (
	everyByte = 0x0101010101010101
	highBits  = 0x80 * everyByte
)

// within returns the high bit of each byte of word from first to last, which are
// ASCII.
func within(word uint64, first, last byte) uint64 {
	low := word &^ highBits
	fromFirst := low + everyByte*uint64(0x80-first)
	pastLast := low + everyByte*uint64(0x7f-last)
	return fromFirst &^ pastLast &^ word & highBits
}

// run is how many of the first bytes have their high bit set.
func run(marks uint64) int { return bits.TrailingZeros64(^marks&highBits) / 8 }
