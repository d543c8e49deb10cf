package process

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// gate is a writer that takes nothing until it is opened.
type gate struct {
	bytes.Buffer
	open chan struct{}
}

func (g *gate) Write(b []byte) (int, error) {
	<-g.open
	return g.Buffer.Write(b)
}

// TestSlowReaderGetsEverything: what a command wrote before it ended is passed on, however long the reader takes.
func TestSlowReaderGetsEverything(t *testing.T) {
	t.Parallel()
	var p pipes
	g := &gate{open: make(chan struct{})}
	end, err := p.to(g)
	if err != nil {
		t.Fatal(err)
	}
	written := bytes.Repeat([]byte("0123456789abcdef"), pipeBytes/16)
	_, err = end.Write(append([]byte("first "), written[6:]...)) // a pipe takes as much at once
	if err != nil {
		t.Fatal(err)
	}
	outlives, err := unix.Dup(int(end.Fd())) // another process may keep the pipe open
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(outlives)
	p.started()
	time.AfterFunc(50*time.Millisecond, func() { close(g.open) }) // long after the patience is over
	if open := p.drain(time.Millisecond); len(open) != 1 {
		t.Errorf("%d pipes are open, want 1", len(open))
	}
	if g.Len() != pipeBytes {
		t.Errorf("%d bytes of %d", g.Len(), pipeBytes)
	}
}

// TestChildThatGoesOnWritingIsLeft: a process that outlives the command and writes for ever does not keep the receipt.
func TestChildThatGoesOnWritingIsLeft(t *testing.T) {
	t.Parallel()
	var p pipes
	end, err := p.to(io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		for {
			if _, err := end.Write([]byte("on and on\n")); err != nil {
				ended <- err
				return
			}
		}
	}()
	for _, open := range p.drain(time.Millisecond) {
		_ = open.Close()
	}
	if err := <-ended; err == nil {
		t.Error("the pipe is open")
	}
	p.started()
}

// failingWriter takes nothing.
type failingWriter struct{}

var errNobodyReads = errors.New("nobody reads")

func (failingWriter) Write([]byte) (int, error) { return 0, errNobodyReads }

// TestBrokenOutputEndsTheCommand: when output is passed on and nobody reads it, the command finds its pipe closed.
func TestBrokenOutputEndsTheCommand(t *testing.T) {
	t.Parallel()
	var p pipes
	end, err := p.to(failingWriter{})
	if err != nil {
		t.Fatal(err)
	}
	defer p.started()
	for err == nil {
		_, err = end.Write([]byte("y\n"))
	}
	if !errors.Is(err, os.ErrClosed) && !errors.Is(err, unix.EPIPE) {
		t.Error(err)
	}
}
