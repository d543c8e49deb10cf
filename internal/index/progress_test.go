package index

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// An index that is made in a moment says nothing, and a long one says every few seconds how far it is, and when it is done.
func TestProgressIsSaid(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, nil))
	var p progress
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p.say(logger, "x", 10, 20, begin)
	p.say(logger, "x", 20, 20, begin.Add(time.Second))
	if log.Len() > 0 {
		t.Errorf("a short one says %s", &log)
	}
	for second := range 11 {
		p.say(logger, "x", uint64(second), 10, begin.Add(time.Duration(second)*time.Second))
	}
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 4 || !strings.Contains(lines[0], "stored=3 last=10 elapsed=3s") || !strings.Contains(lines[3], "has all entries") {
		t.Errorf("it says %q", lines)
	}
}
