package journal

// Salvage: what is whole of a journal that is damaged, maybe so much that it cannot be opened, as a new journal. The files that it is read
// from are not changed.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"sort"

	"golang.org/x/sys/unix"
)

// Left is something that a salvage left, or that is not as it should be.
type Left struct {
	// Stream and First to Last are the entries; Temporary and 0: not known.
	Stream      Stream
	First, Last uint64
	// File is the file in the journal; empty: of entries that are in none.
	File string
	// Reason says in a few words why.
	Reason string
}

// Salvaged is what a salvage wrote.
type Salvaged struct {
	// Name is the name of the log, which the new one has too, because hashes depend on it.
	Name string
	// Entries are the numbers of entries, by stream.
	Entries [streamCount]int
	// Tips are the last entries that are known, which may be lost.
	Tips [streamCount]Tip
}

// salvage is one salvage.
type salvage struct {
	ctx     context.Context // of one call
	from    *folderDisk
	heads   *heads // of the head file; nil: it says nothing
	to      *Journal
	logger  *slog.Logger
	left    func(Left) error
	done    Salvaged
	opened  []*segment
	sealed  [streamCount][]*sealedFile
	waiting []*Entry // that are not written yet
	bytes   int
	holes   []Left // since the last entry that was taken
}

// Salvage writes every entry that is whole in the journal of one directory into a new one in another, with its number, its time and its
// hashes, and calls left for what it leaves, in the order in which it finds that. An error of left ends it. Nobody else may have the
// journal open. The number of an entry that is lost is not given again.
//
// Errors: ErrLocked; [os.ErrExist] if there is something in the place of the new one; those of the disk.
func Salvage(ctx context.Context, from, to string, logger *slog.Logger, left func(Left) error) (Salvaged, error) {
	if _, err := os.Lstat(to); !errors.Is(err, os.ErrNotExist) {
		return Salvaged{}, cmp.Or(err, fmt.Errorf("%s: %w", to, os.ErrExist))
	}
	source, err := openReadOnly(from)
	if err != nil {
		return Salvaged{}, fmt.Errorf("journal %s: %w", from, err)
	}
	defer source.Close() // read-only
	s := &salvage{ctx: ctx, from: source, logger: logger, left: left}
	defer s.close()
	if err := s.find(); err != nil {
		return s.done, fmt.Errorf("journal %s: %w", from, err)
	}
	if s.done.Name == "" {
		return s.done, fmt.Errorf("journal %s: no file says the name of the log", from)
	}
	if s.to, err = Open(Options{Dir: to, Name: s.done.Name, Logger: logger}); err != nil {
		return s.done, err
	}
	return s.done, errors.Join(s.write(), s.to.Close())
}

// openReadOnly opens the files of a directory, of which none is changed.
func openReadOnly(dir string) (*folderDisk, error) {
	opened, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	d := &folderDisk{dir: dir, folder: opened, readOnly: true}
	if err := unix.Flock(int(opened.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return nil, errors.Join(ErrLocked, d.Close())
	} else if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	if d.root, err = os.OpenRoot(dir); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// close closes the segments.
func (s *salvage) close() {
	for _, g := range s.opened {
		g.file.Close() // read-only
	}
}

// find finds the files, the name of the log and the ends of the streams.
func (s *salvage) find() error {
	if err := s.findFiles(); err != nil {
		return err
	}
	f, err := s.from.root.Open(headName)
	if errors.Is(err, os.ErrNotExist) {
		return nil // the other files say what they know
	} else if err != nil {
		return s.left(Left{File: headName, Reason: err.Error()})
	}
	defer f.Close() // read-only
	h, ok := readHeads(f)
	switch {
	case !ok:
		return s.left(Left{File: headName, Reason: "it is damaged"})
	case h.isEmpty():
		return nil
	case s.done.Name == "":
		s.done.Name = h.log
	case s.done.Name != h.log:
		return s.left(Left{File: headName, Reason: "it is of another log"})
	}
	s.heads = &h
	for k := Records; k < streamCount; k++ {
		if h.tips[k].Number > s.done.Tips[k].Number {
			s.done.Tips[k] = h.tips[k]
		}
	}
	return nil
}

// findFiles finds what segments and sealed files say.
func (s *salvage) findFiles() error {
	for k := Records; k < streamCount; k++ {
		if err := s.findSealed(k); err != nil {
			return err
		}
	}
	names, err := s.from.List(segmentsFolder)
	if err != nil {
		return err
	}
	for _, name := range names {
		if number, ok := parseSegmentName(name); ok {
			if err := s.openSegment(number); err != nil {
				return err
			}
		}
	}
	return nil
}

// findSealed lists the sealed files of a stream, as they count when a journal is opened.
func (s *salvage) findSealed(k Stream) error {
	names, err := s.from.List(k.String())
	if err != nil {
		return err
	}
	for _, name := range names {
		first, last, ok := parseSealedName(name)
		if !ok {
			if err := s.left(Left{File: k.String() + "/" + name, Reason: "it is no file of a journal"}); err != nil {
				return err
			}
			continue
		}
		f := &sealedFile{stream: k, first: first, last: last}
		opened, err := s.from.Open(f.name())
		if err == nil {
			f.size, err = opened.Size()
		}
		if err != nil {
			if err := s.left(Left{Stream: k, First: first, Last: last, File: f.name(), Reason: err.Error()}); err != nil {
				return err
			}
			continue
		}
		x, ok := readTable(opened, f.size)
		if !ok {
			x = findMarks(opened, f.size)
		}
		opened.Close() // read-only
		s.done.Name = cmp.Or(s.done.Name, x.log)
		if n := len(s.sealed[k]); n > 0 && s.sealed[k][n-1].last >= last && len(x.blocks) > 0 {
			s.sealed[k] = nil // retention was interrupted: they were to be deleted
		}
		s.sealed[k] = append(s.sealed[k], f)
		if len(x.blocks) > 0 && last > s.done.Tips[k].Number {
			s.done.Tips[k] = Tip{last, x.hash}
		}
	}
	return nil
}

// openSegment opens a segment, and notes where its entries are.
func (s *salvage) openSegment(number uint32) error {
	leave := func(reason string) error { return s.left(Left{File: segmentName(number), Reason: reason}) }
	f, err := s.from.Open(segmentName(number))
	if err != nil {
		return leave(err.Error())
	}
	size, err := f.Size()
	g := &segment{number: number, file: f, size: size, end: firstFrame}
	s.opened = append(s.opened, g)
	if err == nil && size >= firstFrame+pageSize {
		g.head, g.used, err = readHead(f, size)
	}
	switch {
	case err != nil:
		return leave(err.Error())
	case !g.used:
		if used, err := isUsed(f, size); used || err != nil {
			return leave("neither its first nor its last page is whole, without which its entries cannot be read")
		}
		return nil
	}
	s.done.Name = cmp.Or(g.head.log, s.done.Name)
	found, dirty, err := scanFrames(g)
	if err != nil {
		if err := leave(fmt.Sprintf("parts of it are not read: %v", err)); err != nil {
			return err
		}
	}
	kept, end := keepWhole(found)
	for k := Records; k < streamCount; k++ {
		if g.head.tips[k].Number > s.done.Tips[k].Number {
			s.done.Tips[k] = g.head.tips[k]
		}
	}
	at := int64(firstFrame)
	for i := range kept {
		h := &kept[i].header
		if kept[i].offset > at {
			if err := leave(fmt.Sprintf("the bytes from %d to %d are damaged", at, kept[i].offset-1)); err != nil {
				return err
			}
		}
		at = kept[i].end()
		if g.note(h, kept[i].offset); h.stream != Temporary && h.number > s.done.Tips[h.stream].Number {
			s.done.Tips[h.stream] = Tip{h.number, h.hash}
		}
	}
	g.sortPlaces()
	if dirty > end {
		return leave(fmt.Sprintf("%d bytes behind the last whole append, from %d on: a write that was not completed, or damage", dirty-end, end))
	}
	return nil
}

// isUsed reports whether a file has a byte that is not zero.
func isUsed(f file, size int64) (bool, error) {
	w := &window{file: f, limit: size}
	for at := int64(0); at < size; at += windowSize {
		for _, b := range w.bytes(at, windowSize) {
			if b != 0 {
				return true, nil
			}
		}
	}
	return false, w.failed
}

// write writes the entries of all streams, and what the first segment says: the ends of the streams.
func (s *salvage) write() error {
	for k := Records; k < streamCount; k++ {
		if err := s.writeStream(k); err != nil {
			return err
		}
	}
	g := s.to.active()
	if err := s.to.writeHead(g); err != nil {
		return err
	}
	if err := g.file.Sync(); err != nil {
		return err
	}
	return s.copyTemporary()
}

// copyTemporary appends the temporary entries, which are the only copy that was durable.
func (s *salvage) copyTemporary() error {
	for _, g := range s.opened {
		err := g.eachTemporary(func(data []byte) error {
			return s.to.Append(s.ctx, Append{Entries: []*Entry{NewEntry(Temporary, slices.Clone(data))}, Notice: true})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// begins returns the number of the first entry that the files of a stream should have.
func (s *salvage) begins(k Stream) uint64 {
	first := s.firstFound(k)
	if s.heads != nil {
		first = min(first, s.heads.anchors[k].Number+1)
	}
	return first
}

// firstFound is begins by the files that are there.
func (s *salvage) firstFound(k Stream) uint64 {
	if len(s.sealed[k]) > 0 {
		return s.sealed[k][0].first
	}
	for _, g := range s.opened {
		if g.used {
			return g.head.tips[k].Number + 1
		}
	}
	return 1
}

// writeStream writes the entries of a stream.
func (s *salvage) writeStream(k Stream) error {
	next := s.begins(k)
	var last *Entry
	take := func(e *Entry) error {
		switch {
		case e.Number < next:
			return nil // it is there twice
		case e.Number > next:
			if err := s.missing(k, next, e.Number-1); err != nil {
				return err
			}
		case last != nil && e.Previous != last.Hash:
			if err := s.left(Left{Stream: k, First: e.Number, Last: e.Number, Reason: "it is written, and does not follow the entry before"}); err != nil {
				return err
			}
		}
		s.holes = nil // those that a segment filled
		next, last = e.Number+1, e
		return s.add(k, e)
	}
	for _, f := range s.sealed[k] {
		if err := s.eachFrame(k, next, f.first, take); err != nil {
			return err
		}
		if err := s.eachSealed(f, take); err != nil {
			return err
		}
	}
	if err := s.eachFrame(k, next, 1<<64-1, take); err != nil {
		return err
	}
	if err := s.flush(k); err != nil {
		return err
	}
	end := s.done.Tips[k]
	s.to.Advance(k, end)
	return s.missing(k, next, end.Number)
}

// missing names the entries first to last, which were not found: those of places that are damaged, and the others.
func (s *salvage) missing(k Stream, first, last uint64) error {
	for _, h := range append(s.holes, Left{Stream: k, First: last + 1, Last: last}) {
		if h.First > first && first <= last {
			if err := s.left(Left{Stream: k, First: first, Last: min(last, h.First-1), Reason: reasonMissing}); err != nil {
				return err
			}
		}
		if h.First, h.Last = max(h.First, first), min(h.Last, last); h.First <= h.Last {
			if err := s.left(h); err != nil {
				return err
			}
			first = h.Last + 1
		}
	}
	s.holes = nil
	return nil
}

// hole notes entries that cannot be read from a file.
func (s *salvage) hole(k Stream, first, last uint64, file, reason string) {
	s.holes = append(s.holes, Left{Stream: k, First: first, Last: last, File: file, Reason: reason})
}

// eachSealed calls take for the entries of a sealed file; where a block is damaged, for those that a segment still has.
func (s *salvage) eachSealed(f *sealedFile, take func(*Entry) error) error {
	x, err := f.readIndex(s.from)
	if err != nil {
		s.hole(f.stream, f.first, f.last, f.name(), err.Error())
		return s.eachFrame(f.stream, f.first, f.last+1, take)
	}
	if len(x.blocks) == 0 {
		s.hole(f.stream, f.first, f.last, f.name(), "neither its beginning nor its end is whole")
		return s.eachFrame(f.stream, f.first, f.last+1, take)
	}
	opened, err := s.from.Open(f.name())
	if err != nil {
		return err
	}
	defer opened.Close() // read-only
	w, next := &window{file: opened, limit: f.size}, f.first
	for i := range x.blocks {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		b := &x.blocks[i]
		if err := s.eachFrame(f.stream, next, b.first, take); err != nil {
			return err
		}
		entries, err := x.readBlock(opened, f.size, w.bytes(b.offset, b.span()), b, f.stream, s.done.Name)
		if err != nil {
			s.hole(f.stream, b.first, b.last(), f.name(), fmt.Sprintf("the block at %d is damaged", b.offset))
			if err := s.eachFrame(f.stream, b.first, b.last()+1, take); err != nil {
				return err
			}
		}
		for n := range entries {
			if err := take(&entries[n]); err != nil {
				return err
			}
		}
		next = b.last() + 1
	}
	return s.eachFrame(f.stream, next, f.last+1, take)
}

// eachFrame calls take for the entries of segments with numbers from first on and below until.
func (s *salvage) eachFrame(k Stream, first, until uint64, take func(*Entry) error) error {
	for _, g := range s.opened {
		places := g.places[k]
		at := sort.Search(len(places), func(i int) bool { return places[i].number >= first })
		for ; at < len(places) && places[at].number < until; at++ {
			p := places[at]
			e, err := g.readAgain(p.offset)
			if err == nil && (e.Stream != k || e.Number != p.number || !e.Holds(s.done.Name)) {
				err = errors.New(reasonAltered)
			}
			if err != nil {
				s.hole(k, p.number, p.number, segmentName(g.number), fmt.Sprintf("the frame at %d: %v", p.offset, err))
			} else if err := take(e); err != nil {
				return err
			}
		}
	}
	return s.ctx.Err()
}

// add adds an entry to the file that is being gathered.
func (s *salvage) add(k Stream, e *Entry) error {
	s.waiting, s.bytes = append(s.waiting, e), s.bytes+len(e.Data)
	s.done.Entries[k]++
	if s.bytes < sampleBytes {
		return nil
	}
	return s.flush(k)
}

// flush writes a sealed file of the entries that wait.
func (s *salvage) flush(k Stream) error {
	if len(s.waiting) == 0 {
		return nil
	}
	f := &sealedFile{stream: k, first: s.waiting[0].Number, last: s.waiting[len(s.waiting)-1].Number}
	if err := s.to.writeAll(s.ctx, f, s.waiting); err != nil {
		return err
	}
	s.to.adopt(f, Tip{s.waiting[0].Number - 1, s.waiting[0].Previous}, s.waiting[len(s.waiting)-1].tip())
	s.waiting, s.bytes = nil, 0
	return nil
}
