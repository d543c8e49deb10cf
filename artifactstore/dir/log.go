package dir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/internal/blockindex"
	"github.com/zeebo/blake3"
)

// OpenLog is [Logs]'s. A log is a file in live/, and beside it a small file of marks, which vouch for it. What
// the first use of a log after a start costs is one pass over it; later ones cost nothing.
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
	if ref, done, err := d.complete(ctx, name, info); done || err != nil {
		if err != nil {
			return nil, err
		}
		l.retire()
		return d.finished(name, ref), nil
	}
	return l.reopen(ctx, info)
}

// liveDirName is the directory of logs, under the root of a store.
const liveDirName = "live"

// liveLog is what the store keeps in memory of one log that is not finished: enough to read it at any place
// without looking at what is before. It takes 12 bytes for each 256 KiB.
type liveLog struct {
	dir  *Store
	name string

	mu      sync.Mutex
	retired bool // it is out of date: look again
	loaded  bool // the fields up to spare say what the file holds
	index   blockindex.Builder
	durable mark       // the last one that was synced
	spare   int        // the slot of the marks for the next durable one
	writer  *logWriter // nil while nobody has the log open
	failed  error      // of a sync, which is final
}

// lockLog returns what is known of a log, locked. The file need not be there.
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

// retire forgets the log: it is finished, or not there. The caller holds l.mu.
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

// shut closes the log when the store is closed.
func (l *liveLog) shut() {
	l.mu.Lock()
	w := l.writer
	l.mu.Unlock()
	if w != nil {
		w.Close()
	}
}

// size is how many bytes the log has. The caller holds l.mu.
func (l *liveLog) size() int64 { return l.index.Size() }

// mark vouches for everything so far. The caller holds l.mu.
func (l *liveLog) mark() mark { return mark{l.index.Size(), l.index.Checksum()} }

// prepareLive makes sure that the directory of logs is there, and durable.
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

// create makes an empty log: the marks first, so that no log is ever without. The caller holds l.mu.
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
		w.closeFiles() // what is there already, the next open takes over
		l.retire()
		return nil, err
	}
	l.index, l.durable, l.spare = blockindex.Builder{}, mark{}, 0
	l.loaded, l.writer = true, w
	return w, nil
}

// reopen opens a log that is there, and cuts off what nothing vouches for. The caller holds l.mu.
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
		err = d.syncDir(stepSyncLive, liveDirName) // whoever made it may have died before
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

// logWriter is a Log of Dir.
type logWriter struct {
	log         *liveLog
	file, marks *os.File
	dropped     int64

	syncing sync.Mutex // held by what must not meet a sync; taken before log.mu

	// Guarded by log.mu.
	hash  *blake3.Hasher    // of everything; nil when that is for Finish to read
	ended error             // why nothing more can be done
	ref   artifactstore.Ref // of the artifact, once it is finished
}

// Path is the same while the log is live and after.
func (w *logWriter) Path() string {
	return filepath.Join(w.log.dir.path, artifactstore.LiveName(w.log.name))
}

func (w *logWriter) Received() int64 {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	return w.log.size()
}

func (w *logWriter) Durable() int64 {
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	return w.log.durable.size
}

func (w *logWriter) Dropped() int64 { return w.dropped }

// Append writes the bytes, then a mark that vouches for them, and only then shows them to readers. It is two
// system calls.
func (w *logWriter) Append(p []byte) error {
	l := w.log
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := w.usable(); err != nil || len(p) == 0 {
		return err
	}
	at := l.size()
	err := l.dir.fault.do(stepWriteLog, func() error {
		_, err := w.file.WriteAt(p, at) // what a failure leaves there, the next one replaces
		return err
	})
	if err != nil {
		return err
	}
	next := l.index // its slices are shared, but nobody looks behind their ends
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
	if w.ended != nil {
		return fmt.Errorf("log: %w", w.ended)
	}
	return w.log.failed
}

// Sync syncs the bytes, and then a mark that says so. Appends go on meanwhile.
func (w *logWriter) Sync() (int64, error) {
	w.syncing.Lock()
	defer w.syncing.Unlock()
	l := w.log
	l.mu.Lock()
	now, durable, slot, err := l.mark(), l.durable, l.spare, w.usable()
	l.mu.Unlock()
	if err != nil || l.dir.volatile || now == durable {
		return durable.size, err
	}
	err = l.dir.fault.do(stepSyncLog, w.file.Sync)
	synced := err == nil
	if synced {
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

// fail ends the log for as long as the store is open, because of a sync: the system may have dropped what it
// could not write, and another sync would not notice. Bytes that were not synced go, so that after the next
// start nothing vouches for them. The caller holds log.mu.
func (w *logWriter) fail(err error, synced bool) {
	l := w.log
	l.failed = fmt.Errorf("log: %d bytes are durable: %w", l.durable.size, err)
	l.loaded, l.index = false, blockindex.Builder{} // readers look at the file again
	if !synced {
		_ = w.file.Truncate(l.durable.size) // if that fails too, there is nothing left to try
	}
}

// finalError is the failure of a sync outside of Sync.
type finalError struct{ error }

func (f finalError) Unwrap() error { return f.error }

func final(err error) error {
	if err == nil {
		return nil
	}
	return finalError{err}
}

// failIfFinal ends the log if err is the failure of a sync. The caller holds log.mu.
func (w *logWriter) failIfFinal(err error) {
	if _, is := errors.AsType[finalError](err); is {
		w.fail(err, false)
	}
}

// Close is Log's. It waits for a sync under way.
func (w *logWriter) Close() error {
	w.syncing.Lock()
	defer w.syncing.Unlock()
	w.log.mu.Lock()
	defer w.log.mu.Unlock()
	w.close(artifactstore.ErrClosed)
	return nil
}

// close ends the use of a log. The caller holds log.mu.
func (w *logWriter) close(why error) {
	if w.ended == nil {
		w.ended = why
	}
	if w.log.writer == w {
		w.log.writer = nil
	}
	w.hash = nil
	w.closeFiles()
}

func (w *logWriter) closeFiles() {
	for _, f := range []*os.File{w.file, w.marks} {
		if f != nil {
			f.Close() // what mattered was synced; a second time does nothing
		}
	}
}

// openFiles opens the files of a log that is there. One whose finish failed is read-only.
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
		if errors.Is(err, fs.ErrNotExist) && w.log.size() == 0 { // a power cut took them before the log was answered
			err = w.createMarks()
		}
		return err
	})
}

// cut makes the file as long as the log, and returns by how much it was longer. Then no mark vouches any more
// for what was cut.
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
	return more, final(err)
}
