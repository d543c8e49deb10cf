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
	r, err := c.store.Open(ctx, name)
	return r, c.explain(ctx, name, err)
}

// Pages opens an artifact to be read anywhere. It fails like Open.
func (c *Catalog) Pages(ctx context.Context, name string) (*artifactstore.Pages, error) {
	p, err := c.store.Pages(ctx, name)
	return p, c.explain(ctx, name, err)
}

// explain replaces ErrUnknown of the store by what the catalog knows of the artifact.
func (c *Catalog) explain(ctx context.Context, name string, err error) error {
	if !errors.Is(err, artifactstore.ErrUnknown) {
		return err
	}
	var e Entry
	var known bool
	if failed := c.ask(ctx, func(d *db) (err error) {
		e, known, err = d.entry(name)
		return err
	}); failed != nil {
		return failed
	}
	switch {
	case !known:
		return err
	case e.Expired != nil:
		return fmt.Errorf("artifact %s: %w", name, c.shownExpiry(e.Expired))
	default:
		return fmt.Errorf("artifact %s: %w", name, ErrMissing)
	}
}

// Resolve returns the name of the artifact at a path, as [artifactstore.Namer] says.
func (c *Catalog) Resolve(path string) (string, error) { return c.store.Resolve(path) }

// List returns up to limit artifacts of a session, or of one of its calls if call is not empty, the newest first. It
// omits those that are only raw. after is 0, or next of an earlier List, to go on there; next is 0 at the end.
func (c *Catalog) List(ctx context.Context, session, call string, after int64, limit int) (list []Entry, next int64, err error) {
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

// permits fails with ErrUnknown for an artifact that the permit does not cover.
func (c *Catalog) permits(ctx context.Context, name string, p Permit) error {
	if p.Session == "" && (p.Raw || c.knowsAll() && !c.rawBefore.Load() && !c.rawSince.Load()) {
		return nil // it covers everything there is
	}
	permitted, renew := false, false
	err := c.ask(ctx, func(d *db) (err error) {
		if p.Session != "" {
			permitted, err = d.isReadableBy(p.Session, name, p.Raw)
			renew = c.shouldRenew(d, p.Session)
		} else {
			permitted, err = d.isReadableByAll(name, c.knowsAll())
		}
		return err
	})
	if err == nil && permitted && renew {
		_ = c.extend(ctx, p.Session) // one reads on a full disk
	}
	if err == nil && !permitted {
		err = fmt.Errorf("artifact %s: %w", name, artifactstore.ErrUnknown)
	}
	return err
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
