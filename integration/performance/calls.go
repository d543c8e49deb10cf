package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Names of the floors in results and tables.
const (
	floorEmpty  = "(a) an empty call"
	floorAppend = "(b) and an append, synced together"
	floorFile   = "(c) and a file, not synced"
)

// measureCalls measures every configuration and every floor, for each payload and number of callers.
func (b *bench) measureCalls() ([]Calls, error) {
	var all []Calls
	for _, p := range payloads {
		for _, n := range callers {
			c, err := b.measureCell(p, n)
			if err != nil {
				return nil, fmt.Errorf("%s, %d callers: %w", p.name, n, err)
			}
			all = append(all, c)
		}
	}
	return all, nil
}

// measureCell starts the sides afresh, so that no store grows from one number of callers to the next, and measures them in
// shuffled rounds.
func (b *bench) measureCell(p payload, callers int) (c Calls, err error) {
	defer func() { err = errors.Join(err, b.stopAll()) }()
	sides, c, err := b.startSides(p)
	if err != nil {
		return c, err
	}
	c.Callers = callers
	for round := range b.rounds + 1 {
		for _, i := range rand.Perm(len(sides)) {
			s, err := b.burst(sides[i], callers, p.bytes, b.burstTime)
			if err != nil {
				return c, err
			}
			if round > 0 { // the first one warms up
				c.Sides[i].add(s)
			}
			if err := sides[i].dropFiles(); err != nil {
				return c, err
			}
		}
	}
	b.say("%s, %d callers: p50 %s us", p.name, callers, c.medians())
	return c, nil
}

// startSides starts the configurations, asks the first one for an answer and how much it appends, and starts the floors.
func (b *bench) startSides(p payload) (sides []*side, c Calls, err error) {
	c.Payload = p.name
	for _, o := range configs {
		s, err := b.startSidecar(o.name, o.memory, o.flags...)
		if err != nil {
			return nil, c, err
		}
		sides = append(sides, &side{name: o.name, server: s, open: unary, noIDs: o.noIDs})
	}
	const samples = 12 // less than the first segment of a journal has place for
	answer, err := b.answers(sides[0].server, p, samples)
	if err != nil {
		return nil, c, err
	}
	appended, err := appendedBytes(filepath.Join(sides[0].dir, "store", "journal"))
	if err != nil {
		return nil, c, err
	}
	c.Answer, c.Appended = proto.Size(answer), appended/samples
	floors, err := b.startFloors(answer, c.Appended, p.cut)
	if err != nil {
		return nil, c, err
	}
	if !p.cut {
		s := &side{name: sessionSide, server: sides[len(configs)-1].server, open: openSession, noIDs: true}
		s.next.Store(sessionPayloads)
		floors = append(floors, s)
	}
	sides = append(sides, floors...)
	for _, s := range sides {
		c.Sides = append(c.Sides, Side{Name: s.name})
	}
	return sides, c, nil
}

// startFloors starts the floors of a payload.
func (b *bench) startFloors(answer *pb.ProjectResponse, appended int, file bool) (sides []*side, err error) {
	text, err := proto.Marshal(answer)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(b.dir, "answer")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return nil, err
	}
	floors := []struct {
		name string
		floorOptions
	}{
		{floorEmpty, floorOptions{answer: path}},
		{floorAppend, floorOptions{answer: path, log: "log", append: appended}},
		{floorFile, floorOptions{answer: path, log: "log", append: appended, files: "files"}},
	}
	if !file {
		floors = floors[:2]
	}
	for _, f := range floors {
		s, err := b.startFloor(f.name, f.floorOptions)
		if err != nil {
			return nil, err
		}
		sides = append(sides, &side{name: f.name, server: s, open: unary})
	}
	return sides, nil
}

// dropFiles removes the files that a floor wrote, so that a later round does not find a larger directory.
func (s *side) dropFiles() error {
	dir := filepath.Join(s.dir, "files")
	list, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range list {
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// appendedBytes returns the bytes of the frames in the open segments of a journal, by internal/journal/format.md: what the sidecar
// appended before it answered. Segments are of a fixed size, so the size of the files says nothing.
func appendedBytes(journal string) (total int, err error) {
	const page, header, magic = 4096, 112, 0x4a525401
	segments, err := filepath.Glob(filepath.Join(journal, "segments", "0*.segment"))
	if err != nil {
		return 0, err
	}
	for _, path := range segments {
		text, err := os.ReadFile(path)
		if err != nil {
			return 0, err
		}
		for at := page; at+header <= len(text) && binary.LittleEndian.Uint32(text[at:]) == magic; {
			frame := (header + int(binary.LittleEndian.Uint32(text[at+4:])) + 7) &^ 7
			total, at = total+frame, at+frame
		}
	}
	if total == 0 {
		return 0, fmt.Errorf("%s has no frames", journal)
	}
	return total, nil
}
