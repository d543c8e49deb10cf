// Package bpe counts the tokens of a text exactly, as tiktoken does: a pattern
// cuts the text into pieces, and byte pair encoding each piece into tokens.
package bpe

import (
	"sync"
	"unicode/utf8"
)

// A Vocabulary counts tokens. It is safe for concurrent use.
type Vocabulary struct {
	splitter splitter
	table    *table
	memories sync.Pool // of *memory
}

// Count returns the tokens of text in time linear in its length. What looks like
// a special token is ordinary text. Each byte that is not valid UTF-8 counts as
// one U+FFFD, its replacement character, and the whole never as more
// than len(text).
func (v *Vocabulary) Count(text string) int {
	if !utf8.ValidString(text) {
		return min(v.Count(string([]rune(text))), len(text))
	}
	m, ok := v.memories.Get().(*memory)
	if !ok {
		m = new(memory)
	}
	defer v.memories.Put(m)
	c := counter{v, text, m}
	return c.count()
}

// A counter is one count.
type counter struct {
	*Vocabulary
	text   string
	memory *memory
}

func (c *counter) count() (n int) {
	text := c.text
	for at := 0; at < len(text); {
		if text[at]-'0' < 10 {
			groups, end := c.digits(at)
			n += groups
			at = end
			continue
		}
		end := 0
		if at+reach <= len(text) {
			end = c.splitter.swift(text, at)
		}
		if end == 0 {
			end = c.splitter.end(text, at)
		}
		if end == at+1 { // every byte is a token
			n++
		} else {
			n += c.piece(at, end)
		}
		at = end
	}
	return n
}

// digits returns the groups of up to three that a run of digits makes, each of which
// is a token, and where it ends. Where it may go on in another script, its last
// group is left for the next time.
func (c *counter) digits(at int) (groups, end int) {
	end = at
	for end < len(c.text) && c.text[end]-'0' < 10 {
		end++
	}
	size := end - at
	switch {
	case end == len(c.text) || c.text[end] < utf8.RuneSelf || size%3 == 0:
		return (size + 2) / 3, end
	case size > 3:
		return size / 3, end - size%3
	}
	end = c.splitter.end(c.text, at)
	return c.piece(at, end), end
}

// piece returns the number of tokens of one piece. Those of short pieces are
// remembered.
func (c *counter) piece(from, to int) int {
	switch size := to - from; {
	case size <= 16 && c.text[to-1] != 0:
		return c.shortPiece(from, to)
	case size <= longBytes:
		return c.longPiece(from, to)
	}
	return c.tokens(from, to)
}

func (c *counter) shortPiece(from, to int) int {
	var low, high uint64
	if to-from <= 8 {
		low = keyOf(c.text, from, to)
	} else {
		low, high = load(c.text, from), keyOf(c.text, from+8, to)
	}
	known := c.memory.shortPiece(low, high)
	if known.low != low || known.high != high {
		*known = shortPiece{low, high, c.tokens(from, to)}
	}
	return known.tokens
}

func (c *counter) longPiece(from, to int) int {
	known := c.memory.longPiece(hash(c.text, from, to))
	if string(known.text[:known.size]) != c.text[from:to] {
		known.tokens = uint8(c.tokens(from, to))
		known.size = uint8(copy(known.text[:], c.text[from:to]))
	}
	return int(known.tokens)
}

// tokens returns the tokens of one piece.
func (c *counter) tokens(from, to int) int {
	switch {
	case c.table.rank(c.text, from, to) != noRank:
		return 1
	case to-from <= few:
		return c.table.mergeFew(c.text, from, to)
	case to-from <= window:
		return c.memory.merger.merge(c.table, c.text, from, to)
	}
	return c.memory.merger.long(c.table, c.text, from, to)
}
