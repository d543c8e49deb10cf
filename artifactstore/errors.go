package artifactstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/toolresult/toolresult/artifactstore/internal/content"
)

// Failures of a store. They are wrapped, with the artifact or store in front; test for them with errors.Is. The
// system's own error number, if there is one, is in the same chain.
var (
	// ErrUnknown means that the store has no artifact of that name.
	ErrUnknown = errors.New("unknown")
	// ErrOutsideStore means that a path does not belong to an artifact of this store.
	ErrOutsideStore = errors.New("not in this store")
	// ErrDamaged means that the stored bytes are not those that were put: cut short, altered, replaced by
	// something that is not a regular file of ours, or unreadable. They stay in place as evidence.
	ErrDamaged = errors.New("damaged")
	// ErrNameInvalid means that a name is not 8 to 64 lower-case hex digits. Nothing was looked up.
	ErrNameInvalid = errors.New("invalid name")
	// ErrSizeMismatch means that a blob yielded more or fewer bytes than its Size said.
	ErrSizeMismatch = errors.New("size mismatch")
	// ErrSealed means that a stage was written to or sealed after it was sealed.
	ErrSealed = errors.New("sealed already")
	// ErrBusy means that the log is open for appending already.
	ErrBusy = errors.New("open already")
	// ErrFinished means that the log is an artifact already and takes no more appends.
	ErrFinished = errors.New("finished already")
	// ErrClosed means that the store or the log was closed, or the stage discarded, before the call.
	ErrClosed = errors.New("closed")
	// ErrLocked means that another process, or another Dir in this one, has the store open.
	ErrLocked = errors.New("locked")
	// ErrFormat means that another version of this package wrote the store. Nothing was touched.
	ErrFormat = errors.New("format of another version")
	// ErrRootUnsafe means that a directory store would not be private or not be durable where it was asked
	// to be: a link, wrong owner, writable by others, an unprintable path, a volatile file system.
	ErrRootUnsafe = errors.New("unsafe store root")
	// ErrFull means that the file system has no space, no inodes or no quota left (ENOSPC, EDQUOT).
	ErrFull = errors.New("disk full")
	// ErrReadOnly means that the file system is mounted read-only (EROFS). Reading goes on working.
	ErrReadOnly = errors.New("read-only")
	// ErrTooLarge means that the file would exceed a limit of the process or the file system (EFBIG).
	ErrTooLarge = errors.New("too large")
	// ErrTooManyFiles means that the process or the system is out of descriptors (EMFILE, ENFILE). Trying
	// again later helps.
	ErrTooManyFiles = errors.New("too many open files")
	// ErrUnavailable means that the place where the artifact is kept does not answer. Nothing is lost, and
	// trying again later helps.
	ErrUnavailable = errors.New("unavailable")
	// ErrDisk means that the disk did not take a write (EIO). Nothing was put, the partial write is discarded, and the same call may
	// succeed later.
	ErrDisk = errors.New("the disk did not take a write")
	// ErrVanished means that files of the store were deleted or replaced while it was open, so that the next start
	// would not find what is put. Nothing is put until it is opened again. Reading goes on, as far as it can.
	ErrVanished = errors.New("deleted or replaced while the store was open")
)

// Sentinel returns the error of this package for a system error number in the chain of err, or nil if there is none.
func Sentinel(err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return ErrFull
	case errors.Is(err, syscall.EROFS):
		return ErrReadOnly
	case errors.Is(err, syscall.EFBIG):
		return ErrTooLarge
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return ErrTooManyFiles
	default:
		return nil
	}
}

// ReadError classifies a failure to open or read an artifact. A shortage of descriptors or memory is temporary, and an
// unavailable remote store too; any other failure to read a file that the store wrote is damage. It is for
// implementations of [Store].
func ReadError(err error) error {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err // without the path: names of temporary files are random, and error texts are not
	}
	sentinel := Sentinel(err)
	switch {
	case errors.Is(err, ErrDamaged):
		return err
	case errors.Is(err, fs.ErrNotExist):
		return ErrUnknown
	case sentinel != nil:
		return fmt.Errorf("%w: %w", sentinel, err)
	case errors.Is(err, syscall.ENOMEM):
		return err
	case errors.Is(err, ErrUnavailable), errors.Is(err, ErrUnknown), // of a remote artifact
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	default:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
}

// NoNameLeft returns the error of storing c when every one of its names is taken. Only damage can do that, since the
// last name is the whole digest. It is for implementations of [Store].
func NoNameLeft(c content.ID) error {
	return fmt.Errorf("artifact %s: every name for it is taken: %w", c.Hex(), ErrDamaged)
}
