//go:build unix

package sidecar

import "syscall"

// noFollow is the flag by which a link is not opened.
const noFollow = syscall.O_NOFOLLOW
