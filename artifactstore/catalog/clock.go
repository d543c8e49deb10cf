package catalog

// The time of a catalog. It never goes back, and it believes a system clock that jumped between two runs only after a
// while (docs/adr/0052): until then it goes on from the latest time on record by uptime, over as many runs as that takes.
// Then it moves to the clock, and what was put or leased meanwhile moves with it.

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
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

// noteAhead records since when the clock is distrusted, or that it is not, and says so.
func (c *Catalog) noteAhead(before time.Time) error {
	if c.clock.isAhead() {
		c.options.Logger.Warn("the clock is far ahead of the last time on record: it ends nothing for a while", slog.Time("clock", c.options.Now()),
			slog.Time("last_on_record", c.clock.floor), slog.Duration("while", c.options.Grace))
	}
	if c.clock.since.Equal(before) {
		return nil
	}
	err := c.writer.do(context.Background(), func(d *db) error { return d.setAheadSince(c.clock.since) })
	if errors.Is(err, artifactstore.ErrFull) || errors.Is(err, artifactstore.ErrReadOnly) {
		return nil // then this run alone distrusts it
	}
	return err
}

// believe moves the time to the system clock once it was distrusted for the grace.
func (c *Catalog) believe(ctx context.Context) error {
	if !c.clock.isAhead() || c.clock.now().Sub(c.clock.since) < c.options.Grace {
		return nil
	}
	ahead := time.Duration(c.clock.ahead.Load())
	err := c.writer.doThen(ctx, func(d *db) error { return d.shift(c.clock.since, c.clock.now(), ahead) }, func() error {
		c.clock.ahead.Store(0)
		return nil
	})
	if err == nil {
		c.options.Logger.InfoContext(ctx, "the clock is believed again", slog.Duration("ahead", ahead))
	}
	return err
}

// noteTime records the time, so that the next start can tell how far the clock went in between.
func (c *Catalog) noteTime(ctx context.Context) error {
	return c.writer.do(ctx, func(d *db) error {
		return d.Run("UPDATE totals SET latest = max(latest, ?)", toMillis(c.clock.now()))
	})
}

// Time returns the time by which the catalog lets things end. It is that of the system unless the clock went back, or jumped
// ahead between two runs and is not believed yet.
func (c *Catalog) Time() time.Time { return c.clock.now() }

// setAheadSince records since when the clock is distrusted. The zero time means that it is believed.
func (d *db) setAheadSince(since time.Time) error {
	ms := int64(0)
	if !since.IsZero() {
		ms = toMillis(since)
	}
	return d.Run("UPDATE totals SET ahead_since = ?", ms)
}

// shift moves what was written since the clock is distrusted, and the leases that are not over, ahead. now is before the
// shift.
func (d *db) shift(since, now time.Time, ahead time.Duration) error {
	by, after := ahead.Milliseconds(), toMillis(since)
	d.change.latest = max(d.change.latest, toMillis(now)+by)
	return errors.Join(
		d.Run("UPDATE artifacts SET stored_at = stored_at + ? WHERE stored_at > ?", by, after),
		d.Run("UPDATE artifacts SET deleted_at = deleted_at + ? WHERE deleted_at > ?", by, after),
		d.Run("UPDATE uses SET stored_at = stored_at + ? WHERE stored_at > ?", by, after),
		d.Run("UPDATE sessions SET leased_until = leased_until + ? WHERE leased_until > ?", by, toMillis(now)),
		d.setAheadSince(time.Time{}))
}
