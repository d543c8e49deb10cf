package redact

import (
	_ "embed"
	"math"
	"strings"
)

// Whether a text was drawn at random or written by a person shows in its pairs of neighbouring bytes: "th" and "er" are frequent in
// words, "qz" and "4k" are not. drawn weighs the two: how likely the text is if each of its letters and digits was drawn from the
// alphabet that it has, against how likely it is among the words of programs.

//go:embed pairs.txt
var pairsText string

// The sorts of bytes in pairs.txt: 26 letters, then digits, then all others, which also precede the first byte.
const (
	aDigitSort = 26
	otherSort  = 27
	sorts      = 28
)

// Costs are in parts of a bit.
const partsOfBit = 64

// pairCosts has the cost, in the words of programs, of a byte of the second sort after one of the first.
var pairCosts = func() (costs [sorts][sorts]int32) {
	i := 0
	for line := range strings.Lines(pairsText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for j, c := range []byte(strings.TrimSuffix(line, "\n")) {
			costs[i][j] = int32(c-'A') * partsOfBit / 4
			if j == aDigitSort {
				costs[i][j] += 213 // log2(10): which digit
			}
		}
		i++
	}
	return costs
}()

// caseCosts has the cost of a letter's case after a lower case letter, an upper case letter, a digit, and anything else: first of lower
// case, then of upper case. From the same words as pairs.txt. A digit has none.
var caseCosts = [4][3]int32{{4, 285}, {100, 38}, {36, 104}, {40, 97}}

// byteSort is the sort of a byte, and its case: 0 for a lower letter, 1 for an upper one, 2 for a digit, 3 for others.
type byteSort struct{ sort, kind uint8 }

var byteSorts = func() (all [256]byteSort) {
	for i := range all {
		switch c := byte(i); {
		case c-'a' < 26:
			all[i] = byteSort{c - 'a', 0}
		case c-'A' < 26:
			all[i] = byteSort{c - 'A', 1}
		case c-'0' < 10:
			all[i] = byteSort{aDigitSort, 2}
		default:
			all[i] = byteSort{otherSort, 3}
		}
	}
	return all
}()

// maxDrawn is how many bytes of a text are weighed.
const maxDrawn = 48

// Costs of symbols: of those that names, times and code have between words, and of those that generators of passwords add.
const (
	ofNames     = -1 * partsOfBit
	ofPasswords = 2 * partsOfBit
)

// drawn returns how much more likely a text was drawn at random than written, in bits: for a random text of eight letters and digits
// it is 18 at the median and less than -4 for one in a thousand; for one of 16 letters and digits less than 3 for one in a thousand. Words
// have less than 0.
func drawn(b []byte) float64 {
	b = b[:min(len(b), maxDrawn)]
	size, letters := alphabet(b)
	parts, was := int32(0), byteSort{otherSort, 3}
	for _, c := range b {
		is := byteSorts[c]
		switch {
		case is.kind < 3:
			parts += pairCosts[was.sort][is.sort] + caseCosts[was.kind][is.kind]
		case strings.IndexByte("!@#%^&*+=~?", c) >= 0:
			parts += ofPasswords
		default:
			parts += ofNames
		}
		was = is
	}
	bits := float64(parts)/partsOfBit - float64(letters)*math.Log2(float64(size))
	if size == hexadecimal && len(b) >= minHex {
		bits = max(bits, float64(len(b))/2)
	}
	return bits
}

const (
	hexadecimal = 16
	// minHex is the length from which on no word has only digits of 16 values, and no number letters.
	minHex = 16
)

// alphabet returns the size of the smallest alphabet that has the letters and digits of a text, and how many these are.
func alphabet(b []byte) (size, n int) {
	var counts [4]int
	other := 0 // letters that are no digits of 16 values
	for _, c := range b {
		is := byteSorts[c]
		counts[is.kind]++
		if is.sort >= 6 && is.sort < aDigitSort {
			other++
		}
	}
	n = counts[0] + counts[1] + counts[2]
	if other == 0 && counts[2] > 0 && (counts[0] > 0) != (counts[1] > 0) {
		return hexadecimal, n
	}
	for kind, letters := range [...]int{26, 26, 10} {
		if counts[kind] > 0 {
			size += letters
		}
	}
	return max(size, 1), n
}

// longestWord returns the longest part of a text that has only letters and digits, or all of the text if that is shorter than half of it.
func longestWord(b []byte) []byte {
	longest, from := b[:0], 0
	for i := range b {
		if byteSorts[b[i]].kind == 3 {
			from = i + 1
		} else if i+1-from > len(longest) {
			longest = b[from : i+1]
		}
	}
	if len(longest) < len(b)/2 {
		return b
	}
	return longest
}
