package journal

// Segments: files of a fixed size, which have a page that describes them at the beginning and again at the end, and frames in
// between. Where there is no frame they have zeros.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
	"sync"
)

const (
	segmentMagic = "toolresult journal segment\n"
	// formatVersion is the version of the files. A journal of another version is not opened.
	formatVersion = 2
	pageSize      = 4 << 10
	// firstFrame is the offset of the first frame.
	firstFrame = pageSize
	// defaultSegmentSize is the size of a segment that is not among the first of a journal, and firstSegmentSize that of the
	// first: most sidecars are used for a moment.
	defaultSegmentSize = 16 << 20
	firstSegmentSize   = 1 << 20
	segmentSuffix      = ".segment"
	spareName          = segmentsFolder + "/spare" + segmentSuffix
)

// segment is an open segment.
type segment struct {
	number uint32
	file   file
	size   int64
	head   segmentHead
	used   bool // its head is written

	reading sync.RWMutex // locked while the file is read, and while it is given up

	end    int64  // where the next frame is put
	ended  bool   // the last frame says that what is before it was durable
	write  uint32 // number of the last write
	began  int64  // when its first entry was appended, in milliseconds since 1970; 0: it has none
	places [streamCount][]place
	// settled is the number of temporary entries of which somebody said that what they have is durable elsewhere.
	settled int
}

// place is where an entry is.
type place struct {
	number uint64
	offset int64
}

// segmentHead describes a segment.
type segmentHead struct {
	number uint32
	key    segmentKey
	log    string
	tips   [streamCount]Tip // the ends of the streams before its first frame
}

// segmentName returns the name of the file of a segment.
func segmentName(number uint32) string {
	return fmt.Sprintf("%s/%010d%s", segmentsFolder, number, segmentSuffix)
}

// parseSegmentName returns the number of a segment by the name of its file in the folder.
func parseSegmentName(name string) (number uint32, ok bool) {
	digits, ok := strings.CutSuffix(name, segmentSuffix)
	n, err := strconv.ParseUint(digits, 10, 32)
	return uint32(n), ok && err == nil && n > 0 && segmentName(uint32(n)) == segmentsFolder+"/"+name
}

// page returns the page of a head: the magic, then little-endian the version, the number, the key, the tips of the streams, the
// length of the name of the log and the name, and at the end of the page its CRC32C.
func (h *segmentHead) page() []byte {
	b := append(make([]byte, 0, pageSize), segmentMagic...)
	b = binary.LittleEndian.AppendUint32(b, formatVersion)
	b = binary.LittleEndian.AppendUint32(b, h.number)
	b = append(b, h.key[:]...)
	for s := Records; s < streamCount; s++ {
		b = binary.LittleEndian.AppendUint64(b, h.tips[s].Number)
		b = append(b, h.tips[s].Hash[:]...)
	}
	b = append(b, byte(len(h.log)))
	b = append(b, h.log...)
	b = b[:pageSize-4]
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// parsePage reads the page of a head; false: it is none.
func parsePage(b []byte) (h segmentHead, version uint32, ok bool) {
	rest, ok := bytes.CutPrefix(b, []byte(segmentMagic))
	if !ok || len(b) != pageSize || crc32.Checksum(b[:pageSize-4], castagnoli) != binary.LittleEndian.Uint32(b[pageSize-4:]) {
		return h, 0, false
	}
	version, h.number = binary.LittleEndian.Uint32(rest), binary.LittleEndian.Uint32(rest[4:])
	rest = rest[8+copy(h.key[:], rest[8:]):]
	for s := Records; s < streamCount; s++ {
		h.tips[s].Number = binary.LittleEndian.Uint64(rest)
		rest = rest[8+copy(h.tips[s].Hash[:], rest[8:]):]
	}
	h.log = string(rest[1 : 1+int(rest[0])])
	return h, version, true
}

// readHead reads the head of a segment, from the other page if one is damaged. It reports false for a segment that was never
// used.
func readHead(f file, size int64) (h segmentHead, used bool, err error) {
	var failed error
	for _, at := range []int64{0, size - pageSize} {
		page := make([]byte, pageSize)
		if n, err := f.ReadAt(page, at); n < pageSize {
			if err != nil && err != io.EOF {
				failed = err // the other page may be readable
				continue
			}
			return h, false, nil
		}
		h, version, ok := parsePage(page)
		if ok && version != formatVersion {
			return h, false, fmt.Errorf("version %d, this program knows %d; use another directory, or the program that made it: %w",
				version, formatVersion, ErrVersion)
		}
		if ok {
			return h, true, nil
		}
	}
	return h, false, failed
}

// limit returns the offset up to which a segment has frames.
func (g *segment) limit() int64 { return g.size - pageSize }

// soon returns the offset behind which the next segment is prepared: early enough for a disk that is full to be noticed, and not for a
// sidecar that is used for a moment.
func (g *segment) soon() int64 { return g.size / 8 }

// first returns the number of the first entry of a stream in the segment; 0: it has none.
func (g *segment) first(s Stream) uint64 {
	if len(g.places[s]) == 0 {
		return 0
	}
	return g.places[s][0].number
}

// readFrame reads the entry at an offset. It fails if the frame is not as it was written.
func (g *segment) readFrame(at int64) (*Entry, error) {
	b := make([]byte, min(8<<10, g.limit()-at))
	if _, err := g.file.ReadAt(b, at); err != nil && err != io.EOF {
		return nil, err
	}
	h, ok := parseHeader(b, g.head.key)
	if !ok || at+h.size() > g.limit() {
		return nil, errFrame
	}
	if need := headerSize + int(h.length); len(b) < need {
		read := len(b)
		b = append(b, make([]byte, need-read)...)
		if _, err := g.file.ReadAt(b[read:], at+int64(read)); err != nil && err != io.EOF {
			return nil, err
		}
	}
	data := b[headerSize : headerSize+int(h.length)]
	if crc32.Checksum(data, castagnoli) != h.sum {
		return nil, errFrame
	}
	return h.entry(data), nil
}

// errFrame means that the checksum of a frame is not that of its bytes.
var errFrame = fmt.Errorf("its checksum is not that of its bytes: %w", ErrDamaged)
