package content

import (
	"bytes"
	"encoding/hex"
	"io"
	"iter"

	"github.com/zeebo/blake3"
)

const (
	// MinDigits is the length of nearly every name. Names are printed in receipts, where each digit
	// costs tokens; 32 bits keep a store of 10,000 artifacts free of longer names 99 times in 100.
	MinDigits = 8
	// nameStepDigits is by how much a name grows while other content has it.
	nameStepDigits = 4
	// MaxDigits is the whole digest.
	MaxDigits = 2 * DigestSize
	// DigestSize is the length of a BLAKE3 digest in bytes.
	DigestSize = 32
	// digestPrefix says in Ref.Digest which function made it.
	digestPrefix = "blake3:"
)

// ID identifies a payload: two payloads with equal content are the same artifact.
type ID struct {
	Digest [DigestSize]byte
	Size   int64
}

// Sum identifies b.
func Sum(b []byte) ID {
	return ID{Digest: blake3.Sum256(b), Size: int64(len(b))}
}

// FromHash identifies what was written to hash.
func FromHash(hash *blake3.Hasher, size int64) ID {
	c := ID{Size: size}
	hash.Sum(c.Digest[:0])
	return c
}

// String returns "blake3:" followed by the 64 digits of the digest.
func (c ID) String() string { return digestPrefix + c.Hex() }

// Hex returns all 64 digits of the digest.
func (c ID) Hex() string { return hex.EncodeToString(c.Digest[:]) }

// Names yields the names of at least so many digits that c may have, the preferred one first.
func (c ID) Names(least int) iter.Seq[string] {
	return func(yield func(string) bool) {
		digits := c.Hex()
		for n := least; n < MaxDigits; n += nameStepDigits {
			if !yield(digits[:n]) {
				return
			}
		}
		yield(digits)
	}
}

// NopCloser is a reader of a blob whose bytes are at hand: it can seek, and has nothing to close.
type NopCloser struct{ io.ReadSeeker }

func (NopCloser) Close() error { return nil }

type Bytes []byte

func (b Bytes) Size() int64                  { return int64(len(b)) }
func (b Bytes) Open() (io.ReadCloser, error) { return NopCloser{bytes.NewReader(b)}, nil }
