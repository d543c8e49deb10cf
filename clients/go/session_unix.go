//go:build unix

package toolresult

import "syscall"

// inOwnSession returns the attributes of a process that no signal to this process group, or from this terminal, reaches.
func inOwnSession() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }
