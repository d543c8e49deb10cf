package rpc

import (
	"math/bits"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/experimental"
	"google.golang.org/grpc/mem"
)

// Buffers up to 1<<maxPoolShift bytes are pooled.
const (
	minPoolShift = 8
	maxPoolShift = 23
	Headroom     = 128 // what framing adds to a message of a round size
)

// bufferPool is a pool for gRPC with a tier for every power of two. It does not
// clear what it hands out, as gRPC's own pool does: clearing costs more than the
// rest of a call of 64 KiB. gRPC fills a buffer before it reads from it.
// docs/reference/performance.md has the numbers.
type bufferPool struct {
	tiers [maxPoolShift + 1]sync.Pool
}

// UseBufferPool makes gRPC's transport and codec use the pool in this process,
// for servers and clients. It must be called before any of them is made, from
// main or TestMain, because gRPC keeps the pool in a variable without a lock.
func UseBufferPool() { experimental.SetDefaultBufferPool(NewBufferPool()) }

// BufferOptions make a server read into the pool of this process, and keep the bytes
// of chunks there. gRPC remembers the pool that it had when the program was loaded,
// unless a server has the option.
func BufferOptions() []grpc.ServerOption {
	return []grpc.ServerOption{experimental.BufferPool(mem.DefaultBufferPool()), grpc.ForceServerCodecV2(NewCodec())}
}

// NewBufferPool returns an empty pool. Safe for concurrent use.
func NewBufferPool() *bufferPool {
	p := &bufferPool{}
	for shift := range p.tiers {
		p.tiers[shift].New = func() any {
			b := make([]byte, 1<<shift+Headroom)
			return &b
		}
	}
	return p
}

// Get returns a buffer of the given length with any content.
func (p *bufferPool) Get(length int) *[]byte {
	shift := shiftOf(length)
	if shift > maxPoolShift {
		b := make([]byte, length)
		return &b
	}
	b, _ := p.tiers[shift].Get().(*[]byte)
	*b = (*b)[:length]
	return b
}

// Put takes a buffer back. One of another size, such as a slice of a larger one, is left to the garbage collector.
func (p *bufferPool) Put(b *[]byte) {
	shift := shiftOf(cap(*b))
	if shift <= maxPoolShift && cap(*b) == 1<<shift+Headroom {
		p.tiers[shift].Put(b)
	}
}

// shiftOf is the smallest tier that holds length bytes.
func shiftOf(length int) int {
	return max(minPoolShift, bits.Len(uint(max(1, length-Headroom)-1)))
}
