package main

// What runs in a process of its own: the candidate is opened there, so that its time, its memory and its death are its own.

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"time"
)

// tasks are what a process of its own can do. The last value of their results is printed as JSON.
var tasks = map[string]func(c candidate, dir string, numbers []int) (any, error){
	"measure": taskMeasure, "fill": taskFill, "check": taskCheck, "retire": taskRetire, "large": taskLarge, "tail": taskTail,
}

// child returns the command of a task.
func child(task string, c candidate, dir string, numbers ...int) (*exec.Cmd, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	args := []string{"child", task, c.name, dir}
	for _, n := range numbers {
		args = append(args, strconv.Itoa(n))
	}
	return exec.Command(path, args...), nil
}

// patience is how long a task may take.
const patience = 2 * time.Minute

// do runs a task and reads its result.
func do(result any, task string, c candidate, dir string, numbers ...int) error {
	cmd, err := child(task, c, dir, numbers...)
	if err != nil {
		return err
	}
	late := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer late.Stop()
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, result)
	}
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%w: %.300s", err, exit.Stderr)
	}
	if err != nil {
		return fmt.Errorf("%s %s: %w", task, c.name, err)
	}
	return nil
}

// runChild runs the task that the arguments name.
func runChild(args []string) error {
	c, err := find(args[1])
	if err != nil {
		return err
	}
	var numbers []int
	for _, a := range args[3:] {
		n, err := strconv.Atoi(a)
		if err != nil {
			return err
		}
		numbers = append(numbers, n)
	}
	result, err := tasks[args[0]](c, args[2], numbers)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

// taskMeasure measures records of numbers[0] bytes by numbers[1] callers for numbers[2] milliseconds.
func taskMeasure(c candidate, dir string, numbers []int) (any, error) {
	l, err := c.open(dir)
	if err != nil {
		return nil, err
	}
	long := time.Duration(numbers[2]) * time.Millisecond
	m, err := measure(l, load{numbers[0], numbers[1]}, long/4, long)
	return m, errors.Join(err, l.Close())
}

// fillCallers is the number of callers that fill a log.
const fillCallers = 64

// taskFill appends numbers[0] records of numbers[1] bytes, prints each seed that was answered, and closes the log unless numbers[2] is 1:
// then it goes on until it is killed. With 2 there are no small artifacts.
func taskFill(c candidate, dir string, numbers []int) (any, error) {
	l, err := c.open(dir)
	if err != nil {
		return nil, err
	}
	n := numbers[0]
	if numbers[2] == 1 {
		n = 1 << 30
	}
	var mu sync.Mutex
	out := bufio.NewWriter(os.Stdout)
	if err := callers(l, fillCallers, n, numbers[1], 1, numbers[2] < 2, func(seed uint64) {
		if numbers[2] == 1 {
			mu.Lock()
			defer mu.Unlock()
			fmt.Fprintln(out, seed)
			out.Flush()
		}
	}); err != nil {
		return nil, err
	}
	time.Sleep(settleTime)
	return n, l.Close()
}

// checked is what a log says when it is opened again.
type checked struct {
	OpenError string
	Open      time.Duration
	EachError string
	Seeds     []uint64 // that were read, ascending
	Wrong     int      // records that were read and are not as they were appended
	PerSecond float64  // MB of records, read in their order
	Get       time.Duration
}

// castagnoli is the polynomial that processors compute.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// taskCheck opens a log that should have records 1 to numbers[0], and reads them: in their order, and if that ends early one by one. With
// numbers[1] it measures how long one takes.
func taskCheck(c candidate, dir string, numbers []int) (any, error) {
	var r checked
	began := time.Now()
	l, err := c.open(dir)
	if err != nil {
		r.OpenError = err.Error()
		return r, nil
	}
	r.Open = time.Since(began)
	seeds, size := map[uint64]bool{}, 0
	see := func(record []byte) {
		seed, ok := seedOf(record)
		if !ok {
			r.Wrong++
			return
		}
		seeds[seed] = true
	}
	began = time.Now()
	sum := uint32(0) // so that all bytes are looked at, also of a mapped file
	count := func(record []byte) error {
		size, sum = size+len(record), crc32.Update(sum, castagnoli, record)
		return nil
	}
	err = l.Each(count)
	r.PerSecond = float64(size) / 1e6 / time.Since(began).Seconds()
	if err == nil {
		err = l.Each(func(record []byte) error { see(record); return nil })
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		r.EachError = err.Error()
		r.Wrong = 0
		clear(seeds)
		for n := 1; n <= numbers[0]; n++ {
			if record, err := l.Get(uint64(n)); err == nil {
				see(record)
			}
		}
	}
	if numbers[1] > 0 {
		var list []time.Duration
		for i := range numbers[1] {
			began := time.Now()
			if _, err := l.Get(uint64(1 + (i*7919)%numbers[0])); err != nil {
				return nil, err
			}
			list = append(list, time.Since(began))
		}
		slices.Sort(list)
		r.Get = list[len(list)/2]
	}
	for seed := range seeds {
		r.Seeds = append(r.Seeds, seed)
	}
	slices.Sort(r.Seeds)
	return r, l.Close()
}

// taskRetire deletes the records up to numbers[0], and returns how long that took.
func taskRetire(c candidate, dir string, numbers []int) (any, error) {
	l, err := c.open(dir)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	err = l.Retire(uint64(numbers[0]))
	took := time.Since(began)
	time.Sleep(settleTime)
	return took, errors.Join(err, l.Close())
}

// taskLarge appends some small records, one of 4 MiB, and others, and returns how long the large one took.
func taskLarge(c candidate, dir string, _ []int) (any, error) {
	l, err := c.open(dir)
	if err != nil {
		return nil, err
	}
	before := func(uint64) {}
	if err := callers(l, 1, 100, 2<<10, 1, true, before); err != nil {
		return nil, err
	}
	large := text(101, 4<<20)
	began := time.Now()
	if err := l.Append(large, nil); err != nil {
		return nil, err
	}
	took := time.Since(began)
	if got, err := l.Get(101); err != nil {
		return nil, err
	} else if seed, ok := seedOf(got); !ok || seed != 101 {
		return nil, errors.New("it is not as it was appended")
	}
	return took, errors.Join(callers(l, 1, 100, 2<<10, 102, true, before), l.Close())
}

// taskTail appends numbers[0] records, waits for a line, appends one with a small artifact, and waits to be killed.
func taskTail(c candidate, dir string, numbers []int) (any, error) {
	l, err := c.open(dir)
	if err != nil {
		return nil, err
	}
	if err := callers(l, fillCallers, numbers[0], 2<<10, 1, true, func(uint64) {}); err != nil {
		return nil, err
	}
	time.Sleep(settleTime)
	fmt.Println("before")
	in := bufio.NewReader(os.Stdin)
	if _, err := in.ReadString('\n'); err != nil {
		return nil, err
	}
	if err := callers(l, 1, 1, 2<<10, uint64(numbers[0])+1, true, func(uint64) {}); err != nil {
		return nil, err
	}
	fmt.Println("after")
	_, err = io.Copy(io.Discard, in)
	return nil, err
}
