package catalog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
)

// maxRaces is how often an artifact is put again that was deleted before it could be claimed.
const maxRaces = 5

// errGone is what a claim of an artifact fails with that was deleted since it was put.
var errGone = errors.New("gone")

// For returns a sink for what an owner puts. Besides the errors of [artifactstore.Sink], Put fails with ErrQuota,
// ErrSessionQuota, ErrRace and what the books fail with; an artifact that was put and could not be claimed stays,
// as one of no session.
func (l *Catalog) For(o Owner) artifactstore.Sink { return sink{l, o} }

// RefFor is [artifactstore.Holdings]'s.
func (l *Catalog) RefFor(content []byte) artifactstore.Ref { return l.store.RefFor(content) }

type sink struct {
	*Catalog
	owner Owner
}

// Put puts a blob and enters it in the books.
func (s sink) Put(ctx context.Context, b artifactstore.Blob) (artifactstore.Ref, error) {
	if s.owner.Raw {
		s.raw.Store(true)
	}
	if err := s.admit(ctx, s.owner.Session, b.Size()); err != nil {
		return artifactstore.Ref{}, fmt.Errorf("artifact of %d bytes: %w", b.Size(), err)
	}
	defer s.staged.Add(-b.Size())
	for range maxRaces {
		ref, err := s.store.Put(ctx, b)
		if err != nil {
			return artifactstore.Ref{}, err
		}
		if err := s.claim(ctx, s.owner, ref); err == nil {
			return ref, nil
		} else if !errors.Is(err, errGone) {
			return artifactstore.Ref{}, fmt.Errorf("artifact %s: %w", ref.Name, err)
		}
	}
	return artifactstore.Ref{}, ErrRace
}

// claim enters an artifact that was put.
func (l *Catalog) claim(ctx context.Context, o Owner, ref artifactstore.Ref) error {
	return l.clerk.do(ctx, func(b *books) error {
		has, err := l.store.Has(ctx, ref.Name)
		if err != nil {
			return err
		}
		if !has {
			return errGone
		}
		now := l.now()
		if fresh, err := l.isFresh(b, o, ref, now); fresh || err != nil {
			return err
		}
		if o.Session != "" {
			if err := b.lease(o.Session, now.Add(l.rules.SessionLease)); err != nil {
				return err
			}
		}
		if err := b.enter(ref.Name, ref.Digest, ref.Size, now); err != nil {
			return err
		}
		return b.use(o, ref, now)
	})
}

// freshness is for how long a claim that was made already need not be made again.
const freshness = time.Minute

// isFresh reports whether the books say all that a claim would write, but for times that are a little older. So the
// same call made again writes nothing, and is answered on a full disk too.
func (l *Catalog) isFresh(b *books, o Owner, ref artifactstore.Ref, now time.Time) (bool, error) {
	recent := now.Add(-freshness)
	used, err := b.isUsed(o, ref, recent)
	if !used || err != nil || o.Session == "" {
		return used, err
	}
	until, _, err := b.session(o.Session)
	return !until.Before(recent.Add(l.rules.SessionLease)), err
}

// admit lets in n bytes, which count as staged from then on, or says which quota they would exceed. The same
// content put again counts once it is known to be the same, which is after this.
func (l *Catalog) admit(ctx context.Context, session string, n int64) error {
	if limit := l.rules.SessionQuota; limit > 0 && session != "" {
		var used int64
		err := l.clerk.do(ctx, func(b *books) (err error) {
			_, used, err = b.session(session)
			return err
		})
		if err != nil {
			return err
		}
		if used+n > limit {
			return ErrSessionQuota
		}
	}
	return l.reserve(ctx, n)
}

// reserve lets in n bytes if the quota of the store has room for them, or if room can be made.
func (l *Catalog) reserve(ctx context.Context, n int64) error {
	total := l.staged.Add(n) + l.held.Load()
	if l.rules.Quota == 0 || total <= l.rules.Quota {
		return nil
	}
	if err := l.makeRoom(ctx); err == nil && l.staged.Load()+l.held.Load() <= l.rules.Quota {
		return nil
	} else if err != nil && !errors.Is(err, ErrQuota) {
		l.staged.Add(-n)
		return err
	}
	l.staged.Add(-n)
	return ErrQuota
}

// Stage opens a stage whose bytes count for the quota of the store from when they are written.
func (l *Catalog) Stage(ctx context.Context) (artifactstore.Stage, error) {
	if l.rules.Quota > 0 && l.staged.Load()+l.held.Load() >= l.rules.Quota {
		if err := l.makeRoom(ctx); err != nil {
			return nil, err
		}
	}
	s, err := l.store.Stage(ctx)
	if err != nil || l.rules.Quota == 0 {
		return s, err
	}
	return &stage{Stage: s, catalog: l, ctx: ctx}, nil
}

// stage is a stage under a quota.
type stage struct {
	artifactstore.Stage
	catalog *Catalog
	ctx     context.Context //nolint:containedctx // of the stage, see Stager

	mu       sync.Mutex
	reserved int64
}

// Write fails with ErrQuota before the first byte too many is written.
func (s *stage) Write(p []byte) (int, error) {
	if err := s.take(int64(len(p))); err != nil {
		return 0, err
	}
	return s.Stage.Write(p)
}

// WriteParts likewise.
func (s *stage) WriteParts(parts [][]byte) (newlines int, err error) {
	var n int64
	for _, p := range parts {
		n += int64(len(p))
	}
	if err := s.take(n); err != nil {
		return 0, err
	}
	return s.Stage.WriteParts(parts)
}

// TakeFile takes a file as the stage of the store does.
func (s *stage) TakeFile(file *os.File, size int64, see func(p []byte, newlines int)) error {
	if err := s.take(size); err != nil {
		return err
	}
	return artifactstore.TakeFile(s.Stage, file, size, see)
}

func (s *stage) take(n int64) error {
	if err := s.catalog.reserve(s.ctx, n); err != nil {
		return fmt.Errorf("stage: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reserved += n
	return nil
}

// give takes what was reserved back: from then on the books count what was put.
func (s *stage) give() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catalog.staged.Add(-s.reserved)
	s.reserved = 0
}

// Seal ends the payload. Putting the blob reserves its size again.
func (s *stage) Seal() (artifactstore.Blob, error) {
	s.give()
	return s.Stage.Seal()
}

// Discard gives everything back.
func (s *stage) Discard() error {
	s.give()
	return s.Stage.Discard()
}

// LeasedUntil returns until when a session has a lease; the zero time when it has none.
func (l *Catalog) LeasedUntil(ctx context.Context, session string) (until time.Time, err error) {
	err = l.clerk.do(ctx, func(b *books) (err error) {
		if until, _, err = b.session(session); err == nil && !until.After(l.now()) {
			until = time.Time{}
		}
		return err
	})
	return until, err
}

// Lease sets the lease of a session to end after d, or ends it now if d is 0. It returns until when it is.
func (l *Catalog) Lease(ctx context.Context, session string, d time.Duration) (until time.Time, err error) {
	err = l.clerk.do(ctx, func(b *books) error {
		if until = (time.Time{}); d > 0 {
			until = l.now().Add(d)
		}
		return b.setLease(session, until)
	})
	return until, err
}
