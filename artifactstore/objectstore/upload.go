package objectstore

// The queue of uploads. An artifact is pending from before its put is answered until the bucket has the object. A pending
// artifact has a marker on disk, an upload in memory, and a place in the queue unless an attempt is under way or it waits.
//
// A failure of the object store pauses all uploads, twice as long after each failure in a row, because the next artifact
// would fail as well. A failure of one artifact, such as a copy that is corrupt or another object of its name, delays
// only that artifact. No failure drops an upload.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
)

const (
	// indexSuffix ends the name of the object with an artifact's index.
	indexSuffix = ".index"
	// stuckPause is the time after which an upload that failed for a reason of its own artifact is tried again.
	stuckPause = 5 * time.Minute
	// forgetPause is the time for which the upload of an artifact that is to be removed may go on.
	forgetPause = 2 * time.Second
	// maxKnown is the largest number of names in memory that are known to be in the bucket.
	maxKnown = 1 << 16
)

// errConflict means that the bucket has another object under the name of an artifact.
var errConflict = errors.New("the bucket has another object of this name; the copy in the spool is kept")

// errLost means that a pending artifact is neither in the spool nor in the bucket.
var errLost = errors.New("it is pending, and neither in the spool nor in the bucket")

// upload is an artifact that may not be in the bucket yet.
type upload struct {
	name string
	size int64

	marked     sync.Once // makes the marker
	failed     error     // why there is none
	checkFirst bool      // whether to ask the bucket before the upload
	stuck      error     // why it cannot be uploaded

	cancel context.CancelFunc // of the attempt under way
	done   chan struct{}      // closed when that attempt has ended
}

// uploads has all pending uploads, and the queue of those that have not begun.
type uploads struct {
	mu      sync.Mutex
	changed *sync.Cond // signals changes of queue, pausing and closed
	pending map[string]*upload
	bytes   int64
	queue   []*upload
	known   map[string]struct{} // some of the names that are in the bucket

	pausing  bool
	failures int   // since the last success
	last     error // of the last attempt
	closed   bool
}

// init makes the maps and the condition of an empty queue.
func (u *uploads) init() {
	u.changed = sync.NewCond(&u.mu)
	u.pending, u.known = make(map[string]*upload), make(map[string]struct{})
}

// resume adds an upload that an earlier process marked.
func (u *uploads) resume(name string, size int64) {
	up := &upload{name: name, size: size, checkFirst: true}
	up.marked.Do(func() {})
	u.pending[name], u.bytes = up, u.bytes+size
	u.queue = append(u.queue, up)
}

// take returns the upload of an artifact, a new one if there is none, or nil if the artifact is in the bucket.
func (u *uploads) take(name string, size int64) *upload {
	u.mu.Lock()
	defer u.mu.Unlock()
	if up := u.pending[name]; up != nil {
		return up
	}
	if _, known := u.known[name]; known {
		return nil
	}
	up := &upload{name: name, size: size}
	u.pending[name], u.bytes = up, u.bytes+size
	return up
}

// has reports whether an artifact is pending.
func (u *uploads) has(name string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.pending[name] != nil
}

// enqueue adds an upload to the queue if it is still pending.
func (u *uploads) enqueue(up *upload) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.pending[up.name] == up {
		u.queue = append(u.queue, up)
		u.changed.Signal()
	}
}

// drop removes an upload from those pending.
func (u *uploads) drop(up *upload) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.dropLocked(up)
}

// dropLocked forgets an upload, unless a later one of the same name has taken its place. The caller holds u.mu.
func (u *uploads) dropLocked(up *upload) {
	if u.pending[up.name] == up {
		delete(u.pending, up.name)
		u.bytes -= up.size
	}
}

// addKnown records that an artifact is in the bucket.
func (u *uploads) addKnown(name string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.addKnownLocked(name)
}

// addKnownLocked records that an artifact is in the bucket. It forgets all names when there are too many: asking the
// bucket again costs a request, and nothing else. The caller holds u.mu.
func (u *uploads) addKnownLocked(name string) {
	if len(u.known) >= maxKnown {
		clear(u.known)
	}
	u.known[name] = struct{}{}
}

// removeKnown records that an artifact may not be in the bucket.
func (u *uploads) removeKnown(name string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	delete(u.known, name)
}

// next waits for the next upload and begins it. It returns nil when the store is closed.
func (u *uploads) next(ctx context.Context) (*upload, context.Context) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for !u.closed {
		if u.pausing || len(u.queue) == 0 {
			u.changed.Wait()
			continue
		}
		up := u.queue[0]
		u.queue[0], u.queue = nil, u.queue[1:]
		if u.pending[up.name] != up {
			continue // it was removed
		}
		ctx, up.cancel = context.WithCancel(ctx)
		up.done = make(chan struct{})
		return up, ctx
	}
	return nil, nil
}

// end ends an attempt. It returns a failure if it is the first one since a success, and whether uploads work again.
func (u *uploads) end(up *upload, err error, least, most time.Duration) (news error, better bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	up.cancel()
	close(up.done)
	up.cancel = nil
	if u.closed || u.pending[up.name] != up {
		return nil, false
	}
	up.checkFirst = true
	switch {
	case err == nil:
		u.dropLocked(up)
		u.addKnownLocked(up.name)
		better = u.last != nil
		u.failures, u.last = 0, nil
	case errors.Is(err, errConflict), errors.Is(err, errLost), errors.Is(err, artifactstore.ErrDamaged):
		if up.stuck == nil {
			news = err
		}
		up.stuck = err
		if !errors.Is(err, artifactstore.ErrDamaged) { // then the bucket has answered
			u.failures, u.last = 0, nil
		}
		time.AfterFunc(jittered(stuckPause), func() { u.enqueue(up) })
	default:
		if u.last == nil {
			news = err
		}
		u.last = err
		u.queue = append(u.queue, up)
		u.pause(least, most)
	}
	return news, better
}

// pause stops new uploads for a while, which doubles with each failure in a row.
func (u *uploads) pause(least, most time.Duration) {
	if u.pausing {
		return
	}
	u.pausing = true
	pause := min(most, least<<min(u.failures, 20))
	u.failures++
	time.AfterFunc(jittered(pause), func() {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.pausing = false
		u.changed.Broadcast()
	})
}

// jittered returns a random duration between half of d and d, so that many sidecars do not come back together.
func jittered(d time.Duration) time.Duration { return d/2 + rand.N(d/2+1) }

// forget removes an artifact from those known and pending, and waits for an attempt under way. It gives that attempt some
// time before it cancels it, because the object store may complete a request that is cut off.
func (u *uploads) forget(name string) (size int64, pending bool) {
	u.mu.Lock()
	delete(u.known, name)
	up := u.pending[name]
	if up == nil {
		u.mu.Unlock()
		return 0, false
	}
	u.dropLocked(up)
	done, cancel := up.done, up.cancel
	u.mu.Unlock()
	if cancel != nil {
		defer time.AfterFunc(forgetPause, cancel).Stop()
	}
	if done != nil {
		<-done
	}
	return up.size, true
}

// status returns the number and size of pending uploads, and the reason: the last failure of the object store if an upload
// waits for it, or else that of an artifact that is stuck.
func (u *uploads) status() (artifacts int, bytes int64, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for _, up := range u.pending {
		if up.stuck == nil && u.last != nil {
			return len(u.pending), u.bytes, u.last
		}
		if up.stuck != nil {
			err = fmt.Errorf("artifact %s: %w", up.name, up.stuck)
		}
	}
	return len(u.pending), u.bytes, cmp.Or(err, u.last)
}

// close stops new uploads for good.
func (u *uploads) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closed = true
	u.changed.Broadcast()
}

// pend marks an artifact of the spool as pending, durably, unless it is known to be in the bucket.
func (s *Store) pend(name string, size int64) error {
	up := s.uploads.take(name, size)
	if up == nil {
		s.addUsage(size)
		return nil
	}
	up.marked.Do(func() {
		if up.failed = s.markers.add(name, size); up.failed != nil {
			s.uploads.drop(up)
			return
		}
		s.uploads.enqueue(up)
	})
	return up.failed
}

// upload uploads one artifact after the other until the store is closed.
func (s *Store) upload(ctx context.Context) {
	for {
		up, attempt := s.uploads.next(ctx)
		if up == nil {
			return
		}
		err := s.attempt(attempt, up)
		if err == nil {
			err = s.markers.remove(up.name, up.size)
		}
		news, better := s.uploads.end(up, err, s.options.RetryLeast, s.options.RetryMost)
		if err == nil {
			s.addUsage(up.size)
		}
		s.logTransition(up.name, news, better)
	}
}

// logTransition logs that uploads have begun to fail, or work again.
func (s *Store) logTransition(name string, news error, better bool) {
	logger := s.options.Logger.With(slog.String("object_store", s.options.Location.URL()), slog.String("artifact", name))
	switch {
	case news != nil:
		logger.Warn("an artifact could not be uploaded; it stays in the spool", slog.String("error", line(news.Error())))
	case better:
		logger.Info("artifacts are uploaded again")
	}
}

// attempt uploads an artifact unless the bucket has it.
func (s *Store) attempt(ctx context.Context, up *upload) error {
	// What the spool has lost, the bucket may have all the same: the marker is removed after the upload.
	r, err := s.spool.Open(ctx, up.name) // verifies it
	if errors.Is(err, artifactstore.ErrUnknown) {
		return s.classifyMissing(ctx, up.name)
	}
	if err != nil {
		return err
	}
	defer r.Close() // read-only
	if up.checkFirst || r.Size() > partSize {
		if found, err := s.hasSame(ctx, r.Ref()); found || err != nil {
			return err
		}
	}
	digest := strings.TrimPrefix(r.Ref().Digest, "blake3:")
	if r.Size() >= artifactstore.IndexedSize {
		if err := s.createIndex(ctx, up.name, digest); err != nil {
			return err
		}
	}
	err = s.bucket.create(ctx, up.name, digest, r, r.Size())
	if !errors.Is(err, errExists) {
		return err
	}
	// Another writer was faster, or an earlier attempt was served and its answer lost: the same bytes are as good as ours.
	found, err := s.hasSame(ctx, r.Ref())
	if !found && err == nil {
		err = fmt.Errorf("%w: the object is there and is not", artifactstore.ErrUnavailable)
	}
	return err
}

// classifyMissing returns nil if a pending artifact that is not in the spool is in the bucket, and else errLost.
func (s *Store) classifyMissing(ctx context.Context, name string) error {
	_, err := s.bucket.stat(ctx, name)
	if errors.Is(err, artifactstore.ErrUnknown) {
		return errLost
	}
	return err
}

// createIndex uploads the index of an artifact, unless there is one. Readers detect a corrupt one.
func (s *Store) createIndex(ctx context.Context, name, digest string) error {
	pages, err := s.spool.Pages(ctx, name)
	if err != nil {
		return err
	}
	index := pages.Index()
	_ = pages.Close() // read-only
	if err := s.bucket.createSmall(ctx, name+indexSuffix, digest, index); !errors.Is(err, errExists) {
		return err
	}
	return nil
}

// hasSame reports whether the bucket has the artifact. It fails with errConflict if it has another object of that name.
func (s *Store) hasSame(ctx context.Context, ref artifactstore.Ref) (bool, error) {
	o, err := s.bucket.stat(ctx, ref.Name)
	if errors.Is(err, artifactstore.ErrUnknown) {
		return false, nil
	}
	if err == nil && o.size == ref.Size && o.digest == "" {
		o.digest, err = s.bucket.hashObject(ctx, ref.Name, o.size)
	}
	if err != nil {
		return false, err
	}
	if o.size != ref.Size || "blake3:"+o.digest != ref.Digest {
		return false, fmt.Errorf("%w: it has %d bytes and the digest %.64q", errConflict, o.size, o.digest)
	}
	return true, nil
}
