package mcpproxy

import "syscall"

// endsWithUs ends a process when this one is killed.
func endsWithUs() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM} }
