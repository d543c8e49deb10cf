package main

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

// K14: a reader that never comes takes no writer with it, and the loss is said.
func TestLogNeverBlocks(t *testing.T) {
	r, w := io.Pipe() // blocks until it is read
	l := newLogWriter(w)
	for range logLines + 100 {
		if n, err := l.Write([]byte("line\n")); n != 5 || err != nil {
			t.Fatal(n, err)
		}
	}
	read := make(chan string)
	go func() {
		var b bytes.Buffer
		_, _ = io.Copy(&b, r)
		read <- b.String()
	}()
	l.close()
	_ = w.Close()
	text := <-read
	if n := strings.Count(text, "line\n"); n < logLines || !strings.Contains(text, "lines of log were dropped\n") {
		t.Errorf("%d lines arrived, and of the others it says %q", n, text[:min(len(text), 100)])
	}
}
