package dir

// Temporary files. Every payload begins as one: with a random name in tmp/, open for as long as it is written, private from
// the first byte. It loses that name when it gets the name of an artifact, or when it fails. What a crash leaves in tmp/ is
// swept by the next start, and nothing in there is ever read.

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// A temporary name is tempPrefix, 32 random hex digits and tempSuffix. The sweep removes nothing else.
const (
	tempPrefix      = "put-"
	tempSuffix      = ".tmp"
	tempRandomBytes = 16
)

// isTempName reports whether name is one that newTemp could have made.
func isTempName(name string) bool {
	digits, hasPrefix := strings.CutPrefix(name, tempPrefix)
	digits, hasSuffix := strings.CutSuffix(digits, tempSuffix)
	return hasPrefix && hasSuffix && len(digits) == 2*tempRandomBytes && strings.Trim(digits, "0123456789abcdef") == ""
}

// newTempName returns a temporary name that nobody has.
func newTempName() string {
	var random [tempRandomBytes]byte
	rand.Read(random[:]) // never fails: see crypto/rand
	return tempPrefix + hex.EncodeToString(random[:]) + tempSuffix
}

// temp is an open file in tmp/ that has no final name yet. One goroutine uses it at a time.
type temp struct {
	dir    *Store
	file   *os.File
	name   string // in tmp/; empty once removed
	frozen bool   // complete, read-only and, in a durable store, on disk
}

// newTemp creates an empty temporary file. The caller must call release in the end.
func (d *Store) newTemp() (*temp, error) {
	t := &temp{dir: d, name: newTempName()}
	err := d.fault.do(stepCreateTemp, func() (err error) {
		// O_NONBLOCK as in openPlain: it saves four system calls.
		t.file, err = d.tmp.OpenFile(t.name, os.O_RDWR|os.O_CREATE|os.O_EXCL|syscall.O_NONBLOCK, tempMode)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := d.fault.do(stepProtectTemp, func() error { return t.file.Chmod(tempMode) }); err != nil {
		t.release() // the first failure is the one to report
		return nil, err
	}
	return t, nil
}

// write appends p in as few system calls as the system allows; for most file systems that is one.
func (t *temp) write(p []byte) error {
	return t.dir.fault.do(stepWriteTemp, func() error {
		_, err := t.file.Write(p)
		return err
	})
}

// writeParts appends all parts, in as few system calls as the system allows.
func (t *temp) writeParts(parts [][]byte) error {
	if len(parts) == 1 {
		return t.write(parts[0])
	}
	return t.dir.fault.do(stepWriteTemp, func() error {
		for vector := range slices.Chunk(parts, maxVector) {
			written, err := t.writeVector(vector)
			if err == nil {
				err = t.writeRest(vector, written)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// maxVector is the number of parts that the system takes in one call (UIO_MAXIOV).
const maxVector = 1024

// writeVector writes parts with one system call, which may write less than all.
func (t *temp) writeVector(parts [][]byte) (written int, err error) {
	raw, err := t.file.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = raw.Write(func(fd uintptr) bool {
		for written, failed = unix.Writev(int(fd), parts); errors.Is(failed, syscall.EINTR); {
			written, failed = unix.Writev(int(fd), parts)
		}
		return true
	})
	return written, errors.Join(err, failed)
}

// writeRest writes the bytes of the parts after the first written ones. It is rarely needed: the system writes less only
// when a signal interrupts it or the disk is full.
func (t *temp) writeRest(parts [][]byte, written int) error {
	for _, p := range parts {
		done := min(written, len(p))
		written -= done
		if done == len(p) {
			continue
		}
		if _, err := t.file.Write(p[done:]); err != nil {
			return err
		}
	}
	return nil
}

// freeze makes the file read-only and durable. After an error the file must not be used: after a failed fsync the system
// may have dropped the pages that it could not write, and a second fsync would not notice.
func (t *temp) freeze() error {
	if t.frozen {
		return nil
	}
	if err := t.dir.fault.do(stepFreezeTemp, func() error { return t.file.Chmod(artifactMode) }); err != nil {
		return err
	}
	if !t.dir.volatile {
		if err := t.sync(); err != nil {
			return err
		}
	}
	t.frozen = true
	return nil
}

// sync makes the content of the file durable. It must not be called again after it failed.
func (t *temp) sync() error { return t.dir.fault.do(stepSyncTemp, t.file.Sync) }

// path returns the path of the file relative to the root.
func (t *temp) path() string { return tempDirName + "/" + t.name }

// unname removes the temporary name and leaves the file open. Only the first call has an effect.
func (t *temp) unname() error {
	if t.name == "" {
		return nil
	}
	name := t.name
	t.name = ""
	return t.dir.fault.do(stepRemoveTemp, func() error { return t.dir.tmp.Remove(name) })
}

// release removes the temporary name and closes the file. An error means no more than that the next start has a file to
// sweep.
func (t *temp) release() error {
	err := t.unname()
	t.file.Close() // what mattered was synced
	return err
}
