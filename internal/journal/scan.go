package journal

// What a segment has, when the journal is opened.

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/crc32"
	"io"
	"maps"
	"slices"
)

// scanned is a frame that was found whole.
type scanned struct {
	header
	offset int64
}

// end returns the offset behind the frame.
func (f *scanned) end() int64 { return f.offset + f.size() }

// follows reports whether a frame that begins where another one ends was written after it: by the same write, or by one that
// began there. Another one is left from a write that failed.
func (f *scanned) follows(before *scanned) bool {
	return f.write == before.write && f.start == before.start || f.write > before.write && int64(f.start) == f.offset
}

// scanFrames returns the whole frames of a segment, in their order, and the offset behind the last byte that is not zero.
func scanFrames(g *segment) (found []scanned, dirty int64, err error) {
	w := &window{file: g.file, limit: g.limit()}
	dirty = firstFrame
	for at := int64(firstFrame); at < g.limit(); {
		f, ok := w.frame(at, g.head.key)
		if ok {
			if len(found) == cap(found) { // for as many as there are if the others are like those before
				found = slices.Grow(found, 64+int(int64(len(found))*(g.limit()-at)/at))
			}
			found = append(found, f)
			at = f.end()
			dirty = at
			continue
		}
		next, last := w.next(at+frameAlign, at)
		dirty = max(dirty, last)
		at = next
	}
	return found, dirty, w.failed
}

// window reads a file in pieces, forwards.
type window struct {
	file  file
	limit int64 // of the file
	at    int64 // of the piece
	piece []byte

	failed error // the first error of a read; nil: none
}

// windowSize is the size of a piece.
const windowSize = 256 << 10

// bytes returns n bytes at an offset, or all up to the limit if there are fewer. They are valid until the next call. Pages that
// the disk does not read are zeros.
func (w *window) bytes(at int64, n int) []byte {
	n = int(min(int64(n), w.limit-at))
	if at >= w.at && at+int64(n) <= w.at+int64(len(w.piece)) {
		return w.piece[at-w.at:][:n]
	}
	size := int(min(max(int64(n), windowSize), w.limit-at))
	if cap(w.piece) < size {
		w.piece = make([]byte, size)
	}
	w.at, w.piece = at, w.piece[:size]
	if _, err := w.file.ReadAt(w.piece, at); err != nil && err != io.EOF {
		w.failed = cmp.Or(w.failed, err)
		w.readPages()
	}
	return w.piece[:n]
}

// some returns bytes at an offset: those that are read already, if there are.
func (w *window) some(at int64) []byte {
	if rest := w.at + int64(len(w.piece)) - at; at >= w.at && rest >= frameAlign {
		return w.piece[at-w.at:][:rest&^(frameAlign-1)]
	}
	return w.bytes(at, windowSize)
}

// readPages reads the piece page by page.
func (w *window) readPages() {
	for from := 0; from < len(w.piece); {
		page := w.piece[from:min(len(w.piece), from+pageSize-int(w.at+int64(from))%pageSize)]
		if _, err := w.file.ReadAt(page, w.at+int64(from)); err != nil && err != io.EOF {
			clear(page)
		}
		from += len(page)
	}
}

// frame reads the frame at an offset; false: there is no whole one.
func (w *window) frame(at int64, key segmentKey) (f scanned, ok bool) {
	h, ok := parseHeader(w.bytes(at, headerSize), key)
	if f = (scanned{h, at}); !ok || f.end() > w.limit || f.start < firstFrame {
		return f, false
	}
	data := w.bytes(at+headerSize, int(h.length))
	return f, len(data) == int(h.length) && crc32.Checksum(data, castagnoli) == h.sum
}

// entry returns a copy of the entry of the frame at an offset; nil: there is no whole one.
func (w *window) entry(at int64, key segmentKey) *Entry {
	f, ok := w.frame(at, key)
	if !ok {
		return nil
	}
	return f.entry(bytes.Clone(w.bytes(at+headerSize, int(f.length))))
}

// next returns the next offset from one on that may begin a frame, or the limit. last is the offset behind the last byte from
// there on that is not zero, at least least.
func (w *window) next(at, least int64) (next, last int64) {
	magic := binary.LittleEndian.AppendUint32(nil, frameMagic)
	last = least
	for at < w.limit {
		piece := w.some(at)
		from := 0
		for {
			i := bytes.Index(piece[from:], magic)
			if i < 0 {
				break
			}
			if from += i; from%frameAlign == 0 {
				if n := len(bytes.TrimRight(piece[:from], "\x00")); n > 0 {
					last = at + int64(n)
				}
				return at + int64(from), last
			}
			from++
		}
		if n := len(bytes.TrimRight(piece, "\x00")); n > 0 {
			last = at + int64(n)
		}
		at += int64(len(piece))
	}
	return w.limit, last
}

// keepWhole returns the frames of a scan that count, and the offset at which the next one is put. What was durable counts, also
// behind a damaged place or out of its own; the torn end of the last write does not, nor an append of which a part is missing there.
func keepWhole(found []scanned) (kept []scanned, end int64) {
	durable := int64(firstFrame)
	for i := range found {
		durable = max(durable, int64(found[i].start))
	}
	synced := syncedWrites(found)
	end = firstFrame
	for i := range found {
		f := &found[i]
		whole := f.offset == end && (i == 0 || f.follows(&found[i-1]))
		if !whole && end >= durable && !synced(f) {
			break
		}
		kept, end = found[:i+1], f.end()
	}
	for n := len(kept); n > 0 && !kept[n-1].last && int64(kept[n-1].start) >= durable && !synced(&kept[n-1]); n = len(kept) {
		end = kept[n-1].offset
		kept = kept[:n-1]
	}
	return kept, end
}

// syncedWrites returns whether a frame is of a write that was synced, wherever the frame is: all writes after it began behind it. A write
// that failed is followed by one that began where it did.
func syncedWrites(found []scanned) func(f *scanned) bool {
	starts := map[uint32]uint32{} // by write
	for i := range found {
		starts[found[i].write] = found[i].start
	}
	writes := slices.Sorted(maps.Keys(starts))
	earliest := map[uint32]uint32{} // of the writes after one; that of the last one is not there
	for i := len(writes) - 2; i >= 0; i-- {
		after := writes[i+1]
		earliest[writes[i]] = starts[after]
		if later, ok := earliest[after]; ok {
			earliest[writes[i]] = min(starts[after], later)
		}
	}
	return func(f *scanned) bool {
		start, later := earliest[f.write]
		return later && start > f.start
	}
}

// load scans a segment, and notes where its entries are. It returns the last header of each stream, and the bytes behind the end
// that are not zero.
//
// It fails when the disk does not read a part of it: what is there is not overwritten, as it may be read later.
func (g *segment) load() (lasts [streamCount]*header, torn int64, err error) {
	found, dirty, err := scanFrames(g)
	if err != nil {
		return lasts, 0, err
	}
	kept, end := keepWhole(found)
	g.end = end
	for i := range found {
		g.write = max(g.write, found[i].write)
	}
	for i := range kept {
		f := &kept[i]
		if last := lasts[f.stream]; !f.ends && (last == nil || f.number > last.number) {
			lasts[f.stream] = &f.header
		}
		g.note(&f.header, f.offset)
	}
	g.sortPlaces()
	return lasts, max(0, dirty-end), nil
}

// sortPlaces puts the entries of a segment whose frames are out of their places into the order of their numbers.
func (g *segment) sortPlaces() {
	for s := range g.places {
		slices.SortStableFunc(g.places[s], func(a, b place) int { return cmp.Compare(a.number, b.number) })
	}
}

// note notes where an entry is.
func (g *segment) note(h *header, offset int64) {
	if g.ended = h.ends; h.ends {
		return
	}
	g.places[h.stream] = append(g.places[h.stream], place{h.number, offset})
	if g.began == 0 {
		g.began = h.at
	}
}
