package identity

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// ticksPerSecond is the unit of times in /proc (USER_HZ, time(7)).
const ticksPerSecond = 100

// startField is the place of the start of a process among the fields behind its name (proc_pid_stat(5), field 22).
const startField = 22 - 3

// processStart returns when a process was started, by the clock of the system; the zero time if /proc does not say. A pid is given
// to another process later, a pid with a start is not.
func processStart(pid int32) time.Time {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return time.Time{}
	}
	ticks, ok := startTicks(stat)
	if !ok {
		return time.Time{}
	}
	age := bootTime() - time.Duration(ticks)*(time.Second/ticksPerSecond)
	return time.Now().Add(-age).UTC()
}

// startTicks returns the start of a process, in ticks since the machine started. The name of a process may have any bytes, also
// brackets and spaces; the fields that follow the last bracket have none.
func startTicks(stat []byte) (ticks uint64, ok bool) {
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) <= startField {
		return 0, false
	}
	ticks, err := strconv.ParseUint(string(fields[startField]), 10, 62)
	return ticks, err == nil && ticks < 1<<50/ticksPerSecond
}
