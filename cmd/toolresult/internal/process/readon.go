package process

import (
	"io"
	"os"
	"strconv"
	"sync"
	"syscall"
)

// ReadOnName is the first argument when this program is started to read on. The second is the number of pipes.
const ReadOnName = "read-on"

// StartReadOn starts this program once more, detached, to read pipes until all who write to them have ended: they are neither
// waited for, nor ended by SIGPIPE. On an error they will be, which is as much as can be done.
func StartReadOn(pipes []*os.File) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer null.Close()
	p, err := os.StartProcess("/proc/self/exe", []string{"toolresult", ReadOnName, strconv.Itoa(len(pipes))}, &os.ProcAttr{
		Dir: "/", Env: []string{"GOMAXPROCS=1", "GOMEMLIMIT=16MiB"}, Files: append([]*os.File{null, null, null}, pipes...),
		Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err == nil {
		_ = p.Release() // it is nobody's child any more when this process ends
	}
}

// ReadOn is what StartReadOn starts: it reads the pipes that it was started with to their end, if args ask for that.
func ReadOn(args []string) (done bool) {
	if len(args) != 2 || args[0] != ReadOnName {
		return false
	}
	n, err := strconv.Atoi(args[1])
	if err != nil || n > 2 {
		return false
	}
	var reading sync.WaitGroup
	for fd := range n {
		pipe := os.NewFile(uintptr(3+fd), "pipe")
		reading.Go(func() { _, _ = io.Copy(io.Discard, pipe) }) // an error is the end, too
	}
	reading.Wait()
	return true
}
