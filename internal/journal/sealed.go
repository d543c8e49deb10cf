package journal

// Sealed files: the entries of one stream, compressed, of one segment or of a part of it. They never change.
//
// A sealed file is also one of zstd (RFC 8878), so that `zstd -dc` shows the entries. It begins with a skippable frame that has
// sealedMagic, the name of the log, and a random key of 16 bytes. Each block of entries is a skippable frame with a mark and a frame with the entries. At the end is a skippable frame
// with the table: the marks of all blocks and their offsets, then the key, the CRC32C of all that, and its length. All numbers are little-endian.
//
// A mark is
//
//	 0  u64  number of the first entry
//	 8  u32  count of entries
//	12  u32  length of the frame that follows, in bytes
//	16  u32  CRC32C of that frame
//	20  32   hash of the entry before the first
//	52  32   hash of the last entry
//	84  u32  CRC32C of the key and of the mark up to here, so that what a tool printed is never taken for a mark
//
// An entry of a block is its time (i64), the length of its data (u32), and the data. The hashes of the entries in between follow from
// those.

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
)

const (
	sealedMagic  = "toolresult journal sealed 1\n"
	sealedSuffix = ".zst"
	// skippable begins a frame that decoders of zstd skip (RFC 8878, section 3.1.2); its length follows.
	skippable     = 0x184d2a50
	skippableHead = 8
	markSize      = 88
	// tableEntry is the size of a mark with its offset in the table.
	tableEntry = markSize + 8
	// blockBytes is the size from which a block is complete, in bytes of entries. Larger ones compress better, and take longer to read
	// a single entry from.
	blockBytes = 128 << 10
	// maxName bounds the name of a log, in bytes.
	maxName = 255
	// maxBlock bounds a block when it is read, in bytes of entries.
	maxBlock = blockBytes + maxData + 1<<10
	// entryHead is the size of what precedes the data of an entry in a block.
	entryHead = 12
)

// sealedFile is a sealed file.
type sealedFile struct {
	stream      Stream
	first, last uint64
	size        int64

	mu     sync.Mutex
	blocks []block // nil: not read yet
}

// block is a block of a sealed file.
type block struct {
	mark
	offset int64 // of its frame
}

// mark describes a block.
type mark struct {
	first          uint64
	count          uint32
	length, sum    uint32
	previous, hash Hash
}

// last returns the number of the last entry.
func (m *mark) last() uint64 { return m.first + uint64(m.count) - 1 }

// name returns the name of the file.
func (f *sealedFile) name() string { return sealedName(f.stream, f.first, f.last) }

// sealedName returns the name of the file with the entries of a stream from first to last.
func sealedName(s Stream, first, last uint64) string {
	return fmt.Sprintf("%s/%020d-%020d%s", s, first, last, sealedSuffix)
}

// parseSealedName returns the numbers of a sealed file by its name in its folder.
func parseSealedName(name string) (first, last uint64, ok bool) {
	numbers, ok := strings.CutSuffix(name, sealedSuffix)
	a, b, two := strings.Cut(numbers, "-")
	first, err1 := strconv.ParseUint(a, 10, 64)
	last, err2 := strconv.ParseUint(b, 10, 64)
	ok = ok && two && err1 == nil && err2 == nil && first > 0 && first <= last && sealedName(Records, first, last) == Records.String()+"/"+name
	return first, last, ok
}

// append appends the bytes of a mark.
func (m *mark) append(b []byte, key segmentKey) []byte {
	from := len(b)
	b = binary.LittleEndian.AppendUint64(b, m.first)
	b = binary.LittleEndian.AppendUint32(b, m.count)
	b = binary.LittleEndian.AppendUint32(b, m.length)
	b = binary.LittleEndian.AppendUint32(b, m.sum)
	b = append(b, m.previous[:]...)
	b = append(b, m.hash[:]...)
	return binary.LittleEndian.AppendUint32(b, key.sum(b[from:]))
}

// parseMark reads a mark; false: it is none.
func parseMark(b []byte, key segmentKey) (m mark, ok bool) {
	le := binary.LittleEndian
	if len(b) < markSize || key.sum(b[:markSize-4]) != le.Uint32(b[markSize-4:]) {
		return m, false
	}
	m = mark{first: le.Uint64(b), count: le.Uint32(b[8:]), length: le.Uint32(b[12:]), sum: le.Uint32(b[16:])}
	copy(m.previous[:], b[20:])
	copy(m.hash[:], b[52:])
	return m, m.first > 0 && m.count > 0
}

// skip appends the head of a skippable frame of a length.
func skip(b []byte, length int) []byte {
	b = binary.LittleEndian.AppendUint32(b, skippable)
	return binary.LittleEndian.AppendUint32(b, uint32(length))
}

// newEncoder returns what compresses blocks.
func newEncoder() *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(512<<10), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // the options are constants
	}
	return e
}

// decoder returns what reads blocks. Safe for concurrent use.
var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(maxBlock))
	if err != nil {
		panic(err)
	}
	return d
})

// sealWriter writes a sealed file.
type sealWriter struct {
	w       io.Writer
	key     segmentKey
	encoder *zstd.Encoder
	at      int64
	table   []byte
	entries []byte // of the block that is not complete
	mark    mark
}

// newSealWriter begins a sealed file of a log.
func newSealWriter(w io.Writer, log string) (*sealWriter, error) {
	s := &sealWriter{w: w, encoder: newEncoder()}
	if _, err := rand.Read(s.key[:]); err != nil {
		return nil, err
	}
	begin := sealedMagic + log + string(s.key[:])
	return s, s.write(append(skip(nil, len(begin)), begin...))
}

// readBegin returns the name of the log of a sealed file, and the key of its marks; false: its beginning is damaged.
func readBegin(f io.ReaderAt) (log string, key segmentKey, ok bool) {
	b := make([]byte, skippableHead+len(sealedMagic)+maxName+len(key))
	n, _ := f.ReadAt(b, 0) // what can be read is looked at
	rest, ok := bytes.CutPrefix(b[min(n, skippableHead):n], []byte(sealedMagic))
	if !ok {
		return "", key, false
	}
	length := int(binary.LittleEndian.Uint32(b[4:])) - len(sealedMagic) - len(key)
	if length < 0 || length+len(key) > len(rest) {
		return "", key, false
	}
	copy(key[:], rest[length:])
	return string(rest[:length]), key, true
}

// write writes bytes.
func (s *sealWriter) write(b []byte) error {
	n, err := s.w.Write(b)
	s.at += int64(n)
	return err
}

// add adds an entry. One that does not follow the one before begins a block.
func (s *sealWriter) add(e *Entry) error {
	if s.mark.count > 0 && (e.Number != s.mark.last()+1 || e.Previous != s.mark.hash || len(s.entries) >= blockBytes) {
		if err := s.endBlock(); err != nil {
			return err
		}
	}
	if s.mark.count == 0 {
		s.mark.first, s.mark.previous = e.Number, e.Previous
	}
	s.mark.count++
	s.mark.hash = e.Hash
	s.entries = binary.LittleEndian.AppendUint64(s.entries, uint64(e.At))
	s.entries = binary.LittleEndian.AppendUint32(s.entries, uint32(len(e.Data)))
	s.entries = append(s.entries, e.Data...)
	return nil
}

// endBlock writes the block.
func (s *sealWriter) endBlock() error {
	if s.mark.count == 0 {
		return nil
	}
	frame := s.encoder.EncodeAll(s.entries, nil)
	s.mark.length, s.mark.sum = uint32(len(frame)), crc32.Checksum(frame, castagnoli)
	if err := s.write(s.mark.append(skip(nil, markSize), s.key)); err != nil {
		return err
	}
	s.table = s.mark.append(s.table, s.key)
	s.table = binary.LittleEndian.AppendUint64(s.table, uint64(s.at))
	s.entries, s.mark = s.entries[:0], mark{}
	return s.write(frame)
}

// finish writes the last block and the table, which ends with its CRC32C and its length.
func (s *sealWriter) finish() error {
	defer s.encoder.Close() // it has no stream
	if err := s.endBlock(); err != nil {
		return err
	}
	s.table = append(s.table, s.key[:]...)
	s.table = binary.LittleEndian.AppendUint32(s.table, crc32.Checksum(s.table, castagnoli))
	s.table = binary.LittleEndian.AppendUint32(s.table, uint32(len(s.table)-4))
	return s.write(append(skip(nil, len(s.table)), s.table...))
}

// table reads the table of a file; if it is damaged, it looks for the marks.
func (f *sealedFile) table(d disk) ([]block, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.blocks != nil {
		return f.blocks, nil
	}
	opened, err := d.Open(f.name())
	if err != nil {
		return nil, err
	}
	defer opened.Close() // read-only
	blocks, ok := readTable(opened, f.size)
	if !ok {
		blocks = findMarks(opened, f.size)
	}
	f.blocks = slices.DeleteFunc(blocks, func(b block) bool { return b.first < f.first || b.last() > f.last })
	return f.blocks, nil
}

// readTable reads the table at the end of a file; false: it is damaged.
func readTable(f file, size int64) (blocks []block, ok bool) {
	var tail [8]byte
	if size < 8 {
		return nil, false
	}
	if _, err := f.ReadAt(tail[:], size-8); err != nil {
		return nil, false
	}
	sum, length := binary.LittleEndian.Uint32(tail[:]), int64(binary.LittleEndian.Uint32(tail[4:]))
	var key segmentKey
	if length < int64(len(key)) || (length-int64(len(key)))%tableEntry != 0 || length > size-8 {
		return nil, false
	}
	table := make([]byte, length)
	if _, err := f.ReadAt(table, size-8-length); err != nil || crc32.Checksum(table, castagnoli) != sum {
		return nil, false
	}
	marks := table[:length-int64(len(key))]
	copy(key[:], table[len(marks):])
	for b := range slices.Chunk(marks, tableEntry) {
		m, ok := parseMark(b, key)
		if !ok {
			return nil, false
		}
		blocks = append(blocks, block{m, int64(binary.LittleEndian.Uint64(b[markSize:]))})
	}
	return blocks, true
}

// findMarks looks for the marks of a file.
func findMarks(f file, size int64) (blocks []block) {
	_, key, ok := readBegin(f)
	if !ok {
		return nil
	}
	w, head := &window{file: f, limit: size}, skip(nil, markSize)
	for at := int64(0); at < size; {
		piece := w.bytes(at, windowSize)
		i := bytes.Index(piece, head)
		if i < 0 {
			at += max(1, int64(len(piece)-len(head)+1))
			continue
		}
		at += int64(i) + skippableHead
		if m, ok := parseMark(w.bytes(at, markSize), key); ok && (len(blocks) == 0 || m.first > blocks[len(blocks)-1].last()) {
			blocks = append(blocks, block{m, at + markSize})
			at += markSize + int64(m.length)
		}
	}
	return blocks
}

// errBlock means that a block is not as it was written.
var errBlock = fmt.Errorf("its block is not as it was written: %w", ErrDamaged)

// readBlock reads the entries of a block. It fails if one of them is not as it was appended.
func readBlock(r io.ReaderAt, b *block, s Stream, log string) ([]Entry, error) {
	frame := make([]byte, b.length)
	if _, err := r.ReadAt(frame, b.offset); err != nil {
		return nil, errors.Join(errBlock, err)
	}
	if crc32.Checksum(frame, castagnoli) != b.sum {
		return nil, errBlock
	}
	rest, err := decoder().DecodeAll(frame, nil)
	if err != nil {
		return nil, errors.Join(errBlock, err)
	}
	if int64(b.count) > int64(len(rest)/entryHead) {
		return nil, errBlock
	}
	list := make([]Entry, 0, b.count)
	previous := b.previous
	for number := b.first; number <= b.last(); number++ {
		if len(rest) < entryHead {
			return nil, errBlock
		}
		at, length := int64(binary.LittleEndian.Uint64(rest)), int64(binary.LittleEndian.Uint32(rest[8:]))
		if rest = rest[entryHead:]; length > int64(len(rest)) {
			return nil, errBlock
		}
		e := Entry{Stream: s, Number: number, At: at, Data: rest[:length:length], Previous: previous}
		e.Hash = chainHash(s, log, number, at, previous, contentHash(s, e.Data))
		list, rest, previous = append(list, e), rest[length:], e.Hash
	}
	if previous != b.hash || len(rest) > 0 {
		return nil, errBlock
	}
	return list, nil
}
