package ingest

import "syscall"

// timesOf returns when the content of a file was last changed, and when its inode was.
func timesOf(stat *syscall.Stat_t) [2]syscall.Timespec {
	return [2]syscall.Timespec{stat.Mtim, stat.Ctim}
}
