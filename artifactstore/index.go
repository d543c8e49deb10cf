package artifactstore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"sort"
)

// blockSize is how many bytes of an artifact one entry of its index speaks for. An index takes 12 bytes a
// block, 48 KiB for a gigabyte.
const blockSize = 256 << 10

// BlockSize is how many bytes Pages reads and verifies at a time.
const BlockSize = blockSize

// IndexedSize is from which size on, in bytes, an artifact is worth an index.
const IndexedSize = indexedSize

// indexedSize is from which size on an index is kept beside the artifact, in bytes. Reading less than that
// costs no more than reading an index.
const indexedSize = 1 << 20

// index says of every block of an artifact what its checksum is, and how many lines end in it and before
// it: so a place in the artifact is found, read and verified without reading what is before it. The
// checksum finds damage; that content is what its name says is for the digest to know.
type index struct {
	content content
	sums    []uint32 // CRC-32 of each block
	ends    []uint64 // line ends up to the end of each block
	open    bool     // the last line has no end
	// The last block of a log, which is not full yet, has no entry: sums and ends are shared with what still
	// grows, and an entry never changes.
	partial     bool
	partialSum  uint32
	partialEnds uint64
}

// indexer makes an index of what is written to it.
type indexer struct {
	done     index // of the full blocks
	sum      uint32
	inBlock  int
	newlines uint64
	chain    uint32 // the sums of all full blocks, see chained
}

// Write makes an indexer an io.Writer.
func (x *indexer) Write(p []byte) (int, error) {
	x.write(p)
	return len(p), nil
}

// write takes the next bytes, and returns how many newlines are in them.
func (x *indexer) write(p []byte) (newlines int) {
	before := x.newlines
	if len(p) > 0 {
		x.done.open = p[len(p)-1] != '\n'
	}
	for len(p) > 0 {
		n := min(len(p), blockSize-x.inBlock)
		x.sum = crc32.Update(x.sum, crc32.IEEETable, p[:n])
		x.newlines += uint64(bytes.Count(p[:n], []byte("\n")))
		if x.inBlock += n; x.inBlock == blockSize {
			x.endBlock()
		}
		p = p[n:]
	}
	return int(x.newlines - before)
}

func (x *indexer) endBlock() {
	x.done.sums, x.done.ends = append(x.done.sums, x.sum), append(x.done.ends, x.newlines)
	x.chain = chained(x.chain, x.sum)
	x.sum, x.inBlock = 0, 0
}

// chained adds the checksum of a block to a checksum of those before it.
func chained(before, sum uint32) uint32 {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], sum)
	return crc32.Update(before, crc32.IEEETable, b[:])
}

// check is a checksum of everything so far.
func (x *indexer) check() uint32 {
	if x.inBlock == 0 {
		return x.chain
	}
	return chained(x.chain, x.sum)
}

// size is how many bytes there are so far.
func (x *indexer) size() int64 { return int64(len(x.done.sums))*blockSize + int64(x.inBlock) }

// snapshot returns the index of everything so far. It costs the same however much that is, and stays as it
// is while more is written.
func (x *indexer) snapshot() *index {
	now := x.done
	now.content = content{size: x.size()}
	now.sums, now.ends = slices.Clip(now.sums), slices.Clip(now.ends)
	if x.inBlock > 0 {
		now.partial, now.partialSum, now.partialEnds = true, x.sum, x.newlines
	}
	return &now
}

// finish returns the index of everything, which is c.
func (x *indexer) finish(c content) *index {
	done := x.done
	if x.inBlock > 0 {
		done.sums, done.ends = append(done.sums, x.sum), append(done.ends, x.newlines)
	}
	done.content = c
	return &done
}

// indexOf is the index of b, which is c.
func indexOf(b []byte, c content) *index {
	var x indexer
	x.write(b)
	return x.finish(c)
}

// lines is how many lines there are; a last one without an end counts.
func (i *index) lines() int64 {
	if i.blocks() == 0 {
		return 0
	}
	n := int64(i.end(i.blocks() - 1))
	if i.open {
		n++
	}
	return n
}

// blockOfEnd returns the block in which line n ends, and how many lines end before that block.
func (i *index) blockOfEnd(n uint64) (block int, before uint64) {
	block = sort.Search(i.blocks(), func(b int) bool { return i.end(b) >= n })
	if block > 0 {
		before = i.end(block - 1)
	}
	return block, before
}

// blocks is how many blocks there are.
func (i *index) blocks() int {
	if i.partial {
		return len(i.sums) + 1
	}
	return len(i.sums)
}

// sum is the checksum of a block.
func (i *index) sum(block int) uint32 {
	if block == len(i.sums) {
		return i.partialSum
	}
	return i.sums[block]
}

// end is how many lines end up to the end of a block.
func (i *index) end(block int) uint64 {
	if block == len(i.ends) {
		return i.partialEnds
	}
	return i.ends[block]
}

const (
	indexProduct = "toolresult-index 1\n"
	entrySize    = 4 + 8
	indexFixed   = len(indexProduct) + digestSize + 8 + 1 + 4 // and then a checksum
)

// encode writes an index in its form on disk: what it is, the content's digest and size, the entries, and a
// checksum of all that.
func (i *index) encode() []byte {
	b := make([]byte, 0, indexFixed+len(i.sums)*entrySize+4)
	b = append(b, indexProduct...)
	b = append(b, i.content.digest[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(i.content.size))
	open := byte(0)
	if i.open {
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

// errIndex says that a file is no index.
var errIndex = errors.New("no index of this version, or a damaged one")

// decodeIndex reads what encode wrote.
func decodeIndex(b []byte) (*index, error) {
	if len(b) < indexFixed+4 || string(b[:len(indexProduct)]) != indexProduct {
		return nil, errIndex
	}
	body, sum := b[:len(b)-4], binary.LittleEndian.Uint32(b[len(b)-4:])
	if crc32.ChecksumIEEE(body) != sum {
		return nil, errIndex
	}
	i := &index{}
	rest := body[len(indexProduct):]
	copy(i.content.digest[:], rest)
	rest = rest[digestSize:]
	i.content.size = int64(binary.LittleEndian.Uint64(rest))
	i.open = rest[8] == 1
	n := int(binary.LittleEndian.Uint32(rest[9:]))
	rest = rest[13:]
	if i.content.size < 0 || n != blocks(i.content.size) || len(rest) != n*entrySize {
		return nil, fmt.Errorf("%d entries: %w", n, errIndex)
	}
	for ; len(rest) > 0; rest = rest[entrySize:] {
		i.sums = append(i.sums, binary.LittleEndian.Uint32(rest))
		i.ends = append(i.ends, binary.LittleEndian.Uint64(rest[4:]))
	}
	return i, nil
}

// blocks is how many blocks a content of that size has.
func blocks(size int64) int { return int((size + blockSize - 1) / blockSize) }
