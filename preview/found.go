package preview

import (
	"cmp"
	"container/heap"
	"math/bits"
	"slices"

	"github.com/toolresult/toolresult/preview/textscan"
)

// The lines of one band that a finder keeps: the first and the last ones, and
// between them a sample. Where a sample is full, finds with a lower score give
// way to those with a higher one, and of one score every second one, so that
// the rest stays spread over the payload. The choice depends on the lines alone.

// found is the kept lines of one band.
type found struct {
	first, last textscan.LineStore
	finds       []priority // of the lines in last
	middle      sample     // of the lines that were dropped from last
	count       uint64     // finds so far
	find        priority   // of the last one, for the lines that belong to it
}

// next begins a find with a score. Lines that are kept from now on belong to it.
func (b *found) next(score uint8) {
	b.find = priority{score: score, turn: bits.Reverse64(b.count)}
	b.count++
}

// lend prepares an empty band for keepLent.
func (b *found) lend() {
	b.first.Lend(0)
	b.last.Lend(0)
	b.middle.lends = true
}

// keep keeps a line of the last find. A share is the bytes of text of half a
// band.
func (b *found) keep(l textscan.Line, text []byte, share int) {
	if b.first.TextBytes() < share/2 && b.last.TextBytes() == 0 {
		b.first.Push(l, text)
		return
	}
	b.last.Push(l, text)
	b.evict(share)
}

// keepLent is keep for a text that does not change.
func (b *found) keepLent(l textscan.Line, text []byte, share int) {
	if b.first.TextBytes() < share/2 && b.last.TextBytes() == 0 {
		b.first.PushLent(l, text)
		return
	}
	b.last.PushLent(l, text)
	b.evict(share)
}

// evict moves lines from the last ones to those between, after one more was kept.
func (b *found) evict(share int) {
	b.finds = append(b.finds, b.find)
	b.last.EvictTo(share/2, share/2/usualFound, func(l textscan.Line) {
		b.middle.add(b.finds[0], l, share)
		b.finds = b.finds[1:]
	})
}

// between appends the kept lines after one and up to another to a list, in no order. They are valid while the band is.
func (b *found) between(list []*textscan.Line, after, to int64) []*textscan.Line {
	add := func(lines []textscan.Line) {
		for i := range lines {
			if l := &lines[i]; l.Number > after && l.Number <= to {
				list = append(list, l)
			}
		}
	}
	add(b.first.Lines())
	add(b.last.Lines())
	for _, g := range b.middle.groups {
		add(g.lines)
	}
	return list
}

// clone copies the band for a snapshot.
func (b *found) clone() found {
	c := *b
	c.first, c.last, c.finds, c.middle = b.first.Clone(), b.last.Clone(), slices.Clone(b.finds), b.middle.clone()
	return c
}

// priority is the place of a find among those of its band that compete for
// memory: first its score, then its turn. The turn is the number of the find with
// its bits reversed, so finds with low turns are spread evenly.
type priority struct {
	score uint8
	turn  uint64
}

// compare returns a negative number where p is kept longer than o.
func (p priority) compare(o priority) int {
	return cmp.Or(cmp.Compare(o.score, p.score), cmp.Compare(p.turn, o.turn))
}

// sample is the finds with the best priorities of a sequence, in bounded memory.
// The zero sample is empty.
type sample struct {
	lends   bool     // the texts of lines do not change
	groups  []*group // a heap, the worst first
	open    *group   // the last one that got a line; nil if it was dropped
	size    int
	dropped *priority // the best one that was dropped; nil if none was
}

// group is the lines of one find.
type group struct {
	priority
	lines []textscan.Line
	size  int
}

// add adds a line of a find, and drops the worst finds while all lines have more
// bytes than most. Lines of one find follow each other. A find has no more than
// half of the bytes.
func (s *sample) add(p priority, l textscan.Line, most int) {
	if s.dropped != nil && p.compare(*s.dropped) >= 0 {
		return
	}
	if s.open == nil || s.open.priority != p {
		s.open = &group{priority: p}
		heap.Push(s, s.open)
	}
	size := max(len(l.Text), usualFound)
	if s.open.size > 0 && s.open.size+size > most/2 {
		return
	}
	if !s.lends {
		l.Text = slices.Clone(l.Text)
	}
	s.open.lines, s.open.size, s.size = append(s.open.lines, l), s.open.size+size, s.size+size
	for s.size > most {
		worst, _ := heap.Pop(s).(*group)
		s.size, s.dropped = s.size-worst.size, &worst.priority
		if worst == s.open {
			s.open = nil
		}
	}
}

// clone returns a copy that shares no group.
func (s *sample) clone() sample {
	c := *s
	c.groups = make([]*group, len(s.groups))
	for i, g := range s.groups {
		c.groups[i] = &group{g.priority, slices.Clone(g.lines), g.size}
		if g == s.open {
			c.open = c.groups[i]
		}
	}
	return c
}

// Len implements heap.Interface.
func (s *sample) Len() int { return len(s.groups) }

// Less implements heap.Interface.
func (s *sample) Less(i, k int) bool { return s.groups[i].compare(s.groups[k].priority) > 0 }

// Swap implements heap.Interface.
func (s *sample) Swap(i, k int) { s.groups[i], s.groups[k] = s.groups[k], s.groups[i] }

// Push implements heap.Interface.
func (s *sample) Push(x any) {
	g, _ := x.(*group)
	s.groups = append(s.groups, g)
}

// Pop implements heap.Interface.
func (s *sample) Pop() any {
	g := s.groups[len(s.groups)-1]
	s.groups = slices.Delete(s.groups, len(s.groups)-1, len(s.groups))
	return g
}
