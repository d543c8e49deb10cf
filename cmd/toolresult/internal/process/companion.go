package process

import (
	"os"
	"syscall"
	"time"

	"github.com/toolresult/toolresult/cmd/toolresult/internal/early"
)

// A signal to the whole process group reaches the command by itself, and to pass it on would be a second one: many programs end at
// once by that, and lose what they would have cleaned up after the first. The kernel does not say whether a signal was for a group.
// But a companion does, which is another process of the group: what both got was for the group.

// companion is a process of this process group. Nil is none.
type companion struct {
	process *os.Process
	ask     *os.File
	answers chan byte
	gone    chan struct{} // closed when it has ended
}

// Times of companions.
const (
	// companionAfter is how long a command runs before it gets a companion: those of most commands would have nothing to say.
	companionAfter = 300 * time.Millisecond
	// answerTime is how long an answer is waited for, on a machine that does much else.
	answerTime = 500 * time.Millisecond
)

// awaitCompanion starts a companion after a while, if there is need of one. What it returns first gets it when it is ready.
func awaitCompanion(needed bool) (ready <-chan *companion, stop func()) {
	if !needed {
		return nil, func() {}
	}
	started, over := make(chan *companion), make(chan struct{})
	timer := time.AfterFunc(companionAfter, func() {
		w := startCompanion()
		for range 4 { // a signal that comes too early ends it
			if w != nil {
				break
			}
			w = startCompanion()
		}
		select {
		case started <- w:
		case <-over:
			w.end()
		}
	})
	return started, func() {
		timer.Stop()
		close(over)
	}
}

// startCompanion starts a companion, and returns it when it is ready; nil if there can be none.
func startCompanion() *companion {
	in, ask, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer in.Close()
	answer, out, err := os.Pipe()
	if err != nil {
		_ = ask.Close()
		return nil
	}
	defer out.Close()
	p, err := startHelper(nil, in, out, nil, early.Companion)
	if err != nil {
		_, _ = ask.Close(), answer.Close()
		return nil
	}
	w := &companion{p, ask, make(chan byte, 1), make(chan struct{})}
	go func() {
		defer close(w.gone)
		defer answer.Close()
		buf := make([]byte, 1)
		for {
			if _, err := answer.Read(buf); err != nil {
				_, _ = p.Wait() // it ends when nobody can ask it
				return
			}
			w.answers <- buf[0]
		}
	}()
	select {
	case <-w.answers:
		return w
	case <-w.gone:
		w.end()
		return nil
	}
}

// saw reports whether the companion got a signal, too.
func (w *companion) saw(s syscall.Signal) bool {
	if w == nil {
		return false
	}
	select { // an answer that was too late
	case <-w.answers:
	default:
	}
	if _, err := w.ask.Write([]byte{byte(s)}); err != nil {
		return false
	}
	select {
	case answer := <-w.answers:
		return answer == 1
	case <-w.gone:
		return false
	case <-time.After(answerTime):
		return false
	}
}

// hasEnded reports whether the companion has ended.
func (w *companion) hasEnded() bool {
	if w == nil {
		return false
	}
	select {
	case <-w.gone:
		return true
	default:
		return false
	}
}

// end ends the companion.
func (w *companion) end() {
	if w != nil {
		_ = w.ask.Close()
	}
}
