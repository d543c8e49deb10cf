package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/toolresult/toolresult/internal/systemd"
	"github.com/toolresult/toolresult/server/config"
)

// TestManagerIsNotified has a service manager that reads what a sidecar says: ready, alive while its store is there, reloading, stopping.
func TestManagerIsNotified(t *testing.T) {
	dir, err := os.MkdirTemp("", "tr")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	path := filepath.Join(dir, "notify")
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = manager.Close() }()
	t.Setenv("NOTIFY_SOCKET", path)
	t.Setenv("WATCHDOG_USEC", "400000")
	next := func(limit time.Duration) string {
		t.Helper()
		message := make([]byte, 4096)
		_ = manager.SetReadDeadline(time.Now().Add(limit))
		n, err := manager.Read(message)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return "nothing"
		}
		if err != nil {
			t.Fatal(err)
		}
		return string(message[:n])
	}
	until := func(want string) {
		t.Helper()
		for {
			switch got := next(20 * time.Second); {
			case strings.HasPrefix(got, want):
				return
			case got == "WATCHDOG=1": // in between
			default:
				t.Fatalf("%q in the place of %q", got, want)
			}
		}
	}

	file, store := filepath.Join(dir, "config.yaml"), filepath.Join(dir, "store")
	write(t, file, "log_level: warn\n")
	ctx, end := context.WithCancel(context.Background())
	defer end()
	asked := make(chan os.Signal, 1)
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	config.Flags(flags)
	if err := flags.Parse([]string{"--config=" + file, "--socket=" + filepath.Join(dir, "s"), "--store=" + store, "--volatile"}); err != nil {
		t.Fatal(err)
	}
	load := func() (*config.Loaded, error) { return config.Load(flags, nil) }
	loaded, err := load()
	if err != nil {
		t.Fatal(err)
	}
	level := new(slog.LevelVar)
	logger := slog.New(slog.DiscardHandler)
	ended := make(chan error, 1)
	go func() {
		ended <- serve(ctx, loaded.Config, logger, &bytes.Buffer{}, &reloader{asked: asked, load: load, now: loaded.Config, level: level, logger: logger})
	}()
	until("READY=1\nSTATUS=Serving unix://" + filepath.Join(dir, "s"))
	until("WATCHDOG=1")

	for content, want := range map[string]string{
		"log_level: debug\n":                     "Serving, with the configuration",
		"log_level: debug\nmax_connections: 7\n": "Serving; settings that wait for a new start: max_connections",
		"log_level: loud\n":                      "Serving; the configuration cannot be read again",
	} {
		write(t, file, content)
		asked <- os.Interrupt
		until("RELOADING=1\nMONOTONIC_USEC=")
		until("READY=1\nSTATUS=" + want)
	}
	if level.Level() != slog.LevelDebug {
		t.Errorf("the level of the log is %s", level.Level())
	}

	if err := os.Rename(store, store+".gone"); err != nil {
		t.Fatal(err)
	}
	signs := 0
	for signs < 100 && next(time.Second) != "nothing" { // some may be on their way
		signs++
	}
	if signs == 100 {
		t.Error("a sidecar whose store is gone gives signs of life")
	}
	end()
	until("STOPPING=1\nSTATUS=Ending\nEXTEND_TIMEOUT_USEC=20000000") // the shutdown_timeout of 10 s, and a reserve
	<-ended                                                          // with what the lost store means
}

// TestSidecarsOfEnsureHaveNoManager: the manager of a host has not started them.
func TestSidecarsOfEnsureHaveNoManager(t *testing.T) {
	t.Parallel()
	got := withoutVariables([]string{"A=1", "NOTIFY_SOCKET=/run/notify", "LISTEN_FDS=1", "WATCHDOG_USEC=5", "B"}, systemd.Variables())
	if strings.Join(got, " ") != "A=1 B" {
		t.Errorf("%q", got)
	}
}

// TestLongestEnd has all that an end waits for.
func TestLongestEnd(t *testing.T) {
	if got := longestEnd(config.Config{DrainDelay: time.Minute, ShutdownTimeout: 10 * time.Minute}); got != 11*time.Minute+endReserve {
		t.Errorf("an end takes at most %s", got)
	}
}

// write writes a file.
func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
