package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.etcd.io/etcd/server/v3/storage/wal"
	"go.etcd.io/etcd/server/v3/storage/wal/walpb"
	"go.etcd.io/raft/v3/raftpb"
	"go.uber.org/zap"
)

// etcdLog is etcd's wal. It has no group commit: one is in front. It is read wholly when it is opened, and from a segment on to the end
// later; there is no index. Its entries are of one kind, so that small ones stay.
type etcdLog struct {
	*group
	dir   string
	wal   *wal.WAL
	first uint64
	last  uint64
}

func openEtcd(dir string) (Log, error) {
	wal.SegmentSizeBytes = 16 << 20
	e := &etcdLog{dir: filepath.Join(dir, "wal")}
	var err error
	if !wal.Exist(e.dir) {
		if err := os.RemoveAll(e.dir); err != nil {
			return nil, err
		}
		e.wal, err = wal.Create(zap.NewNop(), e.dir, nil)
	} else {
		err = e.openAgain()
	}
	if err != nil {
		return nil, err
	}
	e.group = newGroup(e.write)
	return e, nil
}

// openAgain reads what there is, and repairs it once if the end is torn, as etcd itself does.
func (e *etcdLog) openAgain() error {
	names, err := e.segments()
	if err != nil {
		return err
	}
	from := names[0].index
	e.first, e.last = from+1, from
	for try := 0; ; try++ {
		if e.wal, err = wal.Open(zap.NewNop(), e.dir, at(from)); err != nil {
			return err
		}
		_, _, entries, err := e.wal.ReadAll()
		if err == nil || errors.Is(err, wal.ErrSnapshotNotFound) {
			if n := len(entries); n > 0 {
				e.last = entries[n-1].GetIndex()
			}
			return nil
		}
		if err := errors.Join(err, e.wal.Close()); try > 0 || !wal.Repair(zap.NewNop(), e.dir) {
			return err
		}
	}
}

// at returns the snapshot that reading begins after.
func at(index uint64) *walpb.Snapshot {
	term := uint64(0)
	return &walpb.Snapshot{Index: &index, Term: &term}
}

// etcdSegment is a file, with the number of its first entry.
type etcdSegment struct {
	name  string
	index uint64
}

// segments returns the files, ascending.
func (e *etcdLog) segments() (list []etcdSegment, err error) {
	names, err := filepath.Glob(filepath.Join(e.dir, "*.wal"))
	for _, name := range names {
		var sequence, index uint64
		if _, err := fmt.Sscanf(strings.TrimSuffix(filepath.Base(name), ".wal"), "%016x-%016x", &sequence, &index); err == nil {
			list = append(list, etcdSegment{name, index})
		}
	}
	if len(list) == 0 {
		err = errors.Join(err, errors.New("no segment"))
	}
	slices.SortFunc(list, func(a, b etcdSegment) int { return strings.Compare(a.name, b.name) })
	return list, err
}

// write writes some pairs with one sync.
func (e *etcdLog) write(pairs []pair) error {
	entries := make([]*raftpb.Entry, len(pairs))
	for i, p := range pairs {
		index, term := e.last+uint64(i)+1, uint64(1)
		entries[i] = &raftpb.Entry{Index: &index, Term: &term, Data: p.join()}
	}
	err := e.wal.Save(nil, entries)
	if err == nil {
		e.last += uint64(len(pairs))
	}
	return err
}

// Append implements Log.
func (e *etcdLog) Append(record, small []byte) error { return e.append(record, small) }

// read reads the entries behind a number to the end.
func (e *etcdLog) read(after uint64) ([]*raftpb.Entry, error) {
	w, err := wal.OpenForRead(zap.NewNop(), e.dir, at(after))
	if err != nil {
		return nil, err
	}
	_, _, entries, err := w.ReadAll()
	if errors.Is(err, wal.ErrSnapshotNotFound) {
		return entries, nil // ReadAll has closed the files, and Close fails without a directory
	}
	return entries, err
}

// Get implements Log. It reads all that follows.
func (e *etcdLog) Get(number uint64) ([]byte, error) {
	entries, err := e.read(number - 1)
	if err != nil {
		return nil, err
	}
	if len(entries) == 0 || entries[0].GetIndex() != number {
		return nil, errors.New("no such record")
	}
	return recordOf(entries[0].Data)
}

// Each implements Log.
func (e *etcdLog) Each(visit func(record []byte) error) error {
	entries, err := e.read(max(e.first, 1) - 1)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		record, err := recordOf(entry.Data)
		if err == nil {
			err = visit(record)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Retire implements Log. Files are deleted by whoever uses the package.
func (e *etcdLog) Retire(until uint64) error {
	list, err := e.segments()
	if err != nil {
		return err
	}
	for i := 0; i+1 < len(list) && list[i+1].index <= until+1; i++ {
		if err := e.wal.ReleaseLockTo(list[i+1].index); err != nil {
			return err
		}
		if err := os.Remove(list[i].name); err != nil {
			return err
		}
		e.first = list[i+1].index + 1
	}
	return nil
}

// Close implements Log.
func (e *etcdLog) Close() error {
	e.worker.Close()
	return e.wal.Close()
}
