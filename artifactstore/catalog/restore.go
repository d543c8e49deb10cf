package catalog

// Small artifacts in the journal. Their files are written without a sync, so that after a power cut they may be missing or torn; then they
// are made again from the journal, which keeps them until they are durable.

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"

	"github.com/toolresult/toolresult/artifactstore"
)

// temporary returns the data of a temporary entry: the name of an artifact, a newline, and its content.
func temporary(name string, content []byte) []byte {
	b := make([]byte, 0, len(name)+1+len(content))
	b = append(append(b, name...), '\n')
	return append(b, content...)
}

// isDeleted reports whether an artifact was deleted by the rules of retention.
func (c *Catalog) isDeleted(name string) (deleted bool, err error) {
	err = c.ask(context.Background(), func(d *db) error {
		e, known, err := d.entry(name)
		deleted = known && e.Expired != nil
		return err
	})
	return deleted, err
}

// restore makes the artifacts again that the journal has and the store does not, unless they were deleted since. After a journal that was
// closed with all of them settled there is nothing to do.
func (c *Catalog) restore() error {
	store, can := c.store.(artifactstore.Reserver)
	if !can || !c.journal.Suspect() {
		return nil
	}
	restored := 0
	err := c.journal.EachTemporary(func(data []byte) error {
		name, content, ok := bytes.Cut(data, []byte{'\n'})
		if !ok {
			return nil
		}
		has, err := c.store.Has(context.Background(), string(name))
		if err != nil {
			return err
		}
		if !has {
			if gone, err := c.isDeleted(string(name)); gone || err != nil {
				return err
			}
		}
		done, err := store.Restore(string(name), content, true)
		if done {
			restored++
		}
		return err
	})
	if restored > 0 {
		c.options.Logger.Info("artifacts were made again from the journal", slog.Int("artifacts", restored))
	}
	return err
}

// manyUnsettled is the number of small artifacts from which Close makes them durable, so that the next start has nothing to verify. It
// verifies fewer in a few milliseconds, and what made them may be a command that nobody should have to wait for.
const manyUnsettled = 64

// settleAll makes small artifacts durable at the end, if there are many.
func (c *Catalog) settleAll() {
	store, can := c.store.(artifactstore.Reserver)
	if !can || c.journal.Unsettled() < manyUnsettled || c.unkept.Load() {
		return
	}
	if err := store.Settle(); err != nil { // the next start verifies them
		c.options.Logger.Warn("artifacts could not be made durable by themselves", slog.Any("error", err))
		return
	}
	c.journal.Settled()
}

// errUnkept means that the journal is not to forget small artifacts: the store could not name one, and the next start makes it.
var errUnkept = fmt.Errorf("an artifact is in the journal alone: %w", ErrCatalogUnreadable)

// Settle makes all small artifacts durable by themselves, so that the journal may forget them. It is called on the goroutine of the
// journal that seals.
func (c *Catalog) Settle(context.Context) error {
	store, can := c.store.(artifactstore.Reserver)
	if !can {
		return nil
	}
	c.waitForCommits()
	if c.unkept.Load() {
		return errUnkept
	}
	return store.Settle()
}
