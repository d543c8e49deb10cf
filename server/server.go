package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/toolresult/toolresult/artifactstore/catalog"
	"github.com/toolresult/toolresult/artifactstore/objectstore"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/journal"
	"github.com/toolresult/toolresult/internal/sidecar"
	"github.com/toolresult/toolresult/redact"
	"github.com/toolresult/toolresult/renderers"
	"github.com/toolresult/toolresult/server/admission"
	"github.com/toolresult/toolresult/server/apierror"
	"github.com/toolresult/toolresult/server/config"
	"github.com/toolresult/toolresult/server/families"
	"github.com/toolresult/toolresult/server/identity"
	"github.com/toolresult/toolresult/server/ingest"
	"github.com/toolresult/toolresult/server/metrics"
	"github.com/toolresult/toolresult/server/policy"
	"github.com/toolresult/toolresult/server/recorder"
	"github.com/toolresult/toolresult/server/redaction"
	"github.com/toolresult/toolresult/server/rpc"
	"github.com/toolresult/toolresult/tokens"
)

// Limits of the transport that nobody needs to set. docs/reference/limits.md has the
// arithmetic.
const (
	connectionTimeout = 5 * time.Second
	window            = 1 << 20
	keepaliveMin      = 10 * time.Second
	callDeadline      = 30 * time.Second // of a call whose client set none
	maxStreams        = 64               // calls in flight on one connection
	// streamWorkers are the goroutines that serve calls one after the other: their stacks have grown. Calls beside these have goroutines of
	// their own.
	streamWorkers = 16
)

// Encoding is how clients may compress messages: what uses it has it registered with gRPC.
// The bound of messages is that of what they are unpacked to.
const Encoding = gzip.Name

// AuditTrailer is the trailer of an answer that has an audit record: the id of the log, the sequence number of the record and
// its hash, separated by spaces.
const AuditTrailer = recorder.AuditTrailer

// Options are what a Server is given beside its configuration.
type Options struct {
	Logger       *slog.Logger        // required
	Metrics      metrics.Reporter    // optional; what the configuration asks for, package telemetry starts
	GRPC         []grpc.ServerOption // further ones, such as a stats handler that traces
	Version      string              // of the build; empty: what the build knows of itself
	Families     []families.Family   // nil: Families(), with the profiles of the configuration
	LockWait     time.Duration       // how long to wait for another process to leave the store
	Listener     net.Listener        // optional; in the place of the addresses of the configuration, as rpc.ListenInProcess returns one
	Socket       net.Listener        // optional; a bound Unix socket, in the place of that of the configuration, whose file is its owner's
	Stopping     func()              // optional; called when the server begins to end without a fault
	CallDeadline time.Duration       // of a call whose client set none; 0: 30 s
}

// Server is one sidecar.
type Server struct {
	config    config.Config
	logger    *slog.Logger
	grpc      *grpc.Server
	health    *health.Server
	calls     *rpc.Interceptors
	journal   *journal.Journal
	stored    chan struct{} // closed when catalog is open
	catalog   *catalog.Catalog
	audit     *recorder.Recorder // nil when no log is kept
	objects   *objectstore.Store // nil when there is none
	draining  chan struct{}      // closed when calls that would last are to end
	stopping  func()             // called when the server begins to end; nil: nothing is called
	listeners []net.Listener
	socket    *rpc.UnixSocket // one of them; nil: somebody else has bound it
	closers   []io.Closer     // closed last, in reverse order
}

// New opens the store, binds the listeners and assembles the services. Nothing
// is served before Serve. A Server that New returned must be served or closed.
func New(c config.Config, o Options) (*Server, error) {
	if err := config.Validate(c); err != nil {
		return nil, err
	}
	if c.Redaction == config.RedactAll {
		go redact.BuiltIn() // they compile while profiles are read, and the disk is waited for
	}
	registry, err := prepareRegistry(c, o)
	if err != nil {
		return nil, err
	}
	s := &Server{config: c, logger: o.Logger, health: health.NewServer(), draining: make(chan struct{}), stopping: o.Stopping}
	if err := s.assemble(registry, o); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// prepareRegistry returns a function that returns the registry of families. What a configuration adds can be wrong, and is read before
// anything is opened. What is built in is read beside that: it takes as long as the disk.
func prepareRegistry(c config.Config, o Options) (func() (*families.Registry, error), error) {
	if o.Families != nil || len(c.Profiles)+len(c.ProjectProfiles)+len(c.Families) > 0 {
		registry, err := newRegistry(c, o)
		return func() (*families.Registry, error) { return registry, nil }, err
	}
	build := sync.OnceValues(func() (*families.Registry, error) { return newRegistry(c, o) })
	go func() { _, _ = build() }() // whoever asks has the error
	return build, nil
}

// newRegistry returns the registry of all families.
func newRegistry(c config.Config, o Options) (*families.Registry, error) {
	profiles, err := families.LoadProfiles(c.Profiles, c.ProjectProfiles)
	if err != nil {
		return nil, err
	}
	list := o.Families
	if list == nil {
		list = families.WithProfiles(profiles)
	}
	custom, err := families.LoadCustomFamilies(c.Families...)
	if err != nil {
		return nil, err
	}
	return families.NewRegistry(append(list, custom...)...)
}

// assemble opens what the server needs, in the order in which it is closed
// again from the end: the store first, so that its lock is released last.
func (s *Server) assemble(prepared func() (*families.Registry, error), o Options) error {
	token, err := s.config.BearerToken()
	if err != nil {
		return err
	}
	secure, err := rpc.TLSCredentials(s.config)
	if err != nil {
		return err
	}
	groups, err := identity.Groups(s.config.AllowGroups)
	if err != nil {
		return fmt.Errorf("allow_groups: %w", err)
	}
	durability, err := s.openStore(o)
	if err != nil {
		return err
	}
	roots, err := ingest.OpenRoots(s.config.Roots)
	if err != nil {
		return err
	}
	for _, r := range roots {
		s.closers = append(s.closers, r.Dir)
	}
	if err := s.listen(o); err != nil {
		return err
	}
	limits, info := limitsOf(s.config, cmp.Or(o.CallDeadline, callDeadline)), Info(o.Version)
	records, err := s.openAudit(metrics.OnCommit(o.Metrics, metrics.AuditStore))
	if err != nil {
		return fmt.Errorf("audit log: %w", err)
	}
	registry, err := prepared()
	if err != nil {
		return err
	}
	if s.config.Audit == config.AuditJournal {
		s.catalog.Mend(recordedArtifacts(registry, records))
	}
	s.audit = recorder.New(records, o.Metrics, s.logger, info)
	if s.audit != nil {
		s.audit.OnFailure = s.storageFailed
	}
	access := identity.NewAuthenticator(string(token), s.authorities())
	memory := admission.NewMemory(s.config.MaxInFlightBytes)
	s.calls = rpc.NewInterceptors(rpc.Options{Logger: s.logger, Metrics: o.Metrics, Authenticator: access, Limits: limits, Memory: memory, Rejections: s.audit})
	creds := s.credentials(secure, groups)
	s.grpc = grpc.NewServer(append(s.options(limits, creds), o.GRPC...)...)
	if o.Listener == nil { // the caller's own has no strangers
		s.guard(creds)
	}
	info.Families, info.Durability, info.Limits = registry.Names(), durability, limits
	info.Store = &pb.StoreStatus{QuotaBytes: uint64(s.config.StoreQuota), SessionQuotaBytes: uint64(s.config.SessionQuota)}
	parts := Parts{
		Registry: registry, Catalog: s.catalog, Objects: s.objects, Roots: roots, Durability: durability, Secrets: redaction.NewSecrets(),
		Recorder: s.audit, Metrics: o.Metrics, Sessions: access.Sessions, Info: info, Budgets: s.config.Budgets,
		Memory: memory, Calls: s.calls, CallDeadline: limits.GetDefaultDeadline().AsDuration(), StreamIdle: s.config.StreamIdle, LogSync: s.config.LogSync, Draining: s.draining, MaxAnswer: int(limits.GetMaxMessageBytes()), Logger: s.logger,
	}
	if s.config.Redaction == config.RedactAll {
		parts.Patterns = redact.BuiltIn()
	}
	services, err := NewServices(parts)
	if err != nil {
		return err
	}
	s.register(services)
	return s.announce(info.GetVersion())
}

// register offers all services, and says of each that it is served.
func (s *Server) register(services *Services) {
	registrar := rpc.NewRegistrar(s.grpc, s.calls)
	services.Register(registrar)
	for name := range s.grpc.GetServiceInfo() { // our own; health and reflection have no health of their own
		s.health.SetServingStatus(name, healthpb.HealthCheckResponse_SERVING)
	}
	healthpb.RegisterHealthServer(registrar, s.health)
	reflection.Register(registrar)
}

// storageFailed reports by the health of ToolResultService that the server must start again: every result needs a record, and
// a store that is there. Reading goes on, and so does the server as a whole.
func (s *Server) storageFailed() {
	s.health.SetServingStatus(pb.ToolResultService_ServiceDesc.ServiceName, healthpb.HealthCheckResponse_NOT_SERVING)
}

// listen binds the socket, unless it is bound already, and, if it is configured, the loopback address. A listener that is given is in
// the place of both.
func (s *Server) listen(o Options) error {
	switch {
	case o.Listener != nil:
		s.listeners = append(s.listeners, o.Listener)
		return nil
	case o.Socket != nil:
		s.listeners = append(s.listeners, o.Socket)
	default:
		socket, err := rpc.ListenUnix(s.config.Socket)
		if err != nil {
			return err
		}
		s.closers = append(s.closers, socket.Lock)
		s.socket, s.listeners = socket, append(s.listeners, socket)
	}
	if s.config.TCP == "" {
		return nil
	}
	tcp, err := rpc.ListenTCP(s.config.TCP, s.config.TLSCert != "")
	if err != nil {
		return err
	}
	s.listeners = append(s.listeners, tcp)
	return nil
}

// announce writes the address file, if there is to be one. From then on clients may connect; they wait until the server serves.
func (s *Server) announce(version string) error {
	if s.config.AddressFile == "" {
		return nil
	}
	addresses := s.Addresses()
	a := sidecar.Address{Address: addresses[0], PID: os.Getpid(), Version: version}
	if len(addresses) > 1 {
		a.TCP = addresses[1]
	}
	if err := sidecar.WriteAddress(s.config.AddressFile, a); err != nil {
		return err
	}
	s.closers = append(s.closers, closer(s.withdraw))
	return nil
}

// withdraw removes the address file, unless another server has written it meanwhile.
func (s *Server) withdraw() error {
	if s.config.AddressFile == "" {
		return nil
	}
	return sidecar.RemoveAddress(s.config.AddressFile, os.Getpid())
}

// closer is a function that closes something.
type closer func() error

// Close implements io.Closer.
func (c closer) Close() error { return c() }

// Memory of a sidecar that calls do not take, in bytes: the program, its tables, the catalog, and the messages that gRPC reads.
const ownMemory = 32 << 20

// SoftLimit returns the memory at which the garbage collector works as often as it has to, in bytes. All that calls may reserve
// is a part of it. Pages of the binary come on top: docs/reference/limits.md has the sum.
func SoftLimit(c config.Config) int64 { return ownMemory + 2*c.MaxInFlightBytes }

// guard bounds the connections of each listener: the socket first, then TCP.
func (s *Server) guard(creds credentials.TransportCredentials) {
	preauth := rpc.Preauth{
		Credentials: creds, Calls: s.calls, Health: s.health, Settings: rpc.Settings(maxStreams, window),
		SetUp: connectionTimeout, Time: rpc.PendingTime,
	}
	for i, l := range s.listeners {
		o := rpc.ListenerLimits{Connections: s.config.MaxConnections, SlotTime: rpc.SlotTime, Bytes: rpc.PendingBytes, Authenticate: preauth.Authenticate}
		if i > 0 {
			o.Pending = rpc.MaxPending
			if s.config.TLSCert != "" {
				o.SlotTime = rpc.SlotTimeTLS
			}
		}
		s.listeners[i] = rpc.NewLimitListener(l, o)
	}
}

// credentials returns those of all listeners; secure is nil without TLS, and members of groups may connect to the socket.
func (s *Server) credentials(secure credentials.TransportCredentials, groups []uint32) identity.PeerCredentials {
	allowed := []uint32{uint32(os.Geteuid())}
	for _, uid := range s.config.AllowUIDs {
		allowed = append(allowed, uint32(uid))
	}
	return identity.PeerCredentials{Allowed: allowed, Groups: groups, Rejected: s.rejectPeer, TLS: secure}
}

func limitsOf(c config.Config, deadline time.Duration) *pb.Limits {
	return &pb.Limits{
		MaxMessageBytes: uint64(c.MaxMessageBytes), MaxInFlightBytes: uint64(c.MaxInFlightBytes),
		MaxConcurrentStreams: maxStreams, MaxConnections: uint32(c.MaxConnections),
		DefaultDeadline: durationpb.New(deadline), StreamIdle: durationpb.New(c.StreamIdle),
	}
}

func (s *Server) options(limits *pb.Limits, creds credentials.TransportCredentials) []grpc.ServerOption {
	return append(rpc.BufferOptions(),
		grpc.Creds(creds),
		grpc.MaxRecvMsgSize(int(limits.GetMaxMessageBytes())), grpc.UnknownServiceHandler(s.calls.Unknown),
		grpc.MaxConcurrentStreams(limits.GetMaxConcurrentStreams()),
		grpc.MaxHeaderListSize(rpc.HeaderBytes),
		grpc.ConnectionTimeout(connectionTimeout),
		grpc.StaticStreamWindowSize(window), grpc.StaticConnWindowSize(window),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: keepaliveMin, PermitWithoutStream: true}),
		grpc.NumStreamWorkers(streamWorkers),
		s.calls.Tap(), s.calls.Unary(), s.calls.Stream(),
	)
}

// rejectPeer records that a user may not connect.
func (s *Server) rejectPeer(p identity.PeerInfo) {
	s.logger.Debug("a user who may not connect was rejected", "uid", p.UID, "pid", p.PID)
	ctx := identity.NewContext(context.Background(), identity.Caller{Local: true, UID: p.UID, GID: p.GID, PID: p.PID})
	s.audit.Rejected(ctx, "", nil, apierror.New(codes.PermissionDenied, pb.ErrorReason_ERROR_REASON_PEER_NOT_ALLOWED, "the user may not connect"))
}

// authorities are the names that callers over TCP may use, besides those of loopback.
func (s *Server) authorities() []string {
	list := slices.Clone(s.config.Authorities)
	if host, _, err := net.SplitHostPort(s.config.TCP); err == nil {
		list = append(list, host)
	}
	return list
}

// CheckPolicy returns what a Server would reject in a projection policy, as an *envelope.InvalidError; nil if nothing is wrong with it.
// Its vocabulary is not loaded, and not checked.
func CheckPolicy(p *pb.ProjectionPolicy) error {
	p = proto.CloneOf(p)
	if render := p.GetRender(); render != nil {
		render.TokenVocabulary = pb.TokenVocabulary_TOKEN_VOCABULARY_ESTIMATE
	}
	unused := func(string) (string, error) { return "", nil } // artifacts are named with receipts
	_, err := policy.NewResolver(unused).Projection(p, "", policy.MinTokens)
	return err
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
