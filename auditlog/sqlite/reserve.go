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

// reserve is a file that keeps room on the disk. When there is no other it is shortened, a step at a time because
// whoever else writes to the disk may take what it gives away, so that what is short can still be recorded; when there is
// room again it is made whole. In between the log is lean, and takes nothing that is long.
type reserve struct {
	path string
	size int64
	lean atomic.Bool
}

func newReserve(path string, size int64) *reserve {
	r := &reserve{path: path, size: size}
	r.restore()
	return r
}

// restore makes the reserve, and reports whether there was room.
func (r *reserve) restore() bool {
	had := r.has()
	err := r.allocate()
	if err != nil {
		_ = os.Truncate(r.path, had) // what could be allocated is more than there is
	}
	r.lean.Store(err != nil)
	return err == nil
}

// has is how many bytes are left of it.
func (r *reserve) has() int64 {
	info, err := os.Lstat(r.path)
	if err != nil || !info.Mode().IsRegular() {
		return 0
	}
	return info.Size()
}

func (r *reserve) allocate() error {
	f, err := os.OpenFile(r.path, os.O_WRONLY|os.O_CREATE|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return err
	}
	err = f.Chmod(0o600)
	if err == nil {
		err = unix.Fallocate(int(f.Fd()), 0, 0, r.size)
	}
	if errors.Is(err, unix.EOPNOTSUPP) {
		err = fill(f, r.size)
	}
	return errors.Join(err, f.Close())
}

// fill writes what cannot be allocated.
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

// reserveStep is how much of the reserve is given away first; as long as it is not enough, twice as much each time.
const reserveStep = int64(128 << 10)

// release gives some of the room away, and reports whether there was any for an append. All of it is for refusals and
// for what makes room; the first half is for small results too, so that their calls are served for a while.
func (r *reserve) release(a *chain.Append, step int64) bool {
	had := r.has()
	if !r.isFor(a, had) {
		return false
	}
	r.lean.Store(true)
	return os.Truncate(r.path, max(0, had-step)) == nil
}

// isFor reports whether what is left of the reserve is for an append.
func (r *reserve) isFor(a *chain.Append, left int64) bool {
	return left > 0 && (a.IsNotice() || a.IsSmall() && left > r.size/2)
}

// admit returns the appends that may be done. While the log is lean, what is not for the reserve is refused, unless
// there is room again: on the disk, or in the database itself, where retention leaves it.
func (b *backend) admit(appends []*chain.Append) (admitted []*chain.Append) {
	if !b.Lean() || b.reserve.restore() || b.roomInside() {
		return appends
	}
	left := b.reserve.has()
	for _, a := range appends {
		if a.IsNotice() || b.reserve.isFor(a, left) {
			admitted = append(admitted, a)
		} else {
			a.Err = auditlog.ErrFull
		}
	}
	return admitted
}

// roomInside reports whether the database has as many free pages as the reserve.
func (b *backend) roomInside() bool {
	var pages, size int64
	_, err := b.db.Row("PRAGMA freelist_count", nil, &pages)
	if err == nil {
		_, err = b.db.Row("PRAGMA page_size", nil, &size)
	}
	return err == nil && pages*size >= b.reserve.size
}

// commitFull does appends that had no room together: each alone, since a small one may fit where a large one does
// not, and what is short with the reserve.
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
