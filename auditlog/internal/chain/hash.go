package chain

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/zeebo/blake3"
)

// Hash is one of BLAKE3. The zero value is what stands before the first row.
type Hash [32]byte

const hashPrefix = "blake3:"

// String is a hash as records have it.
func (h Hash) String() string { return hashPrefix + hex.EncodeToString(h[:]) }

// ParseHash reads what String wrote.
func ParseHash(text string) (h Hash, err error) {
	digits, ok := strings.CutPrefix(text, hashPrefix)
	if n, err := hex.Decode(h[:], []byte(digits)); !ok || err != nil || n != len(h) || len(digits) != 2*len(h) {
		return Hash{}, fmt.Errorf("%q is no hash", text)
	}
	return h, nil
}

// Scan reads a hash from a column.
func (h *Hash) Scan(value any) error {
	b, ok := value.([]byte)
	if !ok || len(b) != len(h) {
		*h = Hash{}
		return nil // a hash that was altered: it will not hold
	}
	copy(h[:], b)
	return nil
}

// What is hashed begins with one of these, so that no hash passes for another.
const (
	contentTag = "toolresult audit content 1\n"
	chainTag   = "toolresult audit chain 1\n"
)

// contentHash is the hash of what a record says, whatever its place: facts, canonical, receipt and payload, as they
// are stored, each after its length. It is made before a row waits for its place, because it is most of the work.
func (r *Row) contentHash() (sum Hash) {
	h := blake3.New()
	_, _ = h.WriteString(contentTag) // it returns no error
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

// chained is the hash of a row at its place: over the hash before, the log, sequence and time, and the content.
func (r *Row) chained(content Hash) (sum Hash) {
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

// Tip is the end of a chain.
type Tip struct {
	Sequence uint64
	Hash     Hash
}

// Seal gives a new row its place after the end of a chain, and returns the new end.
func (r *Row) Seal(log string, end Tip, at int64) Tip {
	r.Log, r.Sequence, r.At, r.Previous = log, end.Sequence+1, at, end.Hash
	r.Hash = r.chained(r.content)
	return Tip{r.Sequence, r.Hash}
}
