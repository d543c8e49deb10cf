package dir

// Reservations: artifacts that are durable elsewhere until Settle has synced the file system. A file gets its name only when whoever
// reserved it says so, after it is durable there. So a name whose file may be torn by a power cut is always one that can be made again.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/internal/blockindex"
	"github.com/toolresult/toolresult/artifactstore/internal/content"
)

// reservation implements [artifactstore.Reservation].
type reservation struct {
	store   *Store
	ref     artifactstore.Ref
	content content.ID
	bytes   []byte
	stored  bool
	temp    *temp // nil: it is stored, kept or released
}

var _ artifactstore.Reserver = (*Store)(nil)

// Reserve implements [artifactstore.Reserver].
func (d *Store) Reserve(ctx context.Context, b []byte) (artifactstore.Reservation, error) {
	r, err := d.reserve(ctx, b)
	if err != nil {
		return nil, fmt.Errorf("artifact store %s: put: %w", d.path, err)
	}
	return r, nil
}

// reserve looks for the content, and writes it if it is not stored.
func (d *Store) reserve(ctx context.Context, b []byte) (*reservation, error) {
	if err := d.enter(ctx); err != nil {
		return nil, err
	}
	defer d.ops.Done()
	if err := d.Check(); err != nil {
		return nil, err
	}
	r := &reservation{store: d, content: content.Sum(b), bytes: b}
	if err := d.reserveName(ctx, r); err != nil || r.stored {
		return r, err
	}
	if err := r.write(); err != nil {
		r.Release()
		return nil, err
	}
	return r, nil
}

// reserveName chooses the name of a reservation, which no other content gets before it is released.
func (d *Store) reserveName(ctx context.Context, r *reservation) error {
	sh := &d.shards[shardNumber(r.content.Hex())]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if err := d.prepareShard(sh, r.content); err != nil {
		return err
	}
	for name := range r.content.Names(d.nameDigits) {
		state, err := d.inspect(ctx, sh, name, r.content)
		if err != nil {
			return err
		}
		if state == nameTaken {
			continue
		}
		r.ref = d.ref(name, r.content)
		if r.stored = state == nameStored; !r.stored {
			sh.reserve(name, r.content)
		}
		return nil
	}
	return artifactstore.NoNameLeft(r.content)
}

// reservedName is a name that reservations of a content have.
type reservedName struct {
	content content.ID
	count   int
}

// reserve adds a reservation of a name. The caller holds sh.mu.
func (sh *shard) reserve(name string, c content.ID) {
	if sh.reserved == nil {
		sh.reserved = map[string]reservedName{}
	}
	sh.reserved[name] = reservedName{c, sh.reserved[name].count + 1}
}

// unreserve ends a reservation of a name. The caller holds sh.mu.
func (sh *shard) unreserve(name string) {
	r := sh.reserved[name]
	if r.count--; r.count > 0 {
		sh.reserved[name] = r
	} else {
		delete(sh.reserved, name)
	}
}

// write writes the file of a reservation, without a sync.
func (r *reservation) write() (err error) {
	if r.temp, err = r.store.newTemp(); err != nil {
		return err
	}
	if err := r.temp.write(r.bytes); err != nil {
		return err
	}
	if err := r.store.fault.do(stepFreezeTemp, func() error { return r.temp.file.Chmod(artifactMode) }); err != nil {
		return err
	}
	return r.store.push(r.temp.file)
}

// Ref implements [artifactstore.Reservation].
func (r *reservation) Ref() artifactstore.Ref { return r.ref }

// Stored implements [artifactstore.Reservation].
func (r *reservation) Stored() bool { return r.stored }

// Keep implements [artifactstore.Reservation].
func (r *reservation) Keep() error {
	if r.temp == nil {
		return nil
	}
	d, name := r.store, r.ref.Name
	sh := &d.shards[shardNumber(name)]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if err := d.linkName(r.temp.path(), name); err != nil && !errors.Is(err, fs.ErrExist) { // another one of the same content may be there
		return fmt.Errorf("artifact store %s: %w", d.path, err)
	}
	if err := d.pushShard(name); err != nil {
		return fmt.Errorf("artifact store %s: %w", d.path, err)
	}
	sh.trust(name)
	r.temp.release() // a temporary name that stays is swept
	r.temp = nil
	sh.unreserve(name)
	if r.content.Size >= blockindex.MinSize {
		d.keepIndex(name, blockindex.Build(r.bytes, r.content))
	}
	return nil
}

// Release implements [artifactstore.Reservation].
func (r *reservation) Release() {
	if r.temp != nil {
		r.temp.release() // a temporary name that stays is swept
		r.temp = nil
	} else if r.stored || r.ref.Name == "" || r.bytes == nil {
		return
	}
	r.bytes = nil
	sh := &r.store.shards[shardNumber(r.ref.Name)]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	sh.unreserve(r.ref.Name)
}

// maxTrusted is the number of names of a shard that are known to need no sync.
const maxTrusted = 64

// trust notes that an artifact is durable, here or elsewhere. The caller holds sh.mu.
func (sh *shard) trust(name string) {
	if sh.trusted == nil || len(sh.trusted) >= maxTrusted {
		sh.trusted = map[string]struct{}{}
	}
	sh.trusted[name] = struct{}{}
}

// Restore implements [artifactstore.Reserver].
func (d *Store) Restore(name string, b []byte, verify bool) (done bool, err error) {
	ctx := context.Background()
	if err := d.enter(ctx); err != nil {
		return false, err
	}
	defer d.ops.Done()
	c := content.Sum(b)
	if artifactstore.CheckName(name) != nil || !strings.HasPrefix(c.Hex(), name) {
		return false, nil
	}
	sh := &d.shards[shardNumber(name)]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if err := d.prepareShard(sh, c); err != nil {
		return false, err
	}
	if done, err = d.restore(ctx, name, c, b, verify); err == nil {
		sh.trust(name)
	}
	return done, err
}

// restore is Restore under the lock of the shard.
func (d *Store) restore(ctx context.Context, name string, c content.ID, b []byte, verify bool) (done bool, err error) {
	exists, err := d.has(name)
	if err != nil || exists && !verify {
		return false, err
	}
	if exists {
		f, found, err := d.openVerified(ctx, name, c.Size)
		if err == nil {
			defer f.Close() // read-only
			if found == c {
				return false, errors.Join(d.push(f), d.pushShard(name))
			}
		} else if !errors.Is(err, artifactstore.ErrDamaged) {
			return false, err
		}
		if err := d.fault.do(stepRemoveArtifact, func() error { return d.root.Remove(location(name)) }); err != nil {
			return false, err
		}
	}
	r := &reservation{store: d, content: c, bytes: b, ref: d.ref(name, c)}
	if err := r.write(); err != nil {
		if r.temp != nil {
			r.temp.release() // the first failure is the one to report
		}
		return false, err
	}
	defer r.temp.release() // a temporary name that stays is swept
	if err := d.linkName(r.temp.path(), name); err != nil {
		return false, err
	}
	return true, d.pushShard(name)
}

// Settle implements [artifactstore.Reserver]. One call of the system is cheaper than a durable sync of each file and directory.
func (d *Store) Settle() error {
	if d.volatile {
		return nil
	}
	return d.fault.do(stepSettle, func() error {
		f, err := d.root.Open(".")
		if err != nil {
			return err
		}
		defer f.Close() // read-only
		return settle(f)
	})
}
