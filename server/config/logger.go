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

// NewLogger returns a logger that writes to w at a level that may change: lines for people to a
// terminal, else a JSON object per line.
func NewLogger(level slog.Leveler, w io.Writer, isTerminal bool) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if isTerminal {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}
