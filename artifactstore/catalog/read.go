package catalog

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/toolresult/toolresult/artifactstore"
)

// Open opens an artifact as [artifactstore.Source] says. If the store does not have it and the catalog does, Open fails
// with *[ExpiredError] or ErrMissing.
func (c *Catalog) Open(ctx context.Context, name string) (*artifactstore.Reader, error) {
	return lookUp(ctx, c, name, c.store.Open)
}

// Pages opens an artifact to be read anywhere. It fails like Open.
func (c *Catalog) Pages(ctx context.Context, name string) (*artifactstore.Pages, error) {
	return lookUp(ctx, c, name, c.store.Pages)
}

// lookUp opens an artifact. Where the store does not know it, the error is the one that the catalog has for it. The artifact may be deleted, put
// again or finished between the two looks, so it is missing only if both say so twice and no call is about to name it.
func lookUp[T any](ctx context.Context, c *Catalog, name string, open func(context.Context, string) (T, error)) (opened T, err error) {
	var before Entry
	for range maxLooks {
		if opened, err = open(ctx, name); !errors.Is(err, artifactstore.ErrUnknown) {
			return opened, err
		}
		var e Entry
		known := false
		if failed := c.ask(ctx, func(d *db) (err error) {
			e, known, err = d.entry(name)
			return err
		}); failed != nil {
			return opened, failed
		}
		switch {
		case !known:
			return opened, err
		case e.Expired != nil:
			return opened, fmt.Errorf("artifact %s: %w", name, c.shownExpiry(e.Expired))
		case c.pins.has(name):
			c.waitForCommits()
		case e == before:
			return opened, fmt.Errorf("artifact %s: %w", name, ErrMissing)
		default:
			before = e
		}
	}
	return opened, fmt.Errorf("artifact %s: %w", name, ErrMissing)
}

// maxLooks bounds the looks for an artifact that changes all the time.
const maxLooks = 16

// waitForCommits waits for calls between their append to the journal and the name of their artifact in the store.
func (c *Catalog) waitForCommits() {
	c.order.Lock()
	//lint:ignore SA2001 nothing is done meanwhile
	c.order.Unlock()
}

// Resolve returns the name of the artifact at a path, as [artifactstore.Namer] says.
func (c *Catalog) Resolve(path string) (string, error) { return c.store.Resolve(path) }

// List returns up to limit artifacts of a session, or of one of its calls if call is not empty, the newest first. It
// omits those that are only raw. after is 0, or next of an earlier List, to go on there; next is 0 at the end.
func (c *Catalog) List(ctx context.Context, session, call string, after int64, limit int) (list []Entry, next int64, err error) {
	c.mending.wait(ctx)
	below := int64(math.MaxInt64)
	if after > 0 {
		below = after
	}
	err = c.read(ctx, func(d *db) (err error) {
		list, err = d.list(session, call, below, limit+1)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	if len(list) > limit {
		list = list[:limit]
		next = list[limit-1].sequence
	}
	list = c.shown(list)
	for i := range list {
		list[i].Path = c.store.PathFor(list[i].Name)
		if list[i].Live = isLive(list[i].Name) && list[i].Expired == nil; list[i].Live {
			list[i].Size = c.currentSize(ctx, list[i])
		}
	}
	return list, next, nil
}

// Permit limits what a reader may read. The zero value permits everything that is not raw.
type Permit struct {
	// Session is the session of the artifacts. If empty, artifacts of every session, and of none, may be read.
	Session string
	// Raw permits also artifacts that were only ever put as raw.
	Raw bool
}

// PagesFor is Pages with a permit. It returns [artifactstore.ErrUnknown] for anything the permit does not cover, so
// existence is not revealed.
func (c *Catalog) PagesFor(ctx context.Context, name string, p Permit) (*artifactstore.Pages, error) {
	if err := c.permits(ctx, name, p); err != nil {
		return nil, err
	}
	return c.Pages(ctx, name)
}

// PagesAt is PagesFor of the artifact or log at a path. While a log becomes an artifact it is read as either: who may read the log may
// read the artifact that its path leads to.
//
// Errors: those of PagesFor; [artifactstore.ErrOutsideStore].
func (c *Catalog) PagesAt(ctx context.Context, path string, p Permit) (*artifactstore.Pages, error) {
	name, err := c.Resolve(path)
	if err != nil {
		return nil, err
	}
	// The log leaves the catalog after its artifact has entered it, so one of the two is there if they are asked for in this order.
	if live, ok := c.store.LogAt(path); ok {
		switch err := c.permits(ctx, live, p); {
		case err == nil:
			return c.pagesOfLog(ctx, path)
		case !errors.Is(err, artifactstore.ErrUnknown):
			return nil, err
		}
		if name, err = c.Resolve(path); err != nil {
			return nil, err
		}
	}
	return c.PagesFor(ctx, name, p)
}

// pagesOfLog opens the log or the artifact that the path of a log leads to, even if the log is finished meanwhile.
func (c *Catalog) pagesOfLog(ctx context.Context, path string) (*artifactstore.Pages, error) {
	for {
		name, err := c.Resolve(path)
		if err != nil {
			return nil, err
		}
		pages, err := c.Pages(ctx, name)
		if err == nil {
			return pages, nil
		}
		if now, failed := c.Resolve(path); failed != nil || now == name { // a log is finished once, so this ends
			return nil, err
		}
	}
}

// permits fails with ErrUnknown for an artifact that the permit does not cover.
func (c *Catalog) permits(ctx context.Context, name string, p Permit) error {
	if p.Session == "" && (p.Raw || c.knowsAll() && !c.rawBefore.Load() && !c.rawSince.Load()) {
		return nil // it covers everything there is
	}
	permitted, renew, err := c.isPermitted(ctx, name, p)
	if err == nil && !permitted && c.mending.wait(ctx) {
		permitted, renew, err = c.isPermitted(ctx, name, p)
	}
	if err == nil && permitted && renew {
		_ = c.extend(ctx, p.Session) // one reads on a full disk
	}
	if err == nil && !permitted {
		err = fmt.Errorf("artifact %s: %w", name, artifactstore.ErrUnknown)
	}
	return err
}

// isPermitted reports whether a permit covers an artifact, and whether its session has less than the default lease.
func (c *Catalog) isPermitted(ctx context.Context, name string, p Permit) (permitted, renew bool, err error) {
	err = c.ask(ctx, func(d *db) (err error) {
		if p.Session != "" {
			permitted, err = d.isReadableBy(p.Session, name, p.Raw)
			renew = c.shouldRenew(d, p.Session)
		} else {
			permitted, err = d.isReadableByAll(name, c.knowsAll())
		}
		return err
	})
	return permitted, renew, err
}

// renewals bounds how often a session that reads writes to the database: a lease is renewed when so large a part of it is over.
const renewals = 64

// shouldRenew reports whether a session that reads has less than the default lease.
func (c *Catalog) shouldRenew(d *db, session string) bool {
	until, _, err := d.session(session)
	return err == nil && !until.IsZero() && until.Before(c.clock.now().Add(c.options.SessionLease-c.options.SessionLease/renewals))
}

// isReadableBy reports whether a session put an artifact: in any way if raw is set, else other than as raw.
func (d *db) isReadableBy(session, name string, raw bool) (bool, error) {
	return d.Row("SELECT 1 FROM uses WHERE name = ? AND session = ? AND raw <= ? LIMIT 1", []any{name, session, raw}, new(int))
}

// isReadableByAll reports whether an artifact was put other than as raw. Of one that nobody put, by the catalog, nobody knows whether
// it is raw: the catalog may be a backup, or part of one. With unknown it is readable too.
func (d *db) isReadableByAll(name string, unknown bool) (bool, error) {
	return d.Row(`SELECT 1 WHERE EXISTS (SELECT 1 FROM uses u WHERE u.name = ?1 AND u.raw = 0)
		OR ?2 AND NOT EXISTS (SELECT 1 FROM uses u WHERE u.name = ?1)`, []any{name, unknown}, new(int))
}

// hasRaw reports whether any artifact was ever put as raw.
func (d *db) hasRaw() (bool, error) {
	return d.Row("SELECT 1 FROM uses WHERE raw = 1 LIMIT 1", nil, new(int))
}
