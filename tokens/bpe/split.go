package bpe

import "unicode/utf8"

// A pattern cuts a text into pieces, none of which shares a token with another.
type pattern uint8

// The patterns are those of tiktoken 0.14.0, where the first alternative that
// matches decides and every repetition is greedy:
//
//	cl100k  (?i:'s|'t|'re|'ve|'m|'ll|'d)
//	        [^\r\n\p{L}\p{N}]?\p{L}+
//	        \p{N}{1,3}
//	        \x20?[^\s\p{L}\p{N}]+[\r\n]*
//	        \s*[\r\n]+
//	        \s+(?!\S)
//	        \s+
//
//	o200k   [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	        [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	        \p{N}{1,3}
//	        \x20?[^\s\p{L}\p{N}]+[\r\n/]*
//	        \s*[\r\n]+
//	        \s+(?!\S)
//	        \s+
const (
	cl100k pattern = iota
	o200k
)

const letters = upper | lower | letter

// A splitter finds the pieces of a text, in time linear in its length.
type splitter struct {
	*classes
	pattern pattern
}

// end returns where the piece that begins at i ends.
func (s *splitter) end(text string, i int) int {
	k, n := s.at(text, i)
	if k == number {
		return s.numbers(text, i)
	}
	if k&s.begins() != 0 {
		return s.word(text, i)
	}
	if s.pattern == cl100k {
		if end := contraction(text, i); end > i {
			return end
		}
	}
	if k == newline || i+n == len(text) {
		return s.rest(text, i, k)
	}
	if next, _ := s.at(text, i+n); next&s.begins() != 0 {
		return s.word(text, i+n)
	}
	return s.rest(text, i, k)
}

// begins is the set of what a word can begin with.
func (s *splitter) begins() class {
	if s.pattern == cl100k {
		return letters
	}
	return letters | accent
}

// rest returns the end of a piece of class k that is neither word nor number.
func (s *splitter) rest(text string, i int, k class) int {
	if k&(other|accent) != 0 {
		return s.marks(text, i)
	}
	if text[i] == ' ' && i+1 < len(text) {
		if next, _ := s.at(text, i+1); next&(other|accent) != 0 {
			return s.marks(text, i+1)
		}
	}
	return s.blanks(text, i)
}

// numbers ends a group of up to three digits.
func (s *splitter) numbers(text string, i int) int {
	for range 3 {
		if i == len(text) {
			break
		}
		k, n := s.at(text, i)
		if k != number {
			break
		}
		i += n
	}
	return i
}

// marks ends a run of punctuation, which takes the line ends after it.
func (s *splitter) marks(text string, i int) int {
	i = s.run(text, i, other|accent)
	for i < len(text) && (text[i] == '\n' || text[i] == '\r' || text[i] == '/' && s.pattern == o200k) {
		i++
	}
	return i
}

// run ends a run of characters of a set of classes.
func (s *splitter) run(text string, i int, set class) int {
	for i < len(text) {
		k, n := s.at(text, i)
		if k&set == 0 {
			break
		}
		i += n
	}
	return i
}

// blanks ends white space: with the last line end of the run, if it has one;
// otherwise before its last character, which goes with what follows.
func (s *splitter) blanks(text string, i int) int {
	start, lineEnd, last := i, 0, 0
	for i < len(text) {
		k, n := s.at(text, i)
		if k&(blank|newline) == 0 {
			break
		}
		last = i
		i += n
		if k == newline {
			lineEnd = i
		}
	}
	switch {
	case lineEnd > 0:
		return lineEnd
	case i == len(text) || last == start:
		return i
	}
	return last
}

// word ends a run of letters.
func (s *splitter) word(text string, i int) int {
	if s.pattern == cl100k {
		for i < len(text) && s.ascii[text[i]]&letters != 0 {
			i++
		}
		if i < len(text) && text[i] >= utf8.RuneSelf {
			return s.run(text, i, letters)
		}
		return i
	}
	return contraction(text, s.cased(text, i))
}

// cased ends a word of o200k: capitals and then small letters, either of which
// may be missing. What has no case counts as both, and where no small letter
// follows, the word ends with the last character that can be one.
func (s *splitter) cased(text string, i int) int {
	start := i
	for i < len(text) && s.ascii[text[i]] == upper {
		i++
	}
	capitals := i
	for i < len(text) && s.ascii[text[i]] == lower {
		i++
	}
	if i == len(text) || text[i] < utf8.RuneSelf {
		return i
	}
	if i > capitals {
		return s.run(text, i, lower|letter|accent)
	}
	return s.casedWide(text, start)
}

func (s *splitter) casedWide(text string, i int) int {
	small := 0 // the end of the last character that can be a small letter
	for i < len(text) {
		k, n := s.at(text, i)
		if k&(upper|letter|accent) == 0 {
			break
		}
		i += n
		if k != upper {
			small = i
		}
	}
	if end := s.run(text, i, lower|letter|accent); end > i || small == 0 {
		return end
	}
	return small
}

// contraction ends an English contraction that begins at i, or returns i. The
// long s is an s to who ignores case.
func contraction(text string, i int) int {
	if i+1 >= len(text) || text[i] != '\'' {
		return i
	}
	const caseBit = 'a' - 'A'
	next := byte(0)
	if i+2 < len(text) {
		next = text[i+2]
	}
	switch first := text[i+1] | caseBit; {
	case first == 's' || first == 't' || first == 'm' || first == 'd':
		return i + 2
	case (first == 'r' || first == 'v') && next|caseBit == 'e', first == 'l' && next|caseBit == 'l':
		return i + 3
	case text[i+1] == "ſ"[0] && next == "ſ"[1]:
		return i + 3
	}
	return i
}
