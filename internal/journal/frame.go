package journal

// Frames: entries as segments have them. A frame is a header, the data, and zeros up to a multiple of 8 bytes. All numbers are
// little-endian.
//
//	 0  u32  frameMagic
//	 4  u32  length of the data in bytes
//	 8  u32  CRC32C of the data
//	12  u32  0
//	16  u32  number of the write that it was part of, within the segment
//	20  u32  where that write began: its offset in the segment
//	24  u8   stream
//	25  u8   1: the last frame of its append; 3: likewise, without an entry, written when the journal was closed
//	26  u16  0
//	28  u32  CRC32C of the key of the segment and of the header with 0 here
//	32  u64  number of the entry
//	40  i64  time, in milliseconds since 1970
//	48  32   previous hash
//	80  32   hash
//
// The checksum of the header begins with a key that is random for each use of a segment, so that what a tool printed is never taken
// for a frame, nor what the segment had before.
//
// A write begins where the one before ended, and is synced before the next one begins. So what is before the beginning of any
// write was durable: a frame that is broken there was damaged later. What is broken after it may be the torn end of a write that
// nobody was answered.

import (
	"encoding/binary"
	"hash/crc32"
)

const (
	frameMagic  = 0x4a_52_54_01
	headerSize  = 112
	frameAlign  = 8
	lastOfGroup = 1
	endOfWrites = 2
	// maxData bounds the data of an entry, in bytes.
	maxData = 256 << 20
)

// header is the header of a frame.
type header struct {
	length, sum    uint32
	write, start   uint32
	stream         Stream
	last           bool
	ends           bool // it has no entry
	number         uint64
	at             int64
	previous, hash Hash
}

// size returns the size of the frame in a segment, in bytes.
func (h *header) size() int64 { return frameSize(int(h.length)) }

// frameSize returns the size of a frame with so much data, in bytes.
func frameSize(length int) int64 {
	return (headerSize + int64(length) + frameAlign - 1) &^ (frameAlign - 1)
}

// put writes the header to the first bytes of b.
func (h *header) put(b []byte, key segmentKey) {
	le := binary.LittleEndian
	le.PutUint32(b[0:], frameMagic)
	le.PutUint32(b[4:], h.length)
	le.PutUint32(b[8:], h.sum)
	le.PutUint32(b[12:], 0)
	le.PutUint32(b[16:], h.write)
	le.PutUint32(b[20:], h.start)
	b[24], b[25], b[26], b[27] = byte(h.stream), 0, 0, 0
	if h.last {
		b[25] = lastOfGroup
	}
	if h.ends {
		b[25] |= endOfWrites
	}
	le.PutUint32(b[28:], 0)
	le.PutUint64(b[32:], h.number)
	le.PutUint64(b[40:], uint64(h.at))
	copy(b[48:], h.previous[:])
	copy(b[80:], h.hash[:])
	le.PutUint32(b[28:], key.sum(b[:headerSize]))
}

// segmentKey is random for each use of a segment.
type segmentKey [16]byte

// sum returns the CRC32C of the key and of b.
func (k segmentKey) sum(b []byte) uint32 {
	return crc32.Update(crc32.Checksum(k[:], castagnoli), castagnoli, b)
}

// parseHeader reads the header of a frame of a segment; false: it is none.
func parseHeader(b []byte, key segmentKey) (h header, ok bool) {
	le := binary.LittleEndian
	if len(b) < headerSize || le.Uint32(b) != frameMagic {
		return h, false
	}
	var copied [headerSize]byte
	copy(copied[:], b)
	le.PutUint32(copied[28:], 0)
	if le.Uint32(b[28:]) != key.sum(copied[:]) {
		return h, false
	}
	h = header{
		length: le.Uint32(b[4:]), sum: le.Uint32(b[8:]), write: le.Uint32(b[16:]), start: le.Uint32(b[20:]),
		stream: Stream(b[24]), last: b[25]&lastOfGroup != 0, ends: b[25]&endOfWrites != 0, number: le.Uint64(b[32:]), at: int64(le.Uint64(b[40:])),
	}
	copy(h.previous[:], b[48:])
	copy(h.hash[:], b[80:])
	return h, h.stream < streamCount && h.length <= maxData
}

// entry returns the entry of a frame with its data.
func (h *header) entry(data []byte) *Entry {
	return &Entry{Stream: h.stream, Number: h.number, At: h.at, Data: data, Previous: h.previous, Hash: h.hash, sum: h.sum}
}
