package main

import (
	"bytes"
	"errors"
	"sync"

	"github.com/cockroachdb/pebble/v2"
)

// lsm is Pebble, which has a group commit. Its log and its tables are compressed as is its default.
type lsm struct {
	db *pebble.DB

	mu         sync.Mutex // guards the fields below
	number     uint64
	last, drop uint64 // numbers of small ones
	kept       int
}

// silent drops what Pebble logs, and keeps its fatal errors fatal.
type silent struct{ pebble.Logger }

func (silent) Infof(string, ...any)  {}
func (silent) Errorf(string, ...any) {}

func openPebble(dir string) (Log, error) {
	db, err := pebble.Open(dir, &pebble.Options{
		MemTableSize: 16 << 20, FormatMajorVersion: pebble.FormatNewest, Logger: silent{pebble.DefaultLogger},
		EventListener: &pebble.EventListener{DataCorruption: func(pebble.DataCorruptionInfo) {}}, // else it ends the process
	})
	if err != nil {
		return nil, err
	}
	p := &lsm{db: db}
	it, err := db.NewIter(&pebble.IterOptions{LowerBound: []byte{'r'}, UpperBound: []byte{'s'}})
	if err == nil {
		if it.Last() {
			_, _ = it.ValueAndErr() // the key suffices
			p.number = numberOf(it.Key())
		}
		err = it.Close()
	}
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return p, nil
}

// numberOf returns the number of a key.
func numberOf(key []byte) (n uint64) {
	for _, b := range key[1:] {
		n = n<<8 | uint64(b)
	}
	return n
}

// Append implements Log.
func (p *lsm) Append(record, small []byte) error {
	b := p.db.NewBatch()
	p.mu.Lock()
	p.number++
	err := b.Set(key('r', p.number), record, nil)
	if err == nil && small != nil {
		p.last++
		p.kept += len(small)
		err = b.Set(key('s', p.last), small, nil)
	}
	if err == nil && p.kept > smallKept {
		err = b.DeleteRange(key('s', 0), key('s', p.drop+1), nil)
		p.kept, p.drop = 0, p.last
	}
	p.mu.Unlock()
	if err != nil {
		return errors.Join(err, b.Close())
	}
	return b.Commit(pebble.Sync)
}

// Get implements Log.
func (p *lsm) Get(number uint64) ([]byte, error) {
	data, closer, err := p.db.Get(key('r', number))
	if err != nil {
		return nil, err
	}
	return bytes.Clone(data), closer.Close()
}

// Each implements Log.
func (p *lsm) Each(visit func(record []byte) error) error {
	it, err := p.db.NewIter(&pebble.IterOptions{LowerBound: []byte{'r'}, UpperBound: []byte{'s'}})
	if err != nil {
		return err
	}
	for ok := it.First(); ok && err == nil; ok = it.Next() {
		var data []byte
		if data, err = it.ValueAndErr(); err == nil {
			err = visit(data)
		}
	}
	return errors.Join(err, it.Error(), it.Close())
}

// Retire implements Log. Space is free once the tables are compacted or deleted.
func (p *lsm) Retire(until uint64) error {
	return p.db.DeleteRange(key('r', 0), key('r', until+1), pebble.Sync)
}

// Close implements Log.
func (p *lsm) Close() error { return p.db.Close() }
