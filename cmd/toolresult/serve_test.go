package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// TestLogNeverBlocks writes more lines than wait for a reader: no write blocks, and the number of lost lines is written.
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

func TestLogOfABlockedReaderCloses(t *testing.T) {
	t.Parallel()
	_, w := io.Pipe() // nobody reads
	l := newLogWriter(w)
	_, _ = l.Write([]byte("line\n"))
	begin := time.Now()
	l.close()
	if took := time.Since(begin); took < 900*time.Millisecond {
		t.Errorf("close took %s", took)
	}
	_ = w.Close()
	<-l.done
}

func TestConfigCommands(t *testing.T) {
	t.Parallel()
	toolresult(t, "", "config", "print").want(0, "socket: "+os.Getenv("TOOLRESULT_SOCKET"), "gc_interval: 1h # default")
	toolresult(t, "", "config", "print", "--output", "json", "--gc-interval", "2h").want(0, `"gc_interval"`, "2h")
	toolresult(t, "", "config", "print", "--output", "xml").want(codeFailed, "! xml")
	toolresult(t, "", "config", "validate").wantOut("")
	toolresult(t, "", "config", "validate", "--max-connections", "0").want(codeFailed, "! max_connections")
}

func TestServeFailsBeforeItListens(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"! max_connections": {"--max-connections", "0"},
		"! metrics":         {"--metrics", "no address"},
		"! in use":          {"--store", t.TempDir()}, // the socket of TestMain
	} {
		if o := toolresult(t, "", append([]string{"serve"}, args...)...).want(codeFailed, want); o.out != "" {
			t.Errorf("%q: listens at %s", args, o.out)
		}
	}
}

// TestServeEndsWithItsContext serves with metrics, and prints both addresses.
func TestServeEndsWithItsContext(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	r, w := io.Pipe()
	code := make(chan int, 1)
	var logged bytes.Buffer
	go func() {
		code <- run(ctx, []string{"serve", "--socket", dir + "/own/s", "--store", dir + "/store", "--metrics", "127.0.0.1:0"}, nil, w, &logged)
		_ = w.Close()
	}()
	lines := bufio.NewScanner(r)
	for _, want := range []string{"unix://" + dir + "/own/s", "http://127.0.0.1:"} {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), want) {
			t.Errorf("printed %q, want %q", lines.Text(), want)
		}
	}
	stop()
	if got := <-code; got != 0 {
		t.Errorf("exit code %d, logged %s", got, &logged)
	}
}
