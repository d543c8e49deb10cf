package catalog

// Puts under an owner. The bytes are admitted against the quotas, put into the store, and claimed in the database. If the
// artifact was deleted as garbage between put and claim, it is put again.
//
// Staged bytes are admitted and not in the database yet. They count against the quota of the store, so that concurrent
// puts cannot exceed it together.

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

// sink is a Sink of one owner.
type sink struct {
	*Catalog
	owner Owner
}

// Put stores a blob and then claims it, again if it was deleted in between.
func (s sink) Put(ctx context.Context, b artifactstore.Blob) (artifactstore.Ref, error) {
	if s.owner.Raw {
		s.hasRaw.Store(true)
	}
	if err := s.admit(ctx, s.owner.Session, b.Size()); err != nil {
		return artifactstore.Ref{}, fmt.Errorf("artifact of %d bytes: %w", b.Size(), err)
	}
	defer s.staged.Add(-b.Size())
	for range maxRaces {
		ref, err := s.store.Put(ctx, b)
		if err != nil {
			s.noteFailure(err)
			return artifactstore.Ref{}, err
		}
		if err := s.claim(ctx, s.owner, ref); err == nil {
			return ref, nil
		} else if !errors.Is(err, errDeleted) {
			return artifactstore.Ref{}, fmt.Errorf("artifact %s: %w", ref.Name, err)
		}
	}
	return artifactstore.Ref{}, ErrRace
}

// claim writes an artifact that was put, its owner and the lease of the session to the database. It fails with
// errDeleted if the artifact is not in the store any more.
func (c *Catalog) claim(ctx context.Context, o Owner, ref artifactstore.Ref) error {
	return c.writer.do(ctx, func(d *db) error {
		has, err := c.store.Has(ctx, ref.Name)
		if err != nil {
			return err
		}
		if !has {
			return errDeleted
		}
		now := c.clock.now()
		if fresh, err := c.isFresh(d, o, ref, now); fresh || err != nil {
			return errors.Join(err, d.Check()) // nothing is written, so that no commit looks
		}
		if o.Session != "" {
			if err := d.lease(o.Session, now.Add(c.options.SessionLease)); err != nil {
				return err
			}
		}
		if err := d.insert(ref.Name, ref.Digest, ref.Size, now); err != nil {
			return err
		}
		return d.addUse(o, ref, now)
	})
}

// freshness is the age up to which an earlier claim of the same artifact by the same owner is good enough.
const freshness = time.Minute

// isFresh reports whether the database has everything that a claim would write, except for times that are a little
// older. So a call that is repeated writes nothing, and succeeds on a full disk too.
func (c *Catalog) isFresh(d *db, o Owner, ref artifactstore.Ref, now time.Time) (bool, error) {
	recent := now.Add(-freshness)
	used, err := d.isUsed(o, ref, recent)
	if !used || err != nil || o.Session == "" {
		return used, err
	}
	until, _, err := d.session(o.Session)
	return !until.Before(recent.Add(c.options.SessionLease)), err
}

// admit reserves n bytes for a session, or returns the error of the quota that they would exceed. Content that is
// stored already counts like any other here: that it is the same is known only after it was put.
func (c *Catalog) admit(ctx context.Context, session string, n int64) error {
	if limit := c.options.SessionQuota; limit > 0 && session != "" {
		var used int64
		err := c.writer.do(ctx, func(d *db) (err error) {
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

// reserve adds n bytes to those staged if they fit the quota of the store, if need be after freeing space.
func (c *Catalog) reserve(ctx context.Context, n int64) error {
	total := c.staged.Add(n) + c.bytes.Load()
	if c.options.Quota == 0 || total <= c.options.Quota {
		return nil
	}
	if err := c.freeSpace(ctx); err == nil && c.staged.Load()+c.bytes.Load() <= c.options.Quota {
		return nil
	} else if err != nil && !errors.Is(err, ErrQuota) {
		c.staged.Add(-n)
		return err
	}
	c.staged.Add(-n)
	return ErrQuota
}

// Stage opens a stage whose bytes count against the quota of the store as soon as they are written.
func (c *Catalog) Stage(ctx context.Context) (artifactstore.Stage, error) {
	if c.options.Quota > 0 && c.staged.Load()+c.bytes.Load() >= c.options.Quota {
		if err := c.freeSpace(ctx); err != nil {
			return nil, err
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
	ctx     context.Context //nolint:containedctx // of the stage, see Stager

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
	s.catalog.staged.Add(-s.reserved)
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
	err = c.writer.do(ctx, func(d *db) (err error) {
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
	err = c.writer.do(ctx, func(d *db) error {
		if until = (time.Time{}); duration > 0 {
			until = c.clock.now().Add(duration)
		}
		return d.setLease(session, until)
	})
	return c.clock.shown(until), err
}
