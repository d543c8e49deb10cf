package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	"github.com/toolresult/toolresult/envelope"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
	"github.com/toolresult/toolresult/internal/mcpproxy"
)

// Defaults of `mcp`.
const (
	mcpThreshold = 4 << 10
	mcpPatience  = 750 * time.Millisecond
	mcpDrain     = time.Minute
)

// mcp is a command line of `mcp`.
type mcp struct {
	credentialFlags
	address   string // of the sidecar
	url       string
	headers   []string
	session   string
	name      string
	readTool  string
	tokens    uint32
	threshold int
	patience  time.Duration
	keep      bool
	verbose   bool
}

// mcpCommand returns `mcp`. It is what a host starts in the place of a server of MCP, and never worse than that server: without a
// sidecar all results pass as they are.
func mcpCommand() *cobra.Command {
	var m mcp
	cmd := &cobra.Command{
		Use: "mcp [--url URL] [-- SERVER ARGS...]", Short: "Pass messages to a server of MCP, with receipts in place of large results",
		Long: "Passes the messages of a client of MCP, on standard input and output, to a server that it starts or that is at a URL.\n" +
			"Results up to the threshold, and all other messages, pass byte for byte. The exit code is that of the server.",
		Example: "  toolresult mcp -- npx -y @modelcontextprotocol/server-filesystem /home/me\n" +
			"  toolresult mcp --url https://mcp.example.com/mcp --header 'Authorization: Bearer ${TOKEN}'",
		RunE: func(cmd *cobra.Command, args []string) error {
			return m.run(cmd.Context(), args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fs := cmd.Flags()
	m.credentialFlags.flags(fs)
	fs.StringVar(&m.address, "server", "", "sidecar to call: unix:///PATH or HOST:PORT (default: TOOLRESULT_ADDRESS, or the socket of the configuration)")
	fs.StringVar(&m.url, "url", "", "call the server at this address by streamable HTTP, in place of starting one")
	fs.StringArrayVar(&m.headers, "header", nil, "header of all calls of --url, as 'NAME: VALUE' with ${VARIABLES}")
	fs.StringVar(&m.session, "session", "", "session to which artifacts belong (default: one for this server and directory)")
	fs.StringVar(&m.name, "name", "", "name of the server in receipts (default: as it calls itself)")
	fs.StringVar(&m.readTool, "read-tool", mcpproxy.DefaultReadTool, "name of the tool that reads what receipts omit")
	fs.Uint32Var(&m.tokens, "max-tokens", 0, "tokens of a receipt (default: the family's)")
	fs.IntVar(&m.threshold, "threshold", mcpThreshold, "bytes of text, or of structured content, up to which a result passes as it is")
	fs.DurationVar(&m.patience, "patience", 0, "how long to wait for a sidecar that does nothing (default: TOOLRESULT_PATIENCE, or 750ms)")
	fs.BoolVar(&m.keep, "keep-structured", false, "leave structured content in results, and its schemas in lists of tools")
	fs.BoolVar(&m.verbose, "verbose", false, "say on standard error why a result passes as it is")
	return cmd
}

// run runs the proxy until the server has ended.
func (m *mcp) run(ctx context.Context, args []string, in io.Reader, out, stderr io.Writer) error {
	if (len(args) == 0) == (m.url == "") {
		return errors.New("mcp: give a server behind --, or --url")
	}
	level := slog.LevelWarn
	if m.verbose {
		level = slog.LevelDebug
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: level}))
	sidecar, err := m.sidecar(args, log)
	if err != nil {
		return err
	}
	upstream, err := m.upstream(args, stderr, log)
	if err != nil {
		fmt.Fprintln(stderr, "toolresult:", err)
		return exitError{serverNotStarted(err)}
	}
	p := mcpproxy.New(mcpproxy.Options{
		Threshold: m.threshold, KeepStructured: m.keep, ReadTool: m.readTool, Server: m.name, Drain: mcpDrain, Log: log,
	}, sidecar)
	if code := p.Run(ctx, in, out, upstream); code != 0 {
		return exitError{code}
	}
	return nil
}

// serverNotStarted returns the exit code for a server that was not started, as env(1) has it.
func serverNotStarted(err error) int {
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist) {
		return codeNotFound
	}
	return codeNotStarted
}

// upstream starts the server or, of a URL, begins nothing yet.
func (m *mcp) upstream(args []string, stderr io.Writer, log *slog.Logger) (mcpproxy.Upstream, error) {
	if m.url != "" {
		header := http.Header{}
		for _, h := range m.headers {
			name, value, ok := strings.Cut(h, ":")
			if !ok {
				return nil, fmt.Errorf("--header %q: NAME: VALUE", h)
			}
			header.Add(strings.TrimSpace(name), os.ExpandEnv(strings.TrimSpace(value)))
		}
		return mcpproxy.Dial(m.url, header, log), nil
	}
	if p, ok := stderr.(patient); ok { // the server writes to the file itself
		stderr = p.file
	}
	return mcpproxy.Start(args, stderr)
}

// sidecar returns the sidecar to call. It is not called before there is a large result, and need not run.
func (m *mcp) sidecar(args []string, log *slog.Logger) (mcpproxy.Sidecar, error) {
	session := m.session
	if session == "" {
		dir, _ := os.Getwd() // without one the server alone counts
		session = fmt.Sprintf("mcp-%x", sha256.Sum256([]byte(strings.Join(append([]string{dir, m.url}, args...), "\x00"))))[:20]
	}
	check := envelope.NewChecker("")
	check.Name("--session", session, true)
	check.Name("--read-tool", m.readTool, true)
	if err := check.Err(); err != nil {
		return nil, err
	}
	patience := m.patience
	if text := os.Getenv("TOOLRESULT_PATIENCE"); patience == 0 && text != "" {
		var err error
		if patience, err = time.ParseDuration(text); err != nil {
			return nil, fmt.Errorf("TOOLRESULT_PATIENCE: %w", err)
		}
	}
	conn, err := m.dialLazily()
	if err != nil { // a host must not lose its server for it
		log.Warn("no sidecar: all results pass as they are", "error", err)
		return noSidecar{err}, nil
	}
	return &mcpproxy.Client{
		Results: pb.NewToolResultServiceClient(conn), Tools: pb.NewToolServiceClient(conn), Artifacts: pb.NewArtifactServiceClient(conn),
		Session: session, Patience: cmp.Or(patience, mcpPatience),
		Policy: &pb.ProjectionPolicy{Render: &pb.RenderPolicy{
			Budget: &pb.Budget{MaxTokens: m.tokens}, Handles: pb.HandleForm_HANDLE_FORM_CALL, ReadTool: m.readTool,
		}},
	}, nil
}

// noSidecar is a sidecar that cannot be called.
type noSidecar struct{ err error }

// Project implements [mcpproxy.Sidecar].
func (n noSidecar) Project(context.Context, mcpproxy.Result) (mcpproxy.Receipt, error) {
	return mcpproxy.Receipt{}, n.err
}

// Read implements [mcpproxy.Sidecar].
func (n noSidecar) Read(context.Context, string) (string, bool, error) { return "", false, n.err }

// Artifact implements [mcpproxy.Sidecar].
func (n noSidecar) Artifact(context.Context, string, int) ([]byte, error) { return nil, n.err }

// dialLazily returns a connection that begins with its first call. The end of the process closes it.
func (m *mcp) dialLazily() (*grpc.ClientConn, error) {
	address, err := m.find()
	if err != nil {
		return nil, err
	}
	options, err := m.options(address)
	if err != nil {
		return nil, err
	}
	return grpc.NewClient(address, append(options, grpc.WithStaticStreamWindowSize(clientWindow), grpc.WithStaticConnWindowSize(clientWindow),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxAnswer)),
		// A sidecar that is started later is found soon.
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 2, MaxDelay: time.Second}}))...)
}

// find returns the address of the sidecar, whether it runs or not.
func (m *mcp) find() (string, error) {
	if address := cmp.Or(m.address, os.Getenv("TOOLRESULT_ADDRESS")); address != "" {
		return address, nil
	}
	c, err := defaultConfig()
	return "unix://" + c.Socket, err
}
