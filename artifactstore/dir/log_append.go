package dir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/internal/blockindex"
	"github.com/zeebo/blake3"
)

// logWriter is a log that is open for appending. It implements [artifactstore.Log].
type logWriter struct {
	log         *liveLog
	file, marks *os.File
	dropped     int64

	syncing sync.Mutex // locked during a sync, finish and close, before log.mu

	// Guarded by log.mu.
	hash    *blake3.Hasher    // of all bytes; nil if Finish has to read them
	endedBy error             // why it takes no more calls; nil while it does
	ref     artifactstore.Ref // of the artifact, once it is finished
}

// Path implements [artifactstore.LogState].
func (w *logWriter) Path() string {
	return filepath.Join(w.log.dir.path, artifactstore.LiveName(w.log.name))
}

// Received implements [artifactstore.LogState].
func (w *logWriter) Received() int64 {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	return w.log.size()
}

// Durable implements [artifactstore.LogState].
func (w *logWriter) Durable() int64 {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	return w.log.durable.size
}

// Dropped implements [artifactstore.LogState].
func (w *logWriter) Dropped() int64 { return w.dropped }

// Append writes the bytes, then a mark that covers them, and only then makes them visible to readers. It takes two system
// calls.
func (w *logWriter) Append(p []byte) error {
	l := w.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := w.usable(); err != nil || len(p) == 0 {
		return err
	}
	at := l.size()
	if info, err := w.file.Stat(); err != nil {
		return stepError(stepWriteLog, err)
	} else if info.Size() < at { // a hole would take the place of what is gone
		return fmt.Errorf("the file of log %s is shorter than it was: %w", l.name, artifactstore.ErrVanished)
	}
	err := l.dir.fault.do(stepWriteLog, func() error {
		_, err := w.file.WriteAt(p, at) // the next append overwrites the bytes that a failure leaves
		return err
	})
	if err != nil {
		return err
	}
	next := l.index // its slices are shared, but entries behind their ends are never read
	next.Add(p)
	if err := w.writeMark(stepMarkLog, slotNow, mark{next.Size(), next.Checksum()}); err != nil {
		return err
	}
	l.index = next
	if w.hash != nil {
		w.hash.Write(p) // a hash never fails
	}
	return nil
}

// usable reports why the log takes no more. The caller holds log.mu.
func (w *logWriter) usable() error {
	if w.endedBy != nil {
		return fmt.Errorf("log: %w", w.endedBy)
	}
	return w.log.failed
}

// Sync syncs the bytes, and then a mark that says so. Appends go on meanwhile.
func (w *logWriter) Sync() (int64, error) {
	w.syncing.Lock()
	defer w.syncing.Unlock()
	l := w.log
	l.mu.Lock()
	// The mark is taken before the sync: it covers no byte that is appended while the sync runs.
	now, durable, slot, err := l.mark(), l.durable, l.spare, w.usable()
	l.mu.Unlock()
	if err != nil || l.dir.volatile || now == durable {
		return durable.size, err
	}
	err = l.dir.fault.do(stepSyncLog, w.file.Sync)
	synced := err == nil
	if synced {
		err = l.dir.checkLive(l.name, w.file, w.marks, now.size)
	}
	if err == nil {
		err = w.writeMark(stepWriteMarks, slot, now)
	}
	if err == nil {
		err = l.dir.fault.do(stepSyncMarks, w.marks.Sync)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		w.fail(err, synced)
		return l.durable.size, l.failed
	}
	l.durable, l.spare = now, slot^1
	return now.size, nil
}

// fail ends the log for as long as the store is open, because a sync failed: the system may have dropped pages that it
// could not write, and another sync would not notice. Bytes that were not synced are cut off, so that no mark covers them
// after the next start. The caller holds log.mu.
func (w *logWriter) fail(err error, synced bool) {
	l := w.log
	l.failed = fmt.Errorf("log: %d bytes are durable: %w", l.durable.size, err)
	l.loaded, l.index = false, blockindex.Builder{} // readers look at the file again
	if !synced {
		_ = w.file.Truncate(l.durable.size) // if that fails too, there is nothing left to try
	}
}

// finalError marks the failure of a sync outside of Sync, after which the log cannot go on.
type finalError struct{ error }

// Unwrap returns the failure.
func (f finalError) Unwrap() error { return f.error }

// asFinal marks the error of a sync; nil stays nil.
func asFinal(err error) error {
	if err == nil {
		return nil
	}
	return finalError{err}
}

// failIfFinal calls fail if err is a finalError. The caller holds log.mu.
func (w *logWriter) failIfFinal(err error) {
	if _, is := errors.AsType[finalError](err); is {
		w.fail(err, false)
	}
}

// Close implements [artifactstore.Log]. It waits for a sync under way.
func (w *logWriter) Close() error {
	w.syncing.Lock()
	defer w.syncing.Unlock()
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	w.close(artifactstore.ErrClosed)
	return nil
}

// close ends the use of the log, for a reason that later calls return. The caller holds log.mu.
func (w *logWriter) close(why error) {
	if w.endedBy == nil {
		w.endedBy = why
	}
	if w.log.writer == w {
		w.log.writer = nil
	}
	w.hash = nil
	w.closeFiles()
}

// closeFiles closes the files that are open. The next OpenLog opens them again.
func (w *logWriter) closeFiles() {
	for _, f := range []*os.File{w.file, w.marks} {
		if f != nil {
			f.Close() // what mattered was synced; a second time does nothing
		}
	}
}
