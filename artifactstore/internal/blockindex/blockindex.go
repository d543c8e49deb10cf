// Package blockindex indexes a payload by blocks: a checksum of each block, and the lines that end in it.
//
// So a place in a large artifact is found, read and verified without reading the bytes before it. The checksum finds
// damage of a block; whether the content is the one that a name says is up to the digest.
//
// The encoded form is a header, the digest and size of the content, one entry of 12 bytes per block, and a CRC-32 of all
// that, in little-endian order.
package blockindex

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"sort"

	"github.com/toolresult/toolresult/artifactstore/internal/content"
)

// BlockSize is the number of bytes that one entry of an index covers. An index takes 12 bytes a block, 48 KiB for a
// gigabyte.
const BlockSize = 256 << 10

// MinSize is the size in bytes from which on an index is kept beside the artifact. Reading less than that costs no more
// than reading an index.
const MinSize = 1 << 20

// Index has the checksum of every block of a payload, and the number of lines that end in and before it.
type Index struct {
	Content content.ID
	sums    []uint32 // CRC-32 (IEEE) of each block
	ends    []uint64 // line ends up to the end of each block
	OpenEnd bool     // the last line has no end
	// The last block of a log, which is not full yet, has no entry in sums and ends: these are shared with the
	// Builder, which goes on appending, and an entry never changes.
	partial     bool
	partialSum  uint32
	partialEnds uint64
}

// Builder makes the index of the bytes that are written to it. The zero value is ready. Copies are independent.
type Builder struct {
	done     Index  // of the full blocks
	sum      uint32 // of the last block so far
	inBlock  int    // bytes of the last block so far
	newlines uint64 // since the beginning
	chain    uint32 // of the sums of all full blocks, see Chain
}

// Write implements io.Writer. It never fails.
func (x *Builder) Write(p []byte) (int, error) {
	x.Add(p)
	return len(p), nil
}

// Add indexes the next bytes and returns the number of newlines in them.
func (x *Builder) Add(p []byte) (newlines int) {
	before := x.newlines
	if len(p) > 0 {
		x.done.OpenEnd = p[len(p)-1] != '\n'
	}
	for len(p) > 0 {
		n := min(len(p), BlockSize-x.inBlock)
		x.sum = crc32.Update(x.sum, crc32.IEEETable, p[:n])
		x.newlines += uint64(bytes.Count(p[:n], []byte("\n")))
		if x.inBlock += n; x.inBlock == BlockSize {
			x.endBlock()
		}
		p = p[n:]
	}
	return int(x.newlines - before)
}

func (x *Builder) endBlock() {
	x.done.sums, x.done.ends = append(x.done.sums, x.sum), append(x.done.ends, x.newlines)
	x.chain = Chain(x.chain, x.sum)
	x.sum, x.inBlock = 0, 0
}

// Chain combines the checksum of a block with that of all blocks before it.
func Chain(before, sum uint32) uint32 {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], sum)
	return crc32.Update(before, crc32.IEEETable, b[:])
}

// Checksum returns a checksum of all bytes so far.
func (x *Builder) Checksum() uint32 {
	if x.inBlock == 0 {
		return x.chain
	}
	return Chain(x.chain, x.sum)
}

// Size returns the number of bytes so far.
func (x *Builder) Size() int64 { return int64(len(x.done.sums))*BlockSize + int64(x.inBlock) }

// Snapshot returns the index of all bytes so far, without a digest. It takes constant time, and does not change while
// more is written.
func (x *Builder) Snapshot() *Index {
	now := x.done
	now.Content = content.ID{Size: x.Size()}
	now.sums, now.ends = slices.Clip(now.sums), slices.Clip(now.ends)
	if x.inBlock > 0 {
		now.partial, now.partialSum, now.partialEnds = true, x.sum, x.newlines
	}
	return &now
}

// Finish returns the index of all bytes, whose identity is c.
func (x *Builder) Finish(c content.ID) *Index {
	done := x.done
	if x.inBlock > 0 {
		done.sums, done.ends = append(done.sums, x.sum), append(done.ends, x.newlines)
	}
	done.Content = c
	return &done
}

// Build returns the index of b, whose identity is c.
func Build(b []byte, c content.ID) *Index {
	var x Builder
	x.Add(b)
	return x.Finish(c)
}

// Lines returns the number of lines. A last line without an end counts.
func (i *Index) Lines() int64 {
	if i.Blocks() == 0 {
		return 0
	}
	n := int64(i.End(i.Blocks() - 1))
	if i.OpenEnd {
		n++
	}
	return n
}

// FindEnd returns the block in which line n ends, and the number of lines that end before that block.
func (i *Index) FindEnd(n uint64) (block int, before uint64) {
	block = sort.Search(i.Blocks(), func(b int) bool { return i.End(b) >= n })
	if block > 0 {
		before = i.End(block - 1)
	}
	return block, before
}

// Blocks returns the number of blocks.
func (i *Index) Blocks() int {
	if i.partial {
		return len(i.sums) + 1
	}
	return len(i.sums)
}

// Sum returns the checksum of a block.
func (i *Index) Sum(block int) uint32 {
	if block == len(i.sums) {
		return i.partialSum
	}
	return i.sums[block]
}

// End returns the number of lines that end up to the end of a block.
func (i *Index) End(block int) uint64 {
	if block == len(i.ends) {
		return i.partialEnds
	}
	return i.ends[block]
}

const (
	indexProduct = "toolresult-index 1\n"
	entrySize    = 4 + 8
	indexFixed   = len(indexProduct) + content.DigestSize + 8 + 1 + 4 // and then a checksum
)

// Encode returns the form of an index on disk.
func (i *Index) Encode() []byte {
	b := make([]byte, 0, indexFixed+len(i.sums)*entrySize+4)
	b = append(b, indexProduct...)
	b = append(b, i.Content.Digest[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(i.Content.Size))
	open := byte(0)
	if i.OpenEnd {
		open = 1
	}
	b = append(b, open)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(i.sums)))
	for n := range i.sums {
		b = binary.LittleEndian.AppendUint32(b, i.sums[n])
		b = binary.LittleEndian.AppendUint64(b, i.ends[n])
	}
	return binary.LittleEndian.AppendUint32(b, crc32.ChecksumIEEE(b))
}

// ErrInvalid means that bytes are not an index of this version, or are damaged.
var ErrInvalid = errors.New("no index of this version, or a damaged one")

// Decode is the inverse of Encode. It fails with ErrInvalid.
func Decode(b []byte) (*Index, error) {
	if len(b) < indexFixed+4 || string(b[:len(indexProduct)]) != indexProduct {
		return nil, ErrInvalid
	}
	body, sum := b[:len(b)-4], binary.LittleEndian.Uint32(b[len(b)-4:])
	if crc32.ChecksumIEEE(body) != sum {
		return nil, ErrInvalid
	}
	i := &Index{}
	rest := body[len(indexProduct):]
	copy(i.Content.Digest[:], rest)
	rest = rest[content.DigestSize:]
	i.Content.Size = int64(binary.LittleEndian.Uint64(rest))
	i.OpenEnd = rest[8] == 1
	n := int(binary.LittleEndian.Uint32(rest[9:]))
	rest = rest[13:]
	if i.Content.Size < 0 || n != Count(i.Content.Size) || len(rest) != n*entrySize {
		return nil, fmt.Errorf("%d entries: %w", n, ErrInvalid)
	}
	for ; len(rest) > 0; rest = rest[entrySize:] {
		i.sums = append(i.sums, binary.LittleEndian.Uint32(rest))
		i.ends = append(i.ends, binary.LittleEndian.Uint64(rest[4:]))
	}
	return i, nil
}

// Count returns the number of blocks of a content of size bytes.
func Count(size int64) int { return int((size + BlockSize - 1) / BlockSize) }
