package server

import (
	"context"
	"fmt"

	healthpb "google.golang.org/grpc/health/grpc_health_v1"
)

// Healthy returns nil if the server can make results: its store is there, no service has failed, and nothing keeps the locks of the
// journal and of the calls. Otherwise the server has to be started again. An index that is being made again is no fault. It is what a
// watchdog asks, with a limit of its own, since it does not return while a lock is kept. Safe for concurrent use.
func (s *Server) Healthy(ctx context.Context) error {
	if err := s.catalog.Check(); err != nil {
		return err
	}
	for name := range s.grpc.GetServiceInfo() {
		answer, err := s.health.Check(ctx, &healthpb.HealthCheckRequest{Service: name})
		if err == nil && answer.GetStatus() != healthpb.HealthCheckResponse_SERVING {
			return fmt.Errorf("%s is %s", name, answer.GetStatus())
		}
	}
	s.State()
	return nil
}
