package artifactstore

import (
	"bytes"
	"encoding/hex"
	"io"
	"iter"

	"github.com/zeebo/blake3"
)

const (
	// minNameDigits is the length of nearly every name. Names are printed in receipts, where each digit
	// costs tokens; 32 bits keep a store of 10,000 artifacts free of longer names 99 times in 100.
	minNameDigits = 8
	// nameStepDigits is by how much a name grows while other content has it.
	nameStepDigits = 4
	// maxNameDigits is the whole digest.
	maxNameDigits = 2 * digestSize
	// digestSize is the length of a BLAKE3 digest in bytes.
	digestSize = 32
	// digestPrefix says in Ref.Digest which function made it.
	digestPrefix = "blake3:"
)

// content identifies a payload: two payloads with equal content are the same artifact.
type content struct {
	digest [digestSize]byte
	size   int64
}

// contentOf identifies b.
func contentOf(b []byte) content {
	return content{digest: blake3.Sum256(b), size: int64(len(b))}
}

// contentFrom identifies what was written to hash.
func contentFrom(hash *blake3.Hasher, size int64) content {
	c := content{size: size}
	hash.Sum(c.digest[:0])
	return c
}

// string returns "blake3:" followed by the 64 digits of the digest.
func (c content) string() string { return digestPrefix + c.hex() }

// hex returns all 64 digits of the digest.
func (c content) hex() string { return hex.EncodeToString(c.digest[:]) }

// names yields the names of at least so many digits that c may have, the preferred one first.
func (c content) names(least int) iter.Seq[string] {
	return func(yield func(string) bool) {
		digits := c.hex()
		for n := least; n < maxNameDigits; n += nameStepDigits {
			if !yield(digits[:n]) {
				return
			}
		}
		yield(digits)
	}
}

// seekable is a reader of a blob whose bytes are at hand: it can seek, and has nothing to close.
type seekable struct{ io.ReadSeeker }

func (seekable) Close() error { return nil }

type bytesBlob []byte

func (b bytesBlob) Size() int64                  { return int64(len(b)) }
func (b bytesBlob) Open() (io.ReadCloser, error) { return seekable{bytes.NewReader(b)}, nil }
