package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/status"

	"github.com/toolresult/toolresult/artifactstore"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/sidecar"
	"github.com/toolresult/toolresult/server"
	"github.com/toolresult/toolresult/server/config"
	"github.com/toolresult/toolresult/server/rpc"
)

// A command finds its sidecar in three steps: the address of --server; then that of docs/discovery.md, if a sidecar of this user
// listens there; then a sidecar of its own in this process, embedded, which ends with the command. So `toolresult exec`
// works on a machine where nothing was set up, and uses the same store once a sidecar runs. Commands call the embedded
// sidecar with gRPC too: there is one way to the services, and it is the one that is tested. It needs no socket, which the
// sandboxes of some hosts deny to the commands of an agent.

// Limits of the client, in bytes.
const (
	maxAnswer    = 256 << 20 // compacted histories can be larger than the 4 MiB that gRPC allows by default
	clientWindow = 1 << 20   // of flow control
)

// target is the sidecar to call, as flags name it.
type target struct {
	address         string    // empty: the sidecar of the configuration, or an embedded one
	running         bool      // none is started in this process
	ensured         *starting // one is started apart where there is none; nil: it is not
	revived         bool      // that one is started again when it has ended
	alone           bool      // one in this process has the store that is meant, and none beside it
	store           string    // of an embedded sidecar, whatever runs; empty: that of the configuration
	credentialFlags           // to show to it
}

// flags defines the flags of a target.
func (t *target) flags(fs *pflag.FlagSet) {
	fs.StringVar(&t.address, "server", "", "sidecar to call: unix:///PATH or HOST:PORT (with the token in TOOLRESULT_TOKEN); "+
		"default: that of TOOLRESULT_ADDRESS, of the address file or of the socket, or an embedded sidecar when none runs there")
	fs.StringVar(&t.store, "store", "", "use an embedded sidecar whose store is in this directory, whatever runs")
	t.credentialFlags.flags(fs)
}

// check returns the mistake in the flags.
func (t *target) check() error {
	if t.address != "" && t.store != "" {
		return errors.New("--store is for an embedded sidecar, and --server names another")
	}
	return nil
}

// connection is a connection to a sidecar, with the clients of its services. close ends it, and an embedded sidecar with it.
// No two services have a method of the same name, so that all clients can be embedded.
type connection struct {
	pb.ToolResultServiceClient        // project, render, compact
	pb.ArtifactServiceClient          // artifacts and logs
	pb.TransportServiceClient         // messages of providers
	pb.ToolServiceClient              // the tool read_result
	pb.AuditServiceClient             // records
	pb.AccessServiceClient            // tokens of sessions
	temporary                  string // directory of an embedded store that the next start of the machine may empty
	begin                      func() // connects already, and does not wait; without it, the first call does
	close                      func() error
	serves                     func(context.Context) error // asks whether it serves; any answer is nil
	process                    func() int                  // number of its process; 0: not known
}

// beat notes that a sidecar is at work while it makes a receipt, until ctx is done: its process takes processor time, which one that is
// frozen does not, or it answers whether it serves. On a machine that does much else an answer can take long.
func (c *connection) beat(ctx context.Context, patience time.Duration, note func()) {
	again := time.NewTicker(max(patience/4, time.Millisecond))
	defer again.Stop()
	pid := c.process()
	before := processorTime(pid)
	for {
		select {
		case <-again.C:
		case <-ctx.Done():
			return
		}
		now := processorTime(pid)
		if now > before {
			before = now
			note()
			continue
		}
		asking, cancel := context.WithTimeout(ctx, patience/2)
		if c.serves(asking) == nil {
			note()
		}
		cancel()
	}
}

// place is where a sidecar is called.
type place struct {
	address string // empty: in this process
	store   string // of one in this process; empty: that of the configuration
}

// find returns the place of the sidecar that was named or, by default, of the one that is found; if there is none, this process.
// In a sandbox that denies sockets no other can be called, and only the temporary directory may be written.
func (t *target) find(ctx context.Context) (place, error) {
	if err := t.check(); err != nil || t.address != "" || t.store != "" {
		return place{t.address, t.store}, err
	}
	found, err := findSidecar(ctx)
	switch {
	case errors.Is(err, sidecar.ErrDenied):
		return place{store: filepath.Join(sidecar.NewEnvironment(os.Environ()).TemporaryDir(), "state")}, nil
	case t.ensured != nil && isAway(err):
		address, err := t.ensured.address(ctx)
		return place{address: address}, err
	case errors.Is(err, sidecar.ErrNone) && !t.running:
		return place{}, nil
	case err == nil && t.ensured != nil:
		err = awaitStart(ctx)
	}
	return place{address: found.Address}, err
}

// connect connects to the sidecar that was named or, by default, to the one that is found. If there is none, it starts one in this
// process.
func (t *target) connect(ctx context.Context) (*connection, error) {
	where, err := t.find(ctx)
	if err != nil {
		return nil, err
	}
	return t.connectAt(ctx, where)
}

// connectAt connects to the sidecar at a place that was found, or starts one in this process.
func (t *target) connectAt(ctx context.Context, where place) (*connection, error) {
	if where.address != "" && t.revived && t.address == "" {
		return t.dial(where.address, reviving(where.address)...)
	}
	if where.address != "" {
		return t.dial(where.address)
	}
	c, err := defaultConfig()
	if err != nil {
		return nil, err
	}
	if where.store != "" {
		if c.Store, err = filepath.Abs(where.store); err != nil {
			return nil, err
		}
	}
	// An embedded sidecar has issued no token, and its store is that of this user: it would confine nobody.
	if t.tokenFile != "" {
		return nil, errNoSidecar
	}
	return embed(ctx, c, t.alone)
}

// wayOut returns what a user can do when nothing could be kept; it follows the reason.
func (t *target) wayOut() string {
	if t.address != "" {
		return ""
	}
	return "; --store DIR uses another directory"
}

// defaultConfig returns the configuration of a sidecar that has no flags: that of the environment and of files.
func defaultConfig() (config.Config, error) {
	fs := pflag.NewFlagSet("", pflag.ContinueOnError)
	config.Flags(fs)
	loaded, err := config.Load(fs, os.Environ())
	if err != nil {
		return config.Config{}, err
	}
	return loaded.Config, nil
}

// findSidecar returns the place of the sidecar of this user, by the rule of docs/discovery.md. The error is sidecar.ErrNone when no
// process listens there.
func findSidecar(ctx context.Context) (sidecar.Place, error) {
	names, err := sidecarNames()
	if err != nil {
		return sidecar.Place{}, err
	}
	return names.Find(ctx)
}

// sidecarNames returns the names by which commands find the sidecar: those of the environment and, if there is a configuration
// file, those of it.
func sidecarNames() (sidecar.Names, error) {
	environ := os.Environ()
	names := sidecar.FromEnvironment(environ)
	if names.Address != "" || !config.HasFile(environ) {
		return names, nil
	}
	loaded, err := config.Load(nil, environ)
	if err != nil {
		return names, err
	}
	var socket string
	if loaded.Origin("socket") != "default" {
		socket = loaded.Config.Socket
	}
	return names.With(environ, socket, loaded.Config.AddressFile), nil
}

// dial connects to an address, which is a target of gRPC.
func (t *credentialFlags) dial(address string, more ...grpc.DialOption) (*connection, error) {
	options, err := t.options(address)
	if err != nil {
		return nil, err
	}
	return connectTo(address, append(options, more...)...)
}

// connectTo connects to a target of gRPC. The windows of flow control have a fixed size, because gRPC would otherwise measure the
// connection first, and large outputs over a local socket would begin slowly.
func connectTo(target string, options ...grpc.DialOption) (*connection, error) {
	options = append(options, grpc.WithStaticStreamWindowSize(clientWindow), grpc.WithStaticConnWindowSize(clientWindow),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswer)),
		// A sidecar that was stopped, or a machine that is gone, answers no ping.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 15 * time.Second, Timeout: 15 * time.Second}))
	conn, err := grpc.NewClient(target, options...)
	if err != nil {
		return nil, err
	}
	return &connection{
		pb.NewToolResultServiceClient(conn), pb.NewArtifactServiceClient(conn), pb.NewTransportServiceClient(conn), pb.NewToolServiceClient(conn),
		pb.NewAuditServiceClient(conn), pb.NewAccessServiceClient(conn), "", conn.Connect, conn.Close, func(ctx context.Context) error { return asks(ctx, conn) },
		func() int { return sidecar.Place{Address: target, Named: true}.PID() },
	}, nil
}

// asks returns nil when a sidecar answers a question about its health, whatever it answers.
func asks(ctx context.Context, conn *grpc.ClientConn) error {
	_, err := healthpb.NewHealthClient(conn).Check(ctx, &healthpb.HealthCheckRequest{})
	switch status.Code(err) {
	case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled: // which need no answer
		return err
	}
	return nil
}

// lockWait is the time for which an embedded sidecar waits until another embedded one releases the store.
const lockWait = 10 * time.Second

// embed starts a sidecar in this process, which it alone can call. It uses the configured store or, if a running sidecar has
// locked that and alone is not set, one beside it. The second store is locked by other embedded sidecars at most, which end soon, so that it is
// waited for. Nothing is logged, because the output belongs to the command; nobody else can call it.
func embed(ctx context.Context, c config.Config, alone bool) (*connection, error) {
	listener := rpc.ListenInProcess()
	c.TCP, c.Token, c.TokenFile, c.TLSCert, c.TLSKey, c.TLSClientCA, c.AddressFile, c.IdleExit = "", "", "", "", "", "", "", 0
	options := server.Options{Logger: slog.New(slog.DiscardHandler), Version: version, Listener: listener}
	p := showProgress(ctx, takes("opening the store"))
	defer p.stop()
	s, err := server.New(c, options)
	if errors.Is(err, artifactstore.ErrLocked) && !alone {
		c.Store += "-embedded"
		listener = rpc.ListenInProcess() // New has closed the one before
		options.LockWait, options.Listener = lockWait, listener
		s, err = server.New(c, options)
	}
	if err != nil {
		return nil, err
	}
	// An interrupted command still prints the receipt of what ran: the sidecar ends by close, not by ctx.
	serving, stop := context.WithCancel(context.WithoutCancel(ctx))
	served := make(chan error, 1)
	go func() { served <- s.Serve(serving) }()
	conn, err := connectTo("passthrough:///embedded", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		stop()
		return nil, errors.Join(err, <-served)
	}
	if in := sidecar.NewEnvironment(os.Environ()).TemporaryDir(); strings.HasPrefix(c.Store, in+string(filepath.Separator)) {
		conn.temporary = c.Store
	}
	conn.process = os.Getpid
	leave := conn.close
	conn.close = func() error {
		err := leave()
		stop()
		return errors.Join(err, <-served)
	}
	return conn, nil
}

// withConnection calls f with a connection, and closes it. It returns the errors of both: an embedded sidecar that could not
// write its log to the end is an error of the command that used it, even if the answer was printed.
func (t *target) withConnection(ctx context.Context, f func(*connection) error) error {
	c, err := t.connect(ctx)
	if err != nil {
		return err
	}
	return errors.Join(f(c), c.close())
}

// infoCommand returns `info`. It is how scripts wait for a sidecar that they have just started: --wait blocks until the
// sidecar answers or the time is over.
func infoCommand() *cobra.Command {
	var t target
	var wait time.Duration
	var output string
	cmd := &cobra.Command{
		Use: "info", Short: "Say what the running sidecar is", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, cancel := context.WithTimeout(cmd.Context(), cmp.Or(wait, 5*time.Second))
			defer cancel()
			return t.withConnection(ctx, func(c *connection) error {
				info, err := c.GetServerInfo(ctx, &pb.GetServerInfoRequest{}, grpc.WaitForReady(wait > 0))
				if err != nil {
					return err
				}
				return printJSON(cmd.OutOrStdout(), info)
			})
		},
	}
	t.flags(cmd.Flags())
	outputFlag(cmd.Flags(), &output, "", formJSON)
	cmd.Flags().DurationVar(&wait, "wait", 0, "wait so long for the sidecar to come up (with --server)")
	return cmd
}

// buildInfo is what `version --output json` prints. Members that the build does not know are empty.
type buildInfo struct {
	Version   string `json:"version"`         // of the release
	Commit    string `json:"commit"`          // of the source
	GoVersion string `json:"go_version"`      // of the compiler
	Grammar   uint32 `json:"receipt_grammar"` // version of the grammar of receipts
}

// versionCommand returns `version`, which needs no sidecar. It prints the version of the receipt grammar too, because a
// parser of receipts depends on that and on nothing else of this program.
func versionCommand() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "version", Short: "Say what this binary is", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			info := server.Info(version)
			if output == formJSON {
				return printValue(cmd.OutOrStdout(), buildInfo{info.GetVersion(), info.GetCommit(), info.GetGoVersion(), info.GetRendererVersion()})
			}
			return writeln(cmd.OutOrStdout(), fmt.Sprintf("toolresult %s, commit %s, %s, receipt grammar %d",
				cmp.Or(info.GetVersion(), "unknown"), cmp.Or(info.GetCommit(), "unknown"), info.GetGoVersion(), info.GetRendererVersion()))
		},
	}
	textOrJSON(cmd.Flags(), &output)
	return cmd
}
