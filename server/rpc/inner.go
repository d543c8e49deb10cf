package rpc

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/identity"
)

// This file serves calls that come in the messages of a stream as unary calls: from the identity of the caller on they take the
// same steps, in the same order, so that no call has a way around one.

// InnerHandler serves one call of a stream. id is its request id, ctx is of the stream or below it. It returns the answer or an
// error with a status, and the trailer that a unary call would have. Safe for concurrent use.
type InnerHandler func(ctx context.Context, id string, req any) (resp any, trailer metadata.MD, err error)

// Inner returns what serves calls of streams as unary calls of a method. A request may be a [Rejected] one. With a nil c, as in tests
// without a transport, errors become statuses, and that is all.
func (c *Interceptors) Inner(method string, serve grpc.UnaryHandler) InnerHandler {
	served := func(ctx context.Context, req any) (any, error) {
		if r, ok := req.(Rejected); ok {
			return nil, r.Why
		}
		return serve(ctx, req)
	}
	if c == nil {
		return withoutTransport(method, served)
	}
	info := &grpc.UnaryServerInfo{FullMethod: method}
	steps := c.unary()
	for i := len(steps) - 1; i >= 0; i-- {
		step, next := steps[i], served
		served = func(ctx context.Context, req any) (any, error) { return step(ctx, req, info, next) }
	}
	return func(ctx context.Context, id string, req any) (any, metadata.MD, error) {
		// The token of the stream may have ended, or been taken back, since the stream began.
		ctx = identity.NewContext(ctx, c.Authenticator.Identify(ctx))
		s := &innerStream{method: method}
		resp, err := served(grpc.NewContextWithServerTransportStream(identity.WithRequestID(ctx, id), s), req)
		return resp, s.trailer, err
	}
}

// withoutTransport is Inner where there are no interceptors.
func withoutTransport(method string, serve grpc.UnaryHandler) InnerHandler {
	return func(ctx context.Context, id string, req any) (any, metadata.MD, error) {
		s := &innerStream{method: method}
		resp, err := serve(grpc.NewContextWithServerTransportStream(identity.WithRequestID(ctx, id), s), req)
		if err != nil {
			return nil, s.trailer, apierror.ToStatus(err).GRPCStatus().Err()
		}
		return resp, s.trailer, nil
	}
}

// Rejected is a call whose message was not accepted. It takes the same steps as others, so it is measured and recorded.
type Rejected struct{ Why error }

// innerStream is the transport of a call of a stream: it has the name of a method, and keeps the trailer.
type innerStream struct {
	method  string
	trailer metadata.MD
}

// Method implements grpc.ServerTransportStream.
func (s *innerStream) Method() string { return s.method }

// SetHeader implements grpc.ServerTransportStream. The stream has a header, and its calls have none.
func (*innerStream) SetHeader(metadata.MD) error { return nil }

// SendHeader implements grpc.ServerTransportStream.
func (*innerStream) SendHeader(metadata.MD) error { return nil }

// SetTrailer implements grpc.ServerTransportStream.
func (s *innerStream) SetTrailer(md metadata.MD) error {
	s.trailer = metadata.Join(s.trailer, md)
	return nil
}
