package sqlite

import (
	"errors"
	"os"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/toolresult/toolresult/auditlog"
	"github.com/toolresult/toolresult/auditlog/internal/chain"
	"github.com/toolresult/toolresult/internal/sqlitedb"
)

// reserve is a file that occupies disk space. On a full disk it is shortened step by step, because other writers of the
// disk may take the space that it releases, so that short appends can still be recorded. It is restored once the disk has
// space again. In between long appends are rejected.
type reserve struct {
	path  string
	size  int64       // bytes, when whole
	inUse atomic.Bool // it is not whole
}

// newReserve makes or restores the reserve at a path. On a disk without space for it, it is in use at once.
func newReserve(path string, size int64) *reserve {
	r := &reserve{path: path, size: size}
	r.restore()
	return r
}

// restore makes the reserve whole, and reports whether the disk had the space.
func (r *reserve) restore() bool {
	before := r.left()
	err := r.allocate()
	if err != nil {
		_ = os.Truncate(r.path, before) // a part of the space may have been allocated, and is needed elsewhere
	}
	r.inUse.Store(err != nil)
	return err == nil
}

// left returns the size of the reserve on disk, in bytes.
func (r *reserve) left() int64 {
	info, err := os.Lstat(r.path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

// allocate occupies the space of the whole reserve.
func (r *reserve) allocate() error {
	f, err := os.OpenFile(r.path, os.O_WRONLY|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	err = f.Chmod(0o600) // whatever the umask
	if err == nil {
		err = unix.Fallocate(int(f.Fd()), 0, 0, r.size)
	}
	if errors.Is(err, unix.EOPNOTSUPP) { // such as on NFS before version 4.2
		err = fill(f, r.size)
	}
	return errors.Join(err, f.Close())
}

// fill writes zeros, on a file system that cannot allocate.
func fill(f *os.File, size int64) error {
	zeros := make([]byte, 64<<10)
	for size > 0 {
		n, err := f.Write(zeros[:min(size, int64(len(zeros)))])
		if err != nil {
			return err
		}
		size -= int64(n)
	}
	return nil
}

// reserveStep is the space that is released first, in bytes. It is doubled as long as it is not enough.
const reserveStep = int64(128 << 10)

// release shortens the reserve by step bytes, and reports whether it did. It does not for an append that the reserve does
// not serve.
func (r *reserve) release(a *chain.Append, step int64) bool {
	had := r.left()
	if !r.serves(a, had) {
		return false
	}
	r.inUse.Store(true)
	return os.Truncate(r.path, max(0, had-step)) == nil
}

// serves reports whether a reserve of which left bytes are left serves an append. All of it serves notices: rejections,
// and retention, which frees space. The first half serves small results too, so that their calls go on for a while.
func (r *reserve) serves(a *chain.Append, left int64) bool {
	return left > 0 && (a.IsNotice() || a.IsSmall() && left > r.size/2)
}

// admit returns the appends to commit. While the reserve is in use it rejects those that the reserve does not serve,
// unless there is space again: on the disk, or in the database itself, where retention leaves it.
func (b *backend) admit(appends []*chain.Append) (admitted []*chain.Append) {
	if !b.OnReserve() || b.reserve.restore() || b.hasFreePages() {
		return appends
	}
	left := b.reserve.left()
	for _, a := range appends {
		// A notice may fit even without the reserve: commitFull tries.
		if a.IsNotice() || b.reserve.serves(a, left) {
			admitted = append(admitted, a)
		} else {
			a.Err = auditlog.ErrFull
		}
	}
	return admitted
}

// hasFreePages reports whether the free pages of the database are as large as the reserve.
func (b *backend) hasFreePages() bool {
	var pages, size int64
	_, err := b.writer.Row("PRAGMA freelist_count", nil, &pages)
	if err == nil {
		_, err = b.writer.Row("PRAGMA page_size", nil, &size)
	}
	return err == nil && pages*size >= b.reserve.size
}

// commitFull commits appends for which the disk had no space together: each in a transaction of its own, since a small one
// may fit where a large one does not, and with the reserve if it serves them. It sets Err of those that fail.
func (b *backend) commitFull(end chain.Tip, at int64, appends []*chain.Append) chain.Tip {
	for _, a := range appends {
		next, err := b.commitTogether(end, at, []*chain.Append{a})
		for step := reserveStep; errors.Is(err, sqlitedb.ErrFull) && b.reserve != nil && b.reserve.release(a, step); step *= 2 {
			next, err = b.commitTogether(end, at, []*chain.Append{a})
		}
		if a.Err = err; err == nil {
			end = next
		}
	}
	return end
}
