package main

import (
	"fmt"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
	raftwal "github.com/hashicorp/raft-wal"
)

// raftLog is hashicorp/raft-wal. It has no group commit: one is in front. Its entries are of one kind, so that small ones stay.
type raftLog struct {
	*group
	wal  *raftwal.WAL
	last uint64
}

func openRaftWAL(dir string) (Log, error) {
	w, err := raftwal.Open(dir, raftwal.WithSegmentSize(16<<20), raftwal.WithLogger(hclog.NewNullLogger()))
	if err != nil {
		return nil, err
	}
	r := &raftLog{wal: w}
	if r.last, err = w.LastIndex(); err != nil {
		return nil, err
	}
	r.group = newGroup(r.write)
	return r, nil
}

// write writes some pairs with one sync.
func (r *raftLog) write(pairs []pair) error {
	logs := make([]*raft.Log, len(pairs))
	for i, p := range pairs {
		logs[i] = &raft.Log{Index: r.last + uint64(i) + 1, Data: p.join()}
	}
	err := r.wal.StoreLogs(logs)
	if err == nil {
		r.last += uint64(len(pairs))
	}
	return err
}

// Append implements Log.
func (r *raftLog) Append(record, small []byte) error { return r.append(record, small) }

// Get implements Log.
func (r *raftLog) Get(number uint64) ([]byte, error) {
	var l raft.Log
	if err := r.wal.GetLog(number, &l); err != nil {
		return nil, err
	}
	return recordOf(l.Data)
}

// Each implements Log.
func (r *raftLog) Each(visit func(record []byte) error) error {
	first, err := r.wal.FirstIndex()
	if err != nil {
		return err
	}
	for n := max(first, 1); n <= r.last; n++ {
		data, err := r.Get(n)
		if err != nil {
			return fmt.Errorf("%d: %w", n, err)
		}
		if err := visit(data); err != nil {
			return err
		}
	}
	return nil
}

// Retire implements Log. Whole segments are deleted.
func (r *raftLog) Retire(until uint64) error { return r.wal.DeleteRange(0, until) }

// Close implements Log.
func (r *raftLog) Close() error {
	r.worker.Close()
	return r.wal.Close()
}
