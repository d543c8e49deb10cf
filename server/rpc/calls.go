package rpc

import (
	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"

	"github.com/toolresult/toolresult/server/admission"
	"github.com/toolresult/toolresult/server/apierror"
)

// Calls reads the calls of a stream, one in each message. It reserves memory for each as for a unary call. Not safe for concurrent
// use; what it returns is.
type Calls struct {
	stream   grpc.ServerStream
	messages *messages // nil: gRPC itself reads them
}

// NewCalls returns the calls of a stream. waits bounds how long the client may stop in the middle of a message: the stream must end
// when it says so.
func NewCalls(stream grpc.ServerStream, waits within) *Calls {
	m, _ := stream.Context().Value(messagesKey{}).(*messages)
	if m != nil {
		m.unary, m.waits = true, waits
	}
	return &Calls{stream, m}
}

// RejectedMessage is the error of a message that was not accepted, and after which the next one can be received.
type RejectedMessage struct {
	Start []byte // of the message as it was encoded, at most rejectedStart bytes
	Why   error
}

// Error implements error.
func (r *RejectedMessage) Error() string { return r.Why.Error() }

// Unwrap returns why.
func (r *RejectedMessage) Unwrap() error { return r.Why }

// rejectedStart is how many bytes a RejectedMessage has, at most: the numbers that a message begins with.
const rejectedStart = 32

// Receive receives the next message. release gives back the memory that is reserved for it; it must be called when the call is over.
// The error is io.EOF when the client has sent all, and a *RejectedMessage when only this message cannot be served; there is nothing
// to release then.
func (c *Calls) Receive(m any) (release func(), err error) {
	if c.messages == nil {
		return func() {}, c.stream.RecvMsg(m)
	}
	return c.messages.receiveCall(m)
}

// receiveCall reads the next message into m, with the memory for the work on it.
func (r *messages) receiveCall(m any) (release func(), err error) {
	data, err := r.readCall()
	if err == nil {
		if data, err = r.weigh(data, m); err == nil {
			err = r.decode(data, m)
		}
		if err != nil {
			err = &RejectedMessage{startOf(data), err}
		}
		data.Free()
	}
	if err != nil {
		r.done()
		return nil, err
	}
	return r.handOver(), nil
}

// handOver returns what gives back the memory of the last message, which is not that of r any more.
func (r *messages) handOver() func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := r.release
	r.release = nil
	if len(kept) == 1 {
		return kept[0]
	}
	return func() {
		for _, release := range kept {
			release()
		}
	}
}

// readCall reads a message and unpacks it. Of a message that is not read, for which there is no memory or which is too large, it
// skips the rest: the stream goes on.
func (r *messages) readCall() (mem.BufferSlice, error) {
	var header [5]byte
	if err := r.ReadMessageHeader(header[:]); err != nil {
		return nil, cutOff(err)
	}
	size, packed := sizeOf(header), header[0] == 1
	if header[0] > 1 {
		return nil, messageInvalid("the message is in no form that gRPC knows")
	}
	data, err := r.readWaiting(int(min(size, admission.LittleMessage)))
	if err != nil {
		return nil, cutOff(err)
	}
	rest := size - int64(data.Len())
	if size > int64(r.limit) {
		err = apierror.MessageTooLarge(r.Method(), size, r.limit)
	} else {
		err = r.reserve(size, packed)
	}
	if err != nil {
		return nil, r.reject(data, packed, rest, err)
	}
	if rest > 0 {
		more, err := r.readWaiting(int(rest))
		if err != nil {
			data.Free()
			return nil, cutOff(err)
		}
		data = append(data, more...)
	}
	if !packed {
		return data, nil
	}
	defer data.Free()
	unpacked, err := r.unpack(data)
	if err != nil {
		return nil, &RejectedMessage{Why: err}
	}
	return unpacked, nil
}

// reject skips the rest of a message, whose first bytes are data, and returns why as the error of that message.
func (r *messages) reject(data mem.BufferSlice, packed bool, rest int64, why error) error {
	rejected := &RejectedMessage{startOf(data), why}
	if packed {
		rejected.Start = nil
	}
	data.Free()
	for rest > 0 {
		skipped, err := r.readWaiting(int(min(rest, piece)))
		if err != nil {
			return cutOff(err)
		}
		rest -= int64(skipped.Len())
		skipped.Free()
	}
	return rejected
}

// startOf returns a copy of the first bytes of a message.
func startOf(data mem.BufferSlice) []byte {
	start := make([]byte, 0, rejectedStart)
	for _, b := range data {
		part := b.ReadOnlyData()
		start = append(start, part[:min(len(part), rejectedStart-len(start))]...)
	}
	return start
}
