// Package catalog keeps owners, leases, quotas and deletions of artifacts.
//
// What it knows is in the journal of the store; an index beside it, which is an SQLite database that operators can read with their own
// tools, answers questions and is made again from the journal.
//
// The order of writes keeps the catalog true. An artifact is durable, in the store or in the journal, before or together with the entry
// that names it, and that before a call is answered. A tombstone is durable before its artifact is deleted. So the worst that a crash
// leaves is an artifact that is not in the catalog. The next collection of garbage adds it, without a session, and keeps it by age like
// any other.
//
// No artifact is deleted that is claimed at the same moment: collections decide while nothing is appended, and leave alone what a call has
// put that is not over.
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
	"github.com/toolresult/toolresult/internal/index"
	"github.com/toolresult/toolresult/internal/journal"
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
	// ErrBusy means that the journal or the index cannot be used for now: the disk did not take a read or write. Nothing was written, and the
	// same call may succeed later.
	ErrBusy = errors.New("catalog of the store cannot be used for now")
	// ErrCatalogUnreadable means that the journal failed, or that the index cannot be made.
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
	// Journal has what the catalog knows. Nothing was appended to it since it was opened. It stays open when the catalog is closed. Required.
	Journal *journal.Journal
	// Index is the file of the index. If empty, the index is in memory.
	Index string
	// Shared says that others put artifacts into the store too, so that one which is not in the catalog may be theirs. It is
	// read then as if it was not raw.
	Shared bool
	// SessionLease is the time for which a session needs its artifacts after each call that stores or reads one.
	SessionLease time.Duration
	// KeepFor is the time for which an artifact without a lease is kept after it was last put. If 0, it is kept for
	// ever.
	KeepFor time.Duration
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
	// CleanAfter is the size of superseded changes in the journal, in bytes, from which they are deleted; 0: 16 MiB.
	CleanAfter int64
	// ForgetAfter is the time after which it is forgotten that an artifact was deleted, and of whom it was. If 0, it is known for ever.
	ForgetAfter time.Duration
	// OnFailure is called when the catalog or its store takes nothing more until it is opened again, maybe more than once.
	// It must not block. If nil, nothing is called.
	OnFailure func()
	// Logger receives failures that no caller waits for. Required.
	Logger *slog.Logger
}

// Catalog is an artifact store with an index of owners. Safe for concurrent use.
type Catalog struct {
	store   artifactstore.Store
	options Options
	journal *journal.Journal
	index   *index.Index
	sum     sum // of the index's transaction
	cleaner cleaner
	before  atomic.Uint64 // number of the last change when the catalog was opened
	clock   clock
	// order is locked while a collection decides and deletes, and read-locked while a call appends what it has put or leased.
	order   sync.RWMutex
	closed  bool // guarded by order
	pins    pins
	mending mending

	usage     usage
	fullSince atomic.Int64 // the time, in Unix nanoseconds, when no space could be freed; 0 if it never happened

	failed     sync.Once   // says that nothing more is taken
	unkept     atomic.Bool // there are artifacts that only the journal has
	unfinished atomic.Bool // there may be artifacts with a tombstone
	rawBefore  atomic.Bool // there may be artifacts that were put as raw before the catalog was opened
	rawSince   atomic.Bool // and since
}

// Open opens the catalog of a store. Close it before the journal and the store.
//
// Errors: ErrCatalogUnreadable; artifactstore.ErrFull, ErrReadOnly.
func Open(store artifactstore.Store, o Options) (*Catalog, error) {
	if o.Now == nil {
		begin := time.Now()
		o.Now = func() time.Time { return begin.Add(time.Since(begin)) }
	}
	if o.CleanAfter == 0 {
		o.CleanAfter = cleanAfter
	}
	c := &Catalog{store: store, options: o, journal: o.Journal, clock: clock{system: o.Now, grace: o.Grace}}
	c.pins.names, c.mending.done = map[string]int{}, make(chan struct{})
	c.unfinished.Store(true)
	c.rawBefore.Store(true) // until the index says that there are none
	c.before.Store(o.Journal.Tip(journal.Catalog).Number)
	if err := c.open(); err != nil {
		if c.index != nil {
			err = errors.Join(err, c.index.Close())
		}
		return nil, fmt.Errorf("open catalog: %w", err)
	}
	return c, nil
}

// open is Open without closing after an error.
func (c *Catalog) open() error {
	latest, since, err := c.lastTime()
	if err != nil {
		return failure(err)
	}
	c.clock.start(latest, since)
	c.noteAhead()
	if err := c.openIndex(); err != nil {
		return err
	}
	if err := c.restore(); err != nil {
		return err
	}
	before := c.journal.Tip(journal.Catalog).Number // the index may have known of more
	c.before.Store(before)
	if before == 0 && c.options.Index != "" {
		return c.adoptUnknown()
	}
	return nil
}

// adoptUnknown enters all artifacts of a store whose catalog was lost. They may be as a tool wrote them, so they count as raw
// until they are put again.
func (c *Catalog) adoptUnknown() error {
	adopted, now := 0, c.clock.now()
	ch := c.newChange()
	flush := func() error {
		if len(ch.Found) == 0 {
			return nil
		}
		adopted += len(ch.Found)
		c.rawSince.Store(true)
		err := c.append(context.Background(), ch)
		ch = c.newChange()
		return err
	}
	err := c.store.Walk(context.Background(), func(found artifactstore.StoredArtifact) error {
		stored := found.Stored
		if stored.IsZero() || stored.After(now) {
			stored = now
		}
		ch.Found = append(ch.Found, foundOne{Name: found.Name, Bytes: found.Size, Stored: toMillis(stored), Used: true, Raw: true})
		if len(ch.Found) < batchSize {
			return nil
		}
		return flush()
	})
	if errors.Is(err, artifactstore.ErrDamaged) { // something is in the place of a directory: verify says what
		c.options.Logger.Warn("not all of the store could be looked at", slog.Any("error", err))
		err = nil
	}
	if err = errors.Join(err, flush()); adopted > 0 {
		c.options.Logger.Warn("the catalog is new and the store is not: artifacts of unknown owners are read only as raw", slog.Int("artifacts", adopted))
	}
	return err
}

// knowsAll reports whether an artifact that is not in the catalog is none of those that it lost.
func (c *Catalog) knowsAll() bool { return c.options.Index == "" || c.options.Shared }

// Close waits for the operations under way, makes small artifacts durable by themselves, if there are many, and closes the index. The journal and the store stay open.
func (c *Catalog) Close() error {
	c.mending.stop()
	c.order.Lock()
	again := c.closed
	c.closed = true
	c.order.Unlock()
	if !again {
		c.settleAll()
	}
	return c.index.Close()
}

// Check fails with [artifactstore.ErrVanished] if files of the store were deleted or replaced. It is what others ask who acknowledge
// something for as long as the store lasts.
func (c *Catalog) Check() error {
	store, can := c.store.(checker)
	if !can {
		return nil
	}
	err := store.Check()
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

// Waiting returns the number of calls that wait for the journal.
func (c *Catalog) Waiting() int64 { return int64(c.journal.Status().Waiting) }

// Status is the number of artifacts in the catalog and their size, as they were put.
type Status struct{ Artifacts, Bytes int64 }

// statusPause is the longest time that Status waits for the index.
const statusPause = 250 * time.Millisecond

// Status returns the present totals. While the index is made again it has those of a moment ago.
func (c *Catalog) Status() Status {
	ctx, cancel := context.WithTimeout(context.Background(), statusPause)
	defer cancel()
	_ = c.settle(ctx) // then it is of a moment ago
	s, _ := c.usage.status()
	return s
}
