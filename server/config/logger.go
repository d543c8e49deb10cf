package config

import (
	"io"
	"log/slog"
)

// Level returns the level of a log that a name stands for. One that [Validate] rejects counts as info.
func Level(name string) slog.Level {
	var level slog.Level // info
	if err := level.UnmarshalText([]byte(name)); err != nil {
		return slog.LevelInfo
	}
	return level
}

// NewLogger returns a logger that writes to w in c.LogFormat from a level on, which may change, as a [slog.LevelVar] does. isTerminal
// says whether w is a terminal, which decides what [FormatAuto] means.
func NewLogger(c Config, level slog.Leveler, w io.Writer, isTerminal bool) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if c.LogFormat == FormatText || c.LogFormat == FormatAuto && isTerminal {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}
