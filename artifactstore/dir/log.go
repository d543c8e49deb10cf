package dir

// A log is a file in live/ that only grows, and a file of marks beside it. A mark covers the first bytes of the log with
// a checksum. After a crash the log ends at the last place that a mark covers: bytes behind it were never acknowledged.
//
// Three states of a log are distinct: appended bytes are visible to readers and covered by a mark that is not synced;
// synced bytes are covered by a mark that is; finished logs are artifacts. A failed sync ends a log until the next start.

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"sync"
	"syscall"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/internal/blockindex"
	"github.com/zeebo/blake3"
)

// OpenLog implements [artifactstore.Logs]. A log is a file in live/ with a small file of marks beside it, whose checksums
// cover it. The first use of a log after a start costs one pass over it; later ones cost nothing.
func (d *Store) OpenLog(ctx context.Context, name string) (artifactstore.Log, error) {
	if err := artifactstore.CheckLogName(name); err != nil {
		return nil, err
	}
	if err := d.enter(ctx); err != nil {
		return nil, fmt.Errorf("log %s: %w", name, err)
	}
	defer d.ops.Done()
	log, err := d.openLog(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("log %s: %w", name, err)
	}
	return log, nil
}

// openLog opens a log in whichever state it is: not there, a file, a file that is linked to an artifact already, or a
// link to one.
func (d *Store) openLog(ctx context.Context, name string) (artifactstore.Log, error) {
	l := d.lockLog(name)
	defer l.mu.Unlock()
	switch {
	case l.writer != nil:
		return nil, artifactstore.ErrBusy
	case l.failed != nil:
		return nil, l.failed
	}
	if err := d.prepareLive(); err != nil {
		return nil, err
	}
	info, err := d.root.Lstat(artifactstore.LiveName(name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return l.create()
	case err != nil:
		return nil, stepError(stepOpenLog, err)
	case info.Mode()&fs.ModeSymlink != 0:
		l.retire()
		return d.openFinished(ctx, name)
	}
	if ref, done, err := d.resumeFinish(ctx, name, info); done || err != nil {
		if err != nil {
			return nil, err
		}
		l.retire()
		return d.finishedLog(name, ref), nil
	}
	return l.reopen(ctx, info)
}

// liveDirName is the directory of logs, under the root of a store.
const liveDirName = "live"

// liveLog is the state in memory of one log that is not finished, with the index that finds any place in it without
// reading the bytes before. The index takes 12 bytes for each 256 KiB.
type liveLog struct {
	dir  *Store
	name string

	mu      sync.Mutex
	retired bool // it is out of date: look it up again
	loaded  bool // the fields up to spare agree with the file
	index   blockindex.Builder
	durable mark       // the last one that was synced
	spare   int        // the slot of the marks for the next durable one
	writer  *logWriter // nil while the log is not open for appending
	failed  error      // of a sync, which is final
}

// lockLog returns the state of a log, locked. There need not be a file.
func (d *Store) lockLog(name string) *liveLog {
	for {
		d.mu.Lock()
		l := d.logs[name]
		if l == nil {
			l = &liveLog{dir: d, name: name}
			d.logs[name] = l
		}
		d.mu.Unlock()
		l.mu.Lock()
		if !l.retired {
			return l
		}
		l.mu.Unlock()
	}
}

// retire drops the state of a log that is finished or not there. The caller holds l.mu.
func (l *liveLog) retire() {
	l.retired = true
	l.dir.mu.Lock()
	defer l.dir.mu.Unlock()
	delete(l.dir.logs, l.name)
}

// openLogs returns the logs that are in memory.
func (d *Store) openLogs() []*liveLog {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Collect(maps.Values(d.logs))
}

// closeWriter closes the log if it is open for appending.
func (l *liveLog) closeWriter() {
	l.mu.Lock()
	w := l.writer
	l.mu.Unlock()
	if w != nil {
		w.Close()
	}
}

// size returns the size of the log in bytes. The caller holds l.mu.
func (l *liveLog) size() int64 { return l.index.Size() }

// mark returns a mark that covers all bytes so far. The caller holds l.mu.
func (l *liveLog) mark() mark { return mark{l.index.Size(), l.index.Checksum()} }

// prepareLive makes sure that the directory of logs exists and is durable.
func (d *Store) prepareLive() error {
	d.liveMu.Lock()
	defer d.liveMu.Unlock()
	if d.liveReady {
		return nil
	}
	if _, err := d.ensureDir(liveDirName, stepMakeLive, stepMakeLive); err != nil {
		return err
	}
	if err := d.syncDir(stepSyncRoot, "."); err != nil {
		return err
	}
	d.liveReady = true
	return nil
}

// create creates an empty log, the marks first, so that no log is ever without marks. The caller holds l.mu.
func (l *liveLog) create() (*logWriter, error) {
	d := l.dir
	w := &logWriter{log: l, hash: blake3.New()}
	err := w.createMarks()
	if err == nil {
		err = d.fault.do(stepCreateLog, func() (err error) {
			w.file, err = d.root.OpenFile(artifactstore.LiveName(l.name), os.O_RDWR|os.O_CREATE|os.O_EXCL|syscall.O_NONBLOCK, tempMode)
			return err
		})
	}
	if err == nil {
		err = d.fault.do(stepProtectLog, func() error { return w.file.Chmod(tempMode) })
	}
	if err == nil && !d.volatile {
		err = d.fault.do(stepSyncLog, w.file.Sync)
	}
	if err == nil {
		err = d.syncDir(stepSyncLive, liveDirName)
	}
	if err != nil {
		w.closeFiles() // the next open goes on with the files that exist
		l.retire()
		return nil, err
	}
	l.index, l.durable, l.spare = blockindex.Builder{}, mark{}, 0
	l.loaded, l.writer = true, w
	return w, nil
}

// reopen opens an existing log and cuts off the bytes that no mark covers. The caller holds l.mu.
func (l *liveLog) reopen(ctx context.Context, info os.FileInfo) (*logWriter, error) {
	d := l.dir
	w := &logWriter{log: l}
	cold := !l.loaded
	if cold {
		hash, err := l.load(ctx)
		if err != nil {
			return nil, err
		}
		w.hash = hash
	}
	err := w.openFiles(info)
	if err == nil {
		err = d.syncDir(stepSyncLive, liveDirName) // the process that created it may have died before
	}
	if err == nil {
		var cut int64
		if cut, err = w.cut(l.size()); cold {
			w.dropped = cut
		}
	}
	if err != nil {
		w.failIfFinal(err)
		w.closeFiles()
		return nil, err
	}
	l.writer = w
	return w, nil
}

// openFiles opens the files of an existing log. A log whose finish failed is read-only, which is undone.
func (w *logWriter) openFiles(info os.FileInfo) error {
	d, at := w.log.dir, artifactstore.LiveName(w.log.name)
	if info.Mode().Perm() != tempMode && d.isPlain(info) {
		if err := d.fault.do(stepProtectLog, func() error { return d.root.Chmod(at, tempMode) }); err != nil {
			return err
		}
	}
	return d.fault.do(stepOpenLog, func() (err error) {
		if w.file, _, err = d.openPlainFor(at, os.O_RDWR); err != nil {
			return err
		}
		w.marks, _, err = d.openPlainFor(at+marksSuffix, os.O_RDWR)
		if errors.Is(err, fs.ErrNotExist) && w.log.size() == 0 { // a power cut took them before OpenLog returned
			err = w.createMarks()
		}
		return err
	})
}

// cut truncates the file to the size of the log, and returns the number of bytes that it cut off. Then no mark covers
// those any more.
func (w *logWriter) cut(size int64) (int64, error) {
	info, err := w.file.Stat()
	if err != nil {
		return 0, stepError(stepCutLog, err)
	}
	more := info.Size() - size
	if more <= 0 {
		return 0, nil
	}
	d := w.log.dir
	err = d.fault.do(stepCutLog, func() error { return w.file.Truncate(size) })
	if err == nil {
		err = w.writeMark(stepMarkLog, slotNow, w.log.mark())
	}
	if err != nil || d.volatile {
		return more, err
	}
	if err = d.fault.do(stepSyncLog, w.file.Sync); err == nil {
		err = d.fault.do(stepSyncMarks, w.marks.Sync)
	}
	return more, asFinal(err)
}
