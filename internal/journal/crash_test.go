package journal

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// After a power cut at any moment everything that was answered is there, each append wholly or not at all, and nothing says that
// something is missing.
func TestPowerCuts(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		r := rand.New(rand.NewPCG(seed, seed))
		d := newSimDisk()
		m := &model{t: rt}
		for range rapid.IntRange(1, 6).Draw(rt, "lives") {
			d.left = -1
			j, err := Open(Options{disk: d, SegmentSize: 48 << 10, Logger: m.logger()})
			if err != nil {
				rt.Fatal(err)
			}
			m.check(j)
			d.mu.Lock()
			d.left = r.IntN(120)
			d.mu.Unlock()
			for range 60 {
				if !m.act(j, r) {
					break
				}
			}
			j.Close() // it fails without power
			d = d.restart(r)
		}
	})
}

// model is what a journal must have.
type model struct {
	t          *rapid.T
	entries    [streamCount][]string // from number 1 on
	retired    [streamCount]uint64
	unanswered [][]*Entry // an append that was not answered
	next       int
	log        lockedBuffer
}

// act does something with a journal, and reports false once the power is off.
func (m *model) act(j *Journal, r *rand.Rand) bool {
	switch r.IntN(12) {
	case 0:
		return j.Rotate(m.t.Context()) == nil
	case 1:
		s := Stream(1 + r.IntN(int(streamCount)-1))
		until := m.retired[s] + uint64(r.IntN(5))
		until = min(until, uint64(len(m.entries[s])))
		err := j.Retire(m.t.Context(), s, until)
		m.retired[s] = max(m.retired[s], until) // at least in part; the rest is done by the next one
		return err == nil
	}
	var group []*Entry
	for range 1 + r.IntN(4) {
		m.next++
		size := r.IntN(200)
		if r.IntN(10) == 0 {
			size = r.IntN(60 << 10)
		}
		group = append(group, NewEntry(Stream(r.IntN(int(streamCount))), fmt.Appendf(nil, "%d %0*d", m.next, size, 0)))
	}
	if err := j.Append(m.t.Context(), Append{Entries: group}); err != nil {
		if !errors.Is(err, ErrFailed) && !errors.Is(err, errPower) && !errors.Is(err, ErrClosed) {
			m.t.Fatalf("append: %v", err)
		}
		m.unanswered = append(m.unanswered, group)
		return false
	}
	m.keep(group)
	return true
}

// keep notes that a group was appended.
func (m *model) keep(group []*Entry) {
	for _, e := range group {
		if e.Stream != Temporary {
			m.entries[e.Stream] = append(m.entries[e.Stream], string(e.Data))
		}
	}
}

// check compares a journal that was opened again.
func (m *model) check(j *Journal) {
	if len(m.unanswered) > 0 { // wholly or not at all
		whole, nothing := true, true
		counts := [streamCount]int{}
		for _, e := range m.unanswered[0] {
			if e.Stream == Temporary {
				continue
			}
			counts[e.Stream]++
			got, err := j.Get(e.Stream, uint64(len(m.entries[e.Stream])+counts[e.Stream]))
			is := err == nil && string(got.Data) == string(e.Data)
			whole, nothing = whole && is, nothing && !is
		}
		if whole && !nothing {
			m.keep(m.unanswered[0])
		} else if !nothing {
			m.t.Fatal("a part of an append is there")
		}
		m.unanswered = nil
	}
	for s := Records; s < streamCount; s++ {
		if tip := j.Tip(s).Number; tip != uint64(len(m.entries[s])) {
			m.t.Fatalf("%s ends at %d, want %d", s, tip, len(m.entries[s]))
		}
		anchor := j.Anchor(s)
		if anchor.Number > m.retired[s] {
			m.t.Fatalf("%s begins after %d, want %d", s, anchor.Number, m.retired[s])
		}
		m.retired[s] = anchor.Number
		previous := anchor
		err := j.Each(m.t.Context(), s, 0, func(e *Entry) error {
			if e.Previous != previous.Hash || string(e.Data) != m.entries[s][e.Number-1] {
				return fmt.Errorf("%s %d is not what was appended", s, e.Number)
			}
			previous = e.tip()
			return nil
		}, func(d Damage) error { return fmt.Errorf("damage: %+v", d) })
		if err != nil || previous != j.Tip(s) {
			m.t.Fatalf("%s: %v\n%s%s", s, err, m.describe(j), m.log.String())
		}
	}
}

// describe shows where a journal has its entries.
func (m *model) describe(j *Journal) string {
	j.mu.RLock()
	defer j.mu.RUnlock()
	var b strings.Builder
	for s := Records; s < streamCount; s++ {
		fmt.Fprintf(&b, "%s after %d to %d, retired %d; sealed", s, j.streams[s].anchor.Number, j.streams[s].tip.Number, m.retired[s])
		for _, f := range j.streams[s].sealed {
			fmt.Fprintf(&b, " %d-%d", f.first, f.last)
		}
		for _, g := range j.open {
			fmt.Fprintf(&b, "; segment %d after %d:", g.number, g.head.tips[s].Number)
			for _, p := range g.places[s] {
				fmt.Fprintf(&b, " %d", p.number)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// logger keeps what the journal logs.
func (m *model) logger() *slog.Logger { return slog.New(slog.NewTextHandler(&m.log, nil)) }
