package catalog

// Cleaning of the journal. Most changes are superseded after a while, and a file of the journal that has one which is not cannot be
// deleted. So what still holds is carried on: all of it is said again, in new changes, and the files before them are deleted.
//
// The new changes have all names and sessions in their order, a span of them each, as they are at that moment: no call appends between the
// look and the append. A change that a call appends in between is about a name that a later span has, or one that it makes new, or is behind
// the span of its name. So the changes behind the deleted ones say everything, beginning with nothing, or with any earlier state. A kill
// before the last span leaves changes that say what was said; a kill after it leaves files that the next cleaning deletes.
//
// What holds is computed from the journal, and not taken from the index: what is wrong in that does not become the truth.

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/internal/journal"
)

const (
	// cleanAfter is the default of Options.CleanAfter.
	cleanAfter = 16 << 20
	// maxCleanPause is the longest time between two looks, and cleanRetry that after a failure: an attempt reads all changes.
	maxCleanPause, cleanRetry = time.Minute, time.Hour
	// spanNames, spanUses and spanSessions bound a span. Calls wait for an append of one.
	spanNames, spanUses, spanSessions = 64, 1000, 256
	// rests is how many times as long as a span takes nothing is done after it.
	rests = 2
)

// cleaner cleans the journal.
type cleaner struct {
	running sync.Mutex // one at a time

	mu            sync.Mutex // guards the fields below
	changes, kept int64      // bytes of the changes, and of those that were carried on last
	carried       uint64     // the last change that is not needed
	retryAt       time.Time  // after a failure

	step func(name string) error // called at each step of a cleaning; nil outside of tests
}

// note notes what the index has.
func (k *cleaner) note(changes, kept int64, carried uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.changes, k.kept, k.carried = changes, kept, carried
}

// isWanted reports whether Clean has something to do. After a failure it waits.
func (k *cleaner) isWanted(least int64, anchor uint64) bool {
	due := k.isDue(least)
	k.mu.Lock()
	defer k.mu.Unlock()
	return (due || k.carried > anchor) && time.Now().After(k.retryAt)
}

// isDue reports whether cleaning is worth it: what was appended since the last one is more than was carried on then, and more than some
// bytes. So each byte of a change is carried on about once for each time that the changes double.
func (k *cleaner) isDue(least int64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.changes-k.kept > max(k.kept, least)
}

// at is called at a step.
func (k *cleaner) at(name string) error {
	if k.step == nil {
		return nil
	}
	return k.step(name)
}

// Clean deletes the changes of the catalog in the journal that are superseded, if they are more than those that are not and more than
// Options.CleanAfter. It reports whether it did.
//
// Errors: ErrBusy, ErrCatalogUnreadable, also when changes are damaged: then nothing is deleted; artifactstore.ErrFull, ErrReadOnly, ErrClosed.
func (c *Catalog) Clean(ctx context.Context) (cleaned bool, err error) {
	k := &c.cleaner
	k.running.Lock()
	defer k.running.Unlock()
	if cleaned, err = c.clean(ctx); err != nil {
		k.mu.Lock()
		k.retryAt = time.Now().Add(cleanRetry)
		k.mu.Unlock()
		err = fmt.Errorf("clean the journal: %w", err)
	}
	return cleaned, err
}

// clean is Clean for one at a time.
func (c *Catalog) clean(ctx context.Context) (cleaned bool, err error) {
	if err := errors.Join(c.Check(), c.settle(ctx)); err != nil {
		return false, err
	}
	if cleaned, err = c.retire(ctx); err != nil || !c.cleaner.isDue(c.options.CleanAfter) {
		return cleaned, err
	}
	if err := c.carryOn(ctx); err != nil {
		return cleaned, err
	}
	return c.retire(ctx)
}

// retire deletes the changes that are not needed any more, also those that an earlier cleaning did not.
func (c *Catalog) retire(ctx context.Context) (some bool, err error) {
	c.cleaner.mu.Lock()
	until := c.cleaner.carried
	c.cleaner.mu.Unlock()
	if until <= c.journal.Anchor(journal.Catalog).Number {
		return false, nil
	}
	if err := c.cleaner.at("retire"); err != nil {
		return false, err
	}
	err = c.journal.Retire(ctx, journal.Catalog, until)
	return err == nil, failure(err)
}

// carryOn says again all that holds.
func (c *Catalog) carryOn(ctx context.Context) (err error) {
	r := carrier{Catalog: c, until: c.journal.Tip(journal.Catalog).Number, sessions: true}
	if c.options.ForgetAfter > 0 {
		r.forget = toMillis(c.clock.now().Add(-c.options.ForgetAfter))
	}
	if err := c.journal.Rotate(ctx); err != nil { // the changes up to until are in files that have no others then
		return failure(err)
	}
	if r.fold, err = c.newFold(r.until); err != nil {
		return failure(err)
	}
	defer func() { err = errors.Join(err, r.fold.close()) }()
	if _, err := r.fold.follow(ctx); err != nil {
		return failure(err)
	}
	for !r.done {
		if err := c.cleaner.at("span"); err != nil {
			return err
		}
		began := time.Now()
		if err := r.next(ctx); err != nil {
			return failure(err)
		}
		if err := pause(ctx, rests*time.Since(began)); err != nil {
			return err
		}
	}
	return c.settle(ctx)
}

// pause waits.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// carrier carries on what holds.
type carrier struct {
	*Catalog
	fold   *fold
	until  uint64 // the last change that will not be needed
	forget int64  // what was deleted before it is forgotten

	sessions bool   // sessions are next, else names
	after    string // this one
	done     bool
}

// next carries on the next span. It is read before anybody has to wait, and again if something was appended meanwhile.
func (r *carrier) next(ctx context.Context) error {
	read := func() (list []*change, to string, err error) {
		if r.sessions {
			return r.fold.sessions(r.after, toMillis(r.clock.now()))
		}
		return r.fold.names(r.after, r.forget)
	}
	list, to, err := read()
	if err != nil {
		return err
	}
	r.order.Lock()
	defer r.order.Unlock()
	if r.closed {
		return artifactstore.ErrClosed
	}
	if moved, err := r.fold.follow(ctx); err != nil {
		return err
	} else if moved {
		if list, to, err = read(); err != nil {
			return err
		}
	}
	if err := r.say(ctx, list, to); err != nil {
		return err
	}
	if r.after = to; to == "" {
		r.sessions, r.done = false, !r.sessions
	}
	return nil
}

// say appends the changes of a span. The last one of all says that it is.
func (r *carrier) say(ctx context.Context, list []*change, to string) error {
	if to == "" && !r.sessions {
		last := &change{Carried: &carried{Until: r.until, Bytes: r.fold.bytes + sizeOf(list)}}
		list = append(list, last)
	}
	var a journal.Append
	for _, ch := range list {
		now := r.newChange()
		ch.At, ch.Ahead = now.At, now.Ahead
		a.Entries = append(a.Entries, ch.entry())
	}
	if err := r.journal.Append(ctx, a); err != nil {
		return err
	}
	return r.fold.take(list, a.Entries)
}

// sizeOf returns about the bytes of changes.
func sizeOf(list []*change) (n int64) {
	for _, ch := range list {
		n += int64(len(ch.entry().Data))
	}
	return n
}
