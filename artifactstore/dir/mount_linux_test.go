package dir_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// mountTmpfs mounts a small file system until the test ends.
func mountTmpfs(t *testing.T, options string) string {
	t.Helper()
	parent := t.TempDir()
	err := syscall.Mount("tmpfs", parent, "tmpfs", 0, options)
	need(t, err == nil, fmt.Sprintf("cannot mount: %v", err))
	t.Cleanup(func() { must(t, syscall.Unmount(parent, syscall.MNT_DETACH)) })
	return parent
}

// used is how many bytes of a file system are in use.
func used(t *testing.T, at string) int64 {
	t.Helper()
	syscall.Sync() // blocks are given out late
	var s syscall.Statfs_t
	must(t, syscall.Statfs(at, &s))
	return int64(s.Blocks-s.Bfree) * s.Bsize
}

// mountXFS mounts a file system that can share blocks until the test ends.
func mountXFS(t *testing.T) string {
	t.Helper()
	image, at := t.TempDir()+"/image", t.TempDir()
	f, err := os.Create(image)
	must(t, err)
	must(t, errors.Join(f.Truncate(400<<20), f.Close()))
	for _, args := range [][]string{{"mkfs.xfs", "-q", "-m", "reflink=1", image}, {"mount", "-o", "loop", image, at}} {
		out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
		need(t, err == nil, fmt.Sprintf("cannot make and mount an XFS: %v: %s", err, out))
	}
	t.Cleanup(func() { must(t, syscall.Unmount(at, syscall.MNT_DETACH)) })
	return at
}
