package objectstore

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
	// concurrentStats is how many questions about copies to evict are with the bucket at a time.
	concurrentStats = 8
	// retryPause is the least time between two looks at a spool in which no room could be made.
	retryPause = 30 * time.Second
)

// spoolUsage is how much of the spool is taken by what could be evicted, about: each look at the spool corrects it.
type spoolUsage struct {
	mu   sync.Mutex
	used int64         // bytes
	full chan struct{} // holds a token when it is too much
}

// addUsage counts a copy that could be evicted from now on.
func (s *Store) addUsage(size int64) {
	s.usage.mu.Lock()
	defer s.usage.mu.Unlock()
	if s.usage.used += size; s.usage.used <= s.options.SpoolBytes {
		return
	}
	select {
	case s.usage.full <- struct{}{}:
	default: // it is known already
	}
}

// runEviction looks at the spool once, and then whenever it is full.
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

// evict removes from the spool what was used the longest ago, until there is a tenth of room.
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

// evictable lists what is in the spool and not pending, and corrects how much it is. What came while it looked counts,
// even if it was seen too.
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

func (r *spoolUsage) current() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.used
}

// isInBucket asks the bucket for an artifact whose copy is to be evicted. One that it does not have, such as one whose put
// was never answered, or one that somebody has removed from the bucket, becomes pending.
func (s *Store) isInBucket(ctx context.Context, copy artifactstore.StoredArtifact) (bool, error) {
	o, err := s.bucket.stat(ctx, copy.Name)
	if errors.Is(err, artifactstore.ErrUnknown) {
		return false, s.pendAgain(ctx, copy)
	}
	return err == nil && strings.HasPrefix(o.digest, copy.Name), err
}

// pendAgain makes an artifact pending that the bucket does not have, unless that is so because it is being removed or
// has been.
func (s *Store) pendAgain(ctx context.Context, copy artifactstore.StoredArtifact) error {
	s.local.RLock()
	defer s.local.RUnlock()
	if has, err := s.spool.Has(ctx, copy.Name); !has || s.removing[copy.Name] {
		return err
	}
	s.uploads.removeKnown(copy.Name)
	return s.pend(copy.Name, copy.Size)
}

// evictOne removes a copy, unless it is pending by now.
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
