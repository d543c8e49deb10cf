package server

import (
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// NewService returns the service without a transport around it.
func NewService(r *Registry, store store) pb.ToolResultServiceServer {
	return &service{registry: r, counters: newCounters(), store: store}
}

// Refuse maps an error to the reason and status that a client gets.
func Refuse(err error) error { return refuse(err).GRPCStatus().Err() }
