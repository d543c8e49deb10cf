package journal

// The keeper prepares the next segment before it is needed, and seals those that are full, on a goroutine each: an append waits for the
// next segment, and not for what is sealed.

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// fullPause is the time for which a full disk is not tried again.
	fullPause = 100 * time.Millisecond
	// retryPause is the time after which sealing that failed is tried again.
	retryPause = 5 * time.Second
	// growth is how many times as large as the one before a segment is, until it has its full size.
	growth = 4
)

// keeper prepares and seals segments.
type keeper struct {
	j *Journal

	making sync.Mutex // one makes the next segment at a time; it is taken before mu
	mu     sync.Mutex // guards the fields below
	next   *segment   // prepared; nil: not yet
	spare  int64      // size of the spare file; 0: there is none
	full   bool       // the disk had no space for the next segment
	tried  time.Time
	wanted int64 // size of the segment for which there was none

	sealing sync.Mutex    // one seals at a time
	signal  chan struct{} // there may be segments to seal
	soon    chan struct{} // the next segment is needed soon
	ended   sync.WaitGroup
	cancel  context.CancelFunc
	closed  atomic.Bool
}

// start starts the goroutines.
func (k *keeper) start(j *Journal) {
	k.j, k.signal, k.soon = j, make(chan struct{}, 1), make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(context.Background())
	k.cancel = cancel
	k.ended.Go(func() { k.run(ctx) })
	k.ended.Go(func() { k.prepareNext(ctx) })
	if g := j.active(); g.end > g.soon() {
		wake(k.soon)
	}
}

// stop ends the goroutines. A seal that is under way is given up, and begun again at the next start.
func (k *keeper) stop() {
	if k.cancel != nil && !k.closed.Swap(true) {
		k.cancel()
		k.ended.Wait()
	}
}

// wake lets the goroutine look for work that waits for a signal.
func wake(signal chan struct{}) {
	select {
	case signal <- struct{}{}:
	default:
	}
}

// prepareNext makes the next segment when the active one is in use, until ctx ends.
func (k *keeper) prepareNext(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.soon:
		}
		k.making.Lock()
		err := k.prepare(0)
		k.making.Unlock()
		if err != nil && !errors.Is(classify(err), ErrFull) {
			k.j.o.Logger.Warn("the next segment of the journal could not be made", slog.Any("error", err))
		}
	}
}

// run works until ctx ends.
func (k *keeper) run(ctx context.Context) {
	age := time.NewTicker(max(time.Minute, k.j.o.SealAfter/8))
	defer age.Stop()
	for {
		var retry <-chan time.Time
		if k.work(ctx) != nil {
			retry = time.After(retryPause)
		}
		select {
		case <-ctx.Done():
			return
		case <-k.signal:
		case <-retry:
		case <-age.C:
			k.rotateOld()
		}
	}
}

// work seals all segments but the active one.
func (k *keeper) work(ctx context.Context) error {
	err := k.sealAll(ctx)
	if err != nil && ctx.Err() == nil {
		k.j.o.Logger.Warn("a segment of the journal could not be sealed", slog.Any("error", err))
	}
	return err
}

// rotateOld begins a new segment if the active one is old.
func (k *keeper) rotateOld() {
	after := k.j.o.SealAfter
	if began := k.j.began(); after == 0 || began == 0 || k.j.o.Now().UnixMilli()-began < after.Milliseconds() {
		return
	}
	p := &pending{rotate: true, done: make(chan struct{}), submitted: time.Now()}
	if k.j.submit(context.Background(), p) == nil {
		<-p.done
	}
}

// prepare makes the next segment, of a size at least, unless there is one that suffices. The caller holds k.making.
func (k *keeper) prepare(least int64) error {
	k.mu.Lock()
	small := k.next
	if small != nil && small.size >= least {
		k.mu.Unlock()
		return nil
	}
	k.next = nil
	k.mu.Unlock()
	active := k.j.active()
	size := max(least, min(k.j.o.SegmentSize, max(active.size*growth, firstSegmentSize)))
	size = (size + pageSize - 1) &^ (pageSize - 1)
	number := active.number + 1
	if small != nil {
		if err := errors.Join(small.file.Close(), k.j.disk.Remove(segmentName(small.number))); err != nil {
			return err
		}
	}
	f, err := k.make(segmentName(number), size)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.wanted, k.tried, k.full = size, time.Now(), errors.Is(classify(err), ErrFull)
	if err != nil {
		return err
	}
	k.next = &segment{number: number, file: f, size: size, end: firstFrame}
	return nil
}

// make makes the file of a segment, of the spare one if there is one of the size.
func (k *keeper) make(name string, size int64) (file, error) {
	switch used, err := k.useSpare(name, size); {
	case err != nil:
		return nil, err
	case used:
		return k.j.disk.Open(name)
	}
	return k.j.disk.Create(name, size)
}

// useSpare gives the spare file a name if it has the size. Another one can be kept from then on, and not before.
func (k *keeper) useSpare(name string, size int64) (used bool, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.spare != size {
		return false, nil
	}
	k.spare = 0
	return true, k.j.disk.Rename(spareName, name)
}

// begin makes the next segment the one that is appended to. It has a size at least, and is made if it is not there yet. Its head is
// durable before the segments before it are given up: it has the ends of the streams, which may be nowhere else then.
func (k *keeper) begin(least int64) error {
	k.making.Lock()
	defer k.making.Unlock()
	if err := k.prepare(least); err != nil {
		return err
	}
	k.mu.Lock()
	next := k.next
	k.mu.Unlock()
	if err := k.j.writeHead(next); err != nil {
		return err
	}
	if err := next.file.Sync(); err != nil {
		return k.j.fail(err)
	}
	k.mu.Lock()
	k.next = nil
	k.mu.Unlock()
	k.j.mu.Lock()
	defer k.j.mu.Unlock()
	k.j.open = append(slices.Clone(k.j.open), next)
	return nil
}

// closeNext closes the segment that is prepared.
func (k *keeper) closeNext() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.next == nil {
		return nil
	}
	next := k.next
	k.next = nil
	return next.file.Close()
}

// onReserve reports whether the disk is full.
func (k *keeper) onReserve() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.full
}

// admit returns the reason why an append is not taken; nil: it is. On a full disk the rest of the segment is the reserve: all of it
// serves notices, and its first half small appends, so that calls go on for a while.
func (k *keeper) admit(p *pending, active *segment) error {
	if k.isDue() && k.making.TryLock() {
		_ = k.prepare(0) // it sets full
		k.making.Unlock()
	}
	if !k.onReserve() || p.notice || p.size <= smallBytes && active.limit()-active.end > active.size/2 {
		return nil
	}
	return fmt.Errorf("the disk has no space for a segment: %w", ErrFull)
}

// isDue reports whether a full disk is to be tried again.
func (k *keeper) isDue() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.full && (time.Since(k.tried) > fullPause || k.j.disk.HasSpace(k.wanted))
}

// sealAll seals all segments but the active one, the oldest first.
func (k *keeper) sealAll(ctx context.Context) error {
	k.sealing.Lock()
	defer k.sealing.Unlock()
	for {
		k.j.mu.RLock()
		open := k.j.open
		k.j.mu.RUnlock()
		if k.closed.Load() {
			return ErrClosed
		}
		if len(open) < 2 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := k.seal(ctx, open[0]); err != nil {
			return err
		}
	}
}

// seal writes the sealed files of a segment and gives up the segment. If it is interrupted, it does the rest when it is called
// again: entries that are in a sealed file are not sealed once more.
func (k *keeper) seal(ctx context.Context, g *segment) error {
	if len(g.places[Temporary]) > 0 && k.j.o.Settle != nil {
		if err := k.j.o.Settle(ctx); err != nil {
			return err
		}
	}
	for s := Records; s < streamCount; s++ {
		if err := k.j.sealStream(ctx, g, s); err != nil {
			return err
		}
	}
	k.j.mu.Lock()
	k.j.open = slices.Clone(k.j.open[1:])
	k.j.mu.Unlock()
	return k.giveUp(g)
}

// giveUp keeps the file of a segment as the spare one, or removes it. Nothing that it had stays on the disk.
func (k *keeper) giveUp(g *segment) error {
	g.reading.Lock() // nobody else finds it any more
	defer g.reading.Unlock()
	err := writeZeros(g.file, 0, g.size)
	if err == nil {
		err = g.file.Sync()
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	err = errors.Join(err, g.file.Close())
	if err == nil && k.spare == 0 && g.size == k.j.o.SegmentSize {
		if err = k.j.disk.Rename(segmentName(g.number), spareName); err == nil {
			k.spare = g.size
		}
		return err
	}
	return errors.Join(err, k.j.disk.Remove(segmentName(g.number)))
}
