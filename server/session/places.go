package session

import (
	"context"
	"runtime"
)

// places bounds how many large calls are worked on at once. Each takes a processor for most of its work, and the small calls of others
// would wait behind hundreds of them. They are given in the order in which they were asked for. Safe for concurrent use.
type places chan struct{}

// largeCall is the size of the message of a call from which on it needs a place, in bytes.
const largeCall = 16 << 10

// newPlaces returns the places of all streams: two for each processor, because one call may wait for the disk.
func newPlaces() places { return make(places, 2*runtime.GOMAXPROCS(0)) }

// newShare returns the places of one stream. A call takes one of these first, so that a stream with many calls does not keep others
// from theirs.
func newShare() places { return make(places, max(2, runtime.GOMAXPROCS(0))) }

// enter waits for a place, and no longer than ctx.
func (p places) enter(ctx context.Context) error {
	select {
	case p <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// leave gives a place back.
func (p places) leave() { <-p }
