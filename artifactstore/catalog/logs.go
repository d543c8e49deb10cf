package catalog

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
)

// OpenLog opens a log for its owner, as the store does, and enters it in the books. What is appended counts for the
// quota of the store; the artifact that comes of it for that of the session.
func (l *Catalog) OpenLog(ctx context.Context, o Owner, name string) (artifactstore.Log, error) {
	log, err := l.store.OpenLog(ctx, name)
	if err != nil {
		return nil, err
	}
	live := artifactstore.LiveName(name)
	has, err := l.store.Has(ctx, live)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	if !has { // it is finished, and in the books
		return log, nil
	}
	ref := artifactstore.Ref{Name: live, Size: log.Received()}
	if err := l.claim(ctx, o, ref); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return &catalogLog{Log: log, catalog: l, owner: o, live: ref}, nil
}

// catalogLog is a log in the books.
type catalogLog struct {
	artifactstore.Log
	catalog *Catalog
	owner   Owner
	live    artifactstore.Ref // as the books have it

	mu       sync.Mutex
	reserved int64
}

// Append fails with ErrQuota before the first byte too many is written.
func (l *catalogLog) Append(p []byte) error {
	if err := l.catalog.reserve(context.Background(), int64(len(p))); err != nil {
		return err
	}
	l.mu.Lock()
	l.reserved += int64(len(p))
	l.mu.Unlock()
	return l.Log.Append(p)
}

// Finish enters the artifact in the place of the log.
func (l *catalogLog) Finish(ctx context.Context) (artifactstore.Ref, error) {
	if err := l.admitFinish(ctx); err != nil {
		return artifactstore.Ref{}, err
	}
	for range maxRaces {
		ref, err := l.Log.Finish(ctx)
		if err != nil {
			return artifactstore.Ref{}, err
		}
		err = l.catalog.claim(ctx, l.owner, ref)
		if errors.Is(err, errGone) {
			continue
		}
		return ref, errors.Join(err, l.catalog.clerk.do(ctx, func(b *books) error { return b.forget(l.live.Name) }))
	}
	return artifactstore.Ref{}, ErrRace
}

// admitFinish asks whether the session has room for the artifact.
func (l *catalogLog) admitFinish(ctx context.Context) error {
	limit := l.catalog.rules.SessionQuota
	if limit == 0 || l.owner.Session == "" {
		return nil
	}
	return l.catalog.clerk.do(ctx, func(b *books) error {
		_, used, err := b.session(l.owner.Session)
		if err == nil && used-l.live.Size+l.Received() > limit {
			return ErrSessionQuota
		}
		return err
	})
}

// Close enters how long the log is.
func (l *catalogLog) Close() error {
	l.mu.Lock()
	reserved := l.reserved
	l.reserved = 0
	l.mu.Unlock()
	l.catalog.staged.Add(-reserved)
	size := l.Received()
	err := l.catalog.clerk.do(context.Background(), func(b *books) error { return b.resize(l.live.Name, size) })
	return errors.Join(l.Log.Close(), err)
}

// isLive reports whether a name is that of a log that is not finished.
func isLive(name string) bool { return strings.HasPrefix(name, livePrefix) }

var livePrefix = artifactstore.LiveName("")

// resize enters how long a log is, if the books have it.
func (b *books) resize(name string, size int64) error {
	e, known, err := b.entry(name)
	if !known || err != nil || e.Expired != nil || e.Size == size {
		return err
	}
	b.change.add(size-e.Size, 0, 0)
	if err := b.charge(name, size-e.Size); err != nil {
		return err
	}
	return b.Run("UPDATE artifacts SET bytes = ? WHERE name = ?", size, name)
}

// forget takes a log out of the books that has become an artifact.
func (b *books) forget(name string) error {
	e, known, err := b.entry(name)
	if !known || err != nil {
		return err
	}
	if e.Expired == nil {
		b.change.add(-e.Size, -1, 0)
		if err := b.charge(name, -e.Size); err != nil {
			return err
		}
	}
	return errors.Join(b.Run("DELETE FROM uses WHERE name = ?", name), b.Run("DELETE FROM artifacts WHERE name = ?", name))
}

// sizeOf is how long a log is now.
func (l *Catalog) sizeOf(ctx context.Context, e Entry) int64 {
	p, err := l.store.Pages(ctx, e.Name)
	if err != nil {
		return e.Size
	}
	defer p.Close() // read-only
	return p.Size()
}

// revive takes back the tombstone of a log that was opened when it was to be deleted. The clerk calls it.
func (l *Catalog) revive(e Entry, now time.Time) error {
	return l.clerk.books.transaction(func() error { return l.clerk.books.enter(e.Name, e.Digest, e.Size, now) })
}
