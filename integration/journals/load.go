package main

import (
	"slices"
	"sync"
	"syscall"
	"time"
)

// load is one measurement: records of a size by a number of callers.
type load struct {
	Size, Callers int
}

// measured is what one measurement says.
type measured struct {
	P50, P99  time.Duration
	PerSecond float64
	CPU       time.Duration // of the process, per append
	Appends   int
}

// loads are measured of each candidate in each round.
func loads() (list []load) {
	for _, size := range []int{2 << 10, 7 << 10} {
		for _, callers := range []int{1, 8, 64} {
			list = append(list, load{size, callers})
		}
	}
	return list
}

// prepared is the number of texts that are made before, so that making them costs nothing that is measured.
const prepared = 256

// measure appends for a while, after a shorter while that does not count.
func measure(l Log, w load, warm, long time.Duration) (m measured, err error) {
	var records, small [][]byte
	for i := range uint64(prepared) {
		records = append(records, text(i, w.Size))
		small = append(small, nil)
		if i%smallEvery == 0 {
			small[i] = text(i, smallSize)
		}
	}
	began := time.Now()
	from, until := began.Add(warm), began.Add(warm+long)
	lists, errs := make([][]time.Duration, w.Callers), make([]error, w.Callers)
	var wait sync.WaitGroup
	var before time.Duration
	var once sync.Once
	for c := range w.Callers {
		wait.Go(func() {
			for i := c * 7; errs[c] == nil; i++ {
				start := time.Now()
				if start.After(until) {
					return
				}
				counts := start.After(from)
				if counts {
					once.Do(func() { before = processorTime() })
				}
				errs[c] = l.Append(records[i%prepared], small[i%prepared])
				if counts {
					lists[c] = append(lists[c], time.Since(start))
				}
			}
		})
	}
	wait.Wait()
	took, used := time.Since(from), processorTime()-before
	for _, err := range errs {
		if err != nil {
			return m, err
		}
	}
	all := slices.Concat(lists...)
	slices.Sort(all)
	n := len(all)
	if n == 0 {
		return m, errNothing
	}
	return measured{P50: all[n/2], P99: all[min(n-1, n*99/100)], PerSecond: float64(n) / took.Seconds(), CPU: used / time.Duration(n), Appends: n}, nil
}

// processorTime returns the time that this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
