package catalog

// Logs in the catalog. An open log is an entry under its live name. Appended bytes count as staged until the log is closed
// or finished. The artifact that it becomes replaces the entry.

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
)

// OpenLog opens a log for its owner, as [artifactstore.Logs] says, and adds it to the catalog. What is appended counts
// against the quota of the store, and the artifact that the log becomes against the quota of the session.
func (c *Catalog) OpenLog(ctx context.Context, o Owner, name string) (artifactstore.Log, error) {
	log, err := c.store.OpenLog(ctx, name)
	if err != nil {
		return nil, err
	}
	live := artifactstore.LiveName(name)
	has, err := c.store.Has(ctx, live)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	if !has { // it is finished, and its artifact is in the catalog
		return log, nil
	}
	ref := artifactstore.Ref{Name: live, Size: log.Received()}
	if err := c.claim(ctx, o, ref); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return &catalogLog{Log: log, catalog: c, owner: o, live: ref}, nil
}

// catalogLog is an open log that is in the catalog.
type catalogLog struct {
	artifactstore.Log
	catalog *Catalog
	owner   Owner
	live    artifactstore.Ref // as the database has it

	mu       sync.Mutex
	reserved int64 // bytes
}

// Append is that of [artifactstore.Log]. It fails with ErrQuota before it writes the first byte too many.
func (l *catalogLog) Append(p []byte) error {
	if err := l.catalog.reserve(context.Background(), int64(len(p))); err != nil {
		return err
	}
	l.mu.Lock()
	l.reserved += int64(len(p))
	l.mu.Unlock()
	return l.Log.Append(p)
}

// Finish claims the artifact and removes the log from the catalog.
func (l *catalogLog) Finish(ctx context.Context) (artifactstore.Ref, error) {
	if err := l.admitFinish(ctx); err != nil {
		return artifactstore.Ref{}, err
	}
	for range maxRaces {
		ref, err := l.Log.Finish(ctx)
		if err != nil {
			return artifactstore.Ref{}, err
		}
		err = l.catalog.claim(ctx, l.owner, ref)
		if errors.Is(err, errDeleted) {
			continue
		}
		return ref, errors.Join(err, l.catalog.writer.do(ctx, func(d *db) error { return d.removeLog(l.live.Name) }))
	}
	return artifactstore.Ref{}, ErrRace
}

// admitFinish fails with ErrSessionQuota if the artifact would exceed the quota of the session.
func (l *catalogLog) admitFinish(ctx context.Context) error {
	limit := l.catalog.options.SessionQuota
	if limit == 0 || l.owner.Session == "" {
		return nil
	}
	return l.catalog.writer.do(ctx, func(d *db) error {
		_, used, err := d.session(l.owner.Session)
		if err == nil && used-l.live.Size+l.Received() > limit {
			return ErrSessionQuota
		}
		return err
	})
}

// Close writes the size of the log to the catalog and ends the reservation of what was appended.
func (l *catalogLog) Close() error {
	l.mu.Lock()
	reserved := l.reserved
	l.reserved = 0
	l.mu.Unlock()
	l.catalog.staged.Add(-reserved)
	size := l.Received()
	err := l.catalog.writer.do(context.Background(), func(d *db) error { return d.resize(l.live.Name, size) })
	return errors.Join(l.Log.Close(), err)
}

// isLive reports whether a name belongs to a log that is not finished.
func isLive(name string) bool { return strings.HasPrefix(name, livePrefix) }

var livePrefix = artifactstore.LiveName("")

// resize writes the size of a log, unless it is deleted or not there.
func (d *db) resize(name string, size int64) error {
	e, known, err := d.entry(name)
	if !known || err != nil || e.Expired != nil || e.Size == size {
		return err
	}
	d.change.add(size-e.Size, 0, 0)
	if err := d.charge(name, size-e.Size); err != nil {
		return err
	}
	return d.Run("UPDATE artifacts SET bytes = ? WHERE name = ?", size, name)
}

// removeLog removes a log that has become an artifact.
func (d *db) removeLog(name string) error {
	e, known, err := d.entry(name)
	if !known || err != nil {
		return err
	}
	if e.Expired == nil {
		d.change.add(-e.Size, -1, 0)
		if err := d.charge(name, -e.Size); err != nil {
			return err
		}
	}
	return errors.Join(d.Run("DELETE FROM uses WHERE name = ?", name), d.Run("DELETE FROM artifacts WHERE name = ?", name))
}

// currentSize returns the size of a log now, or the recorded one if the log cannot be read.
func (c *Catalog) currentSize(ctx context.Context, e Entry) int64 {
	p, err := c.store.Pages(ctx, e.Name)
	if err != nil {
		return e.Size
	}
	defer p.Close() // read-only
	return p.Size()
}

// revive removes the tombstone of a log that was opened just before its deletion. It must run on the goroutine of the
// writer.
func (c *Catalog) revive(e Entry, now time.Time) error {
	return c.writer.db.transaction(func() error { return c.writer.db.insert(e.Name, e.Digest, e.Size, now) })
}
