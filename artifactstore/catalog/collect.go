package catalog

// Garbage collection. An artifact may be deleted when no session with a lease has put it. It is deleted when it is too
// old, or when the store is over its quota, then the oldest first.
//
// A deletion is: a tombstone in the journal, durable; the file removed from the store; a change that says that it is gone. All of it is
// done while no call appends, and not to an artifact that a call pins. So a claim comes either before, and then the artifact is not
// deleted, or after the removal, and then the artifact is put again. A crash leaves a tombstone whose artifact is not said to be gone, and
// the next collection removes the file.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/internal/journal"
)

const (
	// batchSize is the largest number of artifacts that one query returns.
	batchSize = 500
	// deleteBatch is the number of artifacts that one transaction deletes. Calls wait for as many deletions of files.
	deleteBatch = 32
	// targetPercent is the share of the quota to which a full store is emptied, so that not every call has to do it.
	targetPercent = 90
	// retryPause is the time for which no call looks for space after none was found.
	retryPause = time.Second
)

// Reasons of deletions, as tombstones have them. Clients see them.
const (
	whyAge   = "no lease named it, and its time was over"
	whyQuota = "no lease named it, and the store was full"
)

// Collected is the result of a collection, or of a dry run of one.
type Collected struct {
	Deleted              []Entry // the first maxReported
	Count, Bytes         int64   // of all that were deleted
	KeptCount, KeptBytes int64   // of those that remain
	Entered              int64   // artifacts that were found in the store and added to the catalog

	erased []string // deleted, and not recorded as erased yet
}

// maxReported is the largest number of entries in a report.
const maxReported = 1000

// add counts a deleted artifact, and lists it unless there are too many.
func (c *Collected) add(e Entry) {
	if len(c.Deleted) < maxReported {
		c.Deleted = append(c.Deleted, e)
	}
	c.Count++
	c.Bytes += e.Size
}

// Collect deletes artifacts without a lease: those that are too old, and then the oldest ones until the store is within
// its quota. Before that it finishes deletions that a crash interrupted, and adds artifacts that are not in the
// catalog. A dry run deletes nothing.
//
// A tombstone is durable before its artifact is deleted. Open readers go on.
func (c *Catalog) Collect(ctx context.Context, dry bool) (r Collected, err error) {
	if err := c.Check(); err != nil { // the store may be another sidecar's now
		return r, err
	}
	if !dry && c.unfinished.Swap(false) {
		if err := c.finish(ctx); err != nil {
			c.unfinished.Store(true)
			return r, err
		}
	}
	if !dry {
		if err := c.believe(ctx); err != nil {
			return r, err
		}
	}
	if r.Entered, err = c.insertFound(ctx); err != nil {
		return r, err
	}
	if err := errors.Join(c.collect(ctx, &r, dry), c.noteErased(ctx, &r)); err != nil {
		return r, err
	}
	if err := c.settle(ctx); err != nil {
		return r, err
	}
	kept := c.Status()
	r.KeptCount, r.KeptBytes = kept.Artifacts, kept.Bytes
	if dry {
		r.KeptCount, r.KeptBytes = r.KeptCount-r.Count, r.KeptBytes-r.Bytes
	}
	return r, nil
}

// collect deletes by age and then by quota.
func (c *Catalog) collect(ctx context.Context, r *Collected, dry bool) error {
	var aged time.Time // of what is stored before it, age deletes all that may be deleted
	if c.options.KeepFor > 0 {
		aged = c.clock.now().Add(-c.options.KeepFor)
		if err := c.collectAged(ctx, r, aged, dry); err != nil {
			return err
		}
	}
	if c.options.Quota == 0 {
		return nil
	}
	if err := c.settle(ctx); err != nil {
		return err
	}
	excess, from := c.used()-c.options.Quota, time.Time{}
	if dry { // the totals still count what age would have deleted
		excess, from = excess-r.Bytes, aged
	}
	if excess <= 0 {
		return nil
	}
	return c.collectExcess(ctx, r, excess, from, dry)
}

// noteErased records that the files of deleted artifacts are gone, so that they are not looked for again. A crash before
// that costs one look for each.
func (c *Catalog) noteErased(ctx context.Context, r *Collected) error {
	if len(r.erased) == 0 {
		return nil
	}
	ch := c.newChange()
	ch.Erased, r.erased = r.erased, nil
	return c.record(context.WithoutCancel(ctx), ch)
}

// collectAged deletes artifacts that were not put since a time.
func (c *Catalog) collectAged(ctx context.Context, r *Collected, before time.Time, dry bool) error {
	return c.eachExpendable(ctx, before, func(expendable []Entry) (bool, error) {
		return true, c.delete(ctx, r, expendable, whyAge, dry)
	})
}

// collectExcess deletes the oldest artifacts that may be deleted and were put at a time or later, until excess bytes are
// free. It compares with a time in the future, because artifacts that were put this millisecond count too.
func (c *Catalog) collectExcess(ctx context.Context, r *Collected, excess int64, from time.Time, dry bool) error {
	return c.eachExpendable(ctx, c.clock.now().Add(time.Hour), func(expendable []Entry) (bool, error) {
		var chosen []Entry
		for _, e := range expendable {
			if excess > 0 && toMillis(e.StoredAt) >= toMillis(from) {
				excess -= e.Size
				chosen = append(chosen, e)
			}
		}
		return excess > 0, c.delete(ctx, r, chosen, whyQuota, dry)
	})
}

// eachExpendable visits batches of artifacts that may be deleted, the oldest first, while visit returns true.
func (c *Catalog) eachExpendable(ctx context.Context, before time.Time, visit func([]Entry) (bool, error)) error {
	for last := (Entry{StoredAt: time.UnixMilli(-1)}); ; {
		var batch []Entry
		err := c.ask(ctx, func(d *db) (err error) {
			batch, err = d.expendable(c.clock.now(), before, last, batchSize)
			return err
		})
		if err != nil || len(batch) == 0 {
			return err
		}
		last = batch[len(batch)-1]
		for i := range batch {
			batch[i].Path = c.store.PathFor(batch[i].Name)
		}
		if more, err := visit(batch); err != nil || !more {
			return err
		}
	}
}

// delete deletes artifacts, except those that were claimed meanwhile. A dry run only reports them.
func (c *Catalog) delete(ctx context.Context, r *Collected, list []Entry, why string, dry bool) error {
	if dry {
		for _, e := range list {
			r.add(e)
		}
		return nil
	}
	for batch := range slices.Chunk(list, deleteBatch) {
		if err := c.deleteSome(ctx, r, batch, why); err != nil {
			return err
		}
	}
	return nil
}

// deleteSome deletes artifacts with one append, before any call can claim them.
func (c *Catalog) deleteSome(ctx context.Context, r *Collected, batch []Entry, why string) error {
	c.order.Lock()
	defer c.order.Unlock()
	ch := c.newChange()
	now := fromMillis(ch.At)
	var still []Entry // neither put nor leased since they were listed
	if err := c.ask(ctx, func(d *db) (err error) {
		still, err = d.stillExpendable(now, batch)
		return err
	}); err != nil {
		return err
	}
	still = slices.DeleteFunc(still, func(e Entry) bool { return c.pins.has(e.Name) })
	for i := range still {
		ch.Deleted = append(ch.Deleted, deletion{still[i].Name, why})
	}
	if len(still) == 0 {
		return nil
	}
	if err := c.append(ctx, ch); err != nil {
		return err
	}
	var errs []error
	for _, e := range still {
		err := c.erase(e.Name)
		if errors.Is(err, artifactstore.ErrBusy) { // a log that was opened just now
			revived := c.newChange()
			revived.Revived = []foundOne{{Name: e.Name, Digest: e.Digest, Bytes: e.Size}}
			err = c.append(ctx, revived)
		} else if err == nil {
			r.erased = append(r.erased, e.Name)
			e.Expired = &ExpiredError{At: c.clock.shown(now).UTC(), Why: why}
			r.add(e)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// erase deletes the file of an artifact that has a tombstone. No call may claim meanwhile. If it fails, the next collection tries again.
func (c *Catalog) erase(name string) error {
	err := c.store.Remove(context.Background(), name)
	if errors.Is(err, artifactstore.ErrUnknown) {
		return nil
	}
	if err == nil || errors.Is(err, artifactstore.ErrBusy) {
		return err
	}
	c.unfinished.Store(true)
	return err
}

// finish deletes the files of artifacts with a tombstone that may still be there.
func (c *Catalog) finish(ctx context.Context) error {
	for after := ""; ; {
		var names []string
		err := c.ask(ctx, func(d *db) (err error) {
			names, err = d.toErase(after, batchSize)
			return err
		})
		if err != nil || len(names) == 0 {
			return err
		}
		after = names[len(names)-1]
		for _, name := range names {
			if err := c.finishOne(ctx, name); err != nil {
				return err
			}
		}
	}
}

// finishOne does that for one of them.
func (c *Catalog) finishOne(ctx context.Context, name string) error {
	c.order.Lock()
	defer c.order.Unlock()
	deleted, err := c.isDeleted(name)
	if err != nil || !deleted || c.pins.has(name) {
		return err // it was put again meanwhile
	}
	if err := c.erase(name); err != nil {
		return err
	}
	ch := c.newChange()
	ch.Erased = []string{name}
	return c.append(ctx, ch)
}

// insertFound adds the artifacts that are in the store and not in the catalog, or there only as a tombstone: those of calls
// that did not end. Their age counts from when they were put. They may be raw, so they count as raw until they are put again.
func (c *Catalog) insertFound(ctx context.Context) (added int64, err error) {
	var found []artifactstore.StoredArtifact
	flush := func() error {
		n, err := c.insertAll(ctx, found)
		added += n
		found = found[:0]
		return err
	}
	err = c.store.Walk(ctx, func(h artifactstore.StoredArtifact) error {
		if found = append(found, h); len(found) < batchSize {
			return nil
		}
		return flush()
	})
	if err != nil {
		return added, err
	}
	return added, flush()
}

// insertAll does that for a batch, and returns the number that it added.
func (c *Catalog) insertAll(ctx context.Context, found []artifactstore.StoredArtifact) (added int64, err error) {
	var missing []artifactstore.StoredArtifact
	list := func() error {
		return c.ask(ctx, func(d *db) (err error) {
			missing, err = d.missing(found)
			return err
		})
	}
	if err := list(); err != nil || len(missing) == 0 {
		return 0, err
	}
	c.order.Lock()
	defer c.order.Unlock()
	found = missing
	if err := list(); err != nil { // again: some may have been claimed
		return 0, err
	}
	ch := c.newChange()
	for _, h := range missing {
		if has, err := c.store.Has(ctx, h.Name); err != nil {
			return 0, err
		} else if !has || c.pins.has(h.Name) {
			continue // it was deleted since it was found, or will be claimed
		}
		stored := h.Stored
		if stored.IsZero() || stored.After(c.clock.now()) {
			stored = c.clock.now()
		}
		raw := !c.knowsAll()
		if raw {
			c.rawSince.Store(true)
		}
		ch.Found = append(ch.Found, foundOne{Name: h.Name, Bytes: h.Size, Stored: toMillis(stored), Used: raw, Raw: raw})
	}
	if len(ch.Found) == 0 {
		return 0, nil
	}
	return int64(len(ch.Found)), c.append(ctx, ch)
}

// freeSpace deletes artifacts until a full store has space again. It fails with ErrQuota if too little may be deleted.
func (c *Catalog) freeSpace(ctx context.Context) error {
	last := c.fullSince.Load()
	if last != 0 && c.clock.now().UnixNano()-last < int64(retryPause) {
		return ErrQuota
	}
	target := c.options.Quota * targetPercent / 100
	excess := c.used() - target
	var r Collected
	if err := errors.Join(c.collectExcess(ctx, &r, excess, time.Time{}, false), c.noteErased(ctx, &r)); err != nil {
		return fmt.Errorf("free space: %w", err)
	}
	if err := c.settle(ctx); err != nil {
		return fmt.Errorf("free space: %w", err)
	}
	if c.used() > c.options.Quota {
		c.fullSince.Store(c.clock.now().UnixNano())
		return ErrQuota
	}
	c.options.Logger.InfoContext(ctx, "the store was full; artifacts that no lease names were deleted",
		slog.Int64("artifacts", r.Count), slog.Int64("bytes", r.Bytes))
	return nil
}

// Keep collects garbage at an interval until ctx ends, and cleans the journal when that is due. The first time is after one
// interval. Failures are logged.
func (c *Catalog) Keep(ctx context.Context, interval time.Duration) {
	tick, clean := time.NewTicker(interval), time.NewTicker(min(interval, maxCleanPause))
	defer tick.Stop()
	defer clean.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			c.keep(ctx)
		case <-clean.C:
			c.cleanNow(ctx)
		}
	}
}

// cleanNow cleans the journal if that is due.
func (c *Catalog) cleanNow(ctx context.Context) {
	if !c.cleaner.isWanted(c.options.CleanAfter, c.journal.Anchor(journal.Catalog).Number) {
		return
	}
	cleaned, err := c.Clean(ctx)
	if err != nil && ctx.Err() == nil {
		c.options.Logger.ErrorContext(ctx, "superseded changes of the catalog could not be deleted", slog.Any("error", err))
	} else if cleaned {
		c.options.Logger.InfoContext(ctx, "superseded changes of the catalog were deleted",
			slog.Uint64("until", c.journal.Anchor(journal.Catalog).Number))
	}
}

// keep collects garbage.
func (c *Catalog) keep(ctx context.Context) {
	if err := c.noteTime(ctx); err != nil && ctx.Err() == nil {
		c.options.Logger.WarnContext(ctx, "the time could not be recorded", slog.Any("error", err))
	}
	collected, err := c.Collect(ctx, false)
	if err != nil && ctx.Err() == nil {
		c.options.Logger.ErrorContext(ctx, "garbage could not be collected", slog.Any("error", err))
	} else if collected.Count > 0 || collected.Entered > 0 {
		c.options.Logger.InfoContext(ctx, "garbage was collected", slog.Int64("deleted", collected.Count),
			slog.Int64("bytes", collected.Bytes), slog.Int64("entered", collected.Entered))
	}
}
