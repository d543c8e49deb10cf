package rpc

import (
	"iter"
	"sync/atomic"

	"google.golang.org/grpc/codes"
)

// outcomes counts calls by the code that they ended with, from the start of the server on. Calls of the health service are none: a
// probe has more of them than there are others. Safe for concurrent use.
type outcomes struct {
	counts [codes.Unauthenticated + 1]atomic.Int64
}

// add counts a call. A code that gRPC does not have counts as Unknown.
func (o *outcomes) add(method string, code codes.Code) {
	if isCheck(method) {
		return
	}
	if int(code) >= len(o.counts) {
		code = codes.Unknown
	}
	o.counts[code].Add(1)
}

// Outcomes returns how many calls ended with each code, of those with which any did, in the order of the codes.
func (c *Interceptors) Outcomes() iter.Seq2[codes.Code, int64] {
	return func(yield func(codes.Code, int64) bool) {
		for code := range c.outcomes.counts {
			if n := c.outcomes.counts[code].Load(); n > 0 && !yield(codes.Code(code), n) {
				return
			}
		}
	}
}

// Received returns the bytes of messages that calls were sent, as they were on the wire, without their headers.
func (c *Interceptors) Received() int64 { return c.received.Load() }
