package toolresult

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/sidecar"
)

// ServiceConfig has the deadlines and retries of all calls, as gRPC reads them (google.golang.org/grpc.WithDefaultServiceConfig).
//
//go:embed service_config.json
var ServiceConfig string

// Limits of a connection.
const (
	maxReceived = 256 << 20 // bytes: compacted histories are larger than gRPC's 4 MiB
	retryBuffer = 8 << 20   // bytes: outputs are larger than the 256 KiB that gRPC would send again
	window      = 1 << 20   // bytes of flow control; gRPC would measure the connection first
	ping        = 15 * time.Second
)

// ConnectOption sets something about a connection.
type ConnectOption func(*settings)

// settings are the options of a connection.
type settings struct {
	address string
	token   string
	tls     *tls.Config
	start   bool
	timeout time.Duration
	session string
	task    string
	dial    []grpc.DialOption
}

// WithAddress names the sidecar: unix:///PATH or HOST:PORT. Default: the one that is found.
func WithAddress(address string) ConnectOption { return func(s *settings) { s.address = address } }

// WithToken sets the token that calls carry: that of the sidecar over TCP, or one of a session. Default: over TCP that of the
// variable TOOLRESULT_TOKEN. Without TLS a token is sent to the loopback address and over a socket only.
func WithToken(token string) ConnectOption { return func(s *settings) { s.token = token } }

// WithTLS connects with TLS over TCP.
func WithTLS(config *tls.Config) ConnectOption { return func(s *settings) { s.tls = config } }

// WithStart starts a sidecar where none runs, by `toolresult ensure`: the program that the variable TOOLRESULT_BINARY names, or
// that is found in PATH.
func WithStart() ConnectOption { return func(s *settings) { s.start = true } }

// WithTimeout sets how long a call may take whose context has no deadline. Default: that of [ServiceConfig].
func WithTimeout(d time.Duration) ConnectOption { return func(s *settings) { s.timeout = d } }

// WithSession sets the session of calls that name none.
func WithSession(id string) ConnectOption { return func(s *settings) { s.session = id } }

// WithTask sets what the agent looks for, such as its task: receipts then show the lines that have
// its words. [Client.SetTask] has more.
func WithTask(task string) ConnectOption { return func(s *settings) { s.task = task } }

// WithDialOptions sets further options of gRPC, which win over those of this package.
func WithDialOptions(options ...grpc.DialOption) ConnectOption {
	return func(s *settings) { s.dial = append(s.dial, options...) }
}

// Connect returns a client of the sidecar that was named or, by default, of the one of this user (docs/discovery.md). The caller
// closes it. The connection is made by the first call.
//
// Errors: [ErrNoSidecar] when none is found, and none may be started; [ErrUnavailable] when one is found that accepts nothing, or
// could not be started.
func Connect(ctx context.Context, options ...ConnectOption) (*Client, error) {
	var s settings
	for _, set := range options {
		set(&s)
	}
	if s.address == "" {
		var err error
		if s.address, err = find(ctx, s.start); err != nil {
			return nil, err
		}
	}
	dial, err := s.dialOptions()
	if err != nil {
		return nil, err
	}
	conn, err := grpc.NewClient(s.address, dial...)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", s.address, err)
	}
	return newClient(conn, s), nil
}

// find returns the address of the sidecar of this user.
func find(ctx context.Context, start bool) (string, error) {
	if start && os.Getenv("TOOLRESULT_CONFIG") != "" && os.Getenv("TOOLRESULT_ADDRESS") == "" {
		return ensure(ctx) // the command reads that file
	}
	place, err := sidecar.FromEnvironment(os.Environ()).Find(ctx)
	switch {
	case err == nil:
		return place.Address, nil
	case !errors.Is(err, sidecar.ErrNone):
		return "", unavailable(err.Error(), err)
	case start:
		return ensure(ctx)
	}
	return "", noSidecar(err)
}

// ensure runs `toolresult ensure` in a session of its own, so that no signal to this process ends the sidecar that it starts.
func ensure(ctx context.Context) (string, error) {
	program, err := exec.LookPath(cmp.Or(os.Getenv("TOOLRESULT_BINARY"), "toolresult"))
	if err != nil {
		return "", noSidecar(fmt.Errorf("start a sidecar: %w", err))
	}
	var stdout, stderr bytes.Buffer
	c := exec.CommandContext(ctx, program, "ensure")
	c.Stdout, c.Stderr = &stdout, &stderr
	c.SysProcAttr = inOwnSession()
	if err := c.Run(); err != nil {
		return "", unavailable("start a sidecar: "+cmp.Or(strings.TrimSpace(stderr.String()), err.Error()), err)
	}
	return strings.TrimSpace(stdout.String()), nil
}

// dialOptions returns the options of gRPC.
func (s *settings) dialOptions() ([]grpc.DialOption, error) {
	local := strings.HasPrefix(s.address, "unix:")
	if s.token == "" && !local { // on a socket the user id suffices
		s.token = os.Getenv("TOOLRESULT_TOKEN")
	}
	secure := insecure.NewCredentials()
	if s.tls != nil && !local {
		secure = credentials.NewTLS(s.tls)
	}
	again := backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: time.Second}
	options := []grpc.DialOption{
		grpc.WithTransportCredentials(secure), grpc.WithDefaultServiceConfig(ServiceConfig),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxReceived), grpc.MaxRetryRPCBufferSize(retryBuffer)),
		grpc.WithStaticStreamWindowSize(window), grpc.WithStaticConnWindowSize(window),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: again, MinConnectTimeout: 5 * time.Second}),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: ping, Timeout: ping}),
		grpc.WithChainUnaryInterceptor(typedErrors(s.timeout)), grpc.WithChainStreamInterceptor(typedStreamErrors),
	}
	if s.token != "" {
		onMachine := local || sidecar.IsLoopback(s.address)
		if !onMachine && s.tls == nil {
			return nil, errors.New("a token is sent to another machine with TLS only")
		}
		options = append(options, grpc.WithPerRPCCredentials(bearer{s.token, !onMachine}))
	}
	return append(options, s.dial...), nil
}

// bearer sends a token with each call (RFC 6750).
type bearer struct {
	token  string
	secure bool // over TLS only
}

// GetRequestMetadata implements [credentials.PerRPCCredentials].
func (b bearer) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": "Bearer " + b.token}, nil
}

// RequireTransportSecurity implements [credentials.PerRPCCredentials].
func (b bearer) RequireTransportSecurity() bool { return b.secure }

// newClient returns a client on a connection.
func newClient(conn *grpc.ClientConn, s settings) *Client {
	c := &Client{
		Stubs: Stubs{
			Results: pb.NewToolResultServiceClient(conn), Artifacts: pb.NewArtifactServiceClient(conn),
			Transport: pb.NewTransportServiceClient(conn), Tools: pb.NewToolServiceClient(conn),
			Audit: pb.NewAuditServiceClient(conn), Access: pb.NewAccessServiceClient(conn), Health: healthpb.NewHealthClient(conn),
		},
		conn: conn, address: s.address, session: s.session,
	}
	c.SetTask(s.task)
	return c
}
