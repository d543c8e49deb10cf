//go:build !linux

package mcpproxy

import "syscall"

// endsWithUs does nothing here: the end of its input ends a server.
func endsWithUs() *syscall.SysProcAttr { return nil }
