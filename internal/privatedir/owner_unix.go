//go:build unix

package privatedir

import (
	"os"
	"syscall"
)

// IsOurs reports whether a file belongs to the user of this process.
func IsOurs(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
