package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
)

// Work that takes long says on a terminal how far it is: one line on standard error, which is drawn again a few times a second and
// erased at the end. Nothing is written anywhere else: not to a pipe or a file, not beside --output json, not in CI and not to a
// terminal that knows no escape codes. The line has no colors.
//
// A command that exec runs may write to the same terminal, past us. So its line is drawn only at the moment when more of its output
// arrives: one that asks for a password has written all that it has to say, and its question is left alone.

// Times of progress.
const (
	progressDelay    = 500 * time.Millisecond // work that is done before has none
	progressInterval = 200 * time.Millisecond // between two lines
)

// eraseLine goes to the beginning of the line and erases it (ECMA-48, EL).
const eraseLine = "\r\x1b[K"

// terminalKey is the key of the terminal of progress in a context.
type terminalKey struct{}

// withProgress lets long work of a command say how far it is, if that is wanted.
func withProgress(cmd *cobra.Command, _ []string) {
	if tty := progressTerminal(cmd); tty != nil {
		cmd.SetContext(context.WithValue(cmd.Context(), terminalKey{}, tty))
	}
}

// progressTerminal returns the terminal to which a command may say how far it is; nil for none.
func progressTerminal(cmd *cobra.Command) *os.File {
	output := cmd.Flags().Lookup("output")
	if output == nil || output.Value.String() == formJSON || os.Getenv("CI") != "" {
		return nil
	}
	if kind := os.Getenv("TERM"); kind == "" || kind == "dumb" {
		return nil
	}
	stderr, ok := cmd.ErrOrStderr().(patient)
	if !ok || !isTerminal(stderr.file) {
		return nil
	}
	return stderr.file
}

// progress is the line about some work. A nil progress shows nothing. Safe for concurrent use.
type progress struct {
	tty     *os.File
	more    chan struct{} // receives when a line may be drawn; nil: at any time
	end     chan struct{}
	done    sync.WaitGroup
	stopped sync.Once

	mu    sync.Mutex
	shown bool // the line is there
}

// hasTerminal reports whether progress is shown, so that totals are worth a call.
func hasTerminal(ctx context.Context) bool { return ctx.Value(terminalKey{}) != nil }

// showProgress shows what text returns until stop is called; nothing while it is empty. text is called on another goroutine. It
// returns nil when the context has no terminal.
func showProgress(ctx context.Context, text func(took time.Duration) string) *progress {
	return startProgress(ctx, nil, text)
}

// showGrowth is showProgress, but draws only when grew is called.
func showGrowth(ctx context.Context, text func(took time.Duration) string) *progress {
	return startProgress(ctx, make(chan struct{}), text)
}

// startProgress shows a progress that draws when more receives; nil: at any time.
func startProgress(ctx context.Context, more chan struct{}, text func(took time.Duration) string) *progress {
	tty, _ := ctx.Value(terminalKey{}).(*os.File)
	if tty == nil {
		return nil
	}
	p := &progress{tty: tty, more: more, end: make(chan struct{})}
	p.done.Go(func() { p.run(text) })
	return p
}

// grew lets the line be drawn now, if it is time for the next one. It never waits: with a terminal that is stopped (Ctrl-S) there is
// no line.
func (p *progress) grew() {
	if p == nil {
		return
	}
	select {
	case p.more <- struct{}{}:
	default:
	}
}

// run draws the line until the end.
func (p *progress) run(text func(time.Duration) string) {
	began := time.Now()
	for wait := progressDelay; ; wait = progressInterval {
		select {
		case <-p.end:
			return
		case <-time.After(wait):
		}
		if p.more != nil {
			select {
			case <-p.end:
				return
			case <-p.more:
			}
		}
		p.draw(text(time.Since(began).Round(time.Second)))
	}
}

// draw replaces the line. It is one column shorter than the terminal: a longer one would go on in the next line, and stay.
func (p *progress) draw(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if line == "" {
		p.erase()
		return
	}
	if size, err := unix.IoctlGetWinsize(int(p.tty.Fd()), unix.TIOCGWINSZ); err == nil && size.Col > 0 {
		line = line[:min(len(line), int(size.Col)-1)]
	}
	_, _ = io.WriteString(patient{p.tty}, eraseLine+line) // a terminal that is gone is no error of the work
	p.shown = true
}

// erase erases the line, if it is there. mu is locked.
func (p *progress) erase() {
	if p.shown {
		_, _ = io.WriteString(patient{p.tty}, eraseLine)
		p.shown = false
	}
}

// stop erases the line for good. It may be called more than once.
func (p *progress) stop() {
	if p == nil {
		return
	}
	p.stopped.Do(func() {
		close(p.end)
		p.done.Wait()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.erase()
	})
}

// above returns a writer of what the work prints: it may go to the same terminal, so that the line is erased before.
func (p *progress) above(w io.Writer) io.Writer {
	if p == nil {
		return w
	}
	return writeFunc(func(b []byte) (int, error) { // the line is drawn again with the next one
		p.mu.Lock()
		defer p.mu.Unlock()
		p.erase()
		return w.Write(b)
	})
}

// before returns a writer before whose first byte the line goes for good: what is written may not end in a whole line.
func (p *progress) before(w io.Writer) io.Writer {
	if p == nil {
		return w
	}
	return writeFunc(func(b []byte) (int, error) {
		p.stop()
		return w.Write(b)
	})
}

// writeFunc is a function that implements io.Writer.
type writeFunc func([]byte) (int, error)

// Write calls f.
func (f writeFunc) Write(b []byte) (int, error) { return f(b) }

// takes returns the text of work of which only the time is known.
func takes(what string) func(time.Duration) string {
	return func(took time.Duration) string { return fmt.Sprintf("%s, %s", what, took) }
}

// muchOutput is how much output a command has before exec says how far it is, in bytes. Most have less, and are left alone.
const muchOutput = 1 << 20

// progress returns how much output there is.
func (d *delivery) progress(took time.Duration) string {
	total := d.spool.Total()
	if total < muchOutput {
		return ""
	}
	return fmt.Sprintf("%s of output, %s", formatBytes(uint64(total)), took)
}
