package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/connectivity"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/mcpproxy"
	"github.com/toolresult/toolresult/internal/mcpproxy/sidecarclient"
)

// The sidecar of `mcp`. One that was named is called, whether it runs or not. Otherwise it is that of docs/discovery.md, and it is
// started as `ensure` does it when the client asks which tools there are, or calls one, so that it serves before there is a result. One
// that has ended, because nobody called it, is started again in the same way. The server and its messages wait for none of it.

// sidecar returns the sidecar to call. Whatever is wrong with it, a host must not lose its server: results pass as they are then.
func (m *mcp) sidecar(log *slog.Logger) (mcpproxy.Sidecar, error) {
	session := m.session
	if session == "" { // all servers of a host share it: a model may ask the tool of any of them for a result of another
		dir, _ := os.Getwd() // which all of them have, or none
		session = fmt.Sprintf("mcp-%x", sha256.Sum256([]byte(dir)))[:20]
	}
	check := envelope.NewChecker("")
	check.Name("--session", session, true)
	check.Name("--read-tool", m.readTool, true)
	if err := check.Err(); err != nil {
		return nil, err
	}
	patience := m.patience
	if text := os.Getenv(patienceVariable); patience == 0 && text != "" {
		var err error
		if patience, err = time.ParseDuration(text); err != nil {
			log.Warn(patienceVariable+" is not used", "error", err)
		}
	}
	patience = cmp.Or(patience, defaultPatience)
	conn, starter, err := m.dial(patience, log)
	if err != nil {
		log.Warn("no sidecar: all results pass as they are", "error", err)
		return noSidecar{err}, nil
	}
	client := &sidecarclient.Client{
		Results: pb.NewToolResultServiceClient(conn), Tools: pb.NewToolServiceClient(conn), Artifacts: pb.NewArtifactServiceClient(conn),
		Health: healthpb.NewHealthClient(conn), Session: session, Patience: patience,
		Policy: &pb.ProjectionPolicy{FocusSession: hostSession(), Render: &pb.RenderPolicy{
			Budget: &pb.Budget{MaxTokens: m.tokens}, Handles: pb.HandleForm_HANDLE_FORM_CALL, ReadTool: m.readTool,
		}},
	}
	if starter != nil {
		client.Starter = starter
	}
	return client, nil
}

// dial returns a connection that begins with its first call, and what starts the sidecar; nil for one that was named. The end of the
// process closes the connection.
func (m *mcp) dial(patience time.Duration, log *slog.Logger) (*grpc.ClientConn, *starter, error) {
	address := m.address
	if address == "" && os.Getenv("TOOLRESULT_ADDRESS") != "" {
		place, err := findSidecar(context.Background()) // which looks at nothing else then
		if err != nil {
			return nil, nil, err
		}
		address = place.Address
	}
	isFound := address == ""
	if isFound {
		address = "unix:found"
	}
	options, err := m.options(address)
	if err != nil {
		return nil, nil, err
	}
	options = append(options, grpc.WithStaticStreamWindowSize(clientWindow), grpc.WithStaticConnWindowSize(clientWindow),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswer)),
		// A sidecar that is started later is found soon, and one that is busy is not taken for none.
		grpc.WithConnectParams(grpc.ConnectParams{
			Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 2, MaxDelay: time.Second},
			MinConnectTimeout: max(patience, time.Second),
		}))
	if !isFound {
		conn, err := grpc.NewClient(address, options...)
		return conn, nil, err
	}
	conn, err := grpc.NewClient("passthrough:///localhost", append(options, grpc.WithContextDialer(dialFound))...)
	return conn, &starter{conn: conn, patience: patience, log: log}, err
}

// dialFound connects to the sidecar of this user, wherever it is now.
func dialFound(ctx context.Context, _ string) (net.Conn, error) {
	place, err := findSidecar(ctx)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	return d.DialContext(ctx, "unix", strings.TrimPrefix(place.Address, "unix://"))
}

// starter makes sure that the sidecar runs to which a connection leads.
type starter struct {
	conn     *grpc.ClientConn
	patience time.Duration
	log      *slog.Logger

	mu      sync.Mutex
	present *attempt  // that has not ended; nil: there is none
	failed  time.Time // when the last one failed; zero: it did not
}

// attempt is one attempt to start a sidecar.
type attempt struct {
	ended chan struct{} // closed at its end
	err   error         // then
}

// startAgain is the time after which a sidecar that did not start is started again, if it is needed.
const startAgain = 10 * time.Second

// Start implements [sidecarclient.Starter].
func (s *starter) Start(failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	isConnected := !failed && s.conn.GetState() == connectivity.Ready
	if isConnected || s.present != nil || !s.failed.IsZero() && time.Since(s.failed) < startAgain {
		return
	}
	s.present = &attempt{ended: make(chan struct{})}
	go s.start(s.present)
}

// start makes an attempt.
func (s *starter) start(a *attempt) {
	e := ensure{patience: s.patience, idleExit: defaultIdleExit, wait: defaultWait}
	if _, a.err = e.run(context.Background()); a.err == nil {
		s.connect()
	} else {
		s.log.Warn("no sidecar: results pass as they are", "error", a.err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.present, s.failed = nil, time.Time{}
	if a.err != nil {
		s.failed = time.Now()
	}
	close(a.ended)
}

// connect connects to a sidecar that serves, in whatever state the attempts before have left the connection.
func (s *starter) connect() {
	ctx, cancel := context.WithTimeout(context.Background(), s.patience)
	defer cancel()
	s.conn.ResetConnectBackoff()
	s.conn.Connect()
	for state := s.conn.GetState(); state != connectivity.Ready && s.conn.WaitForStateChange(ctx, state); {
		state = s.conn.GetState()
	}
}

// Wait implements [sidecarclient.Starter].
func (s *starter) Wait(ctx context.Context) error {
	s.mu.Lock()
	a := s.present
	s.mu.Unlock()
	if a == nil {
		return nil
	}
	select {
	case <-a.ended:
		return a.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// noSidecar is a sidecar that cannot be called.
type noSidecar struct{ err error }

// Expect implements [mcpproxy.Sidecar].
func (n noSidecar) Expect() {}

// Project implements [mcpproxy.Sidecar].
func (n noSidecar) Project(context.Context, mcpproxy.Result) (mcpproxy.Receipt, error) {
	return mcpproxy.Receipt{}, n.err
}

// Read implements [mcpproxy.Sidecar].
func (n noSidecar) Read(context.Context, string) (string, bool, error) { return "", false, n.err }

// Artifact implements [mcpproxy.Sidecar].
func (n noSidecar) Artifact(context.Context, string, int) ([]byte, error) { return nil, n.err }
