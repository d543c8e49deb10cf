package rpc

import (
	"time"

	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/admission"
)

// sendTime is for how long memory is reserved for an answer that its client does not take. Other callers wait for it.
const sendTime = 10 * time.Second

// askedBytes returns how large the answer to a little message may be, in bytes; 0 for one that is not large.
func askedBytes(m any) int64 {
	if r, ok := m.(*pb.ReadArtifactRequest); ok {
		return int64(r.GetBudget().GetMaxBytes())
	}
	return 0
}

// weighedAnswer is an answer with the memory that is reserved for it.
type weighedAnswer struct {
	proto.Message
	release func() // may be called more than once
}

// hold returns an answer as gRPC gets it: with its memory, if any is reserved.
func (h *weighedAnswer) hold(answer any, err error) (any, error) {
	message, ok := answer.(proto.Message)
	if h.release == nil || err != nil || !ok {
		h.free()
		return answer, err
	}
	h.Message = message
	time.AfterFunc(sendTime, h.release) // for a client that takes nothing, and for buffers that gRPC drops
	return h, nil
}

// free gives the memory back.
func (h *weighedAnswer) free() {
	if h.release != nil {
		h.release()
	}
}

// Marshal encodes a message.
func (c codec) Marshal(m any) (mem.BufferSlice, error) {
	h, ok := m.(*weighedAnswer)
	if !ok {
		return c.CodecV2.Marshal(m)
	}
	size := proto.Size(h.Message)
	if size <= admission.LittleAnswer {
		h.free()
		return c.CodecV2.Marshal(h.Message)
	}
	pool := sendingPool{mem.DefaultBufferPool(), h.release}
	buf := pool.Get(size)
	if _, err := (proto.MarshalOptions{UseCachedSize: true}).MarshalAppend((*buf)[:0], h.Message); err != nil {
		pool.Put(buf)
		return nil, err
	}
	return mem.BufferSlice{mem.NewBuffer(buf, pool)}, nil
}

// sendingPool gives the memory of an answer back with the buffer that it was sent from.
type sendingPool struct {
	mem.BufferPool
	release func()
}

// Put takes the buffer back.
func (p sendingPool) Put(b *[]byte) {
	p.BufferPool.Put(b)
	p.release()
}
