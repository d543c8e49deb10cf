package rpc

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/server/admission"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/idle"
)

// frames has the methods of gRPC's transport that read messages. They are those of the ServerTransportStream of gRPC 1.85, and not
// part of its interface: without them gRPC reads the messages itself, and only the details of some statuses are missing.
type frames interface {
	Method() string
	RecvCompress() string
	ReadMessageHeader(header []byte) error
	Read(n int) (mem.BufferSlice, error)
}

// messages reads the messages of a call. gRPC's own RecvMsg ends the call with a status without details when it rejects a
// message, before the server can give the reason; docs/adr/0035 has the history.
type messages struct {
	frames
	codec    codec
	ctx      context.Context // of the call
	memory   *admission.Memory
	limit    int           // of a message, in bytes as it is sent and as it is unpacked
	one      bool          // the client sends one message
	unary    bool          // a message is a call with one answer, and memory is reserved for the work on it
	received *atomic.Int64 // bytes of all calls; nil: they are not counted
	waits    within        // what bounds the waits of the call; nil when it receives outside of such

	mu      sync.Mutex // a call may end while its message is received, see idle.Limit
	release []func()   // give back the memory of the message before; nil for none
	over    bool       // the call is over, and holds nothing
	answer  weighedAnswer
}

// within bounds how long a call waits for its client, see idle.Limit.
type within interface{ Within(d time.Duration) error }

// messagesKey is the key of the messages in the context of a streaming call.
type messagesKey struct{}

// NewLimit returns a limit of how long a streaming call waits for its client. The call must receive in its Wait and nowhere else:
// the limit then bounds how long the client may stop in the middle of a message, too, which costs less than a limit for each.
func NewLimit(ctx context.Context, wait time.Duration) *idle.Limit {
	limit := idle.NewLimit(wait)
	if m, ok := ctx.Value(messagesKey{}).(*messages); ok {
		m.waits = limit
	}
	return limit
}

// receive reads the next message into m. It returns io.EOF when the client has sent all.
func (r *messages) receive(m any) error {
	r.done()
	data, err := r.read()
	switch {
	case r.one && errors.Is(err, io.EOF):
		return messageInvalid("the call has no message")
	case err != nil:
		return err
	}
	data, err = r.weigh(data, m)
	defer data.Free()
	if err != nil {
		return err
	}
	if err := r.decode(data, m); err != nil {
		return err
	}
	if n := askedBytes(m); n > admission.LittleAnswer {
		if r.answer.release, err = r.memory.Answer(r.ctx, n); err != nil {
			return err
		}
	}
	if r.one && !r.unary { // the answers may take hours
		r.done()
	}
	return nil
}

// decode decodes a message.
func (r *messages) decode(data mem.BufferSlice, m any) error {
	if err := r.codec.Unmarshal(data, m); err != nil {
		// How errors of protobuf begin varies on purpose. They name fields and no content.
		return messageInvalid("the message cannot be decoded: " + strings.TrimSpace(strings.TrimPrefix(err.Error(), "proto:")))
	}
	if r.unary {
		r.decoded()
	}
	return nil
}

// end checks that the client has sent all. Of a second message, which no memory is reserved for, it reads the header alone.
func (r *messages) end() error {
	var header [5]byte
	err := r.ReadMessageHeader(header[:])
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil:
		return messageInvalid("the call has more than one message")
	}
	return err
}

// Bounds of the frames of a message. gRPC has some 60 bytes for each frame that it reads at once, 1 MiB for a piece that comes
// byte by byte. Clients send frames of up to 16 KiB, and a short one at the end of a message or of a window.
const (
	piece = 16 << 10 // bytes that are read at once
	short = 1 << 10  // frames of fewer bytes, on average, are copied together
)

// Bounds of how long a client takes for a message that it has begun: memory is reserved for all of it, and others wait for that.
const (
	stallTime = 10 * time.Second // for which it may send nothing
	slowest   = 64 << 10         // bytes that it sends in a second, at least
)

// readAll reads the bytes of a message, and looks whether it is the last one of a call that has one: memory for the work on it is not
// reserved while the client may send more. It returns apierror.ErrIdle when the client stops before.
func (r *messages) readAll(size int) (data mem.BufferSlice, err error) {
	if r.waits != nil {
		return r.readWaiting(size)
	}
	limit, all := idle.NewLimit(stallTime), mem.BufferSlice(nil)
	err = limit.Run(func() (err error) {
		if all, err = r.readPieces(size, limit.Wait); err != nil || !r.one {
			return err
		}
		if err = limit.Wait(r.end); err != nil {
			all.Free()
		}
		return err
	})
	if err != nil {
		return nil, err // all is of the work, which may go on
	}
	return all, nil
}

// readWaiting reads the bytes of a message of a call that waits in a limit.
func (r *messages) readWaiting(size int) (data mem.BufferSlice, err error) {
	data, err = r.readPieces(size, func(read func() error) error {
		if err := r.waits.Within(stallTime); err != nil {
			return err
		}
		return read()
	})
	if err != nil {
		return nil, err
	}
	if err := r.waits.Within(math.MaxInt64); err != nil { // others may keep the memory of the work for longer
		data.Free()
		return nil, err
	}
	return data, nil
}

// readPieces reads a number of bytes, and waits for each piece of them.
func (r *messages) readPieces(size int, wait func(read func() error) error) (data mem.BufferSlice, err error) {
	last := time.Now().Add(stallTime + time.Duration(size)*time.Second/slowest)
	for size > 0 {
		if time.Now().After(last) {
			data.Free()
			return nil, apierror.ErrIdle
		}
		var part mem.BufferSlice
		err := wait(func() (err error) {
			part, err = r.Read(min(size, piece))
			return err
		})
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			part.Free()
			data.Free()
			return nil, err
		}
		size -= part.Len()
		if r.received != nil {
			r.received.Add(int64(part.Len()))
		}
		data = append(data, together(part)...)
	}
	return data, nil
}

// together copies bytes that are in many short buffers into one.
func together(part mem.BufferSlice) mem.BufferSlice {
	if len(part) <= 1+part.Len()/short {
		return part
	}
	defer part.Free()
	return mem.BufferSlice{part.MaterializeToBuffer(mem.DefaultBufferPool())}
}

// read reads a message and unpacks it.
func (r *messages) read() (mem.BufferSlice, error) {
	var header [5]byte // whether it is packed, and its length
	if err := r.ReadMessageHeader(header[:]); err != nil {
		return nil, cutOff(err)
	}
	size := sizeOf(header)
	if size > int64(r.limit) {
		return nil, apierror.MessageTooLarge(r.Method(), size, r.limit)
	}
	// A small message is read at first. Its bytes are fewer than those that gRPC has of a call that nobody reads, and a client that stops
	// in the middle of many of them keeps no memory from others.
	small := header[0] == 0 && size <= admission.LittleMessage
	if !small {
		if err := r.reserve(size, header[0] == 1); err != nil {
			return nil, err
		}
	}
	data, err := r.readAll(int(size))
	if err != nil {
		return nil, cutOff(err)
	}
	if small {
		if err := r.reserve(size, false); err != nil {
			data.Free()
			return nil, err
		}
	}
	switch header[0] {
	case 0:
		return data, nil
	case 1:
		defer data.Free()
		return r.unpack(data, r.limit)
	}
	data.Free()
	return nil, messageInvalid("the message is in no form that gRPC knows")
}

// sizeOf returns the length of a message, in bytes, as its header has it.
func sizeOf(header [5]byte) int64 { return int64(binary.BigEndian.Uint32(header[1:])) }

// reserve reserves the memory of a message before it is read. What a packed message unpacks to is not known before.
func (r *messages) reserve(size int64, packed bool) error {
	if packed {
		size = int64(r.limit)
	}
	if r.unary && size <= admission.LittleMessage {
		return r.hold(r.memory.Little(r.ctx))
	}
	return r.hold(r.memory.Message(r.ctx, size))
}

// hold keeps what was reserved until the message is done. After the end of the call it gives it back.
func (r *messages) hold(release func(), err error) error {
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		release()
		return apierror.ErrIdle
	}
	r.release = append(r.release, release)
	return nil
}

// decoded gives back the memory of reading a message, if that of the work on it is reserved, too.
func (r *messages) decoded() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.release) > 1 {
		r.release[0]()
		r.release = r.release[1:]
	}
}

// done gives back the memory of the last message. It may be called more than once.
func (r *messages) done() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, release := range r.release {
		release()
	}
	r.release = nil
}

// close gives back all memory at the end of the call, and what a message that is still received takes later.
func (r *messages) close() {
	r.mu.Lock()
	r.over = true
	r.mu.Unlock()
	r.done()
}

// weigh reserves the memory of the work on a message before it is decoded, which is more than that of reading it. It returns the
// message in one piece, where it looked into it.
func (r *messages) weigh(data mem.BufferSlice, m any) (mem.BufferSlice, error) {
	message, ok := m.(proto.Message)
	if !ok || data.Len() <= admission.LittleMessage {
		return data, nil
	}
	if _, isChunk := m.(*ChunkMessage); isChunk {
		if _, ok := readChunk(data); ok {
			return data, nil // its bytes are not decoded
		}
	}
	whole := data.MaterializeToBuffer(mem.DefaultBufferPool())
	data.Free()
	data = mem.BufferSlice{whole}
	w := admission.Weigh(whole.ReadOnlyData(), message.ProtoReflect().Descriptor())
	if w.Elements > admission.MaxElements {
		return data, apierror.TooManyElements(w.Elements, admission.MaxElements)
	}
	if r.unary {
		return data, r.hold(r.memory.Call(r.ctx, w))
	}
	return data, r.hold(r.memory.Elements(r.ctx, w.Elements))
}

// cutOff returns the error for a message that ends too early.
func cutOff(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return messageInvalid("the message is cut off")
	}
	return err
}

// unpack decompresses a message. gRPC itself rejected the call if it does not know the compression. It reads one byte more than
// limit at most, so a small message that unpacks to gigabytes (a "zip bomb") costs no more than a large one.
func (r *messages) unpack(data mem.BufferSlice, limit int) (mem.BufferSlice, error) {
	compressor := encoding.GetCompressor(r.RecvCompress())
	if compressor == nil {
		return nil, messageInvalid("the message is compressed, and the call does not say how")
	}
	const damaged = "the message cannot be decompressed"
	packed := data.Reader()
	defer func() { _ = packed.Close() }() // it only gives its buffers back
	unpacked, err := compressor.Decompress(packed)
	if err != nil {
		return nil, messageInvalid(damaged)
	}
	if c, ok := unpacked.(io.Closer); ok {
		defer func() { _ = c.Close() }() // all that is wanted was read
	}
	out, err := mem.ReadAll(io.LimitReader(unpacked, int64(limit)+1), mem.DefaultBufferPool())
	switch {
	case err != nil:
		out.Free()
		return nil, messageInvalid(damaged)
	case out.Len() > limit:
		out.Free()
		return nil, apierror.MessageTooLarge(r.Method(), -1, limit)
	}
	return out, nil
}

// messageInvalid returns the status of a message that cannot be read. message has no content of it.
func messageInvalid(message string) *apierror.StatusError {
	return &apierror.StatusError{Code: codes.InvalidArgument, Reason: pb.ErrorReason_ERROR_REASON_MESSAGE_INVALID, Message: message}
}

// messagesOf returns the reader of the messages of a call, or nil where gRPC itself reads them: its transport is another than
// the one that is known here.
func (c *Interceptors) messagesOf(ctx context.Context, one bool) *messages {
	f, ok := grpc.ServerTransportStreamFromContext(ctx).(frames)
	if !ok {
		return nil
	}
	return &messages{frames: f, codec: NewCodec(), ctx: ctx, memory: c.Memory, received: &c.received, limit: int(c.Limits.GetMaxMessageBytes()), one: one}
}

// receivedStream is a call whose messages the server reads itself.
type receivedStream struct {
	streamWithContext
	messages *messages
}

// RecvMsg receives the next message.
func (s receivedStream) RecvMsg(m any) error { return s.messages.receive(m) }

// receiveStream reads the messages of streaming calls.
func (c *Interceptors) receiveStream(srv any, call grpc.ServerStream, info *grpc.StreamServerInfo, next grpc.StreamHandler) error {
	if m := c.messagesOf(call.Context(), !info.IsClientStream); m != nil {
		defer m.close()
		call = receivedStream{streamWithContext{call, context.WithValue(call.Context(), messagesKey{}, m)}, m}
	}
	return next(srv, call)
}

// Registrar registers services with unary methods that receive their message from the server. A message that is rejected goes
// through all interceptors like any other error, so it is measured and recorded.
type Registrar struct {
	*grpc.Server
	Interceptors *Interceptors
}

// NewRegistrar returns a registrar of a server.
func NewRegistrar(s *grpc.Server, c *Interceptors) Registrar { return Registrar{s, c} }

// RegisterService registers a service.
func (r Registrar) RegisterService(desc *grpc.ServiceDesc, service any) {
	own := *desc
	own.Methods = slices.Clone(desc.Methods)
	for i := range own.Methods {
		own.Methods[i].Handler = r.Interceptors.receiveUnary(own.Methods[i].Handler)
	}
	r.Server.RegisterService(&own, service)
}

// receiveUnary makes the handler of a unary method read its message by itself.
func (c *Interceptors) receiveUnary(handler grpc.MethodHandler) grpc.MethodHandler {
	return func(srv any, ctx context.Context, receive func(any) error, chain grpc.UnaryServerInterceptor) (any, error) {
		m := c.messagesOf(ctx, true)
		if m == nil {
			return handler(srv, ctx, receive, chain)
		}
		m.unary = true
		defer m.close()
		var rejected error
		take := func(req any) error {
			rejected = m.receive(req)
			return nil
		}
		answer, err := handler(srv, ctx, take, func(ctx context.Context, req any, info *grpc.UnaryServerInfo, next grpc.UnaryHandler) (any, error) {
			if rejected != nil {
				next = func(context.Context, any) (any, error) { return nil, rejected }
			}
			return chain(ctx, req, info, next)
		})
		return m.answer.hold(answer, err)
	}
}

// Unknown answers calls of methods that no service has. The interceptors have rejected callers that may not call at all.
func (c *Interceptors) Unknown(any, grpc.ServerStream) error { return apierror.MethodUnknown() }
