package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"path/filepath"

	"go.etcd.io/bbolt"
)

// bolt has a key for each record. Batch, the group commit that it has, waits for 10 ms for others, which one caller waits for as well;
// so it is measured with ours, too.
type bolt struct {
	*group
	db         *bbolt.DB
	kept       int
	last, drop uint64 // numbers of small ones: the last, and up to which they are deleted next
}

var recordsBucket, smallBucket = []byte("records"), []byte("small")

func newBolt(dir string) (*bolt, error) {
	db, err := bbolt.Open(filepath.Join(dir, "log.bolt"), 0o600, &bbolt.Options{NoFreelistSync: true, FreelistType: bbolt.FreelistMapType})
	if err != nil {
		return nil, err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{recordsBucket, smallBucket} {
			b, err := tx.CreateBucketIfNotExists(name)
			if err != nil {
				return err
			}
			b.FillPercent = 1 // keys ascend
		}
		return nil
	})
	return &bolt{db: db}, err
}

// openBolt opens bbolt with a group commit in front.
func openBolt(dir string) (Log, error) {
	b, err := newBolt(dir)
	if err == nil {
		b.group = newGroup(func(pairs []pair) error { return b.db.Update(func(tx *bbolt.Tx) error { return b.put(tx, pairs) }) })
	}
	return b, err
}

// put puts some pairs, and deletes small ones of which there are enough newer ones.
func (b *bolt) put(tx *bbolt.Tx, pairs []pair) error {
	records, small := tx.Bucket(recordsBucket), tx.Bucket(smallBucket)
	records.FillPercent, small.FillPercent = 1, 1
	for _, p := range pairs {
		number, err := records.NextSequence()
		if err == nil {
			err = records.Put(key('r', number), p.record)
		}
		if err == nil && p.small != nil {
			if b.last, err = small.NextSequence(); err == nil {
				err = small.Put(key('s', b.last), p.small)
			}
			b.kept += len(p.small)
		}
		if err != nil {
			return err
		}
	}
	if b.kept <= smallKept {
		return nil
	}
	end := key('s', b.drop)
	for c := small.Cursor(); ; {
		k, _ := c.First()
		if k == nil || bytes.Compare(k, end) > 0 {
			break
		}
		if err := c.Delete(); err != nil {
			return err
		}
	}
	b.kept, b.drop = 0, b.last
	return nil
}

// Append implements Log.
func (b *bolt) Append(record, small []byte) error { return b.append(record, small) }

// Get implements Log.
func (b *bolt) Get(number uint64) (data []byte, err error) {
	err = b.db.View(func(tx *bbolt.Tx) error {
		if data = bytes.Clone(tx.Bucket(recordsBucket).Get(key('r', number))); data == nil {
			return errors.New("no such record")
		}
		return nil
	})
	return data, err
}

// Each implements Log.
func (b *bolt) Each(visit func(record []byte) error) error {
	return b.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(recordsBucket).ForEach(func(_, data []byte) error { return visit(data) })
	})
}

// Retire implements Log. The file keeps its size: its pages are used again.
func (b *bolt) Retire(until uint64) error {
	return b.db.Update(func(tx *bbolt.Tx) error {
		c := tx.Bucket(recordsBucket).Cursor()
		for k, _ := c.First(); k != nil && binary.BigEndian.Uint64(k[1:]) <= until; k, _ = c.First() {
			if err := c.Delete(); err != nil {
				return err
			}
		}
		return nil
	})
}

// Close implements Log.
func (b *bolt) Close() error {
	if b.group != nil {
		b.worker.Close()
	}
	return b.db.Close()
}

// boltBatch is bbolt with its own group commit.
type boltBatch struct{ *bolt }

// openBoltBatch opens bbolt with its own group commit.
func openBoltBatch(dir string) (Log, error) {
	b, err := newBolt(dir)
	return boltBatch{b}, err
}

// Append implements Log.
func (b boltBatch) Append(record, small []byte) error {
	return b.db.Batch(func(tx *bbolt.Tx) error { return b.put(tx, []pair{{record, small}}) })
}
