package catalog

// Damaged changes in the journal are named. What they said about artifacts that still exist is restored from the audit records of the calls that
// put them.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/internal/journal"
)

// VerifyChanges follows the chain of changes in the journal, and calls report for each place at which it does not hold, with a sentence
// that names the changes. It stops with the first error of report.
func (c *Catalog) VerifyChanges(ctx context.Context, report func(finding string) error) error {
	last, known := c.journal.Anchor(journal.Catalog), true
	recorded := c.journal.Recorded(journal.Catalog)
	err := c.journal.Each(ctx, journal.Catalog, 0, func(e *journal.Entry) error {
		reason := ""
		if known && last.Hash != (journal.Hash{}) && e.Previous != last.Hash {
			reason = "it does not follow the change before"
		} else if e.Number == recorded.Number && e.Hash != recorded.Hash {
			reason = "its hash is not that of the head file"
		} else if _, err := readChange(e); err != nil {
			reason = "it cannot be read"
		}
		last, known = journal.Tip{Number: e.Number, Hash: e.Hash}, true
		if reason == "" {
			return nil
		}
		return report(fmt.Sprintf("change %d of the catalog: %s", e.Number, reason))
	}, func(d journal.Damage) error {
		known = false
		if d.First == d.Last {
			return report(fmt.Sprintf("change %d of the catalog: %s", d.First, d.Reason))
		}
		return report(fmt.Sprintf("changes %d to %d of the catalog: %s", d.First, d.Last, "they are damaged or missing"))
	})
	return failure(err)
}

// mending restores the entries of artifacts whose changes were damaged.
type mending struct {
	damaged atomic.Bool // changes were damaged when the index was made
	begin   sync.Once
	begun   atomic.Bool
	done    chan struct{} // closed at the end; waited for only once begun is set
	cancel  context.CancelFunc
	ended   sync.WaitGroup
}

// Recorded calls visit with the owner and the path of each artifact that a record names, in any order, and ends with the first error of
// visit. A record that cannot be read is skipped.
type Recorded func(ctx context.Context, visit func(o Owner, path string) error) error

// Mend begins to add the artifacts that the audit records name and the index lacks, if changes of the journal were damaged when the index was
// made. Until it ends, a reader that does not find its artifact waits. Only the first call has an effect.
func (c *Catalog) Mend(recorded Recorded) {
	m := &c.mending
	m.begin.Do(func() {
		ctx, cancel := context.WithCancel(context.Background())
		m.cancel = cancel
		m.begun.Store(true)
		m.ended.Go(func() {
			defer close(m.done)
			defer cancel()
			if err := c.mend(ctx, recorded); err != nil && ctx.Err() == nil {
				c.options.Logger.Error("artifacts of damaged changes could not be entered", slog.Any("error", err))
			}
		})
	})
}

// stop ends the mending. What it has not entered the next index that is made lacks, too, and is entered then.
func (m *mending) stop() {
	m.begin.Do(func() {})
	if m.cancel != nil {
		m.cancel()
	}
	m.ended.Wait()
}

// wait waits until a mending that was begun is over, and reports whether there was one.
func (m *mending) wait(ctx context.Context) bool {
	if !m.begun.Load() {
		return false
	}
	select {
	case <-m.done:
	case <-ctx.Done():
	}
	return m.damaged.Load()
}

// mend does that once the index has all changes.
func (c *Catalog) mend(ctx context.Context, recorded Recorded) error {
	if err := c.settle(ctx); err != nil || !c.mending.damaged.Load() {
		return err
	}
	entered := 0
	err := recorded(ctx, func(o Owner, path string) error {
		name, err := c.store.Resolve(path)
		if err != nil {
			return nil // of another store
		}
		done, err := c.mendOne(ctx, o, name)
		if done {
			entered++
		}
		return err
	})
	if entered > 0 {
		c.options.Logger.Warn("artifacts of damaged changes were entered from the audit records", slog.Int("artifacts", entered))
	}
	return err
}

// mendOne enters an artifact for an owner, unless that is known, the artifact was deleted, or it is not there.
func (c *Catalog) mendOne(ctx context.Context, o Owner, name string) (entered bool, err error) {
	c.order.RLock()
	defer c.order.RUnlock()
	if c.closed {
		return false, artifactstore.ErrClosed
	}
	known := false
	if err := c.ask(ctx, func(d *db) error {
		e, has, err := d.entry(name)
		if err == nil && has && e.Expired == nil {
			has, err = d.isUse(o, name)
		}
		known = has
		return err
	}); err != nil || known {
		return false, err
	}
	p, err := c.store.Pages(ctx, name)
	if errors.Is(err, artifactstore.ErrUnknown) || errors.Is(err, artifactstore.ErrDamaged) {
		return false, nil
	} else if err != nil {
		return false, err
	}
	defer p.Close() // read-only
	if o.Raw {
		c.rawSince.Store(true)
	}
	ch := c.newChange()
	ch.Put = []putChange{c.putOf(o, p.Ref(), fromMillis(ch.At))}
	return true, c.append(ctx, ch)
}

// isUse reports whether a call put an artifact: as raw, or else in any other way.
func (d *db) isUse(o Owner, name string) (bool, error) {
	return d.Row("SELECT 1 FROM uses WHERE name = ? AND session = ? AND call = ? AND raw <= ?", []any{name, o.Session, o.Call, o.Raw}, new(int))
}
