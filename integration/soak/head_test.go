//go:build linux

package soak_test

import (
	"context"
	"errors"
	"fmt"
	"io"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/toolresult/toolresult/server"
)

// head is an audit record that an answer named.
type head struct {
	Log      string
	Sequence uint64
	Hash     string
}

func (h head) later(o head) head {
	if o.Sequence > h.Sequence {
		return o
	}
	return h
}

type headKey struct{}

// withHead has the interceptors put the head of the answer into h.
func withHead(ctx context.Context, h *head) context.Context {
	return context.WithValue(ctx, headKey{}, h)
}

// note reads the trailer of an answer.
func note(ctx context.Context, trailer metadata.MD) {
	h, _ := ctx.Value(headKey{}).(*head)
	if values := trailer.Get(server.AuditTrailer); h != nil && len(values) == 1 {
		_, _ = fmt.Sscan(values[0], &h.Log, &h.Sequence, &h.Hash) // what is no head has no record
	}
}

func noteUnary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	var trailer metadata.MD
	err := invoke(ctx, method, req, reply, cc, append(opts, grpc.Trailer(&trailer))...)
	if err == nil {
		note(ctx, trailer)
	}
	return err
}

func noteStream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, open grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	stream, err := open(ctx, desc, cc, method, opts...)
	return noting{stream}, err
}

// noting is a stream whose trailer is read at its end.
type noting struct{ grpc.ClientStream }

func (n noting) RecvMsg(m any) error {
	err := n.ClientStream.RecvMsg(m)
	if errors.Is(err, io.EOF) {
		note(n.Context(), n.Trailer())
	}
	return err
}
