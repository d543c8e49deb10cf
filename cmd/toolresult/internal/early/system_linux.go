package early

import (
	"syscall"
	"unsafe"
)

// self is the file of this program.
const self = "/proc/self/exe"

// EndsWithUs returns the attributes of a process that gets SIGKILL when the thread ends that started it (PR_SET_PDEATHSIG).
func EndsWithUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// isTerminal reports whether a file is a terminal.
func isTerminal(fd uintptr) bool {
	var t syscall.Termios
	_, _, err := syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TCGETS, uintptr(unsafe.Pointer(&t)))
	return err == 0
}
