package config

import (
	"io"
	"log/slog"
)

// LogLevel returns c.LogLevel as package slog has it. A level that [Validate] rejects counts as info.
func LogLevel(c Config) slog.Level {
	var level slog.Level // info
	if err := level.UnmarshalText([]byte(c.LogLevel)); err != nil {
		return slog.LevelInfo
	}
	return level
}

// NewLogger returns a logger that writes to w in c.LogFormat, at a level that may change. isTerminal says whether w is a
// terminal, which decides what [FormatAuto] means.
func NewLogger(c Config, level slog.Leveler, w io.Writer, isTerminal bool) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if c.LogFormat == FormatText || c.LogFormat == FormatAuto && isTerminal {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}
