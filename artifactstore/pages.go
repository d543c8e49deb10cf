package artifactstore

import (
	"bytes"
	"fmt"
	"hash/crc32"
	"io"
	"strings"

	"github.com/toolresult/toolresult/artifactstore/internal/blockindex"
)

const (
	// BlockSize is the number of bytes that [Pages] reads and verifies at a time.
	BlockSize = blockindex.BlockSize
	// IndexedSize is the size in bytes from which on an artifact has an index of its own.
	IndexedSize = blockindex.MinSize
)

// Pages reads one artifact, or a log as it was when the Pages were opened, at any place. The cost is that of the blocks
// that it touches: each is verified when it is read, and lines before the requested one are not looked at. Pages stay
// open when the store is closed. Not safe for concurrent use.
type Pages struct {
	ref    Ref
	index  *blockindex.Index
	file   io.ReaderAt
	closer io.Closer
	block  []byte // the block that was read last
	at     int    // its number
}

// NewPages returns the Pages of an artifact or log with its index and content. Errors of file are classified by
// [ReadError]. Closing the Pages closes closer. It is for implementations of [Source].
func NewPages(ref Ref, i *blockindex.Index, file io.ReaderAt, closer io.Closer) *Pages {
	return &Pages{ref: ref, index: i, file: file, closer: closer, at: -1}
}

// OpenPages returns the Pages of an artifact that is kept elsewhere, with its name, its path, and an index that
// [Pages.Index] returned. It reads the content from r, block by block as needed. Errors of r that are ErrUnavailable,
// ErrUnknown or those of a context are returned as they are; others mean damage. Closing the Pages closes c.
//
// It fails with ErrDamaged if encoded is not the index of an artifact of that name; then c is not closed.
func OpenPages(name, path string, encoded []byte, r io.ReaderAt, c io.Closer) (*Pages, error) {
	i, err := blockindex.Decode(encoded)
	if err == nil && !strings.HasPrefix(i.Content.Hex(), name) {
		err = blockindex.ErrInvalid
	}
	if err != nil {
		return nil, fmt.Errorf("artifact %s: %w: %w", name, ErrDamaged, err)
	}
	return NewPages(NewRef(i.Content, name, path), i, r, c), nil
}

// Index returns the encoded index, with which [OpenPages] reads the same artifact elsewhere: 12 bytes for each block of
// BlockSize bytes, and less than 100 more.
func (p *Pages) Index() []byte { return p.index.Encode() }

// Ref returns the full Ref of the artifact, as Put returned it.
func (p *Pages) Ref() Ref { return p.ref }

// Size returns the length of the artifact in bytes.
func (p *Pages) Size() int64 { return p.ref.Size }

// Lines returns the number of lines. A line ends with "\n"; a last line without one counts.
func (p *Pages) Lines() int64 { return p.index.Lines() }

// Live reports whether this is a log that was not finished when the Pages were opened.
func (p *Pages) Live() bool { return p.ref.Digest == "" }

// LastEnd returns the offset just after the last line end, at the cost of one block.
func (p *Pages) LastEnd() (int64, error) {
	if !p.index.OpenEnd {
		return p.Size(), nil
	}
	return p.LineStart(p.Lines())
}

// Check returns a checksum of all bytes before an offset, at the cost of one block. A log and the artifact that it
// becomes have the same checksums.
func (p *Pages) Check(offset int64) (uint32, error) {
	sum, full := uint32(0), int(offset/blockindex.BlockSize)
	for block := range full {
		sum = blockindex.Chain(sum, p.index.Sum(block))
	}
	rest := offset % blockindex.BlockSize
	if rest == 0 {
		return sum, nil
	}
	block, err := p.load(full)
	if err != nil {
		return 0, err
	}
	return blockindex.Chain(sum, crc32.ChecksumIEEE(block[:rest])), nil
}

// Close closes the file.
func (p *Pages) Close() error { return p.closer.Close() }

// Read appends the bytes between two offsets, both limited to the artifact, to b and returns it. It fails with
// ErrDamaged if the stored bytes are not those that were put.
func (p *Pages) Read(b []byte, from, to int64) ([]byte, error) {
	from, to = max(0, from), min(to, p.Size())
	for from < to {
		block, err := p.load(int(from / blockindex.BlockSize))
		if err != nil {
			return b, err
		}
		start := from % blockindex.BlockSize
		end := min(int64(len(block)), start+to-from)
		b = append(b, block[start:end]...)
		from += end - start
	}
	return b, nil
}

// LineStart returns the offset of the first byte of line n, counted from 1. For lines after the last one it is the size.
func (p *Pages) LineStart(n int64) (int64, error) {
	switch {
	case n <= 1:
		return 0, nil
	case n > p.Lines():
		return p.Size(), nil
	}
	at, before := p.index.FindEnd(uint64(n - 1)) // the line before ends there
	block, err := p.load(at)
	if err != nil {
		return 0, err
	}
	offset := 0
	for range uint64(n-1) - before {
		end := bytes.IndexByte(block[offset:], '\n')
		if end < 0 {
			return 0, p.damaged(at)
		}
		offset += end + 1
	}
	return int64(at)*blockindex.BlockSize + int64(offset), nil
}

// LineAt returns the number, from 1, of the line with the byte at an offset. A newline belongs to the line that it ends.
func (p *Pages) LineAt(offset int64) (int64, error) {
	if offset = min(offset, p.Size()); offset <= 0 {
		return min(1, p.Lines()), nil
	}
	at := int((offset - 1) / blockindex.BlockSize)
	block, err := p.load(at)
	if err != nil {
		return 0, err
	}
	before := uint64(0)
	if at > 0 {
		before = p.index.End(at - 1)
	}
	before += uint64(bytes.Count(block[:offset-int64(at)*blockindex.BlockSize], []byte("\n")))
	return min(int64(before)+1, p.Lines()), nil
}

// load reads and verifies a block, and keeps it until the next one is read.
func (p *Pages) load(at int) ([]byte, error) {
	if at == p.at {
		return p.block, nil
	}
	if p.block == nil {
		p.block = make([]byte, min(blockindex.BlockSize, p.Size()))
	}
	p.at = -1
	want := min(blockindex.BlockSize, p.Size()-int64(at)*blockindex.BlockSize)
	p.block = p.block[:want]
	n, err := p.file.ReadAt(p.block, int64(at)*blockindex.BlockSize)
	switch {
	case int64(n) == want:
	case err == io.EOF: // as io.ReaderAt returns it
		return nil, p.damaged(at)
	default:
		return nil, fmt.Errorf("artifact %s: %w", p.ref.Name, ReadError(err))
	}
	if crc32.ChecksumIEEE(p.block) != p.index.Sum(at) {
		return nil, p.damaged(at)
	}
	p.at = at
	return p.block, nil
}

// damaged returns the error of a block that is not as it was put.
func (p *Pages) damaged(block int) error {
	return fmt.Errorf("artifact %s: the block at byte %d: %w", p.ref.Name, int64(block)*blockindex.BlockSize, ErrDamaged)
}
