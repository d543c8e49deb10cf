package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/toolresult/toolresult/internal/spool"
)

// Output is held back, so the command itself cannot notice that its reader has gone or that a write fails. This file notices both: the
// command gets SIGPIPE as it would without us, and a failed write is an error.

// outlet is standard output, where the output of a command goes as it was, or its receipt. It keeps the first error.
type outlet struct {
	to     io.Writer
	file   io.Writer // behind to
	inside bool      // the last byte did not end a line
	err    error
}

// Write implements io.Writer.
func (o *outlet) Write(p []byte) (n int, err error) {
	if o.err != nil {
		return 0, o.err
	}
	if len(p) > 0 {
		o.inside = p[len(p)-1] != '\n'
	}
	n, o.err = o.to.Write(p)
	return n, o.err
}

// code returns the exit code for that of the command: of one that succeeded, that of SIGPIPE when its reader has gone, and 1 when its
// output could not be written, which standard error says.
func (o *outlet) code(code int, d *delivery) int {
	failed := o.err
	if failed == nil && code == 0 && d.spool.Total() > pipeBytes {
		failed = awaitReader(o.file)
	}
	const ended = codeSignaled + int(syscall.SIGPIPE)
	gone := errors.Is(failed, syscall.EPIPE)
	if failed != nil && !gone {
		fmt.Fprintf(d.stderr, "toolresult: the output is not printed whole: %v\n", failed)
	}
	switch {
	case failed != nil && !gone && code == ended: // by the pipe that we closed
		return 1
	case failed == nil || code != 0:
		return code
	case gone:
		return ended
	default:
		return 1
	}
}

// pipeBytes is what a pipe holds (pipe(7)): a command that wrote no more would not have noticed that its reader has gone.
const pipeBytes = 64 << 10

// readTime is how long a receipt in a pipe is waited for until it is read.
const readTime = 200 * time.Millisecond

// awaitReader waits a moment until a pipe is read, and returns EPIPE when its readers went before that.
func awaitReader(w io.Writer) error {
	fd := pipeOf(w, syscall.S_IFIFO)
	for late := time.Now().Add(readTime); fd >= 0 && time.Now().Before(late); time.Sleep(time.Millisecond) {
		if n, err := unix.IoctlGetInt(fd, bytesWaiting); err != nil || n == 0 {
			return nil
		}
		p := []unix.PollFd{{Fd: int32(fd)}}
		if _, err := unix.Poll(p, 0); err == nil && p[0].Revents&unix.POLLERR != 0 {
			return syscall.EPIPE
		}
	}
	return nil
}

// pipeOf returns the descriptor of a writer that is a file of one of some kinds (S_IFIFO, S_IFSOCK), or -1. It leaves the file in
// its mode (O_NONBLOCK), which others share.
func pipeOf(w io.Writer, kinds ...uint32) int {
	p, ok := w.(patient)
	if !ok {
		return -1
	}
	raw, err := p.file.SyscallConn()
	if err != nil {
		return -1
	}
	found := -1
	_ = raw.Control(func(fd uintptr) { // it fails for a closed file
		var info unix.Stat_t
		if unix.Fstat(int(fd), &info) != nil {
			return
		}
		for _, kind := range kinds {
			if uint32(info.Mode)&unix.S_IFMT == kind {
				found = int(fd)
			}
		}
	})
	return found
}

// watchReaders ends a stream of the command when the pipe or socket has no reader any more where it would go: its next write
// fails, and the one after gets SIGPIPE. The function that it returns ends that.
func (d *delivery) watchReaders(stdout, stderr io.Writer) (stop func()) {
	kinds := []uint32{syscall.S_IFIFO, syscall.S_IFSOCK}
	out, err := int32(pipeOf(stdout, kinds...)), int32(pipeOf(stderr, kinds...))
	stopped, end, pipeErr := os.Pipe()
	if out < 0 && err < 0 || pipeErr != nil {
		_, _ = stopped.Close(), end.Close() // nil files have no descriptor to close
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		// Without events the kernel reports errors and hang-ups alone. It passes over negative descriptors.
		watched := []unix.PollFd{{Fd: out}, {Fd: err}, {Fd: int32(stopped.Fd()), Events: unix.POLLIN}}
		for watched[2].Revents == 0 {
			if _, err := unix.Poll(watched, -1); err != nil && !errors.Is(err, syscall.EINTR) {
				return
			}
			for i, stream := range []spool.Stream{spool.Stdout, spool.Stderr} {
				if watched[i].Revents != 0 {
					watched[i].Fd, watched[i].Revents = -1, 0
					d.leave(stream)
				}
			}
		}
	}()
	return func() {
		_ = end.Close()
		<-done
		_ = stopped.Close()
	}
}

// leave notes that a stream has no reader. Without a reader of standard output there is no need for a receipt.
func (d *delivery) leave(stream spool.Stream) {
	d.unread[stream].Store(true)
	if stream == spool.Stdout {
		d.giveUp("its reader has gone")
	}
}
