package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/server/rpc"
	"github.com/toolresult/toolresult/tokens"
)

// restAfter is for how long nobody calls before a server gives memory back.
const restAfter = 5 * time.Second

// pathPause is the time between two looks at the path of the socket. It is well below the wait of `ensure`, which can start no other
// server as long as one that nobody reaches has the store.
const pathPause = 2 * time.Second

// Serve serves until ctx is done, nobody has called for as long as the configuration says, or the socket's path is lost, and then shuts
// down in order: health says NOT_SERVING and new calls are rejected, the drain delay passes, calls in flight end or are cut at the
// shutdown timeout, and the store is closed last. It returns nil after an orderly shutdown, except [rpc.ErrSocketLost]. A Server is served once.
func (s *Server) Serve(ctx context.Context) error {
	failed, end := make(chan error, len(s.listeners)), &summary{began: time.Now(), reason: endedByError}
	for _, l := range s.listeners {
		go func() { failed <- s.grpc.Serve(l) }()
		s.logger.InfoContext(ctx, "serving", "address", l.Addr().String())
	}
	var keeper sync.WaitGroup
	// No call has to wait for the tables that most calls need.
	keeper.Go(func() { salience.Builtin() })
	keeper.Go(func() { _, _ = tokens.O200k() }) // it is embedded
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	unused := make(chan struct{}) // closed when nobody has used the server for long; never, if that does not end it
	if s.config.IdleExit > 0 {
		keeper.Go(func() {
			if s.calls.UnusedFor(s.config.IdleExit, keeping.Done()) {
				close(unused)
			}
		})
	}
	lost := make(chan struct{}) // closed when the socket's path is
	if s.socket != nil {
		keeper.Go(func() {
			if s.socket.Lost(pathPause, keeping.Done()) {
				close(lost)
			}
		})
	}
	keeper.Go(func() { s.calls.AtRest(restAfter, keeping.Done(), giveBack) })
	if s.config.GCInterval > 0 {
		keeper.Go(func() { s.catalog.Keep(keeping, s.config.GCInterval) })
		keeper.Go(func() { s.audit.Retain(keeping, s.retentionClock(), s.config.GCInterval, s.config.AuditKeepFor) })
	}
	var err error
	select {
	case <-ctx.Done():
		end.reason, end.cause = endedBySignal, context.Cause(ctx)
		end.cut = s.drain()
	case <-unused:
		end.reason = endedByIdle
		end.cut = s.drain()
	case <-lost:
		end.reason, err = endedByLostSocket, fmt.Errorf("socket %s: %w", s.config.Socket, rpc.ErrSocketLost)
		end.cut = s.drain()
	case err = <-failed:
		end.cut = s.inFlight()
		s.grpc.Stop()
	}
	stop()
	keeper.Wait()
	end.now, end.stored = s.State(), s.records()
	err = errors.Join(err, s.Close())
	s.logEnd(end, err)
	return err
}

// inFlight returns the number of calls in flight.
func (s *Server) inFlight() int64 {
	load := s.calls.Load()
	return load.Unary + load.Streams
}

// drain ends the calls in order, and returns the number of those that it cut.
func (s *Server) drain() (cut int64) {
	if s.stopping != nil {
		s.stopping()
	}
	if err := s.withdraw(); err != nil {
		s.logger.Warn("the address file stays", "error", err)
	}
	s.health.Shutdown()
	s.calls.Drain()
	time.Sleep(s.config.DrainDelay)
	close(s.draining)
	stopped := make(chan struct{})
	go func() {
		s.grpc.GracefulStop()
		close(stopped)
	}()
	select {
	case <-stopped:
	case <-time.After(s.config.ShutdownTimeout):
		cut = max(s.inFlight(), 1) // one that is not received yet is in no count
		s.logger.Warn("calls in flight were cut at the shutdown timeout", "calls", cut)
		s.grpc.Stop()
		<-stopped
	}
	return cut
}

// Close gives back what New opened. After Serve it has nothing left to do.
func (s *Server) Close() error {
	var errs []error
	for _, l := range s.listeners {
		if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	if s.calls != nil {
		s.calls.Wait()
	}
	for i := len(s.closers) - 1; i >= 0; i-- {
		errs = append(errs, s.closers[i].Close())
	}
	s.closers = nil
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("shutdown: %w", err)
	}
	return nil
}
