package shape

import (
	"bytes"
	"slices"

	"github.com/toolresult/toolresult/preview/salience"
)

// Hashes that ignore what changes from one line to the next. They decide which
// lines are alike, so a collision can only hide a line that a reader would call
// the same, and never a byte from the ledger.

// FNV-1a, 64 bits: it needs no table and no state.
const hashOffset, hashPrime = 14695981039346656037, 1099511628211

// hashExact returns a hash of all bytes of a line.
func hashExact(text []byte) uint64 {
	h := uint64(hashOffset)
	for _, c := range text {
		h = (h ^ uint64(c)) * hashPrime
	}
	return h
}

// leastPlain is how many letters of a line must be in plain words for the line
// to be identified by them.
const leastPlain = 10

// Fingerprint returns a hash of a line without what changes from one to the
// next: times, digits, and blanks. A coarse one ignores all words that name
// something, with a digit, a slash or a dot in them, if enough letters are
// left.
func Fingerprint(text []byte, coarse bool) uint64 {
	fine, plain := fingerprints(text)
	if coarse {
		return plain
	}
	return fine
}

// fingerprints returns both fingerprints of a line.
func fingerprints(text []byte) (fine, coarse uint64) {
	text = text[salience.TimeLength(text):]
	fine, coarse = hashOffset, hashOffset
	letters := 0
	for len(text) > 0 {
		word := text
		if i := blank(text); i >= 0 {
			word, text = text[:i], text[i+1:]
		} else {
			text = nil
		}
		fine = addWithoutDigits(fine, word)
		if isLabel(word) {
			coarse = (coarse ^ '#') * hashPrime
		} else {
			letters += len(word)
			coarse = addWithoutDigits(coarse, word)
		}
	}
	if letters < leastPlain {
		return fine, fine
	}
	return fine, coarse
}

// hashWithoutNumbers returns a hash of a line without its times and the words
// that are numbers: "retry 12:", but not "file12".
func hashWithoutNumbers(text []byte) uint64 {
	h := uint64(hashOffset)
	for word := range bytes.FieldsSeq(text[salience.TimeLength(text):]) {
		if isData(word) {
			word = []byte{'#'}
		}
		for _, c := range word {
			h = (h ^ uint64(c)) * hashPrime
		}
		h = (h ^ ' ') * hashPrime
	}
	return h
}

// blank returns where the first blank is, or -1.
func blank(text []byte) int {
	for i, c := range text {
		if c == ' ' || c == '\t' {
			return i
		}
	}
	return -1
}

// addWithoutDigits goes on with a hash over a word without its digits.
func addWithoutDigits(h uint64, word []byte) uint64 {
	for _, c := range word {
		if (c < '0' || c > '9') && c != '\r' {
			h = (h ^ uint64(c)) * hashPrime
		}
	}
	return h
}

// isLabel reports whether a word is a path, a number, an id, or quoted. A dot
// at its end is that of a sentence.
func isLabel(word []byte) bool {
	return isData(word) || len(word) > 2 && slices.ContainsFunc(word[:len(word)-1], func(c byte) bool { return labels[c] })
}

// labels are the characters that make a word a label.
var labels = func() (table [256]bool) {
	for _, c := range []byte("0123456789/.\\'\"`_@=") {
		table[c] = true
	}
	return table
}()
