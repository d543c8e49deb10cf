// Package catalog indexes artifacts: owner, lease, quota, deletion.
//
// The order of writes keeps the catalog true. An artifact is durable before the catalog names it, and the catalog is
// durable before a call is answered. A tombstone is durable before its artifact is deleted. So the worst that a crash
// leaves is an artifact that is not in the catalog. The next collection of garbage adds it, without a session, and
// keeps it by age like any other.
//
// Claims and deletions are serialized on one goroutine; the later one fails. So no artifact is deleted that is claimed
// at the same moment.
//
// The catalog is an SQLite database, which operators can read with their own tools.
package catalog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
)

// Failures of a catalog, beside those of package artifactstore.
var (
	// ErrMissing means that the catalog has an artifact and the store does not.
	ErrMissing = errors.New("missing from the store")
	// ErrQuota means that the store would exceed its quota, and that nothing in it may be deleted.
	ErrQuota = errors.New("over the quota of the store")
	// ErrSessionQuota means that the artifacts of a session would exceed its quota.
	ErrSessionQuota = errors.New("over the quota of the session")
	// ErrRace means that an artifact was deleted as garbage before it could be claimed, several times in a row.
	ErrRace = errors.New("deleted at the same time")
	// ErrBusy means that the database cannot be used for now: another program has it locked, or the disk did not take a read
	// or write. Nothing was written, and the same call may succeed later.
	ErrBusy = errors.New("catalog of the store cannot be used for now")
	// ErrCatalogUnreadable means that the database is corrupt, was written by a later version, or failed.
	ErrCatalogUnreadable = errors.New("catalog of the store cannot be read")
)

// ExpiredError means that an artifact was deleted by the rules of retention.
type ExpiredError struct {
	At  time.Time
	Why string // one of a few fixed sentences
}

// Error returns the time and the reason of the deletion.
func (e *ExpiredError) Error() string {
	return fmt.Sprintf("deleted at %s: %s", e.At.UTC().Format(time.RFC3339), e.Why)
}

// Options configure a catalog. The zero value keeps everything for ever.
type Options struct {
	// Path is the file of the database. If empty, the database is in memory.
	Path string
	// FirstCatalog says that the store is of a version that had no catalog, so that none was lost.
	FirstCatalog bool
	// Shared says that others put artifacts into the store too, so that one which is not in the catalog may be theirs. It is
	// read then as if it was not raw.
	Shared bool
	// Volatile omits the syncs of the database.
	Volatile bool
	// SessionLease is the time for which a session needs its artifacts after each call that stores or reads one.
	SessionLease time.Duration
	// KeepFor is the time for which an artifact without a lease is kept after it was last put. If 0, it is kept for
	// ever.
	KeepFor time.Duration
	// CompressAfter is the time after which an artifact that was not put again is compressed, if the store can. If 0,
	// nothing is compressed.
	CompressAfter time.Duration
	// Quota is the largest size of all artifacts, in bytes as they were put. If 0, there is none.
	Quota int64
	// SessionQuota is the same for the artifacts of one session.
	SessionQuota int64
	// Now is the clock. If nil, it is the time at which the catalog was opened plus the time that has passed since on
	// the monotonic clock: setting the system's clock meanwhile has no effect. After a clock that went back between two
	// runs, the time goes on from the latest one on record.
	Now func() time.Time
	// Grace is the uptime before which a clock that is ahead of the latest time on record by more than Grace ends no lease
	// and no time of keeping: the machine was off, or its clock is wrong, and those who lease artifacts get the time to
	// say so. The uptime of several runs counts together. If 0, the clock is believed.
	Grace time.Duration
	// OnCommit reports each transaction that wrote: the number of its operations, the time that the first of them
	// waited, and the duration of the commit with its sync. It is called on the goroutine of the catalog and must not
	// block. If nil, nothing is reported.
	OnCommit func(operations int, waited, took time.Duration)
	// OnFailure is called when the catalog or its store takes nothing more until it is opened again, maybe more than once.
	// It must not block. If nil, nothing is called.
	OnFailure func()
	// Logger receives failures that no caller waits for. Required.
	Logger *slog.Logger
}

// Catalog is an artifact store with an index of owners. Safe for concurrent use.
type Catalog struct {
	store     artifactstore.Store
	options   Options
	writer    *writer
	clock     clock
	total                  // of the artifacts in the catalog
	staged    atomic.Int64 // bytes that were admitted and are not in the catalog yet
	fullSince atomic.Int64 // the time, in Unix nanoseconds, when no space could be freed; 0 if it never happened

	failed     sync.Once   // says that nothing more is taken
	unfinished atomic.Bool // there may be artifacts with a tombstone
	hasRaw     atomic.Bool // there may be artifacts that were put as raw
}

// total is the size and number of the artifacts in the catalog.
type total struct{ bytes, count atomic.Int64 }

// Open opens the catalog of a store and creates it if there is none. Close it before the store.
//
// Errors: ErrCatalogUnreadable; artifactstore.ErrFull, ErrReadOnly.
func Open(store artifactstore.Store, o Options) (*Catalog, error) {
	if o.Now == nil {
		begin := time.Now()
		o.Now = func() time.Time { return begin.Add(time.Since(begin)) }
	}
	c := &Catalog{store: store, options: o, clock: clock{system: o.Now, grace: o.Grace}}
	c.unfinished.Store(true)
	w, err := startWriter(o.Path, o.Volatile, &c.total, o.OnCommit, c.noteFailure)
	if err != nil {
		return nil, fmt.Errorf("open catalog %s: %w", o.Path, err)
	}
	c.writer = w
	var since time.Time
	err = c.writer.do(context.Background(), func(d *db) error {
		t, err := d.totals()
		c.bytes.Store(t.bytes)
		c.count.Store(t.count)
		since = t.aheadSince
		if err != nil {
			return err
		}
		if err := c.adoptUnknown(d); err != nil {
			return err
		}
		c.clock.start(fromMillis(max(toMillis(t.latest), d.change.latest)), since)
		raw, err := d.hasRaw()
		c.hasRaw.Store(raw)
		return err
	})
	if err == nil {
		err = c.noteAhead(since)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open catalog %s: %w", o.Path, err), w.close())
	}
	return c, nil
}

// adoptUnknown enters all artifacts of a store whose catalog is empty, which is new or took the place of one that was lost.
// Nobody knows whether they are as a tool wrote them, so they count as raw until they are put again.
func (c *Catalog) adoptUnknown(d *db) error {
	if c.options.Path == "" { // none was lost
		return nil
	}
	if known, err := d.Row("SELECT 1 FROM artifacts LIMIT 1", nil, new(int)); known || err != nil {
		return err
	}
	adopted, now := 0, c.options.Now()
	err := c.store.Walk(context.Background(), func(found artifactstore.StoredArtifact) error {
		stored := found.Stored
		if stored.IsZero() || stored.After(now) {
			stored = now
		}
		adopted++
		d.change.add(found.Size, 1, toMillis(stored))
		if err := d.Run("INSERT INTO artifacts (name, digest, bytes, stored_at) VALUES (?, '', ?, ?)", found.Name, found.Size, toMillis(stored)); err != nil {
			return err
		}
		return d.addFound(found.Name, stored, !c.options.FirstCatalog) // of a first one none was lost, and there was no raw
	})
	if errors.Is(err, artifactstore.ErrDamaged) { // something is in the place of a directory: verify says what
		c.options.Logger.Warn("not all of the store could be looked at", slog.Any("error", err))
		err = nil
	}
	if adopted > 0 && !c.options.FirstCatalog {
		c.options.Logger.Warn("the catalog is new and the store is not: artifacts of unknown owners are read only as raw", slog.Int("artifacts", adopted))
	}
	return err
}

// addFound enters an artifact for nobody.
func (d *db) addFound(name string, stored time.Time, raw bool) error {
	return d.Run("INSERT INTO uses (session, call, name, partial, stored_at, raw) VALUES ('', '', ?, 0, ?, ?) ON CONFLICT DO NOTHING", name, toMillis(stored), raw)
}

// knowsAll reports whether an artifact that is not in the catalog is none of those that it lost.
func (c *Catalog) knowsAll() bool { return c.options.Path == "" || c.options.Shared }

// Close waits for the operations under way and closes the database. The store stays open.
func (c *Catalog) Close() error { return c.writer.close() }

// Check fails with [artifactstore.ErrVanished] if files of the catalog, or of its store, were deleted or replaced. It is what
// others ask who acknowledge something for as long as the store lasts.
func (c *Catalog) Check() error {
	err := failure(c.writer.db.Check())
	if store, can := c.store.(checker); can && err == nil {
		err = store.Check()
	}
	c.noteFailure(err)
	return err
}

// checker is implemented by a store whose files may vanish.
type checker interface {
	// Check fails with ErrVanished if they did.
	Check() error
}

// noteFailure says, once, that the catalog or its store takes nothing more. Other errors pass.
func (c *Catalog) noteFailure(err error) {
	if !errors.Is(err, artifactstore.ErrVanished) && !errors.Is(err, ErrCatalogUnreadable) {
		return
	}
	c.failed.Do(func() {
		c.options.Logger.Error("the store failed, and takes nothing more until it is opened again", slog.Any("error", err))
	})
	if c.options.OnFailure != nil {
		c.options.OnFailure()
	}
}

// Waiting returns the number of operations that wait for the database.
func (c *Catalog) Waiting() int64 { return int64(c.writer.queue.Waiting()) }

// Status is the number of artifacts in the catalog and their size, as they were put.
type Status struct{ Artifacts, Bytes int64 }

// Status returns the present totals. It asks neither the database nor the store.
func (c *Catalog) Status() Status { return Status{c.count.Load(), c.bytes.Load()} }
