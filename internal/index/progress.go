package index

import (
	"log/slog"
	"time"
)

// progressPause is the time after which the log says how far an index is that is made again.
const progressPause = 3 * time.Second

// progress is that of an index which reads entries from the journal. The zero value is one that has not begun.
type progress struct {
	began, said time.Time
	lines       int // of the log
}

// say writes how far an index is: every progressPause, and at the end if it took that long.
func (p *progress) say(logger *slog.Logger, path string, stored, last uint64, now time.Time) {
	if p.began.IsZero() {
		p.began, p.said = now, now
	}
	line := ""
	switch {
	case stored < last && now.Sub(p.said) >= progressPause:
		line = "the index is being made from the journal"
	case stored >= last && p.lines > 0:
		line = "the index has all entries of the journal"
	}
	if line != "" {
		logger.Info(line, slog.String("index", path), slog.Uint64("stored", stored), slog.Uint64("last", last), slog.Duration("elapsed", now.Sub(p.began)))
		p.said = now
		p.lines++
	}
	if stored >= last {
		*p = progress{}
	}
}
