package server

import (
	"fmt"
	"log/slog"
	"testing"
	"time"

	"google.golang.org/grpc/encoding"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/library"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// NewService returns the service without a transport around it.
func NewService(t testing.TB, r *Registry, store artifactstore.Store) pb.ToolResultServiceServer {
	return NewLoggingService(t, r, store, slog.New(slog.DiscardHandler))
}

// NewLoggingService is NewService with a log.
func NewLoggingService(t testing.TB, r *Registry, store artifactstore.Store, logger *slog.Logger) pb.ToolResultServiceServer {
	l := newLibrary(t, store)
	c, err := newCompactor(r, l)
	if err != nil {
		t.Fatal(err)
	}
	return &service{registry: r, compactor: c, counters: newCounters(), store: l, logger: logger, outputs: newOutputs(), idle: TestIdle}
}

// newLibrary opens a library over a store, and closes it when the test ends.
func newLibrary(t testing.TB, store artifactstore.Store) *library.Library {
	t.Helper()
	l, err := library.Open(store, library.Options{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// TestIdle is the idle limit of a service without a transport.
const TestIdle = time.Minute

// Refuse maps an error to the reason and status that a client gets.
func Refuse(err error) error { return refuse(err).GRPCStatus().Err() }

// NewCodec returns the codec of a server.
func NewCodec() encoding.CodecV2 { return newCodec() }

// LentBuffers is a pool that knows what it has not got back, and spoils what it has.
type LentBuffers struct{ lent int }

// Get lends a buffer.
func (p *LentBuffers) Get(n int) *[]byte {
	p.lent++
	b := make([]byte, n)
	return &b
}

// Put takes a buffer back.
func (p *LentBuffers) Put(b *[]byte) {
	p.lent--
	for i := range *b {
		(*b)[i] = 0xaa
	}
}

// Check reports buffers that did not come back.
func (p *LentBuffers) Check() error {
	if p.lent != 0 {
		return fmt.Errorf("%d buffers were not given back", p.lent)
	}
	return nil
}
