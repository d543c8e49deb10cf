package journal

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"strings"
	"sync"

	"github.com/zeebo/blake3"
)

// Stream is a sequence of entries that is numbered and chained for itself.
type Stream uint8

// The streams of a journal.
const (
	// Temporary is no stream: its entries have no number and no hash, and are not sealed.
	Temporary Stream = iota
	// Records has audit records.
	Records
	// Catalog has changes of the catalog of artifacts.
	Catalog

	streamCount
)

// streamNames are the names of folders, and streamTags those that begin what is hashed.
var (
	streamNames = [streamCount]string{Records: "records", Catalog: "catalog"}
	streamTags  = [streamCount]string{Records: "audit", Catalog: "catalog"}
)

// String returns the name of a stream.
func (s Stream) String() string {
	if s == Temporary || s >= streamCount {
		return "temporary"
	}
	return streamNames[s]
}

// Entry is an entry of a journal. Append sets its place; who reads one does not change it.
type Entry struct {
	Stream Stream
	// Number is the place in the stream, from 1 without gaps.
	Number uint64
	// At is the time of the append, in milliseconds since 1970.
	At int64
	// Data is what was appended. It is not changed after NewEntry.
	Data []byte
	// Note is for who follows, from who appends. It is not stored.
	Note any
	// Previous is the hash of the entry before, Hash that of this one.
	Previous, Hash Hash

	content Hash   // of Data
	sum     uint32 // CRC32C of Data
}

// NewEntry returns an entry to append. It does here what takes long, so that callers do it in parallel.
func NewEntry(s Stream, data []byte) *Entry {
	e := &Entry{Stream: s, Data: data, sum: crc32.Checksum(data, castagnoli)}
	if s != Temporary {
		e.content = contentHash(s, data)
	}
	return e
}

// castagnoli is the polynomial of CRC32C (RFC 3720, appendix B.4), which processors compute.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Tip is the last entry of a stream. The zero value is the end of an empty one.
type Tip struct {
	Number uint64
	Hash   Hash
}

// tip returns the end of a stream whose last entry is e.
func (e *Entry) tip() Tip { return Tip{e.Number, e.Hash} }

// place gives an entry the place after the end of its stream.
func (e *Entry) place(log string, end Tip, at int64) {
	e.Number, e.At, e.Previous = end.Number+1, at, end.Hash
	e.Hash = chainHash(e.Stream, log, e.Number, at, e.Previous, e.content)
}

// Holds reports whether the hash of an entry that was read is that of its content in its place.
func (e *Entry) Holds(log string) bool {
	return e.Hash == chainHash(e.Stream, log, e.Number, e.At, e.Previous, contentHash(e.Stream, e.Data))
}

// Hash is a BLAKE3 hash. The zero value precedes the first entry.
type Hash [32]byte

// hashPrefix names the hash in texts, so that another one may follow.
const hashPrefix = "blake3:"

// String returns "blake3:" and 64 hex digits.
func (h Hash) String() string { return hashPrefix + hex.EncodeToString(h[:]) }

// ParseHash reads the text of String. Upper-case digits are read too.
func ParseHash(text string) (h Hash, err error) {
	digits, ok := strings.CutPrefix(text, hashPrefix)
	if !ok || len(digits) != hex.EncodedLen(len(h)) {
		return Hash{}, fmt.Errorf("%q is no hash", text)
	}
	if _, err := hex.Decode(h[:], []byte(digits)); err != nil {
		return Hash{}, fmt.Errorf("%q is no hash", text)
	}
	return h, nil
}

// What is hashed begins with a tag, so that the hash of one kind never passes for one of another.
var contentTags, chainTags = tagsOf("content"), tagsOf("chain")

// tagsOf returns the tags of all streams for one kind of hash.
func tagsOf(kind string) (tags [streamCount][]byte) {
	for s := Records; s < streamCount; s++ {
		tags[s] = []byte("toolresult " + streamTags[s] + " " + kind + " 1\n")
	}
	return tags
}

// contentHash hashes the data of an entry, whatever its place.
func contentHash(s Stream, data []byte) (sum Hash) {
	h := hashers.Get().(*blake3.Hasher)
	h.Reset()
	_, _ = h.Write(contentTags[s]) // never fails
	_, _ = h.Write(data)
	h.Sum(sum[:0])
	hashers.Put(h)
	return sum
}

// hashers are used again, as each has some KiB.
var hashers = sync.Pool{New: func() any { return blake3.New() }}

// chainHash hashes an entry in its place: the hash of the entry before, the log, number and time, and the content.
func chainHash(s Stream, log string, number uint64, at int64, previous, content Hash) Hash {
	b := make([]byte, 0, 256)
	b = append(b, chainTags[s]...)
	b = append(b, previous[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(len(log)))
	b = append(b, log...)
	b = binary.BigEndian.AppendUint64(b, number)
	b = binary.BigEndian.AppendUint64(b, uint64(at))
	b = append(b, content[:]...)
	return blake3.Sum256(b)
}
