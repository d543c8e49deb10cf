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

// maxOrderBuffer is how much of an order is in memory, in bytes.
const maxOrderBuffer = 64 << 10

// Interleaver remembers in which order the chunks of several streams came, so that they can be
// read as one. It has lengths and no bytes: these are in the streams.
//
// What comes out of a redactor is not always what came last: the end of a stream may be
// held back while others go on. Its place is kept until it comes.
type Interleaver struct {
	newStage func() (artifactstore.Stage, error)
	names    []string            // of the streams that have a byte
	last     segment             // that may still grow
	buf      []byte              // segments that are in no stage yet
	stage    artifactstore.Stage // of those before; nil while there are few
	slots    []orderSlot         // of chunks that did not come out whole, and of those behind them
}

// segment is a run of bytes of one stream.
type segment struct {
	stream int // its place in names
	bytes  int64
}

// orderSlot is the place of what came of a stream.
type orderSlot struct {
	segment       // that came out
	wants   int64 // bytes that are still held back
}

// NewInterleaver returns an order that puts what is too much for memory into a stage.
func NewInterleaver(newStage func() (artifactstore.Stage, error)) *Interleaver {
	return &Interleaver{newStage: newStage}
}

// index is the place of a stream among those that have a byte.
func (o *Interleaver) index(name string) int {
	i := slices.Index(o.names, name)
	if i < 0 {
		o.names = append(o.names, name)
		i = len(o.names) - 1
	}
	return i
}

// Reserve keeps a place for what came, before it goes through the redactor.
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

// Fill puts what came out of a stream into its places. What is longer than its place, as a
// placeholder may be, goes to the last one, and no place waits for more than is held back.
func (o *Interleaver) Fill(name string, held int64, ready [][]byte) error {
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
			slot.wants = min(slot.wants, held)
			held -= slot.wants
		}
	}
	return o.settle()
}

// settle enters the places before which none waits.
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

// enter adds a segment.
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

func (s segment) append(buf []byte) []byte {
	if s.bytes == 0 {
		return buf
	}
	return binary.AppendUvarint(binary.AppendUvarint(buf, uint64(s.stream)), uint64(s.bytes))
}

// Discard gives back what the order holds.
func (o *Interleaver) Discard() {
	if o != nil && o.stage != nil {
		_ = o.stage.Discard() // what it leaves behind, the next start removes
	}
}

// Interleaved is several streams in one; zero when there are less than two.
func (o *Interleaver) Interleaved(streams map[string]Payload) (projectors.InOrder, error) {
	if o == nil || len(o.names) < 2 {
		return projectors.InOrder{}, nil
	}
	b := &inOrder{end: o.last.append(slices.Clone(o.buf))}
	for _, slot := range o.slots { // what is held back comes out as it is if nothing more comes
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

// inOrder reads several streams as one.
type inOrder struct {
	begin   artifactstore.Blob // segments; nil for none
	end     []byte             // and further ones
	streams []artifactstore.Blob
	size    int64
}

// Size is that of all streams.
func (b *inOrder) Size() int64 { return b.size }

// Open opens the segments and the streams.
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

type inOrderReader struct {
	segments *bufio.Reader
	streams  []io.Reader
	current  segment // what is left of it
	closers  []io.Closer
}

// Read reads on in the current segment. What no segment is of, which is what a placeholder
// has more than what was held back for it, is at the end of its stream.
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
		r.current.bytes, err = 0, nil // a placeholder is shorter than what was held back for it
	}
	return n, err
}

func (r *inOrderReader) next() error {
	stream, err := binary.ReadUvarint(r.segments)
	if err != nil {
		return err
	}
	n, err := binary.ReadUvarint(r.segments)
	r.current = segment{int(stream), int64(n)}
	return err
}

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
