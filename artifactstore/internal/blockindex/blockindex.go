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

// BlockSize is how many bytes of an artifact one entry of its index speaks for. An index takes 12 bytes a
// block, 48 KiB for a gigabyte.
const BlockSize = 256 << 10

// MinSize is from which size on an index is kept beside the artifact, in bytes. Reading less than that
// costs no more than reading an index.
const MinSize = 1 << 20

// Index says of every block of an artifact what its checksum is, and how many lines end in it and before
// it: so a place in the artifact is found, read and verified without reading what is before it. The
// checksum finds damage; that content is what its name says is for the digest to know.
type Index struct {
	Content content.ID
	sums    []uint32 // CRC-32 of each block
	ends    []uint64 // line ends up to the end of each block
	OpenEnd bool     // the last line has no end
	// The last block of a log, which is not full yet, has no entry: sums and ends are shared with what still
	// grows, and an entry never changes.
	partial     bool
	partialSum  uint32
	partialEnds uint64
}

// Builder makes an index of what is written to it.
type Builder struct {
	done     Index // of the full blocks
	sum      uint32
	inBlock  int
	newlines uint64
	chain    uint32 // the sums of all full blocks, see chained
}

// Write makes an indexer an io.Writer.
func (x *Builder) Write(p []byte) (int, error) {
	x.Add(p)
	return len(p), nil
}

// Add takes the next bytes, and returns how many newlines are in them.
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

// Chain adds the checksum of a block to a checksum of those before it.
func Chain(before, sum uint32) uint32 {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], sum)
	return crc32.Update(before, crc32.IEEETable, b[:])
}

// Checksum is a checksum of everything so far.
func (x *Builder) Checksum() uint32 {
	if x.inBlock == 0 {
		return x.chain
	}
	return Chain(x.chain, x.sum)
}

// Size is how many bytes there are so far.
func (x *Builder) Size() int64 { return int64(len(x.done.sums))*BlockSize + int64(x.inBlock) }

// Snapshot returns the index of everything so far. It costs the same however much that is, and stays as it
// is while more is written.
func (x *Builder) Snapshot() *Index {
	now := x.done
	now.Content = content.ID{Size: x.Size()}
	now.sums, now.ends = slices.Clip(now.sums), slices.Clip(now.ends)
	if x.inBlock > 0 {
		now.partial, now.partialSum, now.partialEnds = true, x.sum, x.newlines
	}
	return &now
}

// Finish returns the index of everything, which is c.
func (x *Builder) Finish(c content.ID) *Index {
	done := x.done
	if x.inBlock > 0 {
		done.sums, done.ends = append(done.sums, x.sum), append(done.ends, x.newlines)
	}
	done.Content = c
	return &done
}

// Build is the index of b, which is c.
func Build(b []byte, c content.ID) *Index {
	var x Builder
	x.Add(b)
	return x.Finish(c)
}

// Lines is how many lines there are; a last one without an end counts.
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

// FindEnd returns the block in which line n ends, and how many lines end before that block.
func (i *Index) FindEnd(n uint64) (block int, before uint64) {
	block = sort.Search(i.Blocks(), func(b int) bool { return i.End(b) >= n })
	if block > 0 {
		before = i.End(block - 1)
	}
	return block, before
}

// Blocks is how many blocks there are.
func (i *Index) Blocks() int {
	if i.partial {
		return len(i.sums) + 1
	}
	return len(i.sums)
}

// Sum is the checksum of a block.
func (i *Index) Sum(block int) uint32 {
	if block == len(i.sums) {
		return i.partialSum
	}
	return i.sums[block]
}

// End is how many lines end up to the end of a block.
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

// Encode writes an index in its form on disk: what it is, the content's digest and size, the entries, and a
// checksum of all that.
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

// ErrInvalid says that a file is no index.
var ErrInvalid = errors.New("no index of this version, or a damaged one")

// Decode reads what encode wrote.
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

// Count is how many blocks a content of that size has.
func Count(size int64) int { return int((size + BlockSize - 1) / BlockSize) }
