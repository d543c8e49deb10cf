package ingest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"slices"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/projectors"
)

// This file keeps the order of several streams. It works in three steps: a place is reserved for received bytes, redacted bytes
// fill the places, and places that are complete become segments. Reading several streams as one follows the segments.

// maxOrderBuffer bounds the part of an order that is in memory, in bytes. Beyond it the order is written to a stage: two
// streams that take turns for every byte would otherwise cost memory by their size.
const maxOrderBuffer = 64 << 10

// Interleaver remembers the order in which the chunks of several streams were received, so that they can be read as one
// stream. It has lengths and no bytes: these are in the streams. A nil Interleaver remembers nothing. Not safe for concurrent
// use.
//
// A redactor does not return bytes in the order in which it receives them: it may keep back the end of one stream while
// others go on. Their place is reserved until they follow. So the order is that of arrival, redacted or not.
type Interleaver struct {
	newStage func() (artifactstore.Stage, error)
	names    []string            // of the streams that have a byte
	last     segment             // that may still grow
	buf      []byte              // encoded segments that are in no stage yet
	stage    artifactstore.Stage // encoded segments before those; nil while there are few
	slots    []orderSlot         // chunks that are not complete yet, and those behind them
}

// segment is a run of bytes of one stream. It is encoded as two varints.
type segment struct {
	stream int // its place in names
	bytes  int64
}

// orderSlot is the place of a received chunk.
type orderSlot struct {
	segment       // redacted bytes that it has
	wants   int64 // received bytes that the redactor still keeps back
}

// NewInterleaver returns an interleaver without streams. newStage is called once, when the order is too long for memory.
func NewInterleaver(newStage func() (artifactstore.Stage, error)) *Interleaver {
	return &Interleaver{newStage: newStage}
}

// index returns the place of a stream in names, and adds it.
func (o *Interleaver) index(name string) int {
	i := slices.Index(o.names, name)
	if i < 0 {
		o.names = append(o.names, name)
		i = len(o.names) - 1
	}
	return i
}

// Reserve keeps a place for received bytes of a stream, before these go through the redactor.
func (o *Interleaver) Reserve(stream string, bytes int64) {
	if o == nil || bytes == 0 {
		return
	}
	i := o.index(stream)
	if n := len(o.slots); n > 0 && o.slots[n-1].stream == i {
		o.slots[n-1].wants += bytes
		return
	}
	o.slots = append(o.slots, orderSlot{segment{i, 0}, bytes})
}

// Fill gives redacted bytes of a stream to its places, the oldest first. Bytes beyond the places, as of a placeholder that is
// longer than its secret, go to the last one. waiting is the number of received bytes that the redactor still keeps back: the
// places wait for no more than these, the youngest first, since a placeholder may be shorter than its secret, too.
func (o *Interleaver) Fill(name string, waiting int64, ready [][]byte) error {
	if o == nil || len(o.slots) == 0 {
		return nil
	}
	stream, rest := slices.Index(o.names, name), TotalSize(ready)
	last := -1
	for i := range o.slots {
		if slot := &o.slots[i]; slot.stream == stream {
			n := min(slot.wants, rest)
			slot.bytes, slot.wants, rest, last = slot.bytes+n, slot.wants-n, rest-n, i
		}
	}
	if last < 0 {
		return nil
	}
	o.slots[last].bytes += rest
	for i := last; i >= 0; i-- {
		if slot := &o.slots[i]; slot.stream == stream {
			slot.wants = min(slot.wants, waiting)
			waiting -= slot.wants
		}
	}
	return o.settle()
}

// settle enters the places that are complete, up to the first that waits. That one is entered as far as it has bytes.
func (o *Interleaver) settle() error {
	done := 0
	for ; done < len(o.slots); done++ {
		slot := &o.slots[done]
		if err := o.enter(slot.segment); err != nil {
			return err
		}
		if slot.bytes = 0; slot.wants > 0 {
			break
		}
	}
	o.slots = slices.Delete(o.slots, 0, done)
	return nil
}

// enter adds a segment to the order. Neighbours of one stream become one.
func (o *Interleaver) enter(s segment) error {
	switch {
	case s.bytes == 0:
		return nil
	case s.stream == o.last.stream:
		o.last.bytes += s.bytes
		return nil
	}
	o.buf = o.last.append(o.buf)
	if o.last = s; len(o.buf) < maxOrderBuffer {
		return nil
	}
	if o.stage == nil {
		stage, err := o.newStage()
		if err != nil {
			return err
		}
		o.stage = stage
	}
	_, err := o.stage.Write(o.buf)
	o.buf = o.buf[:0]
	return err
}

// append appends the encoding of a segment; of an empty one nothing.
func (s segment) append(buf []byte) []byte {
	if s.bytes == 0 {
		return buf
	}
	return binary.AppendUvarint(binary.AppendUvarint(buf, uint64(s.stream)), uint64(s.bytes))
}

// Discard frees the stage of the order. It may be called at any time, more than once.
func (o *Interleaver) Discard() {
	if o != nil && o.stage != nil {
		_ = o.stage.Discard() // a file that stays is removed by the next start of the store
	}
}

// Interleaved returns the streams as one, in the order so far; zero when fewer than two have a byte. Bytes that are kept back
// take the places that they would have if the streams ended here, so it serves snapshots as well. streams has a payload for
// each stream that has a byte.
func (o *Interleaver) Interleaved(streams map[string]Payload) (projectors.InOrder, error) {
	if o == nil || len(o.names) < 2 {
		return projectors.InOrder{}, nil
	}
	b := &inOrder{end: o.last.append(slices.Clone(o.buf))}
	for _, slot := range o.slots { // kept back: these bytes stay as they are if nothing follows
		b.end = segment{slot.stream, slot.bytes + slot.wants}.append(b.end)
	}
	for _, name := range o.names {
		b.streams = append(b.streams, streams[name].Blob)
		b.size += streams[name].Blob.Size()
	}
	var err error
	if o.stage != nil {
		b.begin, err = o.stage.Prefix()
	}
	return projectors.InOrder{Blob: b, Keys: slices.Clone(o.names)}, err
}

// inOrder is a blob that reads several streams as one.
type inOrder struct {
	begin   artifactstore.Blob // encoded segments; nil for none
	end     []byte             // further ones
	streams []artifactstore.Blob
	size    int64
}

// Size returns the size of all streams.
func (b *inOrder) Size() int64 { return b.size }

// Open opens the segments and the streams. Every reader has its own.
func (b *inOrder) Open() (io.ReadCloser, error) {
	r := &inOrderReader{streams: make([]io.Reader, len(b.streams))}
	segments := io.Reader(bytes.NewReader(b.end))
	if b.begin != nil {
		begin, err := b.begin.Open()
		if err != nil {
			return nil, err
		}
		r.closers = append(r.closers, begin)
		segments = io.MultiReader(begin, segments)
	}
	for i, s := range b.streams {
		opened, err := s.Open()
		if err != nil {
			return nil, errors.Join(err, r.Close())
		}
		r.closers = append(r.closers, opened)
		r.streams[i] = bufio.NewReaderSize(opened, 64<<10)
	}
	r.segments = bufio.NewReader(segments)
	return r, nil
}

// inOrderReader reads segment after segment, and each from its stream.
type inOrderReader struct {
	segments *bufio.Reader
	streams  []io.Reader
	current  segment // the rest of it
	closers  []io.Closer
}

// Read reads on in the current segment. Bytes of a stream that no segment has, as of a placeholder that is longer than the
// place that was reserved for its secret, follow at the end.
func (r *inOrderReader) Read(p []byte) (int, error) {
	for r.current.bytes == 0 {
		if err := r.next(); errors.Is(err, io.EOF) {
			return r.rest(p)
		} else if err != nil {
			return 0, err
		}
	}
	n, err := r.streams[r.current.stream].Read(p[:min(int64(len(p)), r.current.bytes)])
	r.current.bytes -= int64(n)
	if errors.Is(err, io.EOF) {
		r.current.bytes, err = 0, nil // a placeholder is shorter than its secret
	}
	return n, err
}

// next reads the next segment. io.EOF means that there is none.
func (r *inOrderReader) next() error {
	stream, err := binary.ReadUvarint(r.segments)
	if err != nil {
		return err
	}
	n, err := binary.ReadUvarint(r.segments)
	r.current = segment{int(stream), int64(n)}
	return err
}

// rest reads the rest of the streams, one after the other.
func (r *inOrderReader) rest(p []byte) (int, error) {
	for _, s := range r.streams {
		if n, err := s.Read(p); n > 0 || !errors.Is(err, io.EOF) {
			return n, err
		}
	}
	return 0, io.EOF
}

// Close closes what Open opened.
func (r *inOrderReader) Close() error {
	var errs []error
	for _, c := range r.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}
