package main

import (
	"context"
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

	"github.com/toolresult/toolresult/internal/mcpproxy"
	"github.com/toolresult/toolresult/redact"
)

// Defaults of `mcp`.
const (
	mcpThreshold = 4 << 10
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
// sidecar all results pass as they are. The sidecar that it calls is in mcp_sidecar.go.
func mcpCommand() *cobra.Command {
	var m mcp
	cmd := &cobra.Command{
		Use: "mcp [--url URL] [-- SERVER ARGS...]", Short: "Pass messages to a server of MCP, with receipts in place of large results",
		Long: "Passes the messages of a client of MCP, on standard input and output, to a server that it starts or that is at a URL.\n" +
			"Results up to the threshold, and all other messages, pass byte for byte but for secrets, which are replaced " +
			"(TOOLRESULT_REDACT=off). The exit code is that of the server.",
		Example: "  toolresult mcp -- npx -y @modelcontextprotocol/server-filesystem /home/me\n" +
			"  toolresult mcp --url https://mcp.example.com/mcp --header 'Authorization: Bearer ${TOKEN}'",
		RunE: func(cmd *cobra.Command, args []string) error {
			return m.run(cmd.Context(), args, cmd.InOrStdin(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	fs := cmd.Flags()
	m.credentialFlags.flags(fs)
	fs.StringVar(&m.address, "server", "", "sidecar to call: unix:///PATH or HOST:PORT (default: that of TOOLRESULT_ADDRESS, or the one of this user, which is started when a tool is called)")
	fs.StringVar(&m.url, "url", "", "call the server at this address by streamable HTTP, in place of starting one")
	fs.StringArrayVar(&m.headers, "header", nil, "header of all calls of --url, as 'NAME: VALUE' with ${VARIABLES}")
	fs.StringVar(&m.session, "session", "", "session to which artifacts belong (default: one for all servers of this directory)")
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
	sidecar, err := m.sidecar(log)
	if err != nil {
		return err
	}
	upstream, err := m.upstream(args, stderr, log)
	if err != nil {
		fmt.Fprintln(stderr, "toolresult:", err)
		return exitError{serverNotStarted(err)}
	}
	var patterns *redact.Patterns
	if isRedacting() {
		patterns = redact.BuiltIn()
	}
	p := mcpproxy.New(mcpproxy.Options{
		Threshold: m.threshold, KeepStructured: m.keep, ReadTool: m.readTool, Server: m.name, Drain: mcpDrain, Log: log,
		Nested: isOurProxy(args), Patterns: patterns,
	}, sidecar)
	if code := p.Run(ctx, in, out, upstream); code != 0 {
		return exitError{code}
	}
	return nil
}

// isOurProxy reports whether a command line starts `mcp` of this program. The file decides and not its name, which any server can have.
func isOurProxy(args []string) bool {
	if len(args) < 2 || args[1] != "mcp" {
		return false
	}
	path, err := exec.LookPath(args[0])
	if err != nil {
		return false
	}
	own, err := os.Executable()
	if err != nil {
		return false
	}
	a, errA := os.Stat(path)
	b, errB := os.Stat(own)
	return errA == nil && errB == nil && os.SameFile(a, b)
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
