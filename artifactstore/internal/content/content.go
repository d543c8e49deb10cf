// Package content identifies payloads by the BLAKE3 digest of their bytes, and derives the names of artifacts from it.
//
// BLAKE3 (O'Connor et al., 2020) hashes streams several times as fast as SHA-256 without hardware help.
package content

import (
	"bytes"
	"encoding/hex"
	"io"
	"iter"

	"github.com/zeebo/blake3"
)

const (
	// MinDigits is the length of nearly every name in hex digits. Names are printed in receipts, where each digit
	// costs tokens; 32 bits keep a store of 10,000 artifacts free of longer names 99 times in 100.
	MinDigits = 8
	// nameStepDigits is the number of digits that are added to a name while other content has it.
	nameStepDigits = 4
	// MaxDigits is the length of a name that is the whole digest.
	MaxDigits = 2 * DigestSize
	// DigestSize is the length of a BLAKE3 digest in bytes.
	DigestSize = 32
	// digestPrefix names the hash function in a digest as text.
	digestPrefix = "blake3:"
)

// ID identifies a payload. Payloads with equal IDs have the same bytes and are the same artifact.
type ID struct {
	Digest [DigestSize]byte
	Size   int64 // in bytes
}

// Sum returns the ID of b.
func Sum(b []byte) ID {
	return ID{Digest: blake3.Sum256(b), Size: int64(len(b))}
}

// FromHash returns the ID of the size bytes that were written to hash.
func FromHash(hash *blake3.Hasher, size int64) ID {
	id := ID{Size: size}
	hash.Sum(id.Digest[:0])
	return id
}

// String returns "blake3:" followed by the 64 hex digits of the digest.
func (id ID) String() string { return digestPrefix + id.Hex() }

// Hex returns the 64 lower-case hex digits of the digest.
func (id ID) Hex() string { return hex.EncodeToString(id.Digest[:]) }

// Names yields the names that the payload may have, of at least n digits, the shortest first. A longer one is for content whose
// shorter names are taken.
func (id ID) Names(n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		digits := id.Hex()
		for end := n; end < MaxDigits; end += nameStepDigits {
			if !yield(digits[:end]) {
				return
			}
		}
		yield(digits)
	}
}

// NopCloser is an io.ReadSeekCloser whose Close does nothing, for payloads that are in memory or in a file that is open
// anyway.
type NopCloser struct{ io.ReadSeeker }

// Close does nothing.
func (NopCloser) Close() error { return nil }

// Bytes is a blob that is in memory. It must not change.
type Bytes []byte

// Size returns the length in bytes.
func (b Bytes) Size() int64 { return int64(len(b)) }

// Open returns a reader of the bytes.
func (b Bytes) Open() (io.ReadCloser, error) { return NopCloser{bytes.NewReader(b)}, nil }
