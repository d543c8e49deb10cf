package early

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// self is empty: the kernel checks the signature of a program's file, and ends one that is cut off before it runs.
const self = ""

// EndsWithUs returns the attributes of a process: the kernel has none that would end it with this one.
func EndsWithUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }

// isTerminal reports whether a file is a terminal.
func isTerminal(fd uintptr) bool {
	_, err := unix.IoctlGetTermios(int(fd), unix.TIOCGETA)
	return err == nil
}

// isOneDescription reports whether two descriptors of a file are at one offset: the kernel does not say more.
func isOneDescription(a, b int) bool { return haveOneOffset(a, b) }
