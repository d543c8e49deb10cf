package journal

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// sealedIndex is what one reads of a sealed file before its entries.
type sealedIndex struct {
	log      string
	key      segmentKey
	previous Hash // of the first entry; zero: not known
	hash     Hash // of the last one; zero: not known
	blocks   []block

	dictionaries []int64 // offsets at which the dictionary may be
	scan         sync.Once
	moved        *moved // set by scan
	once         sync.Once
	decoder      *zstd.Decoder
	failed       error // of making the decoder
}

// readIndex reads the table of a file; if it is damaged, it looks for the marks.
func (f *sealedFile) readIndex(d disk) (*sealedIndex, error) {
	opened, err := d.Open(f.name())
	if err != nil {
		return nil, err
	}
	defer opened.Close() // read-only
	x, ok := readTable(opened, f.size)
	if !ok {
		x = findMarks(opened, f.size)
	}
	x.blocks = slices.DeleteFunc(x.blocks, func(b block) bool { return b.first < f.first || b.last() > f.last })
	return x, nil
}

// beginSize returns the size of the first frame of a file of a log.
func beginSize(log string) int64 {
	return int64(skippableHead + len(sealedMagic) + len(log) + len(segmentKey{}))
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

// readTable reads the table at the end of a file; false: it is damaged.
func readTable(f io.ReaderAt, size int64) (x *sealedIndex, ok bool) {
	var tail [8]byte
	if size < int64(len(tail)) {
		return nil, false
	}
	if _, err := f.ReadAt(tail[:], size-8); err != nil {
		return nil, false
	}
	sum, length := binary.LittleEndian.Uint32(tail[:]), int64(binary.LittleEndian.Uint32(tail[4:]))
	if length > size-8 {
		return nil, false
	}
	table := make([]byte, length)
	if _, err := f.ReadAt(table, size-8-length); err != nil || crc32.Checksum(table, castagnoli) != sum {
		return nil, false
	}
	return parseTable(table)
}

// parseTable reads a table without its checksum; false: it is none.
func parseTable(b []byte) (x *sealedIndex, ok bool) {
	x = &sealedIndex{}
	if len(b) == 0 || len(b) < 1+int(b[0])+len(x.key)+2*len(Hash{})+16 {
		return nil, false
	}
	x.log, b = string(b[1:1+int(b[0])]), b[1+int(b[0]):]
	b = b[copy(x.key[:], b):]
	b = b[copy(x.previous[:], b):]
	b = b[copy(x.hash[:], b):]
	second, length := binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])
	b = b[16:]
	at := beginSize(x.log)
	if length > 0 {
		x.dictionaries = []int64{at, int64(second)}
	}
	next := uint64(0)
	for at = 0; len(b) > 0; {
		var v [4]uint64
		for i := range v {
			n := 0
			if v[i], n = binary.Uvarint(b); n <= 0 {
				return nil, false
			}
			b = b[n:]
		}
		k := block{first: next + v[0], count: uint32(v[1]), length: uint32(v[2]), offset: at + int64(v[3])}
		if k.count == 0 || k.first == 0 {
			return nil, false
		}
		x.blocks, next, at = append(x.blocks, k), k.last()+1, k.end()
	}
	return x, true
}

// placedMark is a mark where it was found.
type placedMark struct {
	mark
	offset int64 // of its frame
}

// scanMarks returns the marks of a file by their places.
func scanMarks(f file, size int64, key segmentKey) (found []placedMark) {
	w, head := &window{file: f, limit: size}, skip(nil, markFrame, markSize)
	for at := int64(0); at < size; {
		piece := w.bytes(at, windowSize)
		i := bytes.Index(piece, head)
		if i < 0 {
			at += max(1, int64(len(piece)-len(head)+1))
			continue
		}
		at += int64(i)
		m, ok := parseMark(w.bytes(at, markBytes), key)
		if !ok {
			at++
			continue
		}
		found = append(found, placedMark{m, at})
		at += markBytes
	}
	return found
}

// findMarks looks for the marks of a file whose table is damaged.
func findMarks(f file, size int64) *sealedIndex {
	x := &sealedIndex{}
	var ok bool
	if x.log, x.key, ok = readBegin(f); !ok {
		return x
	}
	x.dictionaries = []int64{beginSize(x.log)}
	found := scanMarks(f, size, x.key)
	slices.SortStableFunc(found, func(a, b placedMark) int { return cmp.Compare(a.first, b.first) })
	next := uint64(0)
	for _, m := range found {
		switch {
		case m.first < next: // it is there twice
		case m.count == 0:
			x.hash = m.previous
			x.dictionaries = append(x.dictionaries[:1], m.offset+markBytes)
		default:
			if len(x.blocks) == 0 {
				x.previous = m.previous
			}
			k := block{first: m.first, count: m.count, length: m.length, offset: m.offset}
			x.blocks, next = append(x.blocks, k), k.last()+1
		}
	}
	return x
}

// moved are the blocks of a file of which some are not where the table, or their mark, says.
type moved struct {
	marks  map[uint64]mark     // by the number of the first entry
	frames map[frameKind]int64 // offsets of the frames behind the marks
}

// frameKind is what a mark says of its frame.
type frameKind struct{ length, sum uint32 }

// findMoved looks for all marks, and for the frames between them.
func (x *sealedIndex) findMoved(f file, size int64) *moved {
	x.scan.Do(func() {
		m := &moved{marks: map[uint64]mark{}, frames: map[frameKind]int64{}}
		found := scanMarks(f, size, x.key)
		for i, p := range found {
			m.marks[p.first] = p.mark
			from, until := p.offset+markBytes, p.offset+markBytes
			if i+1 < len(found) {
				until = found[i+1].offset
			}
			frame := make([]byte, min(until-from, maxBlock))
			if n, err := f.ReadAt(frame, from); n == len(frame) || err == nil {
				m.frames[frameKind{uint32(len(frame)), crc32.Checksum(frame, castagnoli)}] = from
			}
		}
		x.moved = m
	})
	return x.moved
}

// readMoved reads the entries of a block that is not whole in its place: its mark and its frame may be elsewhere in the file.
func (x *sealedIndex) readMoved(f file, size int64, b *block, s Stream, log string) ([]Entry, error) {
	all := x.findMoved(f, size)
	m, ok := all.marks[b.first]
	if !ok || m.count != b.count || m.length != b.length {
		return nil, errBlock
	}
	at, ok := all.frames[frameKind{m.length, m.sum}]
	if !ok {
		return nil, errBlock
	}
	frame := make([]byte, m.length)
	if n, err := f.ReadAt(frame, at); n < len(frame) {
		return nil, errors.Join(errBlock, err)
	}
	list, err := x.entriesOf(f, &m, frame, s, log)
	if err != nil {
		return nil, err
	}
	end := list[len(list)-1].tip()
	if next, ok := all.marks[end.Number+1]; ok && next.previous != end.Hash {
		return nil, errBlock
	}
	return list, nil
}

// decode decompresses the frame of a block. The dictionary is read by the first call.
func (x *sealedIndex) decode(f io.ReaderAt, frame []byte) ([]byte, error) {
	x.once.Do(func() {
		o := []zstd.DOption{zstd.WithDecoderConcurrency(2), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxMemory(maxBlock)}
		if d := x.dictionary(f); d != nil {
			o = append(o, zstd.WithDecoderDictRaw(0, d))
		}
		x.decoder, x.failed = zstd.NewReader(nil, o...)
	})
	if x.failed != nil {
		return nil, x.failed
	}
	return x.decoder.DecodeAll(frame, nil)
}

// dictionary reads the dictionary from the copy that is whole; nil: there is none.
func (x *sealedIndex) dictionary(f io.ReaderAt) []byte {
	for _, at := range x.dictionaries {
		var head [skippableHead]byte
		if _, err := f.ReadAt(head[:], at); err != nil || binary.LittleEndian.Uint32(head[:]) != dictionaryFrame {
			continue
		}
		length := int(binary.LittleEndian.Uint32(head[4:]))
		if length < 4 || length > 2*maxDictionary {
			continue
		}
		b := make([]byte, length)
		if _, err := f.ReadAt(b, at+skippableHead); err != nil || x.key.sum(b[:length-4]) != binary.LittleEndian.Uint32(b[length-4:]) {
			continue
		}
		if d, err := unpackDictionary(b[:length-4]); err == nil {
			return d
		}
	}
	return nil
}

// errBlock means that a block is not as it was written.
var errBlock = fmt.Errorf("its block is not as it was written: %w", ErrDamaged)

// span returns how many bytes readBlock needs: the block with its mark, and the mark behind it.
func (b *block) span() int { return int(b.length) + 2*markBytes }

// readBlock reads the entries of a block from its bytes or, where they are not its own, from wherever in the file it is. f is read for that,
// and for the dictionary. It fails if one of the entries is not as it was appended.
func (x *sealedIndex) readBlock(f file, size int64, bytes []byte, b *block, s Stream, log string) ([]Entry, error) {
	list, err := x.readPlaced(f, bytes, b, s, log)
	if errors.Is(err, ErrDamaged) {
		if list, moved := x.readMoved(f, size, b, s, log); moved == nil {
			return list, nil
		}
	}
	return list, err
}

// readPlaced reads the entries of a block that is in its place.
func (x *sealedIndex) readPlaced(f file, bytes []byte, b *block, s Stream, log string) ([]Entry, error) {
	m, ok := parseMark(bytes, x.key)
	if !ok || m.first != b.first || m.count != b.count || m.length != b.length || len(bytes) < markBytes+int(m.length) {
		return nil, errBlock
	}
	list, err := x.entriesOf(f, &m, bytes[markBytes:][:m.length], s, log)
	if err != nil {
		return nil, err
	}
	next, ok := parseMark(bytes[markBytes+int(m.length):], x.key)
	if end := list[len(list)-1].tip(); ok && (next.first != end.Number+1 || next.previous != end.Hash) {
		return nil, errBlock // where the next mark is damaged nothing says it
	}
	return list, nil
}

// entriesOf reads the entries of the frame of a mark.
func (x *sealedIndex) entriesOf(f file, m *mark, frame []byte, s Stream, log string) ([]Entry, error) {
	if crc32.Checksum(frame, castagnoli) != m.sum {
		return nil, errBlock
	}
	content, err := x.decode(f, frame)
	if err != nil {
		return nil, errors.Join(errBlock, err)
	}
	return m.entries(content, s, log)
}

// entries reads the entries of a block.
func (m *mark) entries(content []byte, s Stream, log string) ([]Entry, error) {
	if m.count == 0 || int64(m.count) > int64(len(content)/entryHead) {
		return nil, errBlock
	}
	list := make([]Entry, 0, m.count)
	previous := m.previous
	for i := range uint64(m.count) {
		if len(content) < entryHead {
			return nil, errBlock
		}
		at, length := int64(binary.LittleEndian.Uint64(content)), int64(binary.LittleEndian.Uint32(content[8:]))
		if content = content[entryHead:]; length > int64(len(content)) {
			return nil, errBlock
		}
		e := Entry{Stream: s, Number: m.first + i, At: at, Data: content[:length:length], Previous: previous}
		e.Hash = chainHash(s, log, e.Number, at, previous, contentHash(s, e.Data))
		list, content, previous = append(list, e), content[length:], e.Hash
	}
	if len(content) > 0 {
		return nil, errBlock
	}
	return list, nil
}
