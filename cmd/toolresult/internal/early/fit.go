package early

import (
	"math"
	"os"
	"strconv"
	"syscall"
)

// A command must not be lost to a program that fails halfway. So before this program takes a command over it looks at what would end
// it later: a file that is cut off, as a copy on a full disk is, and limits in which the runtime of Go ends a process with a trace.

// Words by which the launcher of a host (internal/hosts) asks whether this program can take its command over, and the answer.
const (
	Prove = "prove"
	Proof = "toolresult takes over"
)

// limit is a resource of a process, and how much of it this program needs.
type limit struct {
	resource int
	name     string // in messages
	option   string // of ulimit
	unit     uint64 // of ulimit, in units of the resource
	least    uint64
}

// limits are those that end a Go program at any moment. Memory is address space mostly: the heap and the stacks of threads are
// reserved long before they are used.
var limits = []limit{
	{syscall.RLIMIT_NOFILE, "open files", "-n", 1, 64},
	{syscall.RLIMIT_AS, "address space", "-v", 1 << 10, 4 << 30},
	{syscall.RLIMIT_DATA, "data", "-d", 1 << 10, 1 << 30},
}

// Unfit returns why this process should not take a command over; empty if it can.
func Unfit() string {
	for _, l := range limits {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(l.resource, &now); err == nil && now.Cur < l.least {
			return "the limit of " + l.name + " (ulimit " + l.option + ") is " + strconv.FormatUint(now.Cur/l.unit, 10) +
				"; use at least " + strconv.FormatUint(l.least/l.unit, 10)
		}
	}
	if !isWhole(self) {
		return "the file of this program is cut off; install it again"
	}
	return ""
}

// isWhole reports whether a program's file has all bytes that the kernel maps, by its ELF headers: it finds out about a missing page
// when the program first uses it. A file in another format, or one that cannot be read, counts as whole.
func isWhole(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return true
	}
	defer file.Close()
	info, err := file.Stat()
	head := make([]byte, 4096)
	n, readErr := file.ReadAt(head, 0)
	const class64, littleEndian = 2, 1
	if err != nil || n < 64 && readErr != nil || string(head[:4]) != "\x7fELF" || head[4] != class64 || head[5] != littleEndian {
		return true
	}
	at, size, count := number(head, 32, 8), number(head, 54, 2), number(head, 56, 2)
	for ; count > 0 && at < uint64(n) && at+size <= uint64(n) && size >= 56; count-- {
		const load = 1 // PT_LOAD
		offset, bytes := number(head, at+8, 8), number(head, at+32, 8)
		if number(head, at, 4) == load && (offset > math.MaxInt64 || bytes > math.MaxInt64 || int64(offset+bytes) > info.Size()) {
			return false
		}
		at += size
	}
	return true
}

// number returns a little-endian number of some bytes.
func number(b []byte, at, bytes uint64) (n uint64) {
	for i := range bytes {
		n |= uint64(b[at+i]) << (8 * i)
	}
	return n
}

// warn writes a line to standard error.
func warn(reason string) {
	_, _ = os.Stderr.WriteString("toolresult: no receipts: " + reason + "\n")
}
