package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/toolresult/toolresult/internal/sidecar"
	"github.com/toolresult/toolresult/internal/systemd"
	"github.com/toolresult/toolresult/server"
	"github.com/toolresult/toolresult/server/config"
	"github.com/toolresult/toolresult/server/telemetry"
)

// serve is the sidecar itself; package server has what it does. Here is what belongs to a process: flags and variables,
// signals, standard output with the addresses, and a log that never holds the server up.

// serveCommand returns `serve`. The configuration is checked before anything is opened, so that a mistake in it leaves no
// trace, and names the setting and where it comes from.
func serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "serve", Short: "Start the sidecar and serve until SIGINT or SIGTERM", Args: cobra.NoArgs,
		Long: "Starts the sidecar, prints its addresses, and serves until SIGINT or SIGTERM. Every setting is a flag, a variable and a key of\n" +
			"the configuration file. SIGHUP reads that file again: its log_level counts at once, other settings after the next start.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			loaded, err := config.Load(cmd.Flags(), os.Environ())
			if err != nil {
				return err
			}
			if err := loaded.Validate(); err != nil {
				return err
			}
			signal.Ignore(syscall.SIGPIPE) // a closed pipe does not end a server
			asked := hangups()
			log := newLogWriter(cmd.ErrOrStderr())
			defer log.close()
			level := new(slog.LevelVar)
			level.Set(config.LogLevel(loaded.Config))
			logger := config.NewLogger(level, log, isTerminal(os.Stderr))
			slog.SetDefault(logger)
			again := &reloader{
				asked: asked, load: func() (*config.Loaded, error) { return config.Reload(cmd.Flags(), os.Environ()) },
				now: loaded.Config, level: level, logger: logger,
			}
			return serve(cmd.Context(), loaded.Config, logger, cmd.OutOrStdout(), again)
		},
	}
	config.Flags(cmd.Flags())
	return cmd
}

// serve serves until ctx is done. Once it listens it writes its addresses to out, one a line: targets of gRPC, and then the
// URL of metrics, if any. again reads the configuration again when it is asked to.
func serve(ctx context.Context, c config.Config, logger *slog.Logger, out io.Writer, again *reloader) (err error) {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(server.SoftLimit(c))
	}
	socket, err := systemd.Listener()
	if err != nil {
		return err
	}
	options := server.Options{Logger: logger, Version: version, Socket: socket, Stopping: func() { complain(logger, systemd.Stopping(longestEnd(c))) }}
	if socket != nil {
		c.Socket = socket.Addr().String()
	}
	// Telemetry begins first and ends last, so that it has everything; nil if the configuration has none.
	measured, err := telemetry.Start(c, telemetry.Options{Logger: logger, Version: server.Info(version).GetVersion()})
	if err != nil {
		return err
	}
	if measured != nil {
		defer func() { err = errors.Join(err, measured.Close()) }()
		options.Metrics, options.GRPC = measured, measured.ServerOptions()
	}
	collect := pauseCollector()
	s, err := server.New(c, options)
	collect()
	if err != nil {
		return err
	}
	// Every file that is needed is open or known now; from here on the process reaches no other (landlock(7)).
	if c.Landlock {
		if err := server.Restrict(c); err != nil {
			return errors.Join(err, s.Close())
		}
	}
	if runtime.GOOS == "darwin" { // systemd-tmpfiles spares sockets that are in use
		go sidecar.KeepFresh(ctx, sidecar.FreshEvery, filepath.Dir(c.Socket), c.Socket, c.Socket+".lock", c.AddressFile)
	}
	// A host reads the first line to learn that the sidecar is up, and where: with port 0 only this line has the port.
	for _, address := range s.Addresses() {
		fmt.Fprintln(out, address)
	}
	if measured != nil {
		if err := measured.Watch(s.State, s.Healthy); err != nil {
			return errors.Join(err, s.Close())
		}
		if url := measured.URL(); url != "" {
			fmt.Fprintln(out, url)
			logger.InfoContext(ctx, "serving metrics", "url", url)
		}
	}
	return serveManaged(ctx, s, logger, again)
}

// pauseCollector lets no garbage be collected until the function is called that it returns: all that a start allocates is kept, or given
// back soon, and the soft limit of memory goes on.
func pauseCollector() (resume func()) {
	before := debug.SetGCPercent(-1)
	return func() { debug.SetGCPercent(before) }
}

// isTerminal reports whether a file is a terminal. It asks the kernel, because /dev/null is a character device too.
func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), getTermios)
	return err == nil
}

// configCommand returns `config print` and `config validate`. Both take the flags of serve, so that a command line can be
// tried by one word: print shows which of file, variable and flag each setting comes from, with secrets hidden.
func configCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Look at the configuration"}
	var output string
	show := &cobra.Command{
		Use: "print", Short: "Print every setting, its value and where it comes from", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			loaded, err := config.Load(cmd.Flags(), os.Environ())
			if err != nil {
				return err
			}
			return loaded.Print(cmd.OutOrStdout(), output)
		},
	}
	outputFlag(show.Flags(), &output, "", config.PrintYAML, config.PrintJSON)
	config.Flags(show.Flags())
	validate := &cobra.Command{
		Use: "validate", Short: "Say whether the configuration can be used", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			loaded, err := config.Load(cmd.Flags(), os.Environ())
			if err != nil {
				return err
			}
			return loaded.Validate()
		},
	}
	config.Flags(validate.Flags())
	cmd.AddCommand(show, validate)
	return cmd
}

// logLines is the largest number of lines that wait for a reader: a burst of a second on a busy sidecar, and less than a
// MiB.
const logLines = 1024

// logWriter passes lines of log to a writer that may block, such as a pipe without a reader. It never blocks: it drops lines
// that do not fit into its queue, and writes their number before the next line. Safe for concurrent use.
type logWriter struct {
	lines   chan []byte   // nil is the end
	dropped atomic.Int64  // lines since the last one that was written
	done    chan struct{} // closed when the goroutine has ended
}

// newLogWriter starts a goroutine that writes to w until close. If w blocks for ever, the goroutine ends with the process.
func newLogWriter(w io.Writer) *logWriter {
	l := &logWriter{lines: make(chan []byte, logLines), done: make(chan struct{})}
	go func() {
		defer close(l.done)
		for {
			line := <-l.lines
			if line == nil {
				return
			}
			if n := l.dropped.Swap(0); n > 0 {
				_, _ = fmt.Fprintf(w, "%d lines of log were dropped\n", n)
			}
			_, _ = w.Write(line) // a log that cannot be written must not stop the server
		}
	}()
	return l
}

// Write queues one line, which is how handlers of slog write. It never fails.
func (l *logWriter) Write(p []byte) (int, error) {
	select {
	case l.lines <- append([]byte(nil), p...):
	default:
		l.dropped.Add(1)
	}
	return len(p), nil
}

// close writes the queued lines, as far as the reader takes them within a second. Lines that are written later are lost.
func (l *logWriter) close() {
	late := time.After(time.Second)
	select {
	case l.lines <- nil: // the end
	case <-late:
		return
	}
	select {
	case <-l.done:
	case <-late:
	}
}
