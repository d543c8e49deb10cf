package early

import "syscall"

// IsOneOutput reports whether standard output and standard error are one open file, as after 2>&1 and on a terminal: then only one
// pipe keeps the order in which a command writes to both.
func IsOneOutput() bool {
	var out, err syscall.Stat_t
	if syscall.Fstat(1, &out) != nil || syscall.Fstat(2, &err) != nil || out.Dev != err.Dev || out.Ino != err.Ino {
		return false
	}
	// A regular file that is opened twice has two offsets, and each stream overwrites the other's bytes, unless both append.
	return out.Mode&syscall.S_IFMT != syscall.S_IFREG || appends(1) && appends(2) || isOneDescription(1, 2)
}

// appends reports whether all that is written to a descriptor goes to the end of its file.
func appends(fd uintptr) bool {
	flags, _, err := syscall.Syscall(syscall.SYS_FCNTL, fd, syscall.F_GETFL, 0)
	return err == 0 && flags&syscall.O_APPEND != 0
}

// haveOneOffset reports whether two descriptors of a file are at the same offset, as those of one description always are.
func haveOneOffset(a, b int) bool {
	const current = 1 // SEEK_CUR
	first, err := syscall.Seek(a, 0, current)
	second, alsoErr := syscall.Seek(b, 0, current)
	return err == nil && alsoErr == nil && first == second
}
