package dir_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolresult/toolresult/artifactstore"
	"github.com/toolresult/toolresult/artifactstore/dir"
)

func TestLockedByAnotherProcess(t *testing.T) {
	root := filepath.Join(t.TempDir(), "store")
	pid, stop := holder(t, root)
	before := snapshot(t, root)
	_, err := dir.Open(root, dir.Options{})
	wantError(t, "OpenDir", err, artifactstore.ErrLocked)
	if err != nil && !strings.Contains(err.Error(), fmt.Sprintf("process %d, started 20", pid)) {
		t.Errorf("the error does not name process %d: %v", pid, err)
	}
	if after := snapshot(t, root); after != before {
		t.Errorf("the holder's store changed from\n%s\nto\n%s", before, after)
	}

	_, err = dir.Open(root, dir.Options{LockWait: 30 * time.Millisecond})
	wantError(t, "OpenDir that waits too little", err, artifactstore.ErrLocked)

	tries := 0
	d, err := dir.OpenFaulty(root, dir.Options{LockWait: time.Minute}, func(step string) error {
		if step == dir.StepTakeLock {
			if tries++; tries == 3 {
				stop(false)
			}
		}
		return nil
	})
	must(t, err)
	closeStore(t, d)
	if tries < 3 {
		t.Errorf("%d tries", tries)
	}
}

// TestReplacedLockFileIsNotTaken replaces the lock file under the hands of a process that takes the lock.
func TestReplacedLockFileIsNotTaken(t *testing.T) {
	cases := map[string]struct {
		step   string
		meddle func(lock string) error
	}{
		"removed before it is opened":  {dir.StepOpenLock, os.Remove},
		"created before it is created": {dir.StepOpenLock, touch},
		"removed before it is locked":  {dir.StepTakeLock, os.Remove},
		"replaced before it is locked": {dir.StepTakeLock, func(lock string) error {
			return errors.Join(os.Remove(lock), touch(lock))
		}},
	}
	for name, c := range cases {
		for _, times := range []int{1, 3, 1000} {
			root := filepath.Join(t.TempDir(), "store")
			closeStore(t, openStore(t, root, dir.Options{}))
			lock := filepath.Join(root, "LOCK")
			if name == "created before it is created" {
				must(t, os.Remove(lock))
				times = 1 // once it is there nobody creates it
			}
			left := times
			d, err := dir.OpenFaulty(root, dir.Options{}, func(step string) error {
				if step != c.step || left == 0 {
					return nil
				}
				left--
				if err := c.meddle(lock); !errors.Is(err, fs.ErrNotExist) {
					return err
				}
				return nil
			})
			if times == 1000 && name != "removed before it is opened" {
				if err == nil || d != nil {
					t.Errorf("%s, always: OpenDir = %v, %v", name, d, err)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s, %d times: %v", name, times, err)
			}
			_, err = dir.Open(root, dir.Options{})
			wantError(t, name+": second OpenDir", err, artifactstore.ErrLocked)
			closeStore(t, d)
		}
	}
}

// touch creates an empty file.
func touch(path string) error { return os.WriteFile(path, nil, 0o600) }

func TestLockDiesWithItsHolder(t *testing.T) {
	root := filepath.Join(t.TempDir(), "store")
	_, stop := holder(t, root)
	stop(true)
	openStore(t, root, dir.Options{}) // the lock file still names the dead process
}

func TestLockedBySameProcess(t *testing.T) {
	root := filepath.Join(t.TempDir(), "store")
	d := openStore(t, root, dir.Options{})
	_, err := dir.Open(root, dir.Options{})
	wantError(t, "second OpenDir", err, artifactstore.ErrLocked)
	wantText(t, d, put(t, d, "x").Name, "x")
	closeStore(t, d)
	openStore(t, root, dir.Options{})
}

// TestForkedChildHasNoLock: nor does one that was forked while the store was open, and has not executed its program yet.
func TestForkedChildHasNoLock(t *testing.T) {
	root := filepath.Join(t.TempDir(), "store")
	d := openStore(t, root, dir.Options{})
	descriptors, err := filepath.Glob("/proc/self/fd/*")
	must(t, err)
	if len(descriptors) == 0 {
		t.Skip("this system does not list descriptors")
	}
	copies := 0
	for _, at := range descriptors {
		if path, err := os.Readlink(at); err != nil || path != filepath.Join(root, "LOCK") {
			continue
		}
		number, err := strconv.Atoi(filepath.Base(at))
		must(t, err)
		copied, err := syscall.Dup(number) // as the child has it
		must(t, err)
		defer syscall.Close(copied)
		copies++
	}
	if copies != 1 {
		t.Fatalf("%d descriptors of the lock", copies)
	}
	closeStore(t, d)
	openStore(t, root, dir.Options{})
}

// TestChildDoesNotInheritTheLock: neither does a child keep the store locked.
func TestChildDoesNotInheritTheLock(t *testing.T) {
	root := filepath.Join(t.TempDir(), "store")
	d := openStore(t, root, dir.Options{})
	child := exec.Command("sleep", "60")
	must(t, child.Start())
	defer func() {
		must(t, child.Process.Kill())
		child.Wait() // reports the signal
	}()
	closeStore(t, d)
	openStore(t, root, dir.Options{})
}

// TestLockHintIsOnlyAHint: whatever the lock file says, only the lock counts.
func TestLockHintIsOnlyAHint(t *testing.T) {
	for _, hint := range []string{"", "not json", "{\"pid\":1}\n", "[]", strings.Repeat("{", 100000), "\x00\xff"} {
		root := filepath.Join(t.TempDir(), "store")
		closeStore(t, openStore(t, root, dir.Options{}))
		must(t, os.WriteFile(root+"/LOCK", []byte(hint), 0o600))
		openStore(t, root, dir.Options{})

		must(t, os.WriteFile(root+"/LOCK", []byte(hint), 0o600))
		_, err := dir.Open(root, dir.Options{})
		wantError(t, fmt.Sprintf("OpenDir with hint %.20q", hint), err, artifactstore.ErrLocked)
		if err != nil && (len(err.Error()) > 300 || !isOneLine(err.Error())) {
			t.Errorf("the error repeats the hint: %q", err)
		}
	}
}
