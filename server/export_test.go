package server

import (
	"log/slog"
	"testing"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/library"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// NewService returns the service without a transport around it.
func NewService(t testing.TB, r *Registry, store artifactstore.Store) pb.ToolResultServiceServer {
	return &service{registry: r, counters: newCounters(), store: newLibrary(t, store)}
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

// Refuse maps an error to the reason and status that a client gets.
func Refuse(err error) error { return refuse(err).GRPCStatus().Err() }
