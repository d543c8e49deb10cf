package rpc

import (
	"context"
	"errors"

	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	"github.com/toolresult/toolresult/server/admission"
	"github.com/toolresult/toolresult/server/apierror"
)

// Calls reads the calls of a stream, one in each message. A message is received as it was sent, and decoded later, with memory that is
// reserved as for a unary call: the next one, which may say that this one is not wanted, does not wait for that. Not safe for
// concurrent use; the messages that it returns are.
type Calls struct {
	stream   grpc.ServerStream
	messages *messages // nil: gRPC itself reads them
}

// NewCalls returns the calls of a stream. waits bounds how long the client may stop in the middle of a message: the stream must end
// when it says so.
func NewCalls(stream grpc.ServerStream, waits within) *Calls {
	m, _ := stream.Context().Value(messagesKey{}).(*messages)
	if m != nil {
		m.waits = waits
	}
	return &Calls{stream, m}
}

// ErrNoSpace is the error of a message that is not received because its call would not be taken.
var ErrNoSpace = errors.New("no more calls are taken")

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

// Message is a message that was received. It must be decoded or dropped.
type Message struct {
	into    proto.Message
	data    mem.Buffer // as it was sent; nil: it is decoded already
	release func()     // frees the memory that is reserved for data
	reader  *messages
}

// Receive receives the next message, which is to be decoded into m. Of a message that is not little it calls space before it reads
// more than the first bytes; the error is ErrNoSpace if that returns false. The error is io.EOF when the client has sent all, and a
// *RejectedMessage when only this message cannot be served.
func (c *Calls) Receive(m proto.Message, space func() bool) (*Message, error) {
	if c.messages == nil {
		return &Message{into: m, release: func() {}}, c.stream.RecvMsg(m)
	}
	data, err := c.messages.readCall(space)
	release := c.messages.handOver()
	if err != nil {
		release()
		return nil, err
	}
	defer data.Free()
	return &Message{into: m, data: data.MaterializeToBuffer(mem.DefaultBufferPool()), release: release, reader: c.messages}, nil
}

// Encoded returns the message as it was sent; nil if it is decoded already. It is valid until the message is decoded or dropped.
func (m *Message) Encoded() []byte {
	if m.data == nil {
		return nil
	}
	return m.data.ReadOnlyData()
}

// Little reports whether a message, and the work on it, take little memory.
func (m *Message) Little() bool { return m.data == nil || m.data.Len() <= admission.LittleMessage }

// SetAside makes a message wait with other memory than that of messages that are read, which others need. It reports false if there is
// none left; the stream should then receive no other than little messages before this one is decoded.
func (m *Message) SetAside() bool {
	if m.Little() {
		return true
	}
	release, ok := m.reader.memory.Ahead(int64(m.data.Len()))
	if ok {
		m.release()
		m.release = release
	}
	return ok
}

// Drop frees the memory of a message that is not decoded.
func (m *Message) Drop() {
	if m.data != nil {
		m.data.Free()
		m.data = nil
	}
	m.release()
}

// Decode reserves the memory of the work on a message, for which it waits no longer than ctx, and decodes it. release frees that
// memory; it must be called when the call is over, and is nil if there is an error, which is a *RejectedMessage.
func (m *Message) Decode(ctx context.Context) (release func(), err error) {
	defer m.Drop()
	if m.data == nil {
		return func() {}, nil
	}
	release, err = m.reserve(ctx)
	if err == nil {
		if err = m.reader.decode(mem.BufferSlice{m.data}, m.into); err == nil {
			return release, nil
		}
		release()
	}
	return nil, &RejectedMessage{startOf(mem.BufferSlice{m.data}), err}
}

// reserve reserves the memory of the work on a message.
func (m *Message) reserve(ctx context.Context) (release func(), err error) {
	if m.Little() {
		return m.reader.memory.Little(ctx)
	}
	w := admission.Weigh(m.data.ReadOnlyData(), m.into.ProtoReflect().Descriptor())
	if w.Elements > admission.MaxElements {
		return nil, apierror.TooManyElements(w.Elements, admission.MaxElements)
	}
	return m.reader.memory.Call(ctx, w)
}

// handOver returns what frees the memory of the last message, which is not that of r any more.
func (r *messages) handOver() func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	kept := r.release
	r.release = nil
	return func() {
		for _, release := range kept {
			release()
		}
	}
}

// readCall reads a message and unpacks it. Of a message that is not read, for which there is no memory or which is too large, it
// skips the rest: the stream goes on.
func (r *messages) readCall(space func() bool) (mem.BufferSlice, error) {
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
		return nil, r.reject(data, packed, rest, apierror.MessageTooLarge(r.Method(), size, r.limit))
	}
	if rest == 0 && !packed {
		return data, nil
	}
	if rest == 0 {
		if little, err := r.unpack(data, admission.LittleMessage); err == nil {
			data.Free()
			return little, nil
		}
	}
	if !space() {
		data.Free()
		return nil, ErrNoSpace
	}
	if err := r.reserve(size, packed); err != nil {
		return nil, r.reject(data, packed, rest, err)
	}
	return r.readRest(data, packed, rest)
}

// readRest reads the rest of a message whose first bytes are data, and unpacks it.
func (r *messages) readRest(data mem.BufferSlice, packed bool, rest int64) (mem.BufferSlice, error) {
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
	unpacked, err := r.unpack(data, r.limit)
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
