package journal

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"runtime"

	"github.com/klauspost/compress/zstd"
)

const (
	// sealLevel is the level of compression. With a dictionary the levels above it take three to six times as long for a twentieth less.
	sealLevel = zstd.SpeedFastest
	// sampleBytes is the size from which entries do not wait for the dictionary, in bytes. A segment is not larger.
	sampleBytes = defaultSegmentSize
)

// newEncoder returns what compresses blocks; nil: without a dictionary.
func newEncoder(dictionary []byte) (*zstd.Encoder, error) {
	o := []zstd.EOption{
		zstd.WithEncoderLevel(sealLevel), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(128 << 10), zstd.WithLowerEncoderMem(true), zstd.WithEncoderCRC(false),
	}
	if dictionary != nil {
		o = append(o, zstd.WithEncoderDictRaw(0, dictionary))
	}
	return zstd.NewWriter(nil, o...)
}

// sealWriter writes a sealed file.
type sealWriter struct {
	w       io.Writer
	log     string
	key     segmentKey
	encoder *zstd.Encoder // nil: the dictionary is not made yet, for which entries wait
	packed  []byte        // the frame of the dictionary; nil: there is none
	at      int64
	wait    []*Entry
	waiting int // bytes of wait

	blocks   []block
	previous Hash   // of the first entry
	end      Tip    // of the last entry
	mark     mark   // of the block that is not complete
	entries  []byte // likewise
	read     int64  // bytes of the entries of complete blocks
	written  int64  // bytes of their frames
	buffer   []byte
}

// newSealWriter begins a sealed file of a log.
func newSealWriter(w io.Writer, log string) (*sealWriter, error) {
	s := &sealWriter{w: w, log: log}
	_, err := rand.Read(s.key[:])
	return s, err
}

// write writes bytes.
func (s *sealWriter) write(b []byte) error {
	n, err := s.w.Write(b)
	s.at += int64(n)
	return err
}

// add adds an entry. Its data is not changed until finish.
func (s *sealWriter) add(e *Entry) error {
	if s.encoder != nil {
		return s.put(e)
	}
	s.wait, s.waiting = append(s.wait, e), s.waiting+entryHead+len(e.Data)
	if s.waiting < sampleBytes {
		return nil
	}
	return s.begin()
}

// begin makes the dictionary of the entries that wait, writes what is before the first block, and adds them.
func (s *sealWriter) begin() (err error) {
	dictionary := makeDictionary(s.wait, s.waiting)
	if s.encoder, err = newEncoder(dictionary); err != nil {
		return err
	}
	text := sealedMagic + s.log + string(s.key[:])
	if err := s.write(append(skip(nil, beginFrame, len(text)), text...)); err != nil {
		return err
	}
	if dictionary != nil {
		packed, err := packDictionary(dictionary)
		if err != nil {
			return err
		}
		packed = binary.LittleEndian.AppendUint32(packed, s.key.sum(packed))
		s.packed = append(skip(nil, dictionaryFrame, len(packed)), packed...)
		if err := s.write(s.packed); err != nil {
			return err
		}
	}
	for _, e := range s.wait {
		if err := s.put(e); err != nil {
			return err
		}
	}
	s.wait = nil
	return nil
}

// put adds an entry to a block. One that does not follow the one before begins a block, and so does one with which the block would not
// fit into a page.
func (s *sealWriter) put(e *Entry) error {
	follows := e.Number == s.end.Number+1 && e.Previous == s.end.Hash
	if s.mark.count > 0 && (!follows || len(s.entries)+entryHead+len(e.Data) > s.limit()) {
		if err := s.endBlock(); err != nil {
			return err
		}
	}
	switch {
	case s.end.Number == 0:
		s.previous = e.Previous
	case !follows:
		if err := s.endMark(); err != nil {
			return err
		}
	}
	if s.mark.count == 0 {
		s.mark.first, s.mark.previous = e.Number, e.Previous
	}
	s.mark.count++
	s.end = e.tip()
	s.entries = appendEntry(s.entries, e)
	return nil
}

// appendEntry appends an entry as blocks have it.
func appendEntry(b []byte, e *Entry) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(e.At))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(e.Data)))
	return append(b, e.Data...)
}

// limit returns the size that a block is to have, in bytes of entries, by how those before were compressed.
func (s *sealWriter) limit() int {
	if s.written == 0 {
		return blockBytes / 2
	}
	return int(max(frameBytes, min(blockBytes, frameBytes*s.read/s.written)))
}

// endBlock writes the block.
func (s *sealWriter) endBlock() error {
	if s.mark.count == 0 {
		return nil
	}
	runtime.Gosched() // who appends goes first
	s.buffer = s.encoder.EncodeAll(s.entries, s.buffer[:0])
	frame := s.buffer
	s.mark.length, s.mark.sum = uint32(len(frame)), crc32.Checksum(frame, castagnoli)
	s.blocks = append(s.blocks, block{first: s.mark.first, count: s.mark.count, length: s.mark.length, offset: s.at})
	if err := s.write(s.mark.append(nil, s.key)); err != nil {
		return err
	}
	s.read, s.written = s.read+int64(len(s.entries)), s.written+int64(len(frame))
	s.entries, s.mark = s.entries[:0], mark{}
	return s.write(frame)
}

// endMark writes a mark without a block, with the hash of the last entry.
func (s *sealWriter) endMark() error {
	m := mark{first: s.end.Number + 1, previous: s.end.Hash, sum: crc32.Checksum(nil, castagnoli)}
	return s.write(m.append(nil, s.key))
}

// finish writes the last block and what is behind it. A file has an entry at least.
func (s *sealWriter) finish() error {
	if s.encoder == nil {
		if err := s.begin(); err != nil {
			return err
		}
	}
	defer s.encoder.Close() // it has no stream
	if s.end.Number == 0 && s.mark.count == 0 {
		return errNoEntries
	}
	if err := errors.Join(s.endBlock(), s.endMark()); err != nil {
		return err
	}
	at := s.at
	if err := s.write(s.packed); err != nil {
		return err
	}
	return s.write(s.table(at))
}

// errNoEntries means that a sealed file would have no entry.
var errNoEntries = errors.New("there is nothing to seal")

// table returns the frame of the table: the length of the name of the log (u8) and the name, the key, the hash of the entry before the first
// and of the last one, the offset and the length of the frame of the dictionary (u64), which has none when the length is 0; of each block how
// many numbers are missing before it, the count of its entries, the length of its frame, and how many bytes are before its mark since the block
// before, as varints of LEB128, where the first block has its number and its offset; at the end the CRC32C of all that (u32), and its length (u32).
func (s *sealWriter) table(dictionary int64) []byte {
	b := append([]byte{byte(len(s.log))}, s.log...)
	b = append(append(append(b, s.key[:]...), s.previous[:]...), s.end.Hash[:]...)
	b = binary.LittleEndian.AppendUint64(b, uint64(dictionary))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(s.packed)))
	next, at := uint64(0), int64(0)
	for i := range s.blocks {
		k := &s.blocks[i]
		b = binary.AppendUvarint(b, k.first-next)
		b = binary.AppendUvarint(b, uint64(k.count))
		b = binary.AppendUvarint(b, uint64(k.length))
		b = binary.AppendUvarint(b, uint64(k.offset-at))
		next, at = k.last()+1, k.end()
	}
	b = binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(b)-4))
	return append(skip(nil, tableFrame, len(b)), b...)
}
