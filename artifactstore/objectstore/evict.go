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
	// askedAtOnce is how many questions about copies to evict are with the bucket at a time.
	askedAtOnce = 8
	// roomPause is the least time between two looks at a spool in which no room could be made.
	roomPause = 30 * time.Second
)

// room is how much of the spool is taken by what could be evicted, about: each look at the spool corrects it.
type room struct {
	mu    sync.Mutex
	taken int64         // bytes
	full  chan struct{} // holds a token when it is too much
}

// grown counts a copy that could be evicted from now on.
func (s *Store) grown(size int64) {
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	if s.room.taken += size; s.room.taken <= s.options.SpoolBytes {
		return
	}
	select {
	case s.room.full <- struct{}{}:
	default: // it is known already
	}
}

// makeRoom looks at the spool once, and then whenever it is full.
func (s *Store) makeRoom(ctx context.Context) {
	for ctx.Err() == nil {
		err := s.evict(ctx)
		if err != nil && ctx.Err() == nil {
			s.options.Logger.Debug("no room could be made in the spool", slog.String("error", line(err.Error())))
			select {
			case <-ctx.Done():
			case <-time.After(roomPause):
				s.grown(0)
			}
		}
		select {
		case <-ctx.Done():
		case <-s.room.full:
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
	for some := range slices.Chunk(list, askedAtOnce) {
		var there [askedAtOnce]bool
		var failed [askedAtOnce]error
		var asked sync.WaitGroup
		for i, copy := range some {
			asked.Go(func() { there[i], failed[i] = s.isKept(ctx, copy) })
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
	before := s.room.now()
	err = s.spool.Walk(ctx, func(copy artifactstore.StoredArtifact) error {
		if isName(copy.Name) && !s.uploads.has(copy.Name) {
			list, taken = append(list, copy), taken+copy.Size
		}
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	taken += max(0, s.room.taken-before)
	s.room.taken = taken
	return list, taken, nil
}

func (r *room) now() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.taken
}

// isKept asks the bucket for an artifact whose copy is to be evicted. One that it does not have, such as one whose put
// was never answered, or one that somebody has removed from the bucket, becomes pending.
func (s *Store) isKept(ctx context.Context, copy artifactstore.StoredArtifact) (bool, error) {
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
	s.uploads.unlearn(copy.Name)
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
	s.room.mu.Lock()
	defer s.room.mu.Unlock()
	s.room.taken -= copy.Size
	return nil
}
