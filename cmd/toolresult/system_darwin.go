package main

import "golang.org/x/sys/unix"

// getTermios is the request of ioctl(2) that succeeds for terminals alone.
const getTermios = unix.TIOCGETA

// descriptors is the directory that has the descriptors of this process by their numbers.
const descriptors = "/dev/fd"
