package dir

// The lock of a store is an flock of the file LOCK, which the kernel releases when its process ends in whatever way. Nobody
// has to find out whether a process is still alive, and no stale lock can stay behind.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
)

const (
	// lockRetry is the pause between two attempts to take a lock that another process has.
	lockRetry = 10 * time.Millisecond
	// maxLockHint is the largest part of a lock file that is read, in bytes.
	maxLockHint = 256
	// maxLockRaces is the number of times that the lock file may change while we lock it, before that is a failure.
	maxLockRaces = 8
)

// lockHint describes the holder of the lock in the lock file. It is written after the lock is taken, and only for error
// texts.
type lockHint struct {
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
}

// errLockRace means that the lock file was created, removed or replaced while we locked it.
var errLockRace = errors.New("lock file keeps changing")

// acquireLock takes the lock of the store and keeps trying for wait.
func (d *Store) acquireLock(wait time.Duration) error {
	deadline := time.Now().Add(wait)
	for {
		err := d.tryLock()
		if !errors.Is(err, artifactstore.ErrLocked) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(min(lockRetry, max(time.Until(deadline), 0)))
	}
}

// tryLock takes the lock if it is free, and then writes the hint.
func (d *Store) tryLock() error {
	for range maxLockRaces {
		f, err := d.lockFile()
		if errors.Is(err, errLockRace) {
			continue
		}
		if err != nil {
			return err
		}
		d.lock = f
		// Only a hint: a store on a full disk must still open, if only to be read.
		d.fault.do(stepWriteHint, func() error { return writeLockHint(f) })
		return nil
	}
	return stepError(stepTakeLock, errLockRace)
}

// lockFile opens the lock file, creates it if needed, locks it, and checks that the file that it locked is
// still the one that the next process would open. The file is closed on exec, so no child inherits it.
func (d *Store) lockFile() (*os.File, error) {
	f, err := d.openLockFile()
	if err != nil {
		return nil, err
	}
	err = d.fault.do(stepTakeLock, func() error { return flock(f) })
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = fmt.Errorf("%w by %s", artifactstore.ErrLocked, readLockHint(f))
	} else if err == nil {
		err = d.sameLockFile(f)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// openLockFile opens or creates LOCK, and rejects anything that is not a regular file of ours.
func (d *Store) openLockFile() (*os.File, error) {
	flags := os.O_RDWR | syscall.O_NONBLOCK
	info, err := d.root.Lstat(lockName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		flags |= os.O_CREATE | os.O_EXCL
	case err != nil:
		return nil, stepError(stepOpenLock, err)
	case !d.isPlain(info):
		return nil, fmt.Errorf("%s is %w: %w", lockName, errNotPlain, artifactstore.ErrRootUnsafe)
	}
	var f *os.File
	err = d.fault.do(stepOpenLock, func() (err error) {
		f, err = d.root.OpenFile(lockName, flags, tempMode)
		return err
	})
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return nil, errLockRace // another process created or removed it since it was looked at
	}
	return f, err
}

// sameLockFile fails with errLockRace if LOCK does not name f any more.
func (d *Store) sameLockFile(f *os.File) error {
	opened, err := f.Stat()
	if err != nil {
		return stepError(stepOpenLock, err)
	}
	named, err := d.root.Lstat(lockName)
	if errors.Is(err, fs.ErrNotExist) {
		return errLockRace
	}
	if err != nil {
		return stepError(stepOpenLock, err)
	}
	if !os.SameFile(opened, named) {
		return errLockRace
	}
	return nil
}

// flock takes an exclusive lock without waiting for it.
func flock(f *os.File) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// unlock gives a lock back before its file is closed: closing alone would leave it to a child that was forked and has not executed its
// program yet.
func unlock(f *os.File) {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // closing gives it back then
}

// writeLockHint replaces the content of the lock file.
func writeLockHint(f *os.File) error {
	hint, err := json.Marshal(lockHint{PID: os.Getpid(), Started: time.Now().UTC().Truncate(time.Second)})
	if err != nil {
		return err
	}
	if err := f.Chmod(tempMode); err != nil {
		return err
	}
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err = f.WriteAt(append(hint, '\n'), 0)
	return err
}

// readLockHint returns a description of the holder of the lock for an error text.
func readLockHint(f *os.File) string {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, maxLockHint))
	var hint lockHint
	if err != nil || json.Unmarshal(text, &hint) != nil {
		return "a process that has not said which"
	}
	return fmt.Sprintf("process %d, started %s", hint.PID, hint.Started.UTC().Format(time.RFC3339))
}
