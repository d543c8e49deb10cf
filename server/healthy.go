package server

import (
	"context"
	"errors"
	"fmt"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"
)

// ErrEnding is the error of [Server.Healthy] when the server ends in order, or has ended: it makes no results, and nothing is wrong.
var ErrEnding = errors.New("the server is ending")

// Healthy returns nil if the server can make results: its store is there, no service has failed, and nothing keeps the locks of the
// journal and of the calls. Otherwise the server has to be started again, unless the error is [ErrEnding]. An index that is being made
// again is no fault. It is what a watchdog asks, with a limit of its own, since it does not return while a lock is kept. Safe for
// concurrent use.
func (s *Server) Healthy(ctx context.Context) error {
	fault := s.fault(ctx)
	// It is asked last: an end turns all services to NOT_SERVING at once, and that is no fault.
	if s.status(ctx, "") != healthpb.HealthCheckResponse_SERVING {
		return ErrEnding
	}
	if fault != nil {
		return fault
	}
	s.State()
	return nil
}

// fault returns why the server has to be started again; nil if nothing is known.
func (s *Server) fault(ctx context.Context) error {
	if err := s.catalog.Check(); err != nil {
		return err
	}
	for name := range s.grpc.GetServiceInfo() {
		if status := s.status(ctx, name); status != healthpb.HealthCheckResponse_SERVING {
			return fmt.Errorf("%s is %s", name, status)
		}
	}
	return nil
}

// status returns the health of a service, SERVING of one that has none; "" is the server as a whole, which is not SERVING when it ends.
func (s *Server) status(ctx context.Context, service string) healthpb.HealthCheckResponse_ServingStatus {
	answer, err := s.health.Check(ctx, &healthpb.HealthCheckRequest{Service: service})
	if err != nil { // gRPC's own services have no health
		return healthpb.HealthCheckResponse_SERVING
	}
	return answer.GetStatus()
}
