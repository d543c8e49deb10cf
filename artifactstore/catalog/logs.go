package catalog

// Logs in the catalog. An open log is an entry under its live name. Appended bytes are pending until the log is closed
// or finished. The artifact that it becomes replaces the entry.

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/toolresult/toolresult/artifactstore"
)

// OpenLog opens a log for its owner, as [artifactstore.Logs] says, and adds it to the catalog. What is appended counts
// against the quota of the store, and the artifact that the log becomes against the quota of the session.
func (c *Catalog) OpenLog(ctx context.Context, o Owner, name string) (artifactstore.Log, error) {
	log, err := c.store.OpenLog(ctx, name)
	if err != nil {
		return nil, err
	}
	live := artifactstore.LiveName(name)
	has, err := c.store.Has(ctx, live)
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	if !has {
		if err := c.claimFinished(ctx, o, live, log); err != nil {
			return nil, errors.Join(err, log.Close())
		}
		return log, nil
	}
	ref := artifactstore.Ref{Name: live, Size: log.Received()}
	if err := c.claim(ctx, o, ref); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	return &catalogLog{Log: log, catalog: c, owner: o, live: ref}, nil
}

// claimFinished enters the artifact of a log that is finished, unless that was done before a crash.
func (c *Catalog) claimFinished(ctx context.Context, o Owner, live string, log artifactstore.Log) error {
	waits := false
	err := c.ask(ctx, func(d *db) (err error) {
		_, waits, err = d.entry(live)
		return err
	})
	if err != nil || !waits {
		return err
	}
	ref, err := log.Finish(ctx)
	if err != nil {
		return err
	}
	if err = c.replaceLog(ctx, o, live, ref); errors.Is(err, errDeleted) {
		return fmt.Errorf("artifact %s is gone: %w", ref.Name, artifactstore.ErrFinished)
	}
	return err
}

// replaceLog claims the artifact that a log has become, and then removes the log from the catalog: in between both are there, so that
// a reader finds one at any time.
func (c *Catalog) replaceLog(ctx context.Context, o Owner, live string, ref artifactstore.Ref) error {
	if err := c.claim(ctx, o, ref); err != nil {
		return err
	}
	ch := c.newChange()
	ch.Finished = []string{live}
	return c.record(ctx, ch)
}

// catalogLog is an open log that is in the catalog.
type catalogLog struct {
	artifactstore.Log
	catalog *Catalog
	owner   Owner
	live    artifactstore.Ref // as the database has it

	mu       sync.Mutex
	reserved int64 // bytes
}

// Append is that of [artifactstore.Log]. It fails with ErrQuota before it writes the first byte too many.
func (l *catalogLog) Append(p []byte) error {
	if err := l.catalog.reserve(context.Background(), int64(len(p))); err != nil {
		return err
	}
	l.mu.Lock()
	l.reserved += int64(len(p))
	l.mu.Unlock()
	return l.Log.Append(p)
}

// Finish claims the artifact and removes the log from the catalog.
func (l *catalogLog) Finish(ctx context.Context) (artifactstore.Ref, error) {
	if err := l.admitFinish(ctx); err != nil {
		return artifactstore.Ref{}, err
	}
	for range maxRaces {
		ref, err := l.Log.Finish(ctx)
		if err != nil {
			return artifactstore.Ref{}, err
		}
		if err = l.catalog.replaceLog(ctx, l.owner, l.live.Name, ref); !errors.Is(err, errDeleted) {
			return ref, err
		}
	}
	return artifactstore.Ref{}, ErrRace
}

// admitFinish fails with ErrSessionQuota if the artifact would exceed the quota of the session.
func (l *catalogLog) admitFinish(ctx context.Context) error {
	limit := l.catalog.options.SessionQuota
	if limit == 0 || l.owner.Session == "" {
		return nil
	}
	return l.catalog.ask(ctx, func(d *db) error {
		_, used, err := d.session(l.owner.Session)
		if err == nil && used-l.live.Size+l.Received() > limit {
			return ErrSessionQuota
		}
		return err
	})
}

// Close writes the size of the log to the catalog and ends the reservation of what was appended.
func (l *catalogLog) Close() error {
	l.mu.Lock()
	reserved := l.reserved
	l.reserved = 0
	l.mu.Unlock()
	l.catalog.usage.add(-reserved)
	ch := l.catalog.newChange()
	ch.Resized = []foundOne{{Name: l.live.Name, Bytes: l.Received()}}
	return errors.Join(l.Log.Close(), l.catalog.record(context.Background(), ch))
}

// isLive reports whether a name belongs to a log that is not finished.
func isLive(name string) bool { return strings.HasPrefix(name, livePrefix) }

var livePrefix = artifactstore.LiveName("")

// currentSize returns the size of a log now, or the recorded one if the log cannot be read.
func (c *Catalog) currentSize(ctx context.Context, e Entry) int64 {
	p, err := c.store.Pages(ctx, e.Name)
	if err != nil {
		return e.Size
	}
	defer p.Close() // read-only
	return p.Size()
}
