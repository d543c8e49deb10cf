package integration_test

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// sandboxVariable has this test binary run its arguments in a sandbox.
const sandboxVariable = "TOOLRESULT_TEST_SANDBOX"

// A host's sandbox may deny commands all sockets, and so every sidecar. A receipt is made there all the same, and what it names
// can be read; a sidecar that runs is not asked.
func TestShellInSandboxWithoutSockets(t *testing.T) {
	t.Parallel()
	tmp := t.TempDir()
	s := newShells(t, true)
	run := func(tmp string) ran {
		return run(t, append(s.env, sandboxVariable+"=1", "TMPDIR="+tmp), nil, os.Args[0], binary, "shell", "-c", failingLine)
	}
	r := run(tmp)
	if r.code != 2 || r.stderr != "" || len(r.stdout) > 4000 || !strings.Contains(r.stdout, "undefined: x") {
		t.Errorf("code %d, %d bytes: %.300s%s", r.code, len(r.stdout), r.stdout, r.stderr)
	}
	kept := regexp.MustCompile(`all of it: (\S+)`).FindStringSubmatch(r.stdout)
	if kept == nil || !strings.HasPrefix(kept[1], tmp) {
		t.Fatalf("the output is not kept below TMPDIR: %s", r.stdout)
	}
	if all, err := os.ReadFile(kept[1]); err != nil || string(all) != numbersTo(30_000) {
		t.Errorf("%s is not the output: %d bytes, %v", kept[1], len(all), err)
	}
	// Without a directory to write, as in a sandbox that only reads, the output is as it was.
	if r := run(filepath.Join(tmp, "none")); r.code != 2 || r.stdout != numbersTo(30_000) || r.stderr != "main.go:7:2: undefined: x\n" {
		t.Errorf("without TMPDIR: code %d, %d bytes, %s", r.code, len(r.stdout), r.stderr)
	}
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
