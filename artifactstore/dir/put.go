package dir

// A put ends in one of three ways: the content is stored already, the temporary file gets its name, or it is removed.
//
// Invariants, each with a test that makes single steps fail:
//
//   - A name is linked only to a complete file that is read-only and synced.
//   - A call returns a name only after its directory is synced. If that sync fails, the name is removed again; if it
//     cannot be removed, no later put of this process relies on it.
//   - An existing name is never replaced. Other content, or damage, under a name makes the next put use a longer one.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/internal/blockindex"
	"github.com/toolresult/toolresult/artifactstore/internal/content"
)

// shard is the state of one shard directory. All names that a content may have are in one shard, so its lock serializes
// the puts of a content: the first one stores it, and the others find it stored and synced.
type shard struct {
	mu       sync.Mutex
	unsynced bool                    // the directory was created, and the root could not be synced after that
	reserved map[string]reservedName // names of contents that are not linked yet
	trusted  map[string]struct{}     // a few names that were synced, or are durable elsewhere, since the store was opened
	// failed has the names whose sync failed. Another sync might succeed without having saved anything, so for this
	// process they count as taken by other content.
	failed map[string]struct{}
}

// Put implements [artifactstore.Sink]. It writes and hashes a temporary file, checks its size, makes it read-only, syncs
// it, links it to its name without replacing anything, syncs the directory, and removes the temporary name, in that
// order. A failed sync is final: the file is deleted and not synced again.
func (d *Store) Put(ctx context.Context, b artifactstore.Blob) (artifactstore.Ref, error) {
	ref, err := d.enterPut(ctx, b)
	if err != nil {
		return artifactstore.Ref{}, fmt.Errorf("artifact store %s: put: %w", d.path, err)
	}
	return ref, nil
}

// enterPut puts a blob, and looks before it is acknowledged whether the store is still there.
func (d *Store) enterPut(ctx context.Context, b artifactstore.Blob) (artifactstore.Ref, error) {
	if err := d.enter(ctx); err != nil {
		return artifactstore.Ref{}, err
	}
	defer d.ops.Done()
	if err := d.Check(); err != nil {
		return artifactstore.Ref{}, err
	}
	ref, err := d.putBlob(ctx, b)
	if err == nil {
		err = d.Check() // it may have vanished meanwhile
	}
	if err != nil {
		return artifactstore.Ref{}, err
	}
	return ref, nil
}

// putBlob chooses the way to put a blob by its type.
func (d *Store) putBlob(ctx context.Context, b artifactstore.Blob) (artifactstore.Ref, error) {
	switch b := b.(type) {
	case content.Bytes:
		return d.putBytes(ctx, b)
	case *sealedBlob:
		if b.stage.store == d {
			return d.putSealed(ctx, b)
		}
	}
	return d.putStream(ctx, b)
}

// putBytes stores bytes in memory. It hashes them first, so content that is stored already costs no write.
func (d *Store) putBytes(ctx context.Context, b content.Bytes) (artifactstore.Ref, error) {
	c := content.Sum(b)
	if ref, found, err := d.find(ctx, c); found || err != nil {
		return ref, err
	}
	t, err := d.newTemp()
	if err != nil {
		return artifactstore.Ref{}, err
	}
	defer t.release() // after a successful link a failure only leaves a file for the sweep
	if err := t.write(b); err != nil {
		return artifactstore.Ref{}, err
	}
	ref, err := d.commit(ctx, t, c)
	if err == nil && c.Size >= blockindex.MinSize {
		d.keepIndex(ref.Name, blockindex.Build(b, c))
	}
	return ref, err
}

// putStream writes and hashes in one pass, and only then looks whether the content is stored already.
func (d *Store) putStream(ctx context.Context, b artifactstore.Blob) (artifactstore.Ref, error) {
	t, err := d.newTemp()
	if err != nil {
		return artifactstore.Ref{}, err
	}
	defer t.release() // as in putBytes
	s := d.getScratch()
	defer d.scratch.Put(s)
	var x blockindex.Builder
	err = artifactstore.Drain(ctx, b, s.buf, func(p []byte) error {
		s.hash.Write(p) // a hash never fails
		x.Add(p)
		return t.write(p)
	})
	if err != nil {
		return artifactstore.Ref{}, err
	}
	c := content.FromHash(s.hash, b.Size())
	if ref, found, err := d.find(ctx, c); found || err != nil {
		return ref, err
	}
	ref, err := d.commit(ctx, t, c)
	if err == nil {
		d.keepIndex(ref.Name, x.Finish(c))
	}
	return ref, err
}

// getScratch takes a scratch whose hash is empty from the pool.
func (d *Store) getScratch() *scratch {
	s := d.scratch.Get().(*scratch)
	s.hash.Reset()
	return s
}

// find returns the Ref of c if c is stored already.
func (d *Store) find(ctx context.Context, c content.ID) (ref artifactstore.Ref, found bool, err error) {
	sh := &d.shards[shardNumber(c.Hex())]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if err := d.prepareShard(sh, c); err != nil {
		return artifactstore.Ref{}, false, err
	}
	for name := range c.Names(d.nameDigits) {
		switch state, err := d.inspect(ctx, sh, name, c); {
		case err != nil:
			return artifactstore.Ref{}, false, err
		case state == nameFree:
			return artifactstore.Ref{}, false, nil
		case state == nameStored:
			return d.ref(name, c), true, nil
		}
	}
	return artifactstore.Ref{}, false, artifactstore.NoNameLeft(c)
}

// commit gives the complete temporary file t, which holds c, its final name.
func (d *Store) commit(ctx context.Context, t *temp, c content.ID) (artifactstore.Ref, error) {
	if err := t.freeze(); err != nil {
		return artifactstore.Ref{}, err
	}
	return d.link(ctx, t.path(), c)
}

// link gives the frozen file at a path, which holds c, the name of an artifact.
func (d *Store) link(ctx context.Context, path string, c content.ID) (artifactstore.Ref, error) {
	sh := &d.shards[shardNumber(c.Hex())]
	sh.mu.Lock()
	defer sh.mu.Unlock()
	if err := d.prepareShard(sh, c); err != nil {
		return artifactstore.Ref{}, err
	}
	for name := range c.Names(d.nameDigits) {
		if r, reserved := sh.reserved[name]; reserved && r.content != c {
			continue
		}
		err := d.linkName(path, name)
		switch {
		case err == nil:
			return d.ref(name, c), d.syncName(sh, name)
		case !errors.Is(err, fs.ErrExist):
			return artifactstore.Ref{}, err
		}
		// Another put of this content may have been faster, or other content has the name.
		switch state, err := d.inspect(ctx, sh, name, c); {
		case err != nil:
			return artifactstore.Ref{}, err
		case state == nameStored:
			return d.ref(name, c), nil
		}
	}
	return artifactstore.Ref{}, artifactstore.NoNameLeft(c)
}

// linkName links the file at a path to the name of an artifact. It fails with fs.ErrExist if an artifact has the name. The
// caller holds the lock of the shard.
func (d *Store) linkName(path, name string) error {
	return d.fault.do(stepLink, func() error { return d.root.Link(path, location(name)) })
}

// prepareShard makes sure that the directory for c exists, is not a link, and is durable. The caller holds sh.mu.
func (d *Store) prepareShard(sh *shard, c content.ID) error {
	created, err := d.ensureDir(shardName(c.Hex()), stepMakeShard, stepProtectShard)
	sh.unsynced = sh.unsynced || created
	if err != nil || !sh.unsynced {
		return err
	}
	if err := d.syncDir(stepSyncRoot, "."); err != nil {
		return err
	}
	sh.unsynced = false
	return nil
}

// syncName makes a name that was just linked durable, or removes it. The caller holds sh.mu, so no other call has seen the
// name.
func (d *Store) syncName(sh *shard, name string) error {
	err := d.syncDir(stepSyncShard, shardName(name))
	if err == nil {
		return nil
	}
	if withdrawErr := d.fault.do(stepWithdraw, func() error { return d.root.Remove(location(name)) }); withdrawErr != nil {
		sh.markFailed(name)
		return errors.Join(err, withdrawErr)
	}
	return err
}

// markFailed records that a name cannot be made durable any more. The caller holds sh.mu.
func (sh *shard) markFailed(name string) {
	if sh.failed == nil {
		sh.failed = make(map[string]struct{})
	}
	sh.failed[name] = struct{}{}
}

// nameState is the use of a name, compared with a content.
type nameState int

const (
	nameFree   nameState = iota // no artifact has it
	nameStored                  // it has the content, durably
	nameTaken                   // something else has it, or a damaged artifact
)

// inspect compares the artifact under a name with c, and changes nothing. The artifact may have been put by a volatile
// store, or by a process that died before it synced, so it is synced before a call relies on it. The caller holds
// sh.mu.
func (d *Store) inspect(ctx context.Context, sh *shard, name string, c content.ID) (nameState, error) {
	if _, doubtful := sh.failed[name]; doubtful {
		return nameTaken, nil
	}
	if r, reserved := sh.reserved[name]; reserved && r.content != c {
		return nameTaken, nil
	}
	f, found, err := d.openVerified(ctx, name, c.Size)
	switch {
	case errors.Is(err, artifactstore.ErrUnknown):
		return nameFree, nil
	case errors.Is(err, artifactstore.ErrDamaged):
		return nameTaken, nil
	case err != nil:
		return nameTaken, err
	}
	defer f.Close() // read-only
	if found != c {
		return nameTaken, nil
	}
	if _, trusted := sh.trusted[name]; trusted || d.volatile {
		return nameStored, nil
	}
	err = d.fault.do(stepSyncStored, f.Sync)
	if err == nil {
		err = d.syncDir(stepSyncShard, shardName(name))
	}
	if err != nil {
		sh.markFailed(name)
		return nameTaken, err
	}
	sh.trust(name)
	return nameStored, nil
}

// ref returns the Ref of c under name.
func (d *Store) ref(name string, c content.ID) artifactstore.Ref {
	return artifactstore.NewRef(c, name, d.PathFor(name))
}

// RefFor implements [artifactstore.Namer].
func (d *Store) RefFor(b []byte) artifactstore.Ref {
	c := content.Sum(b)
	return d.ref(c.Hex()[:d.nameDigits], c)
}
