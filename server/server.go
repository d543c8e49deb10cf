package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"

	"github.com/toolresult/toolresult/artifactstore/library"
	"github.com/toolresult/toolresult/artifactstore/objectstore"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/preview/tokens"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/config"
)

// Limits of the transport that nobody needs to set. docs/limits.md has the
// arithmetic.
const (
	connectionTimeout = 5 * time.Second
	headerBytes       = 16 << 10
	window            = 1 << 20
	keepaliveMin      = 10 * time.Second
	messageSlack      = 1 << 20 // so that the refusal of a message over the limit can be ours
)

// Options are what a Server is given beside its configuration.
type Options struct {
	Logger   *slog.Logger  // required
	Metrics  Metrics       // optional
	Version  string        // of the build; empty: what the build knows of itself
	Families []Family      // nil: Families(), with the profiles of the configuration
	LockWait time.Duration // how long to wait for another process to leave the store
}

// Server is one sidecar.
type Server struct {
	config    config.Config
	logger    *slog.Logger
	grpc      *grpc.Server
	health    *health.Server
	calls     *calls
	library   *library.Library
	objects   *objectstore.Store // nil when there is none
	draining  chan struct{}      // closed when calls that would last are to end
	listeners []net.Listener
	closers   []io.Closer // closed last, in reverse order
}

// New opens the store, binds the listeners and assembles the services. Nothing
// is served before Serve. A Server that New returned must be served or closed.
func New(c config.Config, o Options) (*Server, error) {
	if err := config.Validate(c); err != nil {
		return nil, err
	}
	profiles, err := Profiles(c.Profiles, c.ProjectProfiles)
	if err != nil {
		return nil, err
	}
	list := o.Families
	if list == nil {
		list = families(profiles)
	}
	brought, err := BroughtFamilies(c.Families...)
	if err != nil {
		return nil, err
	}
	registry, err := NewRegistry(append(list, brought...)...)
	if err != nil {
		return nil, err
	}
	s := &Server{config: c, logger: o.Logger, health: health.NewServer(), draining: make(chan struct{})}
	if err := s.assemble(registry, o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// assemble opens what the server needs, in the order in which it is closed
// again from the end: the store first, so that its lock is released last.
func (s *Server) assemble(registry *Registry, o Options) error {
	token, err := s.config.BearerToken()
	if err != nil {
		return err
	}
	durability, err := s.openStore(o.LockWait)
	if err != nil {
		return err
	}
	roots, err := openRoots(s.config.Roots)
	if err != nil {
		return err
	}
	for _, r := range roots {
		s.closers = append(s.closers, r.dir)
	}
	if err := s.listen(); err != nil {
		return err
	}
	planner, err := newCompactor(registry, s.library)
	if err != nil {
		return err
	}
	limits := limitsOf(s.config)
	s.calls = &calls{
		logger: s.logger, metrics: o.Metrics, access: newAccess(string(token)), limits: limits,
		instance: strconv.FormatUint(rand.Uint64(), 36) + "-",
	}
	s.grpc = grpc.NewServer(s.options(limits)...)
	info := Info(o.Version)
	info.Families, info.Durability, info.Limits = registry.names, durability, limits
	info.Store = &pb.StoreStatus{QuotaBytes: uint64(s.config.StoreQuota), SessionQuotaBytes: uint64(s.config.SessionQuota)}
	pb.RegisterToolResultServiceServer(s.grpc, &service{
		registry: registry, compactor: planner, counters: newCounters(), store: s.library, roots: roots, durability: durability,
		info: info, logger: s.logger, outputs: newOutputs(), idle: s.config.StreamIdle, objects: s.objects,
	})
	pb.RegisterArtifactServiceServer(s.grpc, &artifacts{
		library: s.library, logs: logs{store: s.library, every: s.config.LogSync, draining: s.draining, logger: s.logger},
	})
	pb.RegisterTransportServiceServer(s.grpc, &transport{idle: s.config.StreamIdle, limit: int(limits.GetMaxMessageBytes())})
	healthpb.RegisterHealthServer(s.grpc, s.health)
	for _, service := range []string{
		pb.ToolResultService_ServiceDesc.ServiceName, pb.ArtifactService_ServiceDesc.ServiceName, pb.TransportService_ServiceDesc.ServiceName,
	} {
		s.health.SetServingStatus(service, healthpb.HealthCheckResponse_SERVING)
	}
	if s.config.Reflection {
		reflection.Register(s.grpc)
	}
	return nil
}

// listen binds the socket and, if it is configured, the loopback address.
func (s *Server) listen() error {
	slots := make(chan struct{}, s.config.MaxConnections)
	socket, err := listenUnix(s.config.Socket)
	if err != nil {
		return err
	}
	s.closers = append(s.closers, socket.lock)
	s.listeners = append(s.listeners, capped{socket.Listener, slots})
	if s.config.TCP == "" {
		return nil
	}
	tcp, err := listenTCP(s.config.TCP)
	if err != nil {
		return err
	}
	s.listeners = append(s.listeners, capped{tcp, slots})
	return nil
}

func limitsOf(c config.Config) *pb.Limits {
	return &pb.Limits{
		MaxMessageBytes: uint64(c.MaxMessageBytes), MaxInFlightBytes: uint64(c.MaxInFlightBytes),
		MaxConcurrentStreams: uint32(c.MaxStreams), MaxConnections: uint32(c.MaxConnections),
		DefaultDeadlineMs: uint64(c.DefaultDeadline.Milliseconds()), StreamIdleMs: uint64(c.StreamIdle.Milliseconds()),
	}
}

func (s *Server) options(limits *pb.Limits) []grpc.ServerOption {
	allowed := []uint32{uint32(os.Geteuid())}
	for _, uid := range s.config.AllowUIDs {
		allowed = append(allowed, uint32(uid))
	}
	return append(bufferOptions(),
		grpc.Creds(peerCredentials{allowed}),
		grpc.MaxRecvMsgSize(int(limits.GetMaxMessageBytes())+messageSlack),
		grpc.MaxConcurrentStreams(limits.GetMaxConcurrentStreams()),
		grpc.MaxHeaderListSize(headerBytes),
		grpc.ConnectionTimeout(connectionTimeout),
		grpc.StaticStreamWindowSize(window), grpc.StaticConnWindowSize(window),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: keepaliveMin, PermitWithoutStream: true}),
		s.calls.chain(), s.calls.streamChain(),
	)
}

// Info is what the build knows of itself; version is that of a release build,
// or empty.
func Info(version string) *pb.GetServerInfoResponse {
	info := &pb.GetServerInfoResponse{
		Version: version, RendererVersion: renderers.Version, TokenCounters: []string{tokens.O200kName, tokens.CL100kName, tokens.EstimateName},
	}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return info
	}
	info.GoVersion = build.GoVersion
	if version == "" {
		info.Version = build.Main.Version
	}
	for _, setting := range build.Settings {
		if setting.Key == "vcs.revision" {
			info.Commit = setting.Value
		}
	}
	return info
}

// Addresses are where the server can be called, as gRPC targets: the socket
// first, then the loopback address with its port.
func (s *Server) Addresses() []string {
	var list []string
	for _, l := range s.listeners {
		if a := l.Addr(); a.Network() == "unix" {
			list = append(list, "unix://"+a.String())
		} else {
			list = append(list, a.String())
		}
	}
	return list
}

// Serve serves until ctx is done, and then shuts down in order: health says
// NOT_SERVING and new calls are refused, the drain delay passes, calls in flight
// end or are cut at the shutdown timeout, and the store is closed last. It
// returns nil after an orderly shutdown. A Server is served once.
func (s *Server) Serve(ctx context.Context) error {
	failed := make(chan error, len(s.listeners))
	for _, l := range s.listeners {
		go func() { failed <- s.grpc.Serve(l) }()
		s.logger.InfoContext(ctx, "serving", "address", l.Addr().String())
	}
	var keeper sync.WaitGroup
	keeper.Go(func() { _, _ = tokens.O200k() }) // so that no call has to wait for the vocabulary; it is embedded
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	if s.config.GCInterval > 0 {
		keeper.Go(func() { s.library.Keep(keeping, s.config.GCInterval) })
	}
	var err error
	select {
	case <-ctx.Done():
		s.drain()
	case err = <-failed:
		s.grpc.Stop()
	}
	stop()
	keeper.Wait()
	return errors.Join(err, s.Close())
}

func (s *Server) drain() {
	s.health.Shutdown()
	s.calls.draining.Store(true)
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
		s.logger.Warn("calls in flight were cut at the shutdown timeout")
		s.grpc.Stop()
		<-stopped
	}
}

// Close gives back what New opened. After Serve it has nothing left to do.
func (s *Server) Close() error {
	var errs []error
	for _, l := range s.listeners {
		if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	s.listeners = nil
	for i := len(s.closers) - 1; i >= 0; i-- {
		errs = append(errs, s.closers[i].Close())
	}
	s.closers = nil
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("shutdown: %w", err)
	}
	return nil
}
