package config

import (
	"io"
	"log/slog"
)

// NewLogger returns a logger that writes to w at c.LogLevel in c.LogFormat. isTerminal says whether w is a
// terminal, which decides what [FormatAuto] means. A level that [Validate] rejects counts as info.
func NewLogger(c Config, w io.Writer, isTerminal bool) *slog.Logger {
	var level slog.Level // info
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	if c.LogFormat == FormatText || c.LogFormat == FormatAuto && isTerminal {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}
