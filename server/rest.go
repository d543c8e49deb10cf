package server

import (
	"bufio"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// giveBack gives the memory back that calls, or the start, needed and a server at rest does not: the free heap, and the pages of
// the program, which the kernel maps again when they are used. It is best effort.
func giveBack() {
	runtime.GC() // the first of two after which pools have nothing
	debug.FreeOSMemory()
	program, err := os.Readlink("/proc/self/exe")
	if err != nil {
		return
	}
	smaps, err := os.Open("/proc/self/smaps")
	if err != nil {
		return
	}
	defer func() { _ = smaps.Close() }() // it was only read
	for _, r := range cleanRanges(smaps, program) {
		// Nothing was written there, so that every page is read from the file again, with the content that it had.
		_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(unsafe.Pointer(nil), r.from)), r.to-r.from), unix.MADV_DONTNEED)
	}
}

// addresses are a range of addresses of this process.
type addresses struct{ from, to uintptr }

// cleanRanges reads a file of smaps (proc_pid_smaps(5)) and returns the ranges of a program that cannot be written, and were not:
// the loader of shared libraries writes to some before it protects them.
func cleanRanges(smaps io.Reader, program string) (list []addresses) {
	var r addresses
	ours := false
	lines := bufio.NewScanner(smaps)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if next, ok := parseAddresses(fields); ok {
			permissions, path := fields[1], strings.Join(fields[5:], " ")
			r, ours = next, path == program && strings.HasPrefix(permissions, "r-") && strings.HasSuffix(permissions, "p")
			continue
		}
		if ours && len(fields) == 3 && fields[0] == "Anonymous:" && fields[1] == "0" {
			list = append(list, r)
		}
	}
	return list
}

// parseAddresses reads the addresses of a line that begins a range: addresses, permissions, offset, device, inode, and mostly a path.
func parseAddresses(fields []string) (r addresses, ok bool) {
	if len(fields) < 5 {
		return r, false
	}
	first, last, ok := strings.Cut(fields[0], "-")
	from, wrong := strconv.ParseUint(first, 16, 64)
	to, wrongToo := strconv.ParseUint(last, 16, 64)
	return addresses{uintptr(from), uintptr(to)}, ok && wrong == nil && wrongToo == nil && from < to
}
