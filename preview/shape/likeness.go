package shape

import (
	"bytes"
	"hash/maphash"

	"github.com/toolresult/toolresult/preview/salience"
)

// Hashes that ignore what changes from one line to the next. They decide which
// lines are alike, so a collision can only hide a line that a reader would call
// the same, and never a byte from the ledger.

// FNV-1a, 64 bits: it needs no table and no state.
const hashOffset, hashPrime = 14695981039346656037, 1099511628211

// exactSeed makes exact hashes, which are only compared with each other.
var exactSeed = maphash.MakeSeed()

// hashExact returns a hash of all bytes of a line. It is another one in each process.
func hashExact(text []byte) uint64 { return maphash.Bytes(exactSeed, text) }

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

// fingerprintSeed is not that of exact hashes, of which some lines have the same bytes.
var fingerprintSeed = maphash.MakeSeed()

// usualBytes is more bytes than most lines have.
const usualBytes = 256

// fingerprints returns both fingerprints of a line, in one pass over its bytes.
func fingerprints(text []byte) (fine, coarse uint64) {
	return fingerprintsBehind(text[salience.TimeLength(text):])
}

// fingerprintsBehind is fingerprints for a line without its times. The bytes that count are put together for each of the
// two and hashed at once, which costs less than a step of a hash for each byte.
func fingerprintsBehind(text []byte) (fine, coarse uint64) {
	var short, shortPlain [usualBytes]byte
	all, plain := short[:], shortPlain[:] // as many bytes as the text has at least: each byte of it is written, and a label has one at least
	if len(text) > usualBytes {
		all, plain = make([]byte, len(text)), make([]byte, len(text))
	}
	n, m, letters, labels := 0, 0, 0, false
	for at := 0; at < len(text); at++ { // each word, with the blank behind it
		start, word := at, m
		var kinds, butLast byteKind // of the bytes of the word, and of all but its last one
		for ; at < len(text); at++ {
			c := text[at]
			k := byteKinds[c]
			if k&kindBlank != 0 {
				break
			}
			butLast, kinds = kinds, kinds|k
			all[n], plain[m] = c, c
			counts := int(^k / kindChanges & 1)
			n, m = n+counts, m+counts
		}
		if size := at - start; isLabel(kinds, butLast, size) {
			plain[word], m, labels = '#', word+1, true
		} else {
			letters += size
		}
	}
	fine = maphash.Bytes(fingerprintSeed, all[:n])
	if letters < leastPlain || !labels {
		return fine, fine
	}
	return fine, maphash.Bytes(fingerprintSeed, plain[:m])
}

// isLabel reports whether a word of some bytes is a path, a number, an id, or quoted. A dot at its end is that of a
// sentence.
func isLabel(kinds, butLast byteKind, bytes int) bool {
	return kinds&(kindLetter|kindDigit) == kindDigit || bytes > 2 && butLast&kindLabel != 0
}

// byteKind is what a byte may be in a word.
type byteKind uint8

const (
	kindLetter byteKind = 1 << iota // also a byte of a character that is not ASCII
	kindDigit
	kindLabel   // a word with it is a label
	kindChanges // no hash has it
	kindBlank   // it ends a word
)

// byteKinds are the kinds of all bytes.
var byteKinds = func() (table [256]byteKind) {
	for c := range table {
		if isLetter(byte(c)) && c != '_' {
			table[c] |= kindLetter
		}
	}
	for kind, list := range map[byteKind]string{
		kindDigit: "0123456789", kindLabel: "0123456789/.\\'\"`_@=", kindChanges: "0123456789\r", kindBlank: " \t",
	} {
		for _, c := range []byte(list) {
			table[c] |= kind
		}
	}
	return table
}()

// hashWithoutNumbers returns a hash of a line, which is without its times, without
// the words that are numbers: "retry 12:", but not "file12".
func hashWithoutNumbers(text []byte) uint64 {
	h := uint64(hashOffset)
	for word := range bytes.FieldsSeq(text) {
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
