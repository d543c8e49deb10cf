package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// getTermios is the request of ioctl(2) that succeeds for terminals alone.
const getTermios = unix.TCGETS

// bytesWaiting is the request of ioctl(2) for the bytes in a pipe (FIONREAD).
const bytesWaiting = unix.TIOCINQ

// descriptors is the directory that has the descriptors of this process by their numbers.
const descriptors = "/proc/self/fd"

// findAncestor returns a process by its pid, as /proc has it (proc_pid_stat(5)).
func findAncestor(pid int) (ancestor, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ancestor{}, false
	}
	return parseStat(stat)
}

// processorTime returns the processor time of a process, in ticks of the clock; 0 if it is not known.
func processorTime(pid int) (ticks uint64) {
	if pid == 0 {
		return 0
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	for _, i := range []int{11, 12} { // utime and stime, counted from the state
		if i < len(fields) {
			n, _ := strconv.ParseUint(string(fields[i]), 10, 64)
			ticks += n
		}
	}
	return ticks
}

// parseStat reads a stat file. The name of a program may have any bytes, also brackets and spaces;
// what follows the last bracket has none.
func parseStat(stat []byte) (a ancestor, ok bool) {
	first, last := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if first < 0 || last < first {
		return a, false
	}
	fields := bytes.Fields(stat[last+1:])
	if len(fields) < 20 {
		return a, false
	}
	parent, failed := strconv.Atoi(string(fields[1]))
	start, alsoFailed := strconv.ParseUint(string(fields[19]), 10, 64)
	return ancestor{parent, string(stat[first+1 : last]), start}, failed == nil && alsoFailed == nil
}
