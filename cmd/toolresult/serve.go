package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/toolresult/toolresult/server"
	"github.com/toolresult/toolresult/server/config"
	"github.com/toolresult/toolresult/server/telemetry"
)

func serveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "serve", Short: "Start the sidecar and serve until SIGINT or SIGTERM", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			loaded, err := config.Load(cmd.Flags(), os.Environ())
			if err != nil {
				return err
			}
			if err := loaded.Validate(); err != nil {
				return err
			}
			signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE) // no terminal and no reader of ours ends a server
			log := newLogWriter(cmd.ErrOrStderr())
			defer log.close()
			logger := config.NewLogger(loaded.Config, log, isTerminal(os.Stderr))
			slog.SetDefault(logger)
			return serve(cmd.Context(), loaded.Config, logger, cmd.OutOrStdout())
		},
	}
	config.Flags(cmd.Flags())
	return cmd
}

// serve serves until ctx is done. It writes where it listens: targets of gRPC, and then the URL of metrics, if any.
func serve(ctx context.Context, c config.Config, logger *slog.Logger, out io.Writer) (err error) {
	options := server.Options{Logger: logger, Version: version}
	measured, err := telemetry.Start(c, telemetry.Options{Logger: logger, Version: server.Info(version).GetVersion()})
	if err != nil {
		return err
	}
	if measured != nil {
		defer func() { err = errors.Join(err, measured.Close()) }()
		options.Metrics, options.GRPC = measured, measured.ServerOptions()
	}
	s, err := server.New(c, options)
	if err != nil {
		return err
	}
	if c.Landlock {
		if err := server.Restrict(c); err != nil {
			return errors.Join(err, s.Close())
		}
	}
	for _, address := range s.Addresses() {
		fmt.Fprintln(out, address)
	}
	if measured != nil {
		if err := measured.Watch(s.State); err != nil {
			return errors.Join(err, s.Close())
		}
		if url := measured.URL(); url != "" {
			fmt.Fprintln(out, url)
			logger.InfoContext(ctx, "serving metrics", "url", url)
		}
	}
	return s.Serve(ctx)
}

// isTerminal asks the kernel; /dev/null is a character device too.
func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

func configCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Look at the configuration"}
	var format string
	show := &cobra.Command{
		Use: "print", Short: "Print every setting, its value and where it comes from", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			loaded, err := config.Load(cmd.Flags(), os.Environ())
			if err != nil {
				return err
			}
			return loaded.Print(cmd.OutOrStdout(), format)
		},
	}
	show.Flags().StringVar(&format, "format", "yaml", "yaml or json")
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
