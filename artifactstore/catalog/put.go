package catalog

// What is admitted against the quotas, and leases. Bytes that are admitted and not in the index yet count against the quota of the store, so
// that concurrent puts cannot exceed it together.

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
)

// maxRaces is the number of times that an artifact is put which is deleted again before it can be claimed.
const maxRaces = 5

// errDeleted means that an artifact was deleted between its put and its claim.
var errDeleted = errors.New("deleted since it was put")

// SinkFor returns a sink that stores artifacts for an owner. An artifact that was put and could not be claimed stays,
// without a session.
//
// Errors of Put, beside those of [artifactstore.Sink]: ErrQuota, ErrSessionQuota, ErrRace, ErrCatalogUnreadable.
func (c *Catalog) SinkFor(o Owner) artifactstore.Sink { return sink{c, o} }

// RefFor returns the Ref that the store gives to a content, as [artifactstore.Namer] says.
func (c *Catalog) RefFor(content []byte) artifactstore.Ref { return c.store.RefFor(content) }

// sink is a Sink of one owner, whose puts are committed each for itself.
type sink struct {
	*Catalog
	owner Owner
}

// Put puts a blob in a transaction of its own.
func (s sink) Put(ctx context.Context, b artifactstore.Blob) (artifactstore.Ref, error) {
	t := s.Begin()
	defer t.Discard()
	ref, err := t.SinkFor(s.owner).Put(ctx, b)
	if err != nil {
		return artifactstore.Ref{}, err
	}
	if err := t.Commit(ctx, nil); err != nil {
		return artifactstore.Ref{}, fmt.Errorf("artifact %s: %w", ref.Name, err)
	}
	return ref, nil
}

// claim writes an artifact that was put, its owner and the lease of the session. It fails with errDeleted if the artifact is not in the
// store any more.
func (c *Catalog) claim(ctx context.Context, o Owner, ref artifactstore.Ref) error {
	c.order.RLock()
	defer c.order.RUnlock()
	if c.closed {
		return artifactstore.ErrClosed
	}
	has, err := c.store.Has(ctx, ref.Name)
	if err != nil {
		return err
	}
	if !has {
		return errDeleted
	}
	ch := c.newChange()
	ch.Put = []putChange{c.putOf(o, ref, fromMillis(ch.At))}
	return c.append(ctx, ch)
}

// admit reserves n bytes for a session, or returns the error of the quota that they would exceed. Content that is
// stored already counts like any other here: that it is the same is known only after it was put.
func (c *Catalog) admit(ctx context.Context, session string, n int64) error {
	if limit := c.options.SessionQuota; limit > 0 && session != "" {
		var used int64
		err := c.ask(ctx, func(d *db) (err error) {
			_, used, err = d.session(session)
			return err
		})
		if err != nil {
			return err
		}
		if used+n > limit {
			return ErrSessionQuota
		}
	}
	return c.reserve(ctx, n)
}

// reserve adds n bytes to those pending if they fit the quota of the store, if need be after freeing space.
func (c *Catalog) reserve(ctx context.Context, n int64) error {
	if c.options.Quota > 0 {
		if err := c.waitUsage(ctx); err != nil {
			return err
		}
	}
	if used := c.usage.add(n); used <= c.options.Quota || c.options.Quota == 0 {
		return nil
	}
	err := c.freeSpace(ctx)
	if err == nil && c.used() <= c.options.Quota {
		return nil
	}
	c.usage.add(-n)
	if err != nil {
		return err
	}
	return ErrQuota
}

// used returns the bytes that count against the quota of the store.
func (c *Catalog) used() int64 { return c.usage.add(0) }

// waitUsage waits until it is known what the index has.
func (c *Catalog) waitUsage(ctx context.Context) error {
	if _, known := c.usage.status(); known {
		return nil
	}
	return c.settle(ctx)
}

// settle waits until the index has stored everything that was appended before the call.
func (c *Catalog) settle(ctx context.Context) error {
	return c.read(ctx, func(*db) error { return nil })
}

// Stage opens a stage whose bytes count against the quota of the store as soon as they are written.
func (c *Catalog) Stage(ctx context.Context) (artifactstore.Stage, error) {
	if c.options.Quota > 0 {
		if err := c.waitUsage(ctx); err != nil {
			return nil, err
		}
		if c.used() >= c.options.Quota {
			if err := c.freeSpace(ctx); err != nil {
				return nil, err
			}
		}
	}
	s, err := c.store.Stage(ctx)
	if err != nil || c.options.Quota == 0 {
		return s, err
	}
	return &stage{Stage: s, catalog: c, ctx: ctx}, nil
}

// stage is a stage under a quota.
type stage struct {
	artifactstore.Stage
	catalog *Catalog
	ctx     context.Context // of the stage, see Stager

	mu       sync.Mutex
	reserved int64 // bytes
}

// Write is that of [artifactstore.Stage]. It fails with ErrQuota before it writes the first byte too many.
func (s *stage) Write(p []byte) (int, error) {
	if err := s.reserve(int64(len(p))); err != nil {
		return 0, err
	}
	return s.Stage.Write(p)
}

// WriteParts is like Write.
func (s *stage) WriteParts(parts [][]byte) (newlines int, err error) {
	var n int64
	for _, p := range parts {
		n += int64(len(p))
	}
	if err := s.reserve(n); err != nil {
		return 0, err
	}
	return s.Stage.WriteParts(parts)
}

// TakeFile implements [artifactstore.FileTaker] with the stage of the store.
func (s *stage) TakeFile(file *os.File, size int64, observe func(p []byte, newlines int)) error {
	if err := s.reserve(size); err != nil {
		return err
	}
	return artifactstore.TakeFile(s.Stage, file, size, observe)
}

// reserve counts n bytes against the quota of the store until release.
func (s *stage) reserve(n int64) error {
	if err := s.catalog.reserve(s.ctx, n); err != nil {
		return fmt.Errorf("stage: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reserved += n
	return nil
}

// release ends the reservation: from then on the totals of the database count what is put.
func (s *stage) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catalog.usage.add(-s.reserved)
	s.reserved = 0
}

// Seal ends the payload and its reservation. Putting the blob reserves its size again.
func (s *stage) Seal() (artifactstore.Blob, error) {
	s.release()
	return s.Stage.Seal()
}

// Discard ends the stage and its reservation.
func (s *stage) Discard() error {
	s.release()
	return s.Stage.Discard()
}

// LeasedUntil returns the time at which the lease of a session ends, or the zero time if it has none.
func (c *Catalog) LeasedUntil(ctx context.Context, session string) (until time.Time, err error) {
	err = c.ask(ctx, func(d *db) (err error) {
		if until, _, err = d.session(session); err == nil && !until.After(c.clock.now()) {
			until = time.Time{}
		}
		return err
	})
	return c.clock.shown(until), err
}

// Lease sets the lease of a session to end after a duration, or ends it now if that is 0. It returns the time at which
// the lease ends; zero if it has ended.
func (c *Catalog) Lease(ctx context.Context, session string, duration time.Duration) (until time.Time, err error) {
	if err := c.Check(); err != nil {
		return time.Time{}, err
	}
	c.order.RLock()
	defer c.order.RUnlock()
	if c.closed {
		return time.Time{}, artifactstore.ErrClosed
	}
	ch := c.newChange()
	l := lease{Session: session, Set: true}
	if duration > 0 {
		until = c.clock.now().Add(duration)
		l.Until = toMillis(until)
	}
	ch.Leases = []lease{l}
	return c.clock.shown(until), c.append(ctx, ch)
}

// extend gives a session that reads the default lease, if it has less.
func (c *Catalog) extend(ctx context.Context, session string) error {
	c.order.RLock()
	defer c.order.RUnlock()
	ch := c.newChange()
	ch.Leases = []lease{{Session: session, Until: toMillis(c.clock.now().Add(c.options.SessionLease))}}
	return c.append(ctx, ch)
}
