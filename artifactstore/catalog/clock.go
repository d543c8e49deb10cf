package catalog

// The time of a catalog. It never goes back, and it believes a system clock that jumped between two runs only after a
// while (docs/adr/0052): until then it goes on from the latest time on record by uptime, over as many runs as that takes.
// Then it moves to the clock, and what was put or leased meanwhile moves with it.

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/toolresult/toolresult/internal/journal"
)

// clock is the time of a catalog. Safe for concurrent use, once it was started.
type clock struct {
	system func() time.Time
	floor  time.Time     // the latest time on record at the start; no time that the catalog uses is before it
	grace  time.Duration // see Options
	since  time.Time     // of a distrusted clock: the latest time on record before it was first distrusted; else zero
	ahead  atomic.Int64  // nanoseconds by which the system clock is ahead of the time; negative if it went back
}

// start sets the time by the latest one on record. since is that at the first start with a clock that is distrusted, zero if
// the last run believed it.
func (k *clock) start(latest, since time.Time) {
	k.floor, k.since = latest, time.Time{}
	opened := k.system()
	jump := opened.Sub(latest)
	switch {
	case latest.UnixMilli() <= 0: // nothing is on record
	case jump < 0:
		k.ahead.Store(int64(jump))
	case k.grace > 0 && jump > k.grace:
		k.ahead.Store(int64(jump - time.Millisecond)) // what is put now is later than all that is on record
		if k.since = since; since.IsZero() {
			k.since = latest
		}
	}
}

// now returns the time, which never goes back.
func (k *clock) now() time.Time {
	if t := k.system().Add(-time.Duration(k.ahead.Load())); t.After(k.floor) {
		return t
	}
	return k.floor
}

// isAhead reports whether the system clock is not believed.
func (k *clock) isAhead() bool { return k.ahead.Load() > 0 }

// shown returns a time of a row as the catalog will have it once it believes the clock: what was put since the clock is
// distrusted, and what ends in the future, is shown by the clock that callers see too.
func (k *clock) shown(t time.Time) time.Time {
	if ahead := k.ahead.Load(); ahead > 0 && !t.IsZero() && t.After(k.since) {
		return t.Add(time.Duration(ahead))
	}
	return t
}

// shown returns entries with the times that callers see.
func (c *Catalog) shown(list []Entry) []Entry {
	for i := range list {
		list[i].StoredAt = c.clock.shown(list[i].StoredAt)
		list[i].Expired = c.shownExpiry(list[i].Expired)
	}
	return list
}

// shownExpiry does the same for the time of a deletion.
func (c *Catalog) shownExpiry(e *ExpiredError) *ExpiredError {
	if e == nil {
		return nil
	}
	return &ExpiredError{At: c.clock.shown(e.At), Why: e.Why}
}

// noteAhead says that the clock is distrusted.
func (c *Catalog) noteAhead() {
	if c.clock.isAhead() {
		c.options.Logger.Warn("the clock is far ahead of the last time on record: it ends nothing for a while", slog.Time("clock", c.options.Now()),
			slog.Time("last_on_record", c.clock.floor), slog.Duration("while", c.options.Grace))
	}
}

// believe moves the time to the system clock once it was distrusted for the grace.
func (c *Catalog) believe(ctx context.Context) error {
	if !c.clock.isAhead() || c.clock.now().Sub(c.clock.since) < c.options.Grace {
		return nil
	}
	c.order.Lock()
	defer c.order.Unlock()
	ahead := time.Duration(c.clock.ahead.Load())
	ch := c.newChange()
	ch.Ahead, ch.Shift = 0, &shift{Since: toMillis(c.clock.since), By: ahead.Milliseconds()}
	if err := c.append(ctx, ch); err != nil {
		return err
	}
	c.clock.ahead.Store(0)
	c.options.Logger.InfoContext(ctx, "the clock is believed again", slog.Duration("ahead", ahead))
	return nil
}

// noteTime records the time, so that the next start can tell how far the clock went in between.
func (c *Catalog) noteTime(ctx context.Context) error { return c.record(ctx, c.newChange()) }

// lastTime returns the latest time that the journal has, and since when the clock was not believed then; zero: it was.
func (c *Catalog) lastTime() (latest, since time.Time, err error) {
	tip := c.journal.Tip(journal.Catalog).Number
	err = c.journal.Each(context.Background(), journal.Catalog, tip-min(tip, lastChanges), func(e *journal.Entry) error {
		ch, err := readChange(e)
		if err != nil {
			return nil // the index says so
		}
		at := ch.At
		if ch.Shift != nil {
			at += ch.Shift.By
		}
		latest, since = later(latest, fromMillis(at)), time.Time{}
		if ch.Ahead > 0 {
			since = fromMillis(ch.Ahead)
		}
		return nil
	}, nil)
	return latest, since, err
}

// lastChanges is the number of changes that are read for the latest time. One suffices, unless it is damaged.
const lastChanges = 32

// later returns the later of two times.
func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Time returns the time by which the catalog lets things end. It is that of the system unless the clock went back, or jumped
// ahead between two runs and is not believed yet.
func (c *Catalog) Time() time.Time { return c.clock.now() }
