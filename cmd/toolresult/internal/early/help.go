package early

import (
	"io"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Names by which this program starts itself as a helper of exec. What helps has little memory, because nothing else of the program
// is initialized.
const (
	ReadOn    = "read-on" // and the number of pipes
	Companion = "companion"
)

// help helps, if args ask for that.
func help(args []string) (helped bool) {
	switch {
	case len(args) == 3 && args[1] == ReadOn && (args[2] == "1" || args[2] == "2"):
		readOn(int(args[2][0] - '0'))
	case len(args) == 2 && args[1] == Prove:
		if why := Unfit(); why != "" {
			warn(why)
			os.Exit(1)
		}
		_, _ = os.Stdout.WriteString(Proof + "\n")
	case len(args) == 2 && args[1] == Companion:
		companion(os.Stdin, os.Stdout)
	default:
		return false
	}
	return true
}

// readOn reads the pipes that this process was started with to their end.
func readOn(pipes int) {
	var reading sync.WaitGroup
	for fd := range pipes {
		pipe := os.NewFile(uintptr(3+fd), "pipe")
		reading.Go(func() { _, _ = io.Copy(io.Discard, pipe) }) // an error is the end, too
	}
	reading.Wait()
}

// companion answers, for each signal whose number it reads, whether it got that signal too since it was asked last: 1 or 0. Its first
// answer, without a question, is that it is ready.
func companion(in io.Reader, out io.Writer) {
	signals := Notify()
	var seen []os.Signal
	buf := []byte{1}
	for {
		if _, err := out.Write(buf); err != nil {
			return
		}
		if _, err := in.Read(buf); err != nil {
			return
		}
		asked := syscall.Signal(buf[0])
		for late := time.After(settle); late != nil; {
			select {
			case s := <-signals:
				seen = append(seen, s)
			case <-late:
				late = nil
			}
		}
		buf[0] = 0
		if slices.Contains(seen, os.Signal(asked)) {
			buf[0] = 1
		}
		seen = seen[:0]
	}
}

// settle is how long a signal needs at most from its process to the channel, and from one process of a group to the next.
const settle = 10 * time.Millisecond
