package toolresult

import "syscall"

// inOwnSession returns the attributes of a process that no interrupt to this process group reaches.
func inOwnSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
