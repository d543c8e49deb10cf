package journal

// Sealed files: the entries of one stream, compressed, of one segment or of a part of it. They never change.
//
// A damaged page costs the entries on it and no other. So entries are compressed in blocks of less than a page, with a dictionary:
// text that the entries of the file have in common. What all blocks need, the dictionary and the table of blocks, is there twice,
// or is found without the other copy.
//
// The file is a sequence of frames of zstd (RFC 8878), of which all but the blocks are skippable. All numbers are little-endian.
//
//	beginFrame       sealedMagic, the name of the log, and a random key of 16 bytes
//	dictionaryFrame  the dictionary, as a frame of zstd, and the CRC32C of the key and of that; there is none in a small file
//	markFrame        a mark, and behind it the frame of its block; as often as there are blocks
//	markFrame        a mark without a block, which has the hash of the last entry
//	dictionaryFrame  again
//	tableFrame       the table
//
// A mark is
//
//	 0  u64  number of the first entry
//	 8  u32  count of entries; 0: there is no block
//	12  u32  length of the frame that follows, in bytes
//	16  u32  CRC32C of that frame
//	20  32   hash of the entry before the first
//	52  u32  CRC32C of the key and of the mark up to here, so that what a tool printed is never taken for a mark
//
// An entry of a block is its time (i64), the length of its data (u32), and the data. The hashes of the entries follow from those, and
// the last of them must be the one that the next mark has. Where a number is missing there is a mark without a block before the next one.

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

const (
	sealedMagic  = "toolresult journal sealed 2\n"
	sealedSuffix = ".zst"
	// Frames that decoders of zstd skip begin with one of sixteen numbers (RFC 8878, section 3.1.2); their length follows.
	beginFrame      = 0x184d2a50
	markFrame       = 0x184d2a51
	dictionaryFrame = 0x184d2a52
	tableFrame      = 0x184d2a53
	skippableHead   = 8
	markSize        = 56
	// markBytes is the size of a mark with the head of its frame.
	markBytes = skippableHead + markSize
	// blockBytes bounds a block of more than one entry, in bytes of entries.
	blockBytes = 32 << 10
	// frameBytes is the size that a block is to have when it is compressed: with its mark it fits into a page.
	frameBytes = 3 << 10
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
}

// block is a block of a sealed file.
type block struct {
	first  uint64
	count  uint32
	length uint32 // of its frame
	offset int64  // of the frame of its mark
}

// last returns the number of the last entry.
func (b *block) last() uint64 { return b.first + uint64(b.count) - 1 }

// end returns the offset behind the block, where the next mark is.
func (b *block) end() int64 { return b.offset + markBytes + int64(b.length) }

// mark describes a block.
type mark struct {
	first       uint64
	count       uint32
	length, sum uint32
	previous    Hash
}

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

// append appends a mark in its frame.
func (m *mark) append(b []byte, key segmentKey) []byte {
	b = skip(b, markFrame, markSize)
	from := len(b)
	b = binary.LittleEndian.AppendUint64(b, m.first)
	b = binary.LittleEndian.AppendUint32(b, m.count)
	b = binary.LittleEndian.AppendUint32(b, m.length)
	b = binary.LittleEndian.AppendUint32(b, m.sum)
	b = append(b, m.previous[:]...)
	return binary.LittleEndian.AppendUint32(b, key.sum(b[from:]))
}

// parseMark reads a mark in its frame; false: it is none.
func parseMark(b []byte, key segmentKey) (m mark, ok bool) {
	le := binary.LittleEndian
	if len(b) < markBytes || le.Uint32(b) != markFrame || le.Uint32(b[4:]) != markSize {
		return m, false
	}
	if b = b[skippableHead:markBytes]; key.sum(b[:markSize-4]) != le.Uint32(b[markSize-4:]) {
		return m, false
	}
	m = mark{first: le.Uint64(b), count: le.Uint32(b[8:]), length: le.Uint32(b[12:]), sum: le.Uint32(b[16:])}
	copy(m.previous[:], b[20:])
	return m, m.first > 0
}

// skip appends the head of a skippable frame of a length.
func skip(b []byte, kind uint32, length int) []byte {
	b = binary.LittleEndian.AppendUint32(b, kind)
	return binary.LittleEndian.AppendUint32(b, uint32(length))
}
