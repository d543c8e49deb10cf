package catalog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
)

const (
	// spareBatch is how many artifacts are looked for at a time.
	spareBatch = 500
	// struckTogether is how many artifacts are deleted by one transaction. Calls wait for as many deletions of files.
	struckTogether = 32
	// roomPercent is how full a store that was full is once room was made, so that not every call has to.
	roomPercent = 90
	// roomPause is how long no room is looked for after none was found.
	roomPause = time.Second
)

// Why an artifact was deleted, as tombstones say.
const (
	whyAge   = "no lease named it, and its time was over"
	whyQuota = "no lease named it, and the store was full"
)

// Collected says what a collection did, or would do.
type Collected struct {
	Deleted              []Entry // the first maxReported
	Count, Bytes         int64   // of all that were deleted
	KeptCount, KeptBytes int64
	Entered              int64 // artifacts that no book named, and that are in the books now

	erased []string // that the books do not say yet
}

// maxReported bounds the entries of a report.
const maxReported = 1000

func (c *Collected) add(e Entry) {
	if len(c.Deleted) < maxReported {
		c.Deleted = append(c.Deleted, e)
	}
	c.Count++
	c.Bytes += e.Size
}

// Collect deletes what no lease names, and whose time is over or is in the way: by age, and then the oldest until
// the store is within its quota. Before that it finishes deletions that a crash interrupted, and enters artifacts
// that no book names. When dry, it deletes nothing.
//
// A tombstone is durable before an artifact is deleted. Readers that are open go on.
func (l *Catalog) Collect(ctx context.Context, dry bool) (c Collected, err error) {
	if !dry && l.unfinished.Swap(false) {
		if err := l.finish(ctx); err != nil {
			l.unfinished.Store(true)
			return c, err
		}
	}
	if c.Entered, err = l.enterFound(ctx); err != nil {
		return c, err
	}
	if err := errors.Join(l.collect(ctx, &c, dry), l.noteErased(ctx, &c)); err != nil {
		return c, err
	}
	c.KeptCount, c.KeptBytes = l.count.Load(), l.held.Load()
	if dry {
		c.KeptCount, c.KeptBytes = c.KeptCount-c.Count, c.KeptBytes-c.Bytes
	}
	return c, nil
}

func (l *Catalog) collect(ctx context.Context, c *Collected, dry bool) error {
	if l.rules.KeepFor > 0 {
		if err := l.collectAged(ctx, c, dry); err != nil {
			return err
		}
	}
	if quota := l.rules.Quota; quota > 0 {
		if excess := l.held.Load() + l.staged.Load() - quota; excess > 0 {
			return l.collectExcess(ctx, c, excess, dry)
		}
	}
	return nil
}

// noteErased enters that what was deleted is gone, so that nobody looks for it again. A crash before that costs a look.
func (l *Catalog) noteErased(ctx context.Context, c *Collected) error {
	if len(c.erased) == 0 {
		return nil
	}
	names := c.erased
	c.erased = nil
	return l.clerk.do(context.WithoutCancel(ctx), func(b *books) error {
		for _, name := range names {
			if err := b.erased(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// collectAged deletes artifacts that were not put for longer than they are kept.
func (l *Catalog) collectAged(ctx context.Context, c *Collected, dry bool) error {
	before := l.now().Add(-l.rules.KeepFor)
	return l.eachSpare(ctx, before, func(spare []Entry) (bool, error) {
		return true, l.delete(ctx, c, spare, whyAge, dry)
	})
}

// collectExcess deletes the oldest artifacts that may be deleted, until so many bytes are free.
func (l *Catalog) collectExcess(ctx context.Context, c *Collected, excess int64, dry bool) error {
	return l.eachSpare(ctx, l.now().Add(time.Hour), func(spare []Entry) (bool, error) {
		var chosen []Entry
		for _, e := range spare {
			switch {
			case dry && contains(c.Deleted, e.Name): // by age
			case excess > 0:
				excess -= e.Size
				chosen = append(chosen, e)
			}
		}
		return excess > 0, l.delete(ctx, c, chosen, whyQuota, dry)
	})
}

func contains(list []Entry, name string) bool {
	for _, e := range list {
		if e.Name == name {
			return true
		}
	}
	return false
}

// eachSpare visits what may be deleted, the oldest first, until visit says that it is enough.
func (l *Catalog) eachSpare(ctx context.Context, before time.Time, visit func([]Entry) (bool, error)) error {
	for last := (Entry{StoredAt: time.UnixMilli(-1)}); ; {
		var batch []Entry
		err := l.clerk.do(ctx, func(b *books) (err error) {
			batch, err = b.spare(l.now(), before, last, spareBatch)
			return err
		})
		if err != nil || len(batch) == 0 {
			return err
		}
		last = batch[len(batch)-1]
		for i := range batch {
			batch[i].Path = l.store.PathFor(batch[i].Name)
		}
		if more, err := visit(batch); err != nil || !more {
			return err
		}
	}
}

// delete deletes artifacts, but those that were claimed meanwhile.
func (l *Catalog) delete(ctx context.Context, c *Collected, list []Entry, why string, dry bool) error {
	if dry {
		for _, e := range list {
			c.add(e)
		}
		return nil
	}
	for some := range slices.Chunk(list, struckTogether) {
		if err := l.deleteSome(ctx, c, some, why); err != nil {
			return err
		}
	}
	return nil
}

// deleteSome strikes artifacts out of the books in one transaction, so that they share its sync, and deletes them before
// anybody else gets a turn.
func (l *Catalog) deleteSome(ctx context.Context, c *Collected, some []Entry, why string) error {
	struck, deleted := make([]bool, len(some)), make([]bool, len(some))
	now := l.now()
	err := l.clerk.doThen(ctx, func(b *books) (err error) {
		for i := range some {
			if struck[i], err = b.strike(some[i], now, why); err != nil {
				return err
			}
		}
		return nil
	}, func() error {
		var errs []error
		for i := range some {
			if !struck[i] {
				continue
			}
			err := l.erase(some[i].Name)
			if deleted[i] = err == nil; errors.Is(err, artifactstore.ErrBusy) {
				err = l.revive(some[i], now)
			}
			errs = append(errs, err)
		}
		return errors.Join(errs...)
	})
	for i, e := range some {
		if deleted[i] {
			c.erased = append(c.erased, e.Name)
			e.Expired = &ExpiredError{At: now.UTC(), Why: why}
			c.add(e)
		}
	}
	return err
}

// erase deletes an artifact that has a tombstone. The clerk calls it: no claim comes between.
func (l *Catalog) erase(name string) error {
	err := l.store.Remove(context.Background(), name)
	if errors.Is(err, artifactstore.ErrUnknown) {
		return nil
	}
	if err == nil || errors.Is(err, artifactstore.ErrBusy) {
		return err
	}
	l.unfinished.Store(true)
	return err
}

// finish deletes the artifacts that have a tombstone and may still be there.
func (l *Catalog) finish(ctx context.Context) error {
	for after := ""; ; {
		var names []string
		err := l.clerk.do(ctx, func(b *books) (err error) {
			names, err = b.toErase(after, spareBatch)
			return err
		})
		if err != nil || len(names) == 0 {
			return err
		}
		after = names[len(names)-1]
		for _, name := range names {
			if err := l.finishOne(ctx, name); err != nil {
				return err
			}
		}
	}
}

func (l *Catalog) finishOne(ctx context.Context, name string) error {
	return l.clerk.do(ctx, func(b *books) error {
		if e, known, err := b.entry(name); err != nil || !known || e.Expired == nil {
			return err // it was put again meanwhile
		}
		if err := l.erase(name); err != nil {
			return err
		}
		return b.erased(name)
	})
}

// enterFound enters the artifacts that are in the store and in no book, or only by a tombstone: of an earlier version,
// or of a call that did not end. Their time begins when they were put.
func (l *Catalog) enterFound(ctx context.Context) (entered int64, err error) {
	var found []artifactstore.StoredArtifact
	flush := func() error {
		n, err := l.enterAll(ctx, found)
		entered += n
		found = found[:0]
		return err
	}
	err = l.store.Walk(ctx, func(h artifactstore.StoredArtifact) error {
		if found = append(found, h); len(found) < spareBatch {
			return nil
		}
		return flush()
	})
	if err != nil {
		return entered, err
	}
	return entered, flush()
}

func (l *Catalog) enterAll(ctx context.Context, found []artifactstore.StoredArtifact) (entered int64, err error) {
	err = l.clerk.do(ctx, func(b *books) error {
		for _, h := range found {
			isNew, err := l.enterOne(ctx, b, h)
			if err != nil {
				return err
			}
			if isNew {
				entered++
			}
		}
		return nil
	})
	return entered, err
}

func (l *Catalog) enterOne(ctx context.Context, b *books, h artifactstore.StoredArtifact) (isNew bool, err error) {
	if e, known, err := b.entry(h.Name); err != nil || known && e.Expired == nil {
		return false, err
	}
	if has, err := l.store.Has(ctx, h.Name); !has || err != nil {
		return false, err // it was deleted since it was found
	}
	stored := h.Stored
	if stored.IsZero() || stored.After(l.now()) {
		stored = l.now()
	}
	return true, b.enter(h.Name, "", h.Size, stored)
}

// makeRoom deletes until a full store has some room, and fails with ErrQuota when nothing may be deleted.
func (l *Catalog) makeRoom(ctx context.Context) error {
	last := l.full.Load()
	if last != 0 && l.now().UnixNano()-last < int64(roomPause) {
		return ErrQuota
	}
	aim := l.rules.Quota * roomPercent / 100
	excess := l.held.Load() + l.staged.Load() - aim
	var c Collected
	if err := errors.Join(l.collectExcess(ctx, &c, excess, false), l.noteErased(ctx, &c)); err != nil {
		return fmt.Errorf("making room: %w", err)
	}
	if l.held.Load()+l.staged.Load() > l.rules.Quota {
		l.full.Store(l.now().UnixNano())
		return ErrQuota
	}
	l.rules.Logger.InfoContext(ctx, "the store was full; artifacts that no lease names were deleted",
		slog.Int64("artifacts", c.Count), slog.Int64("bytes", c.Bytes))
	return nil
}

// Keep collects garbage and compresses what is old, every so often until ctx ends, the first time after that time has
// passed.
func (l *Catalog) Keep(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		collected, err := l.Collect(ctx, false)
		if err != nil && ctx.Err() == nil {
			l.rules.Logger.ErrorContext(ctx, "garbage could not be collected", slog.Any("error", err))
		} else if collected.Count > 0 || collected.Entered > 0 {
			l.rules.Logger.InfoContext(ctx, "garbage was collected", slog.Int64("deleted", collected.Count),
				slog.Int64("bytes", collected.Bytes), slog.Int64("entered", collected.Entered))
		}
		compressed, err := l.Compress(ctx)
		if err != nil && ctx.Err() == nil {
			l.rules.Logger.ErrorContext(ctx, "artifacts could not be compressed", slog.Any("error", err))
		} else if compressed.Count > 0 {
			l.rules.Logger.InfoContext(ctx, "artifacts were compressed", slog.Int64("artifacts", compressed.Count), slog.Int64("saved", compressed.Saved))
		}
	}
}
