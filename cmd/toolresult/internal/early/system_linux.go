package early

import (
	"os"
	"runtime"
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

// compareFiles has the numbers of kcmp(2), which package syscall does not have.
var compareFiles = map[string]uintptr{"amd64": 312, "arm64": 272}

// isOneDescription reports whether two descriptors of this process are of one open file description. Where the kernel may not be asked,
// as in some containers, their offsets decide.
func isOneDescription(a, b int) bool {
	pid := uintptr(os.Getpid())
	if number := compareFiles[runtime.GOARCH]; number != 0 {
		const file = 0 // KCMP_FILE
		order, _, err := syscall.Syscall6(number, pid, pid, file, uintptr(a), uintptr(b), 0)
		if err == 0 {
			return order == 0
		}
	}
	return haveOneOffset(a, b)
}
