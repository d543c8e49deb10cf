package sidecar

import (
	"fmt"
	"os"
	"strings"
)

// isStopped reports whether a process is stopped, as by SIGSTOP; false if /proc does not say.
func isStopped(pid int32) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, state, ok := strings.Cut(string(stat), ") ")
	return err == nil && ok && strings.HasPrefix(state, "T")
}
