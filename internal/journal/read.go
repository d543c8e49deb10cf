package journal

// Reading. What is read is compared with its hash; entries are found by their numbers, in the segments or in the sealed files.

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sort"
	"sync"
)

// Get reads an entry.
//
// Errors: ErrUnknown, ErrRetired, ErrDamaged; those of the disk.
func (j *Journal) Get(s Stream, number uint64) (*Entry, error) {
	for {
		e, file, err := j.readOpen(s, number)
		if file != nil {
			if e, err = j.getSealed(file, number); errors.Is(err, os.ErrNotExist) && j.moved(file, number) {
				continue
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s %d: %w", s, number, err)
		}
		return e, nil
	}
}

// readOpen reads an entry of a segment, or returns the sealed file that has it.
func (j *Journal) readOpen(s Stream, number uint64) (*Entry, *sealedFile, error) {
	g, at, file, err := j.look(s, number)
	if g == nil {
		return nil, file, err
	}
	defer g.reading.RUnlock()
	e, err := g.readFrame(at)
	if err == nil && (e.Stream != s || e.Number != number || !e.Holds(j.name)) {
		err = errFrame
	}
	return e, nil, err
}

// look finds an entry: the segment that has it, which is locked for reading, or the sealed file. A segment that is found here is not
// given up before: it has left the open ones then.
func (j *Journal) look(s Stream, number uint64) (*segment, int64, *sealedFile, error) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	st := &j.streams[s]
	switch {
	case number == 0 || number > st.tip.Number:
		return nil, 0, nil, ErrUnknown
	case number <= st.anchor.Number:
		return nil, 0, nil, ErrRetired
	}
	if f := j.findSealed(s, number); f != nil && f.first <= number {
		return nil, 0, f, nil
	}
	for _, g := range j.open {
		if at, ok := g.find(s, number); ok {
			g.reading.RLock()
			return g, at, nil, nil
		}
	}
	return nil, 0, nil, ErrDamaged
}

// moved reports whether a sealed file that is not there was replaced or deleted by retention.
func (j *Journal) moved(f *sealedFile, number uint64) bool {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return number <= j.streams[f.stream].anchor.Number || j.findSealed(f.stream, number) != f
}

// find returns the offset of an entry.
func (g *segment) find(s Stream, number uint64) (offset int64, ok bool) {
	places := g.places[s]
	i := sort.Search(len(places), func(i int) bool { return places[i].number >= number })
	if i == len(places) || places[i].number != number {
		return 0, false
	}
	return places[i].offset, true
}

// findSealed returns the sealed file that has a number, or the one after it; nil: there is none. The caller holds j.mu.
func (j *Journal) findSealed(s Stream, number uint64) *sealedFile {
	list := j.streams[s].sealed
	i := sort.Search(len(list), func(i int) bool { return list[i].last >= number })
	if i == len(list) {
		return nil
	}
	return list[i]
}

// getSealed reads an entry of a sealed file.
func (j *Journal) getSealed(f *sealedFile, number uint64) (*Entry, error) {
	x, err := j.index(f)
	if err != nil {
		return nil, err
	}
	i := x.find(number)
	if i == len(x.blocks) || x.blocks[i].first > number {
		return nil, ErrDamaged
	}
	entries, err := j.block(f, x, &x.blocks[i])
	if err != nil {
		return nil, err
	}
	return &entries[number-x.blocks[i].first], nil
}

// find returns the place of the block that has a number, or of the one after it.
func (x *sealedIndex) find(number uint64) int {
	return sort.Search(len(x.blocks), func(i int) bool { return x.blocks[i].last() >= number })
}

// cached is the table of the sealed file, and the block, that Get read last. Lists read one entry after the other.
type cached struct {
	mu      sync.Mutex
	file    *sealedFile
	table   *sealedIndex // of file
	entries []Entry      // of a block of file; empty: none
}

// index returns the table of a file.
func (j *Journal) index(f *sealedFile) (*sealedIndex, error) {
	c := &j.cached
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == f {
		return c.table, nil
	}
	x, err := f.readIndex(j.disk)
	if err == nil {
		c.file, c.table, c.entries = f, x, nil
	}
	return x, err
}

// find returns the entries of a block of a file if they are cached, else nil.
func (c *cached) find(f *sealedFile, first uint64) []Entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file != f || len(c.entries) == 0 || c.entries[0].Number != first {
		return nil
	}
	return c.entries
}

// keep caches the entries of a block of a file whose table is cached.
func (c *cached) keep(f *sealedFile, entries []Entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.file == f {
		c.entries = entries
	}
}

// block reads a block.
func (j *Journal) block(f *sealedFile, x *sealedIndex, b *block) ([]Entry, error) {
	if list := j.cached.find(f, b.first); list != nil {
		return list, nil
	}
	opened, err := j.disk.Open(f.name())
	if err != nil {
		return nil, err
	}
	defer opened.Close() // read-only
	content := make([]byte, b.span())
	n, err := opened.ReadAt(content, b.offset)
	if err != nil && err != io.EOF && n < b.span()-markBytes {
		return nil, errors.Join(errBlock, err)
	}
	list, err := x.readBlock(opened, f.size, content[:n], b, f.stream, j.name)
	if err == nil {
		j.cached.keep(f, list)
	}
	return list, err
}

// Damage is a place at which entries cannot be read as they were appended.
type Damage struct {
	Stream Stream
	// First and Last are the numbers of the entries.
	First, Last uint64
	// Reason says in a few words what is wrong.
	Reason string
}

// Each calls visit for the entries of a stream from a number on to the end at the time of the call, ascending, and damaged for what
// cannot be read; a nil damaged skips that. The data of an entry is valid until visit returns. An error of either ends it, and so
// does ctx. Entries that retention deletes meanwhile are skipped.
func (j *Journal) Each(ctx context.Context, s Stream, from uint64, visit func(*Entry) error, damaged func(Damage) error) error {
	r := &reader{j: j, s: s, next: max(from, 1), until: j.Tip(s).Number, visit: visit, damaged: damaged}
	defer r.close()
	for r.next <= r.until {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.piece(); err != nil {
			return err
		}
	}
	return nil
}

// reader reads a stream in pieces: a block of a sealed file, or some frames of a segment.
type reader struct {
	j       *Journal
	s       Stream
	next    uint64 // number of the next entry
	until   uint64
	visit   func(*Entry) error
	damaged func(Damage) error

	sealed *sealedFile // that is open; nil: none
	table  *sealedIndex
	window window // of its file
}

// close closes the file that is open.
func (r *reader) close() {
	if r.sealed != nil {
		r.window.file.Close() // read-only
	}
	r.sealed = nil
}

// lost reports the entries from next on up to a number, and goes on behind them.
func (r *reader) lost(last uint64, reason string) error {
	last = min(last, r.until)
	if last < r.next {
		return nil
	}
	d := Damage{Stream: r.s, First: r.next, Last: last, Reason: reason}
	r.next = last + 1
	if r.damaged == nil {
		return nil
	}
	return r.damaged(d)
}

// Reasons of damage.
const (
	reasonMissing = "it is missing"
	reasonAltered = "its hash is not that of its content"
)

// piece reads the next piece.
func (r *reader) piece() error {
	r.j.mu.RLock()
	anchor := r.j.streams[r.s].anchor.Number
	f := r.j.findSealed(r.s, r.next)
	var g *segment
	var places []place
	if f == nil {
		g, places = r.findFrames()
	}
	r.j.mu.RUnlock()
	var p piece
	if f == nil {
		p = r.frames(g, places)
	}
	switch {
	case r.next <= anchor:
		r.next = anchor + 1
		return nil
	case f == nil:
		return r.visitFrames(p)
	}
	err := r.block(f)
	if errors.Is(err, os.ErrNotExist) {
		return r.vanished(f)
	}
	return err
}

// vanished goes on when a sealed file is not there: retention deleted it or wrote a shorter one, or somebody else removed it.
func (r *reader) vanished(f *sealedFile) error {
	r.close()
	if r.j.moved(f, r.next) {
		return nil
	}
	return r.lost(f.last, reasonMissing)
}

// open opens a sealed file in place of the one that is open.
func (r *reader) open(f *sealedFile) (err error) {
	r.close()
	if r.table, err = r.j.index(f); err != nil {
		return err
	}
	opened, err := r.j.disk.Open(f.name())
	if err == nil {
		r.sealed, r.window = f, window{file: opened, limit: f.size}
	}
	return err
}

// block reads the next block of a sealed file.
func (r *reader) block(f *sealedFile) error {
	if r.sealed != f {
		if err := r.open(f); err != nil {
			return err
		}
	}
	x := r.table
	i := x.find(r.next)
	if i == len(x.blocks) {
		return r.lost(f.last, reasonMissing)
	}
	b := &x.blocks[i]
	if b.first > r.next {
		return r.lost(b.first-1, reasonMissing)
	}
	entries, err := x.readBlock(r.window.file, f.size, r.window.bytes(b.offset, b.span()), b, f.stream, r.j.name)
	if errors.Is(err, ErrDamaged) {
		return r.lost(b.last(), reasonAltered)
	}
	if err != nil {
		return err
	}
	for n := r.next - b.first; n < uint64(len(entries)) && r.next <= r.until; n++ {
		r.next++
		if err := r.visit(&entries[n]); err != nil {
			return err
		}
	}
	return nil
}

// pieceFrames is the largest number of frames of a piece.
const pieceFrames = 64

// piece is some frames of a segment.
type piece struct {
	entries []*Entry
	none    bool   // no segment has the next entry, nor one after it
	altered uint64 // the number of the frame behind entries that is not whole; 0: there is none
}

// frames reads frames of a segment, which it releases; nil: there is none.
func (r *reader) frames(g *segment, places []place) (p piece) {
	if g == nil {
		return piece{none: true}
	}
	defer g.reading.RUnlock()
	for _, at := range places {
		e, err := g.readFrame(at.offset)
		if err != nil || e.Stream != r.s || e.Number != at.number || !e.Holds(r.j.name) {
			p.altered = at.number
			return p
		}
		p.entries = append(p.entries, e)
	}
	return p
}

// visitFrames visits the entries of some frames.
func (r *reader) visitFrames(p piece) error {
	if p.none {
		return r.lost(r.until, reasonMissing)
	}
	for _, e := range p.entries {
		if e.Number > r.until {
			return nil
		}
		if err := r.lost(e.Number-1, reasonMissing); err != nil {
			return err
		}
		r.next = e.Number + 1
		if err := r.visit(e); err != nil {
			return err
		}
	}
	if p.altered == 0 {
		return nil
	}
	if err := r.lost(p.altered-1, reasonMissing); err != nil {
		return err
	}
	return r.lost(p.altered, reasonAltered)
}

// findFrames returns the segment with the next entry, or the first one after it, which is locked for reading, and where its next frames are;
// nil: there is none. The caller holds j.mu.
func (r *reader) findFrames() (*segment, []place) {
	for _, g := range r.j.open {
		places := g.places[r.s]
		if i := sort.Search(len(places), func(i int) bool { return places[i].number >= r.next }); i < len(places) {
			g.reading.RLock()
			return g, places[i:min(len(places), i+pieceFrames)]
		}
	}
	return nil, nil
}
