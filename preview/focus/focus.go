// Package focus ranks lines by what a reader looks for: the words of a task, a question or a
// message, weighted by how rare they are among the lines. It is lexical and knows no language.
package focus

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/preview/textscan"
)

// MaxBytes bounds the part of a focus that is read: the two of at most 8 KiB, of a session and of a
// call, with a line end between them.
const MaxBytes = 2*8<<10 + 1

// Bounds of words.
const (
	leastWord = 2  // bytes
	mostWord  = 64 // bytes; the rest of a longer one is not compared
	mostParts = 16 // of one identifier
)

// Unit is the score of a word that one of 2.7 lines has (the natural logarithm of it is 1).
const Unit = 16

// identifierWeight is the weight, in halves, of a whole identifier of several parts: the reader
// named it.
const identifierWeight = 3

// Evidence is how much of a focus lines must have for any of it to count, in tenths of the worth of
// a word that no other line has. A rare word alone may be chance.
type Evidence struct {
	line  int // of a line
	pairs int // of a line with two words of the focus or more; 0: as of any line
	text  int // of the best line: only then is the text about what the reader looks for
}

// Degrees of evidence.
var (
	Among  = Evidence{line: 12}           // among lines that are alike, of which the reader wants some
	Within = Evidence{line: 16, text: 26} // within a text, in which the order of lines means more
	Page   = Evidence{line: 12, pairs: 3} // within a page that was fetched for its subject
)

// Terms are the words that a reader looks for: identifiers as they are written, and their parts.
// Safe for concurrent use.
type Terms struct {
	weights []int          // by index, in halves
	index   map[string]int // by word in lower case
}

// Parse returns the terms of a focus, or nil if it has none.
func Parse(text string) *Terms {
	t := &Terms{index: map[string]int{}}
	var s splitter
	for word := range s.words([]byte(text[:min(len(text), MaxBytes)])) {
		if len(word.text) < leastWord || isCommon(word.text) {
			continue
		}
		if _, known := t.index[string(word.text)]; known {
			continue
		}
		weight := 2
		if word.whole {
			weight = identifierWeight
		}
		t.index[string(word.text)] = len(t.weights)
		t.weights = append(t.weights, weight)
	}
	if len(t.weights) == 0 {
		return nil
	}
	return t
}

// common are words of English that say nothing of what is looked for.
const common = " a an and any are as at be been but by can could did do does for from had has have he her his how if in into is it its just like " +
	"may me more most my no nor not now of on one only or our out over she should so some such than that the their them then there these they " +
	"this those to too up use used using very want was we were what when where which while who why will with would yes yet you your "

func isCommon(word []byte) bool { return strings.Contains(common, " "+string(word)+" ") }

// Scores returns how much each of n lines has of what is looked for, in units; 0 for nothing, and
// for less than the evidence that a line needs. A word counts once in a line, and less the more
// lines have it. A line beside others that have what is looked for gets a part of theirs.
func (t *Terms) Scores(need Evidence, n int, line func(i int) []byte) []int {
	var s splitter
	last, frequency := make([]int, len(t.weights)), make([]int, len(t.weights))
	each := func(i int, do func(term int)) (words int) {
		for word := range s.words(line(i)) {
			words++
			if term, ok := t.index[string(word.text)]; ok && last[term] != i+1 {
				last[term] = i + 1
				do(term)
			}
		}
		return words
	}
	for i := range n {
		each(i, func(term int) { frequency[term]++ })
	}
	clear(last)
	worth := make([]int, len(t.weights))
	for term, f := range frequency {
		if f > 0 {
			worth[term] = int(math.Round(Unit * math.Log(float64(n+1)/float64(f)) * float64(t.weights[term]) / 2))
		}
	}
	unique := Unit * math.Log(float64(n+1)) / 10
	own, best := make([]int, n), 0
	for i := range n {
		sum, found := 0, 0
		words := each(i, func(term int) { sum, found = sum+worth[term], found+1 })
		best = max(best, sum)
		least := int(unique * float64(need.line))
		if need.pairs > 0 && found > 1 {
			least = int(unique * float64(need.pairs))
		}
		own[i] = int(math.Round(lengthUnit * float64(max(0, sum-least)) / math.Sqrt(float64(words+1))))
	}
	if best < int(unique*float64(need.text)) {
		return make([]int, n)
	}
	return smooth(own)
}

// First returns an order of lines in which those come first that have what is looked for, the most
// first; others keep their places. Lines for which keep returns true stay before all. A nil t
// returns order itself.
func (t *Terms) First(order []int32, n int, line func(i int) []byte, keep func(i int32) bool) []int32 {
	if t == nil {
		return order
	}
	scores := t.Scores(Among, n, line)
	key := func(i int32) int {
		if keep(i) {
			return math.MaxInt
		}
		return scores[i]
	}
	sorted := slices.Clone(order)
	slices.SortStableFunc(sorted, func(a, b int32) int { return cmp.Compare(key(b), key(a)) })
	return sorted
}

// lengthUnit makes up for the division by the root of the words: a line of eight has its sum.
const lengthUnit = 3

// smoothing is the part of a score that the lines beside it get, as 1 / smoothing; those two and
// three lines away get half and a third of that.
const smoothing = 3

// smooth adds to each score a part of those beside it.
func smooth(own []int) []int {
	scores := slices.Clone(own)
	for i, score := range own {
		if score == 0 {
			continue
		}
		for away := 1; away <= 3; away++ {
			part := score / (smoothing * away)
			if i >= away {
				scores[i-away] += part
			}
			if i+away < len(own) {
				scores[i+away] += part
			}
		}
	}
	return scores
}

// word is a word in lower case.
type word struct {
	text  []byte // valid until the next word
	whole bool   // an identifier of several parts
}

// splitter splits text into words. The zero value is ready for use.
type splitter struct{ lower []byte }

// words yields the identifiers of text, and the parts of those that have several: split at "_"
// and at changes of case. Identifiers end at all other signs, such as "/" and ".".
func (s *splitter) words(text []byte) func(yield func(word) bool) {
	return func(yield func(word) bool) {
		for at := 0; at < len(text); {
			if !isIdentifier(text[at]) {
				at++
				continue
			}
			start := at
			for at < len(text) && isIdentifier(text[at]) {
				at++
			}
			if !s.identifier(text[start:at], yield) {
				return
			}
		}
	}
}

// identifier yields one identifier and its parts, and reports whether to go on.
func (s *splitter) identifier(text []byte, yield func(word) bool) bool {
	var ends [mostParts]int
	parts := 0
	for i := 1; i <= len(text) && parts < mostParts; i++ {
		if i == len(text) || isBoundary(text, i) {
			ends[parts] = i
			parts++
		}
	}
	s.lower = s.lower[:0]
	for _, c := range text {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		s.lower = append(s.lower, c)
	}
	if !yield(word{s.lower[:min(len(text), mostWord)], parts > 1}) {
		return false
	}
	if parts == 1 {
		return true
	}
	start := 0
	for _, end := range ends[:parts] {
		part := s.lower[start:end]
		for len(part) > 0 && part[0] == '_' {
			part = part[1:]
		}
		if start = end; len(part) > 0 && !yield(word{part[:min(len(part), mostWord)], false}) {
			return false
		}
	}
	return true
}

// isBoundary reports whether a part of an identifier ends before byte i.
func isBoundary(text []byte, i int) bool {
	before, c := text[i-1], text[i]
	switch {
	case c == '_':
		return before != '_'
	case isUpper(c):
		return !isUpper(before) && before != '_' || i+1 < len(text) && isLower(text[i+1]) && isUpper(before)
	case isDigit(c):
		return !isDigit(before) && before != '_'
	}
	return isDigit(before)
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isIdentifier reports whether c may be in an identifier.
func isIdentifier(c byte) bool { return c == '_' || textscan.BeginsWord(c) }
