package journal

// What the files say when the journal is opened: the ends of the streams, and where the next frame is put.

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
)

// recover reads the segments, and the names of sealed files.
func (j *Journal) recover() error {
	for s := Records; s < streamCount; s++ {
		if err := j.listSealed(s); err != nil {
			return err
		}
	}
	if err := j.openSegments(); err != nil {
		return err
	}
	for s := Records; s < streamCount; s++ {
		if err := errors.Join(j.distrust(s), j.findEnds(s)); err != nil {
			return err
		}
	}
	if j.name == "" { // the segments are lost, or the journal is new
		j.name = j.sealedName()
	}
	for s := Records; s < streamCount; s++ {
		j.streams[s].found = j.streams[s].tip
	}
	j.openHeadFile()
	if j.isNew = j.name == ""; j.isNew {
		j.name = cmp.Or(j.o.Name, strings.ToLower(rand.Text()))
	}
	if len(j.open) > 0 {
		return j.prepareEnd()
	}
	return j.createFirst()
}

// listSealed finds the sealed files of a stream. Of two that end alike retention has made the shorter one, and was interrupted: the
// other one, and all before it, were to be deleted.
func (j *Journal) listSealed(s Stream) error {
	names, err := j.disk.List(s.String())
	if err != nil {
		return err
	}
	var list []*sealedFile
	for _, name := range names {
		first, last, ok := parseSealedName(name)
		if !ok {
			j.o.Logger.Warn("the journal has a file that it does not read", slog.String("file", s.String()+"/"+name))
			continue
		}
		f := &sealedFile{stream: s, first: first, last: last}
		if n := len(list); n > 0 && list[n-1].last >= last {
			for _, gone := range list {
				if err := j.disk.Remove(gone.name()); err != nil {
					return err
				}
			}
			list = nil
		}
		opened, err := j.disk.Open(f.name())
		if err != nil {
			return err
		}
		f.size, err = opened.Size()
		if err = errors.Join(err, opened.Close()); err != nil {
			return err
		}
		list = append(list, f)
	}
	j.streams[s].sealed = list
	return nil
}

// distrust puts sealed files aside that have the name, but not the entries, of what segments have: those are sealed again.
func (j *Journal) distrust(s Stream) error {
	st := &j.streams[s]
	first := uint64(0)
	for _, g := range j.open {
		if first = g.first(s); first > 0 {
			break
		}
	}
	for n := len(st.sealed); first > 0 && n > 0 && st.sealed[n-1].last >= first; n-- {
		f := st.sealed[n-1]
		x, err := j.index(f)
		if err != nil {
			return err
		}
		blocks := x.blocks
		if len(blocks) > 0 && blocks[0].first == f.first && blocks[len(blocks)-1].last() == f.last {
			continue
		}
		j.o.Logger.Error("a sealed file of the journal is damaged, and made again of its segment", slog.String("file", f.name()))
		if err := j.disk.Rename(f.name(), f.name()+damagedSuffix); err != nil {
			return err
		}
		st.sealed = slices.Delete(st.sealed, n-1, n)
	}
	return nil
}

// damagedSuffix ends the name of a file that was put aside.
const damagedSuffix = ".damaged"

// openSegments opens and scans the segments that are used. Of the others, the one that follows is the next.
func (j *Journal) openSegments() error {
	names, err := j.disk.List(segmentsFolder)
	if err != nil {
		return err
	}
	var unused *segment
	for _, name := range names {
		number, ok := parseSegmentName(name)
		if segmentsFolder+"/"+name == spareName {
			if err := j.disk.Remove(spareName); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
			continue
		}
		if !ok {
			j.o.Logger.Warn("the journal has a file that it did not write", slog.String("file", segmentsFolder+"/"+name))
			continue
		}
		g, err := j.openSegment(number)
		if err != nil {
			return fmt.Errorf("%s: %w", segmentName(number), err)
		}
		if g.size < firstFrame+pageSize {
			j.o.Logger.Error("a segment of the journal was cut to nothing", slog.String("file", segmentName(number)))
			if err := errors.Join(g.file.Close(), j.disk.Remove(segmentName(number))); err != nil {
				return err
			}
			continue
		}
		if unused != nil { // one that was given up, or from before it was used
			if err := errors.Join(unused.file.Close(), j.disk.Remove(segmentName(unused.number))); err != nil {
				return err
			}
			unused = nil
		}
		if g.used {
			j.open = append(j.open, g)
		} else {
			unused = g
		}
	}
	switch {
	case unused == nil:
	case len(j.open) == 0:
		j.open = append(j.open, unused)
	default:
		j.keeper.next = unused
	}
	return nil
}

// openSegment opens a segment and, if it is used, scans it.
func (j *Journal) openSegment(number uint32) (*segment, error) {
	f, err := j.disk.Open(segmentName(number))
	if err != nil {
		return nil, err
	}
	size, err := f.Size()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	g := &segment{number: number, file: f, size: size, end: firstFrame}
	if size >= firstFrame+pageSize {
		g.head, g.used, err = readHead(f, size)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if !g.used {
		return g, nil
	}
	j.name = g.head.log
	lasts, torn, err := g.load()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	for s := Records; s < streamCount; s++ {
		st := &j.streams[s]
		if t := g.head.tips[s]; t.Number > st.tip.Number {
			st.tip = t
		}
		if h := lasts[s]; h != nil && h.number > st.tip.Number {
			st.tip = Tip{h.number, h.hash}
		}
	}
	j.cut.Bytes = torn // of the last one
	return g, nil
}

// findEnds finds the anchor of a stream, and its end if no segment says it.
func (j *Journal) findEnds(s Stream) error {
	st := &j.streams[s]
	if n := len(st.sealed); n > 0 {
		last := st.sealed[n-1]
		if last.last > st.tip.Number {
			x, err := j.index(last)
			if err != nil {
				return err
			}
			if len(x.blocks) > 0 {
				st.tip = Tip{last.last, x.hash}
			}
		}
		x, err := j.index(st.sealed[0])
		if err != nil {
			return err
		}
		st.anchor = Tip{Number: st.sealed[0].first - 1}
		if len(x.blocks) > 0 && x.blocks[0].first == st.sealed[0].first {
			st.anchor.Hash = x.previous
		}
		return nil
	}
	for _, g := range j.open {
		if g.first(s) > 0 {
			st.anchor = g.head.tips[s]
			return nil
		}
	}
	st.anchor = st.tip
	return nil
}

// prepareEnd makes the last segment ready to be appended to: behind its end are zeros, so that nothing there is ever taken for what
// follows.
func (j *Journal) prepareEnd() error {
	g := j.open[len(j.open)-1]
	if g.ended && j.cut.Bytes == 0 { // all of it was synced before that frame was written
		return nil
	}
	if j.cut.Bytes == 0 { // what a process that was killed has written and not synced
		return g.file.Sync()
	}
	j.o.Logger.Warn("the journal ended with a write that was not completed; it was cut off", slog.Int64("bytes", j.cut.Bytes))
	if err := writeZeros(g.file, g.end, g.limit()); err != nil {
		return err
	}
	return g.file.Sync()
}

// createFirst makes the first segment of a new journal, or of one whose segments are lost.
func (j *Journal) createFirst() error {
	size := min(j.o.SegmentSize, firstSegmentSize)
	f, err := j.disk.Create(segmentName(1), size)
	if err != nil {
		return err
	}
	j.open = append(j.open, &segment{number: 1, file: f, size: size, end: firstFrame})
	return nil
}

// sealedName returns the name of the log that sealed files have; empty: there are none.
func (j *Journal) sealedName() string {
	for s := Records; s < streamCount; s++ {
		for _, f := range j.streams[s].sealed {
			opened, err := j.disk.Open(f.name())
			if err != nil {
				continue
			}
			name, _, ok := readBegin(opened)
			if x, table := readTable(opened, f.size); !ok && table {
				name = x.log
			}
			opened.Close() // read-only
			if name != "" {
				return name
			}
		}
	}
	return ""
}
