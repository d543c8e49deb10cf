package rpc

import (
	"sync/atomic"

	"github.com/toolresult/toolresult/server/apierror"
)

// lease counts the bytes of a call's request as in flight: those that have come, and what they take when they are decoded. It is
// taken while a message comes, so that calls that are rejected take no memory first.
type lease struct {
	all     *atomic.Int64 // of all calls; nil: nothing is counted
	limit   int64
	streams bool // the bytes of messages are bounded one by one: only what decoding adds to them is counted
	counted int64
}

// lightMessage is what a message may take when it is decoded without being counted, in bytes: the structs of a small one.
const lightMessage = 4 << 10

// lease returns the lease of a call.
func (c *Interceptors) lease(streams bool) lease {
	return lease{all: &c.inFlight, limit: int64(c.Limits.GetMaxInFlightBytes()), streams: streams}
}

// take counts n bytes that have come.
func (l *lease) take(n int64) error {
	if l.streams {
		return nil
	}
	return l.hold(n)
}

// hold counts n more bytes, unless they are too many.
func (l *lease) hold(n int64) error {
	if l.all == nil {
		return nil
	}
	if l.all.Add(n) > l.limit {
		l.all.Add(-n)
		return apierror.InFlightBytes(l.limit)
	}
	l.counted += n
	return nil
}

// settle counts a message of a size by its weight. A message may take three times its count: its bytes, and twice as
// many when it is decoded. One that can never be decoded is rejected for good.
func (l *lease) settle(method string, size, weight int64) error {
	bytes := max(size, (weight-lightMessage)/2)
	switch {
	case l.all == nil:
		return nil
	case bytes > l.limit:
		return apierror.MessageTooHeavy(method, weight, 2*l.limit+lightMessage)
	case l.streams:
		return l.hold(bytes - size)
	}
	return l.hold(bytes - l.counted)
}

// free gives all bytes back. It may be called more than once.
func (l *lease) free() {
	if l.all != nil {
		l.all.Add(-l.counted)
	}
	l.counted = 0
}
