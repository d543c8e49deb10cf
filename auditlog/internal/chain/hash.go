package chain

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/zeebo/blake3"
)

// Hash is a BLAKE3 hash. The zero value precedes the first row.
type Hash [32]byte

// hashPrefix names the hash in texts, so that another one may follow.
const hashPrefix = "blake3:"

// String returns a hash as records have it: "blake3:" and 64 hex digits.
func (h Hash) String() string { return hashPrefix + hex.EncodeToString(h[:]) }

// ParseHash reads the text of String.
func ParseHash(text string) (h Hash, err error) {
	digits, ok := strings.CutPrefix(text, hashPrefix)
	if !ok || len(digits) != hex.EncodedLen(len(h)) {
		return Hash{}, fmt.Errorf("%q is no hash", text)
	}
	// Upper-case digits are read, too: they are the same hash.
	if _, err := hex.Decode(h[:], []byte(digits)); err != nil {
		return Hash{}, fmt.Errorf("%q is no hash", text)
	}
	return h, nil
}

// Scan implements [database/sql.Scanner]. A value that is no hash gives the zero hash, which no row has, so that reading
// goes on and the row is found inconsistent.
func (h *Hash) Scan(value any) error {
	b, ok := value.([]byte)
	if !ok || len(b) != len(h) {
		*h = Hash{}
		return nil
	}
	copy(h[:], b)
	return nil
}

// What is hashed begins with a tag, so that the hash of one kind never passes for one of another.
const (
	contentTag = "toolresult audit content 1\n"
	chainTag   = "toolresult audit chain 1\n"
)

// contentHash hashes the record in a row, whatever its place: facts, canonical, receipt and payload as they are stored. A
// byte that says whether the part is there and its length as 8 bytes, big-endian, come before each. Most of the work is
// here, so it is done before a row waits for its place.
func (r *Row) contentHash() (sum Hash) {
	h := blake3.New()
	_, _ = h.WriteString(contentTag) // never fails
	part := func(b []byte, present bool) {
		var length [9]byte
		if present {
			length[0] = 1
		}
		binary.BigEndian.PutUint64(length[1:], uint64(len(b)))
		_, _ = h.Write(length[:])
		_, _ = h.Write(b)
	}
	part(r.Facts, true)
	part(r.Canonical, r.Canonical != nil)
	part([]byte(r.Receipt.String), r.Receipt.Valid)
	part(r.Payload, r.Payload != nil)
	h.Sum(sum[:0])
	return sum
}

// chainHash hashes a row in its place: the hash of the row before, log, sequence and time, and the content.
func (r *Row) chainHash(content Hash) (sum Hash) {
	b := make([]byte, 0, 256)
	b = append(b, chainTag...)
	b = append(b, r.Previous[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(len(r.Log)))
	b = append(b, r.Log...)
	b = binary.BigEndian.AppendUint64(b, r.Sequence)
	b = binary.BigEndian.AppendUint64(b, uint64(r.At))
	b = append(b, content[:]...)
	return blake3.Sum256(b)
}

// Tip is the last row of a chain. The zero value is the end of an empty one.
type Tip struct {
	Sequence uint64
	Hash     Hash
}

// Seal gives a row of NewRow its place after the end of a chain, and returns the new end. at is in milliseconds since
// 1970. A row may be sealed again, when its transaction is repeated.
func (r *Row) Seal(log string, end Tip, at int64) Tip {
	r.Log, r.Sequence, r.At, r.Previous = log, end.Sequence+1, at, end.Hash
	r.Hash = r.chainHash(r.content)
	return Tip{r.Sequence, r.Hash}
}
