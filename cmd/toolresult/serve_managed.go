package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/toolresult/toolresult/internal/systemd"
	"github.com/toolresult/toolresult/server"
	"github.com/toolresult/toolresult/server/config"
)

// This file is what serve owes to the service manager that started it, if one did: signs of life, and a new look at the configuration
// at SIGHUP.

// serveManaged serves until ctx is done, and notifies the manager.
func serveManaged(ctx context.Context, s *server.Server, logger *slog.Logger, again *reloader) error {
	interval, err := systemd.WatchdogInterval()
	if err != nil {
		return errors.Join(err, s.Close())
	}
	serving, stop := context.WithCancel(ctx)
	var beside sync.WaitGroup
	defer func() { stop(); beside.Wait() }()
	beside.Go(func() { again.run(serving) })
	if interval > 0 {
		beside.Go(func() { systemd.KeepAlive(serving, interval, s.Healthy, func(err error) { reportHealth(logger, err) }) })
	}
	complain(logger, systemd.Ready(statusOf(s)))
	return s.Serve(ctx)
}

// endReserve is what an end takes beside its calls: the store is synced and closed, and telemetry is sent.
const endReserve = 10 * time.Second

// longestEnd is what an end may take with a configuration.
func longestEnd(c config.Config) time.Duration { return c.DrainDelay + c.ShutdownTimeout + endReserve }

// statusOf is the line that a manager shows of a server.
func statusOf(s *server.Server) string { return "Serving " + strings.Join(s.Addresses(), " ") }

// reportHealth writes that there is no sign of life any more, or again.
func reportHealth(logger *slog.Logger, err error) {
	if err != nil {
		logger.Error("the watchdog gets no sign of life: the server has to be started again", "error", err)
		return
	}
	logger.Info("the watchdog gets signs of life again")
}

// complain writes that the manager could not be notified; the server goes on.
func complain(logger *slog.Logger, err error) {
	if err != nil {
		logger.Warn("the service manager could not be notified", "error", err)
	}
}

// hangups returns the SIGHUPs of this process from now on: none ends it, as a closed terminal ends no server. It returns nil, from which
// none comes, if the signal is ignored, as it is under nohup.
func hangups() <-chan os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return nil
	}
	list := make(chan os.Signal, 1)
	signal.Notify(list, syscall.SIGHUP)
	return list
}

// reloader reads the configuration again. Of what has changed it takes over the level of the log; the rest waits for a new start, and is
// named. A configuration that cannot be used changes nothing.
type reloader struct {
	asked  <-chan os.Signal
	load   func() (*config.Loaded, error)
	now    config.Config
	level  *slog.LevelVar
	logger *slog.Logger
}

// run reloads at each signal until ctx is done.
func (r *reloader) run(ctx context.Context) {
	for {
		select {
		case <-r.asked:
			complain(r.logger, systemd.Reloading())
			complain(r.logger, systemd.Ready(r.reload()))
		case <-ctx.Done():
			return
		}
	}
}

// reload does it once, and returns a line for people.
func (r *reloader) reload() string {
	loaded, err := r.load()
	if err == nil {
		err = loaded.Validate()
	}
	if err != nil {
		r.logger.Error("the configuration cannot be read again; nothing has changed", "error", err)
		return "Serving; the configuration cannot be read again"
	}
	level := config.LogLevel(loaded.Config)
	r.level.Set(min(level, slog.LevelInfo)) // for the line about it
	defer r.level.Set(level)
	r.now.LogLevel = loaded.Config.LogLevel
	if waiting := config.Differences(r.now, loaded.Config); len(waiting) > 0 {
		r.logger.Warn("the configuration was read again; these settings need a new start", "settings", waiting)
		return "Serving; settings that wait for a new start: " + strings.Join(waiting, ", ")
	}
	r.logger.Info("the configuration was read again", "log_level", r.now.LogLevel)
	return "Serving, with the configuration of the last reload"
}
