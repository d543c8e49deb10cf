package server

import (
	"context"
	"log/slog"
	"time"
)

// Reasons of the end of a server.
const (
	endedBySignal     = "signal" // or, of a server in another process, by that
	endedByIdle       = "idle"
	endedByLostSocket = "socket_lost"
	endedByError      = "error"
)

// summary is what the last line of a server's log says, beside the counts of its calls.
type summary struct {
	began  time.Time
	reason string // one of the above
	cause  error  // of a signal: which one; nil: not known
	cut    int64  // calls in flight that were ended at the shutdown timeout; 0: all had ended by themselves
	now    State  // before the store was closed
	stored int64  // records in the audit log then
}

// logEnd writes one line about a server that has ended, and err, why it did not end well. It has numbers and names of closed sets
// alone.
func (s *Server) logEnd(end *summary, err error) {
	level, total, outcomes := slog.LevelInfo, int64(0), []any{}
	if err != nil {
		level = slog.LevelError
	}
	for code, n := range s.calls.Outcomes() {
		outcomes, total = append(outcomes, slog.Int64(code.String(), n)), total+n
	}
	attrs := []slog.Attr{
		slog.String("reason", end.reason), slog.Float64("uptime_seconds", float64(time.Since(end.began).Milliseconds())/1000),
		slog.Group("calls", append([]any{slog.Int64("total", total)}, outcomes...)...), slog.Int64("bytes_in", s.calls.Received()), slog.Int64("artifacts", end.now.Artifacts),
		slog.Int64("artifact_bytes", end.now.ArtifactBytes), slog.Int64("records", end.stored), slog.Bool("drained", end.cut == 0),
		slog.Int64("calls_cut", end.cut),
	}
	if end.cause != nil {
		attrs = append(attrs, slog.String("cause", end.cause.Error()))
	}
	if err != nil {
		attrs = append(attrs, slog.Any("error", err))
	}
	s.logger.LogAttrs(context.Background(), level, "the server has ended", attrs...)
}

// records returns the number of records in the audit log; 0 if none is kept.
func (s *Server) records() int64 {
	if s.audit == nil {
		return 0
	}
	return s.audit.Log.Status().Records
}
