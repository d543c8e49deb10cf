package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/audittest"
	"github.com/toolresult/toolresult/auditlog/sqlite"
	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// mountTmpfs mounts a small file system until the test ends.
func mountTmpfs(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options); err != nil {
		lacks(t, fmt.Sprintf("it cannot mount: %v", err))
	}
	t.Cleanup(func() { must(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	return dir
}

// fillUp appends until the disk is full, and returns the acknowledged records.
func fillUp(t *testing.T, l auditlog.Log, size int) (acked []*pb.AuditRecord) {
	t.Helper()
	for i := range 10_000 {
		r := audittest.Projection("s", fmt.Sprint(i), "", size)
		if _, err := l.Append(t.Context(), r); err != nil {
			if !errors.Is(err, auditlog.ErrFull) {
				t.Fatal(err)
			}
			return acked
		}
		acked = append(acked, r)
	}
	t.Fatal("the disk is never full")
	return nil
}

// TestFullDiskRecordsRejections: on a full disk rejections are still recorded, longer records fail, no
// acknowledged record is lost, and all goes on once the disk has space.
func TestFullDiskRecordsRejections(t *testing.T) {
	dir := mountTmpfs(t, "size=32m")
	ballast := filepath.Join(dir, "ballast")
	must(t, os.WriteFile(ballast, make([]byte, 8<<20), 0o600))
	o := sqlite.Options{Path: filepath.Join(dir, "audit.db"), Logger: quiet()}
	l, err := sqlite.Open(o)
	must(t, err)
	defer func() { must(t, l.Close()) }()
	acked := fillUp(t, l, 30_000)
	if s := l.Status(); s.OnReserve || s.Failure != nil || len(acked) < 50 {
		t.Fatalf("%d records, %+v", len(acked), s)
	}
	const rejections = 500
	for i := range rejections {
		if _, err := l.Append(t.Context(), audittest.Rejection("DISK_FULL")); err != nil {
			t.Fatalf("rejection %d: %v", i, err)
		}
	}
	if s := l.Status(); !s.OnReserve || s.Failure != nil {
		t.Errorf("%+v", s)
	}
	var callers sync.WaitGroup // in one batch, what is short is recorded and what is long is not
	for range 8 {
		callers.Go(func() {
			if _, err := l.Append(context.Background(), audittest.Projection("s", "x", "", 30_000)); !errors.Is(err, auditlog.ErrFull) {
				t.Errorf("a long record on a full disk: %v", err)
			}
		})
		callers.Go(func() {
			if _, err := l.Append(context.Background(), audittest.Rejection("DISK_FULL")); err != nil {
				t.Error(err)
			}
		})
	}
	callers.Wait()
	total := uint64(len(acked) + rejections + 8)
	audittest.WantIntact(t, l, total)
	must(t, l.Close())
	if l, err = sqlite.Open(o); err != nil { // on a disk that is full
		t.Fatal(err)
	}
	audittest.WantIntact(t, l, total)
	must(t, os.Remove(ballast))
	for _, r := range acked {
		got, err := l.Get(t.Context(), r.GetSequence())
		if err != nil || got.GetHash() != r.GetHash() {
			t.Fatalf("%v, %v", got, err)
		}
		_, err = l.Append(t.Context(), audittest.Projection("s", "later", "", 3000))
		must(t, err)
		if total++; total%7 == 0 {
			break
		}
	}
	if s := l.Status(); s.OnReserve || s.Inconsistency != "" {
		t.Errorf("%+v", s)
	}
	audittest.WantIntact(t, l, total)
}

// TestRetentionFreesSpace: the space of records that retention deletes on a full disk is used again, though the file does
// not shrink.
func TestRetentionFreesSpace(t *testing.T) {
	dir := mountTmpfs(t, "size=48m")
	l, err := sqlite.Open(sqlite.Options{Path: filepath.Join(dir, "audit.db"), Logger: quiet()})
	must(t, err)
	defer func() { must(t, l.Close()) }()
	acked := fillUp(t, l, 30_000)
	_, err = l.Append(t.Context(), audittest.Rejection("DISK_FULL"))
	must(t, err)
	last, err := l.Get(t.Context(), uint64(len(acked)))
	must(t, err)
	before, err := timeOf(last)
	must(t, err)
	n, err := l.Retain(t.Context(), before)
	if err != nil || n < int64(len(acked))/2 {
		t.Fatalf("%d deleted, %v", n, err)
	}
	for range len(acked) / 4 {
		if _, err := l.Append(t.Context(), audittest.Projection("s", "c", "", 3000)); err != nil {
			t.Fatal(err)
		}
	}
	if _, broken := audittest.Verify(t, l); broken != nil {
		t.Error(broken)
	}
}

// TestReadOnlyDiskKeepsRecords: a log on a read-only disk is not opened, and has its records once it is.
func TestReadOnlyDiskKeepsRecords(t *testing.T) {
	dir := mountTmpfs(t, "size=8m")
	path := filepath.Join(dir, "audit.db")
	o := sqlite.Options{Path: path, Reserve: 64 << 10, Logger: quiet()}
	l, err := sqlite.Open(o)
	must(t, err)
	_, err = l.Append(t.Context(), audittest.Rejection("x"))
	must(t, err)
	must(t, l.Close())
	must(t, syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	if _, err := sqlite.Open(o); !errors.Is(err, auditlog.ErrReadOnly) {
		t.Error(err)
	}
	must(t, syscall.Mount("", dir, "", syscall.MS_REMOUNT, ""))
	l, err = sqlite.Open(o)
	must(t, err)
	audittest.WantIntact(t, l, 1)
	must(t, l.Close())
}

// TestFilesArePrivate: whatever the umask, no other user can read the files of a log.
func TestFilesArePrivate(t *testing.T) {
	for _, mask := range []int{0, 0o777} {
		dir := t.TempDir()
		old := syscall.Umask(mask)
		l, err := sqlite.Open(sqlite.Options{Path: filepath.Join(dir, "audit.db"), Reserve: 4096, Logger: quiet()})
		if err == nil {
			_, err = l.Append(t.Context(), audittest.Rejection("x"))
		}
		syscall.Umask(old)
		must(t, err)
		entries, err := os.ReadDir(dir)
		must(t, err)
		if len(entries) != 5 {
			t.Errorf("%v", entries)
		}
		for _, e := range entries {
			if info, err := e.Info(); err != nil || info.Mode() != 0o600 {
				t.Errorf("umask %o: %s has %v, %v", mask, e.Name(), info.Mode(), err)
			}
		}
		must(t, l.Close())
	}
}
