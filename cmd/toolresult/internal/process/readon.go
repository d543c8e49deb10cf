package process

import (
	"os"
	"strconv"
	"syscall"

	"github.com/toolresult/toolresult/cmd/toolresult/internal/early"
	"github.com/toolresult/toolresult/cmd/toolresult/internal/shell"
)

// StartReadOn starts this program once more, detached, to read pipes until all who write to them have ended: they are neither
// waited for, nor ended by SIGPIPE. On an error they will be, which is as much as can be done.
func StartReadOn(pipes []*os.File) {
	p, err := startHelper(&syscall.SysProcAttr{Setsid: true}, nil, nil, pipes, early.ReadOn, strconv.Itoa(len(pipes)))
	if err == nil {
		_ = p.Release() // it is nobody's child any more when this process ends
	}
}

// startHelper starts this program as a helper, with more files than standard input and output; nil is the null device.
func startHelper(as *syscall.SysProcAttr, in, out *os.File, more []*os.File, args ...string) (*os.Process, error) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer null.Close()
	files := []*os.File{in, out, null}
	for i, f := range files {
		if f == nil {
			files[i] = null
		}
	}
	program, err := shell.Self()
	if err != nil {
		return nil, err
	}
	return os.StartProcess(program, append([]string{"toolresult"}, args...), &os.ProcAttr{
		Dir: "/", Env: []string{"GOMAXPROCS=1", "GOMEMLIMIT=16MiB"}, Files: append(files, more...), Sys: as,
	})
}
