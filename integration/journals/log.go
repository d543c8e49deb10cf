package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/toolresult/toolresult/internal/groupcommit"
)

// Log is a journal of records, which are numbered from 1. Safe for concurrent use.
type Log interface {
	// Append appends a record, and bytes that are needed for a while only; nil: none. Both are durable when it returns.
	Append(record, small []byte) error
	// Get reads a record.
	Get(number uint64) ([]byte, error)
	// Each calls visit for all records, ascending, and skips what it cannot read if the library can.
	Each(visit func(record []byte) error) error
	// Retire deletes the records up to a number.
	Retire(until uint64) error
	// Close closes the log.
	Close() error
}

// candidate is a library with its prototype.
type candidate struct {
	name  string
	title string // in the tables, with the version
	open  func(dir string) (Log, error)
}

// Candidates in the order of the tables. The floors are no journals: they do as little as is possible.
var (
	floors = []candidate{
		{"floor", "floor: one write and one `fdatasync` for all who wait", openFloor},
		{"turn", "one write and one `fdatasync` each in turn", openTurn},
	}
	libraries = []candidate{
		{"frames", "own frames, `internal/journal`", openFrames},
		{"sqlite", "SQLite in WAL mode, `modernc.org/sqlite`", openSQLite},
		{"bbolt", "bbolt, with a group commit in front", openBolt},
		{"batch", "bbolt, its `Batch`", openBoltBatch},
		{"pebble", "Pebble, `Sync`", openPebble},
		{"raftwal", "`hashicorp/raft-wal`", openRaftWAL},
		{"etcd", "etcd's `wal`", openEtcd},
	}
)

// find returns a candidate by its name.
func find(name string) (candidate, error) {
	for _, c := range append(libraries, floors...) {
		if c.name == name {
			return c, nil
		}
	}
	return candidate{}, fmt.Errorf("no candidate %q", name)
}

var (
	// errNotKept means that a floor is no journal.
	errNotKept = errors.New("a floor keeps nothing")
	// errNothing means that not one append ended in time.
	errNothing = errors.New("no append ended in time")
)

// pair is what one caller appends.
type pair struct{ record, small []byte }

// waiting is a pair whose caller waits.
type waiting struct {
	pair
	done chan error
}

// group is a group commit in front of a library that has none: all who wait share one call of write.
type group struct {
	worker *groupcommit.Worker[waiting]
}

// newGroup starts a group commit. write makes a batch durable.
func newGroup(write func([]pair) error) *group {
	return &group{groupcommit.Start(groupcommit.Options[waiting]{MaxBatch: 256, Commit: func(batch []waiting) {
		pairs := make([]pair, len(batch))
		for i := range batch {
			pairs[i] = batch[i].pair
		}
		err := write(pairs)
		for _, w := range batch {
			w.done <- err
		}
	}})}
}

// append waits until a pair is durable.
func (g *group) append(record, small []byte) error {
	w := waiting{pair{record, small}, make(chan error, 1)}
	if err := g.worker.Submit(context.Background(), w); err != nil {
		return err
	}
	return <-w.done
}

// smallKept is how many bytes of small ones a library keeps before the prototype deletes those from before: as much as is in a segment of
// own frames.
const smallKept = 16 << 20

// join returns a pair as one entry, for libraries whose entries are of one kind.
func (p pair) join() []byte {
	b := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+len(p.record)+len(p.small)), uint32(len(p.record)))
	return append(append(b, p.record...), p.small...)
}

// recordOf returns the record of a joined pair.
func recordOf(joined []byte) ([]byte, error) {
	if len(joined) < 4 || uint64(binary.LittleEndian.Uint32(joined)) > uint64(len(joined)-4) {
		return nil, errors.New("not a pair")
	}
	return joined[4:][:binary.LittleEndian.Uint32(joined)], nil
}

// key returns a number as a key that sorts.
func key(kind byte, number uint64) []byte {
	return binary.BigEndian.AppendUint64([]byte{kind}, number)
}

// settleTime is how long a library may work in the background before its files are looked at.
const settleTime = 2 * time.Second
