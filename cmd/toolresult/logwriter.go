package main

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// logLines is how many lines of log may wait for a reader.
const logLines = 1024

// logWriter hands lines of log to a writer that may block, such as a pipe that
// nobody reads. It never blocks: lines that find no place are dropped, and the
// next line that goes through says how many.
type logWriter struct {
	lines   chan []byte
	dropped atomic.Int64
	done    chan struct{}
}

// newLogWriter starts writing to w until close.
func newLogWriter(w io.Writer) *logWriter {
	l := &logWriter{lines: make(chan []byte, logLines), done: make(chan struct{})}
	go func() {
		defer close(l.done)
		for {
			line := <-l.lines
			if line == nil {
				return
			}
			if n := l.dropped.Swap(0); n > 0 {
				_, _ = fmt.Fprintf(w, "%d lines of log were dropped\n", n)
			}
			_, _ = w.Write(line) // a log that cannot be written must not stop the server
		}
	}()
	return l
}

// Write takes one line, as slog's handlers write them.
func (l *logWriter) Write(p []byte) (int, error) {
	select {
	case l.lines <- append([]byte(nil), p...):
	default:
		l.dropped.Add(1)
	}
	return len(p), nil
}

// close writes what waits, as far as the reader takes it within a second. What
// is written afterwards is lost.
func (l *logWriter) close() {
	late := time.After(time.Second)
	select {
	case l.lines <- nil: // the end
	case <-late:
		return
	}
	select {
	case <-l.done:
	case <-late:
	}
}
