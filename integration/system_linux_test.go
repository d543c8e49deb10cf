package integration_test

// What tests do by calls that Linux alone has.

import (
	"os"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// limitOf lowers a limit of a sidecar until the end of the test.
func limitOf(t *testing.T, s *sidecar, resource int, limit uint64) {
	t.Helper()
	var was unix.Rlimit
	if err := unix.Prlimit(s.PID(), resource, nil, &was); err != nil {
		t.Fatal(err)
	}
	if err := unix.Prlimit(s.PID(), resource, &unix.Rlimit{Cur: limit, Max: was.Max}, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Prlimit(s.PID(), resource, &was, nil); err != nil {
			t.Error(err)
		}
	})
}

// legLandlock is a leg that needs a kernel with Landlock.
func legLandlock(t *testing.T) {
	t.Helper()
	version, _, _ := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, 1)
	leg(t, int(version) >= 4, "needs Linux 6.7 with landlock among its security modules")
}

// runInSandbox runs a program in the place of this process, whose system calls for sockets fail with EPERM from then on.
func runInSandbox(args []string) error {
	denied := []uint32{unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_SOCKETPAIR, unix.SYS_SENDTO, unix.SYS_GETSOCKOPT, unix.SYS_SETSOCKOPT}
	program := []bpf.Instruction{bpf.LoadAbsolute{Off: 0, Size: 4}} // seccomp_data.nr
	for _, call := range denied {
		program = append(program, bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: call, SkipTrue: 1}, bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)})
	}
	program = append(program, bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW})
	raw, err := bpf.Assemble(program)
	if err != nil {
		return err
	}
	filter := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		filter[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	runtime.LockOSThread() // the filter is that of this thread, and execve keeps it
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	list := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&list))); errno != 0 {
		return errno
	}
	return syscall.Exec(args[0], args, os.Environ())
}

// detach is the flag of umount2(2) that does not wait until nobody uses a file system.
const detach = unix.MNT_DETACH

// mountMemoryController mounts the memory controller of cgroup version 1.
func mountMemoryController(at string) error { return unix.Mount("cgroup", at, "cgroup", 0, "memory") }

// mountOver covers a directory with another one.
func mountOver(dir, by string) error { return unix.Mount(by, dir, "", unix.MS_BIND, "") }
