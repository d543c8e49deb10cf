package main

import (
	"bytes"
	"os"
	"sync"
)

// logBytes is the size of the log of a floor: more than a round appends.
const logBytes = 256 << 20

// groupLog is a file that was written before, to which many callers append. All that wait share one fdatasync. At the end of
// the file it goes on at the beginning.
type groupLog struct {
	file *os.File
	size int64
	wake chan struct{} // a batch waits

	mu    sync.Mutex
	batch *batch // for the next sync; nil: none waits
}

// batch is what is synced together.
type batch struct {
	data []byte
	done chan struct{} // closed when it is durable, or failed
	err  error         // set before done is closed
}

// newGroupLog writes a file of a size with zeros, some MiB, and makes that durable. No batch may be larger.
func newGroupLog(path string, size int64) (*groupLog, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	zeros := bytes.Repeat([]byte{0}, 1<<20)
	for range size / int64(len(zeros)) {
		if _, err := f.Write(zeros); err != nil {
			return nil, err
		}
	}
	if err := f.Sync(); err != nil {
		return nil, err
	}
	l := &groupLog{file: f, size: size, wake: make(chan struct{}, 1)}
	go l.run()
	return l, nil
}

// append appends an entry and waits until it is durable.
func (l *groupLog) append(entry []byte) error {
	l.mu.Lock()
	b := l.batch
	if b == nil {
		b = &batch{done: make(chan struct{})}
		l.batch = b
		l.wake <- struct{}{} // has a place: the batch before was taken
	}
	b.data = append(b.data, entry...)
	l.mu.Unlock()
	<-b.done
	return b.err
}

// run makes one batch after the other durable.
func (l *groupLog) run() {
	var at int64
	for range l.wake {
		l.mu.Lock()
		b := l.batch
		l.batch = nil
		l.mu.Unlock()
		if at+int64(len(b.data)) > l.size {
			at = 0
		}
		_, b.err = l.file.WriteAt(b.data, at)
		if b.err == nil {
			b.err = syncData(l.file)
		}
		at += int64(len(b.data))
		close(b.done)
	}
}
