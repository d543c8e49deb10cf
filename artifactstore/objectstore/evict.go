package objectstore

// Eviction bounds the spool. Only copies that are not pending are evicted, the ones that were not used for the longest time
// first, and each only after the bucket has confirmed that it has the object.

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
)

const (
	// concurrentStats is the number of requests to the bucket about copies to evict at a time.
	concurrentStats = 8
	// retryPause is the least time between two evictions after one that failed.
	retryPause = 30 * time.Second
)

// spoolUsage is the approximate size of the copies in the spool that could be evicted. Each walk over the spool corrects
// it.
type spoolUsage struct {
	mu   sync.Mutex
	used int64         // bytes
	full chan struct{} // holds a token when it is too much
}

// addUsage counts a copy that may be evicted from now on, and wakes the eviction if the spool is over its limit.
func (s *Store) addUsage(size int64) {
	s.usage.mu.Lock()
	defer s.usage.mu.Unlock()
	if s.usage.used += size; s.usage.used <= s.options.SpoolBytes {
		return
	}
	select {
	case s.usage.full <- struct{}{}:
	default: // there is a token already
	}
}

// runEviction evicts once, and then whenever the spool is over its limit, until ctx ends.
func (s *Store) runEviction(ctx context.Context) {
	for ctx.Err() == nil {
		err := s.evict(ctx)
		if err != nil && ctx.Err() == nil {
			s.options.Logger.Debug("no room could be made in the spool", slog.String("error", line(err.Error())))
			select {
			case <-ctx.Done():
			case <-time.After(retryPause):
				s.addUsage(0)
			}
		}
		select {
		case <-ctx.Done():
		case <-s.usage.full:
		}
	}
}

// evict removes the copies that were not used for the longest time, until a tenth of the limit is free.
func (s *Store) evict(ctx context.Context) error {
	list, taken, err := s.evictable(ctx)
	if err != nil || taken <= s.options.SpoolBytes {
		return err
	}
	slices.SortFunc(list, func(a, b artifactstore.StoredArtifact) int { return a.Stored.Compare(b.Stored) })
	target := s.options.SpoolBytes - s.options.SpoolBytes/10
	for some := range slices.Chunk(list, concurrentStats) {
		var there [concurrentStats]bool
		var failed [concurrentStats]error
		var asked sync.WaitGroup
		for i, copy := range some {
			asked.Go(func() { there[i], failed[i] = s.isInBucket(ctx, copy) })
		}
		asked.Wait()
		for i, copy := range some {
			if taken <= target {
				return nil
			}
			if there[i] && failed[i] == nil {
				failed[i] = s.evictOne(ctx, copy)
				taken -= copy.Size
			}
		}
		if err := errors.Join(failed[:]...); err != nil {
			return err
		}
	}
	return nil
}

// evictable returns the copies in the spool that are not pending, and their size, to which it corrects the usage. Copies
// that were added during the walk count, even if the walk saw them too.
func (s *Store) evictable(ctx context.Context) (list []artifactstore.StoredArtifact, taken int64, err error) {
	before := s.usage.current()
	err = s.spool.Walk(ctx, func(copy artifactstore.StoredArtifact) error {
		if isName(copy.Name) && !s.uploads.has(copy.Name) {
			list, taken = append(list, copy), taken+copy.Size
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	s.usage.mu.Lock()
	defer s.usage.mu.Unlock()
	taken += max(0, s.usage.used-before)
	s.usage.used = taken
	return list, taken, nil
}

// current returns the bytes that copies take in the spool. Artifacts that are pending are not counted.
func (r *spoolUsage) current() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used
}

// isInBucket reports whether the bucket has the artifact of a copy to evict. If it does not, because the put was never
// answered or the object was removed from outside, the artifact becomes pending.
func (s *Store) isInBucket(ctx context.Context, copy artifactstore.StoredArtifact) (bool, error) {
	o, err := s.bucket.stat(ctx, copy.Name)
	if errors.Is(err, artifactstore.ErrUnknown) {
		return false, s.pendAgain(ctx, copy)
	}
	return err == nil && strings.HasPrefix(o.digest, copy.Name), err
}

// pendAgain makes an artifact pending again, unless it is being removed or was.
func (s *Store) pendAgain(ctx context.Context, copy artifactstore.StoredArtifact) error {
	s.local.RLock()
	defer s.local.RUnlock()
	if has, err := s.spool.Has(ctx, copy.Name); !has || s.removing[copy.Name] {
		return err
	}
	s.uploads.removeKnown(copy.Name)
	return s.pend(copy.Name, copy.Size)
}

// evictOne removes a copy, unless it has become pending.
func (s *Store) evictOne(ctx context.Context, copy artifactstore.StoredArtifact) error {
	s.local.Lock()
	defer s.local.Unlock()
	if s.uploads.has(copy.Name) {
		return nil
	}
	if err := s.spool.Remove(ctx, copy.Name); err != nil && !errors.Is(err, artifactstore.ErrUnknown) {
		return err
	}
	s.usage.mu.Lock()
	defer s.usage.mu.Unlock()
	s.usage.used -= copy.Size
	return nil
}
