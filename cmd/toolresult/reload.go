package main

import (
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/pflag"

	"github.com/toolresult/toolresult/server/config"
)

// onHangup calls f for each SIGHUP, one after the other, until the function is called that it returns. A terminal that is closed
// sends it too, which does no harm: reading a configuration again changes nothing if the file is as it was.
func onHangup(f func()) (stop func()) {
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for range hangups {
			f()
		}
	}()
	return func() {
		signal.Stop(hangups)
		signal.Ignore(syscall.SIGHUP) // the process is ending, and not by this
		close(hangups)
		<-ended
	}
}

// reload reads the configuration again, and sets the level of the log. A configuration that cannot be used changes nothing.
func reload(was *config.Loaded, flags *pflag.FlagSet, level *slog.LevelVar, logger *slog.Logger) {
	name, later, err := was.Reload(flags, os.Environ())
	if err != nil {
		logger.Error("the configuration was not read again", "error", err)
		return
	}
	now := config.Level(name)
	level.Set(min(now, slog.LevelInfo)) // for this line
	logger.Info("the configuration was read again", "log_level", name)
	if len(later) > 0 {
		logger.Warn("these settings count after the next start", "settings", later)
	}
	level.Set(now)
}
