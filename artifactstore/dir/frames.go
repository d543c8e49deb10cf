package dir

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/internal/blockindex"
)

// The compressed form of an artifact is the seekable format of zstd: a frame for each block of its index, so that reading
// a place decodes one frame, and then a table of the frames in a skippable frame. Every decoder of zstd reads it. The
// format is in contrib/seekable_format/zstd_seekable_compression_format.md of the zstd repository.
const (
	// maxFrame is the largest size of a frame in bytes: a block that does not get smaller is stored as it is, with a
	// header, three bytes for each 128 KiB, and a checksum.
	maxFrame = blockindex.BlockSize + 64
	// maxTable is the largest size of a table in bytes: that of an artifact of two terabytes.
	maxTable = 64 << 20

	tableMagic  = 0x184D2A5E // of a skippable frame
	footerMagic = 0x8F92EAB1
	tableHeader = 4 + 4
	tableEntry  = 4 + 4
	tableFooter = 4 + 1 + 4
)

// errFrames means that a file is not in the compressed form, or damaged.
var errFrames = errors.New("no frames of blocks")

// frameTable has the places of the frames.
type frameTable struct {
	ends []int64 // of each frame, in the file
	size int64   // of the content
}

// add adds the next frame, with its size and that of its block in bytes.
func (t *frameTable) add(frame, block int) {
	t.ends = append(t.ends, t.written()+int64(frame))
	t.size += int64(block)
}

// written returns the size of all frames in bytes.
func (t *frameTable) written() int64 {
	if len(t.ends) == 0 {
		return 0
	}
	return t.ends[len(t.ends)-1]
}

// frame returns the offsets of the beginning and end of a frame in the file.
func (t *frameTable) frame(n int) (from, to int64) {
	if n > 0 {
		from = t.ends[n-1]
	}
	return from, t.ends[n]
}

// block returns the size of a block in bytes.
func (t *frameTable) block(n int) int {
	return int(min(blockindex.BlockSize, t.size-int64(n)*blockindex.BlockSize))
}

// encode returns the table in the form in which it ends a file.
func (t *frameTable) encode() []byte {
	n := len(t.ends)
	b := make([]byte, 0, tableSize(n))
	b = binary.LittleEndian.AppendUint32(b, tableMagic)
	b = binary.LittleEndian.AppendUint32(b, uint32(tableSize(n)-tableHeader))
	for i := range n {
		from, to := t.frame(i)
		b = binary.LittleEndian.AppendUint32(b, uint32(to-from))
		b = binary.LittleEndian.AppendUint32(b, uint32(t.block(i)))
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(n))
	b = append(b, 0) // no checksums in the table: the frames have their own
	return binary.LittleEndian.AppendUint32(b, footerMagic)
}

// tableSize returns the size of a table in bytes.
func tableSize(frames int) int { return tableHeader + frames*tableEntry + tableFooter }

// readFrameTable reads the table at the end of a file of size bytes. Whatever the file claims, it uses no more memory than
// the file has bytes.
func readFrameTable(file io.ReaderAt, size int64) (*frameTable, error) {
	if size < int64(tableSize(0)) {
		return nil, errFrames
	}
	footer := make([]byte, tableFooter)
	if _, err := file.ReadAt(footer, size-tableFooter); err != nil {
		return nil, err
	}
	n := int64(binary.LittleEndian.Uint32(footer))
	length := int64(tableHeader) + n*tableEntry + tableFooter
	if footer[4] != 0 || binary.LittleEndian.Uint32(footer[5:]) != footerMagic || length > min(size, maxTable) {
		return nil, errFrames
	}
	b := make([]byte, length)
	if _, err := file.ReadAt(b, size-length); err != nil {
		return nil, err
	}
	if binary.LittleEndian.Uint32(b) != tableMagic || int64(binary.LittleEndian.Uint32(b[4:])) != length-tableHeader {
		return nil, errFrames
	}
	t, err := decodeEntries(b[tableHeader : length-tableFooter])
	if err == nil && t.written() != size-length {
		err = errFrames
	}
	return t, err
}

// decodeEntries decodes the entries of a table. Every block but the last must be full.
func decodeEntries(b []byte) (*frameTable, error) {
	t := &frameTable{ends: make([]int64, 0, len(b)/tableEntry)}
	for ; len(b) > 0; b = b[tableEntry:] {
		frame, block := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
		whole := block == blockindex.BlockSize || block > 0 && block < blockindex.BlockSize && len(b) == tableEntry
		if !whole || frame == 0 || frame > maxFrame {
			return nil, errFrames
		}
		t.add(int(frame), int(block))
	}
	return t, nil
}

// codec encodes blocks as frames and decodes them. It has no goroutines, so it needs no Close. Safe for concurrent use.
type codec struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
	frames  sync.Pool // of *[maxFrame]byte
}

// newCodec returns a codec whose limits are those of a block: a frame that needs more memory to decode is not one of ours.
func newCodec() (*codec, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedDefault),
		zstd.WithWindowSize(blockindex.BlockSize), zstd.WithSingleSegment(true), zstd.WithLowerEncoderMem(true))
	if err != nil {
		return nil, err
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecodeAllCapLimit(true), zstd.WithDecoderMaxMemory(blockindex.BlockSize),
		zstd.WithDecoderMaxWindow(blockindex.BlockSize))
	if err != nil {
		return nil, err
	}
	return &codec{encoder: encoder, decoder: decoder, frames: sync.Pool{New: func() any { return new([maxFrame]byte) }}}, nil
}

// encode appends the frame of a block to b.
func (c *codec) encode(b, block []byte) []byte { return c.encoder.EncodeAll(block, b) }

// decode fills block from its frame, which must have exactly that many bytes. A frame that claims more is rejected before
// anything is decoded, so it cannot make the decoder allocate memory.
func (c *codec) decode(block, frame []byte) error {
	got, err := c.decoder.DecodeAll(frame, block[:0:len(block)])
	if err != nil {
		return fmt.Errorf("%w: %w", errFrames, err)
	}
	if len(got) != len(block) {
		return fmt.Errorf("%w: %d bytes instead of %d", errFrames, len(got), len(block))
	}
	copy(block, got) // it is there already, unless the decoder allocated
	return nil
}

// frameReader reads the content of a compressed artifact. Safe for concurrent use.
type frameReader struct {
	file  io.ReaderAt
	table *frameTable
	codec *codec

	mu    sync.Mutex // guards the fields below
	block []byte     // the block that was read last
	at    int        // its number; -1 is none
}

// newFrameReader reads the table at the end of a compressed form of size bytes. It reads no frame.
func newFrameReader(file io.ReaderAt, size int64, c *codec) (*frameReader, error) {
	table, err := readFrameTable(file, size)
	if err != nil {
		return nil, artifactstore.ReadError(err)
	}
	return &frameReader{file: file, table: table, codec: c, at: -1}, nil
}

// ReadAt implements io.ReaderAt. It fails with ErrDamaged for a frame that does not decode to its block.
func (r *frameReader) ReadAt(p []byte, off int64) (int, error) {
	total := 0
	for total < len(p) {
		if off >= r.table.size {
			return total, io.EOF
		}
		n, err := r.readBlock(p[total:], int(off/blockindex.BlockSize), int(off%blockindex.BlockSize))
		total, off = total+n, off+int64(n)
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// readBlock reads from a place in a block to its end or to that of p. It keeps the block if it reads only a part of it.
func (r *frameReader) readBlock(p []byte, block, from int) (int, error) {
	if size := r.table.block(block); from == 0 && len(p) >= size {
		return size, r.decode(p[:size], block)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.at != block { // small reads of one block decode it once
		if r.block == nil {
			r.block = make([]byte, min(blockindex.BlockSize, r.table.size))
		}
		r.at = -1
		r.block = r.block[:r.table.block(block)]
		if err := r.decode(r.block, block); err != nil {
			return 0, err
		}
		r.at = block
	}
	return copy(p, r.block[from:]), nil
}

// decode reads the frame of a block and fills b with the block.
func (r *frameReader) decode(b []byte, block int) error {
	frame := r.codec.frames.Get().(*[maxFrame]byte)
	defer r.codec.frames.Put(frame)
	from, to := r.table.frame(block)
	_, err := r.file.ReadAt(frame[:to-from], from)
	if err == nil {
		err = r.codec.decode(b, frame[:to-from])
	}
	if err != nil {
		return fmt.Errorf("the block at byte %d: %w", int64(block)*blockindex.BlockSize, artifactstore.ReadError(err))
	}
	return nil
}
