package process

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// pipes carry what a command writes to where it is kept. Those of os/exec are closed some time after the command has ended,
// even while a slow reader is still being passed what it wrote, and the rest would be lost. Here only what is written later
// than that is not read: a process that outlives the command may go on writing for ever.
type pipes struct {
	read, write []*os.File
	copies      sync.WaitGroup
	mu          sync.Mutex
	open        []*os.File // those that may have more to read
}

// to returns the end of a new pipe for the command. What is written to it goes to w, until w fails: then the command finds
// the pipe closed, as it would find what is behind w.
func (p *pipes) to(w io.Writer) (*os.File, error) {
	r, end, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.write = append(p.write, end)
	p.from(r, w)
	return end, nil
}

// from passes on what is read from a pipe to w, as to does.
func (p *pipes) from(r *os.File, w io.Writer) {
	p.read = append(p.read, r)
	p.copies.Go(func() {
		_, err := io.CopyBuffer(onlyWriter{w}, onlyReader{r}, make([]byte, pipeBytes))
		if errors.Is(err, os.ErrDeadlineExceeded) && copyRest(w, r) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.open = append(p.open, r)
			return
		}
		_ = r.Close() // it is only read from
	})
}

// pipeBytes is the size of a pipe, in bytes (pipe(7)).
const pipeBytes = 64 << 10

// onlyWriter and onlyReader hide methods by which io.Copy would not use its buffer.
type (
	onlyWriter struct{ io.Writer }
	onlyReader struct{ io.Reader }
)

// copyRest passes on what is in a pipe, without waiting for more. It reports whether more may follow.
func copyRest(w io.Writer, r *os.File) bool {
	_ = r.SetReadDeadline(time.Time{}) // it could be set before
	raw, err := r.SyscallConn()
	if err != nil {
		return false
	}
	buf := make([]byte, pipeBytes)
	for left := pipeBytes; left > 0; {
		n, empty := 0, error(nil)
		err := raw.Read(func(fd uintptr) bool {
			n, empty = unix.Read(int(fd), buf[:left])
			return true
		})
		if err != nil || n <= 0 {
			return errors.Is(empty, unix.EAGAIN)
		}
		if _, err := w.Write(buf[:n]); err != nil {
			return false
		}
		left -= n
	}
	return true
}

// started closes the ends of the command, which has its own copies of them now.
func (p *pipes) started() {
	for _, end := range p.write {
		_ = end.Close() // nothing was written to it
	}
}

// drain waits until all is passed on that was written until now, and for some time more by processes that outlive the command. It
// is called when the command has ended, and returns the pipes that others still hold open.
func (p *pipes) drain(settle time.Duration) (open []*os.File) {
	late := time.AfterFunc(settle, func() {
		for _, r := range p.read {
			_ = r.SetReadDeadline(time.Now()) // it fails after the copy has ended
		}
	})
	p.copies.Wait()
	late.Stop()
	return p.open
}
