package dir

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// clone has the file, which is empty, replaced by one that shares the blocks of another one (clonefile(2), of APFS). After an error it
// is empty still.
func (t *temp) clone(from *os.File) error {
	if err := checkFlags(from); err != nil {
		return err
	}
	return t.become(func(folder *os.File, name string) error {
		return unix.Fclonefileat(int(from.Fd()), int(folder.Fd()), name, unix.CLONE_NOOWNERCOPY)
	})
}

// harmless are the flags of a file (chflags(2)) that its clone may have, too.
const harmless = unix.UF_NODUMP | unix.UF_HIDDEN | unix.UF_COMPRESSED | unix.UF_TRACKED

// checkFlags rejects a file whose clone could not be written or removed, such as an immutable one, or has no content on this machine.
func checkFlags(from *os.File) error {
	info, err := from.Stat()
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return errors.ErrUnsupported
	}
	if stat.Flags&^harmless != 0 {
		return fmt.Errorf("file with flags %#x: %w", stat.Flags, errors.ErrUnsupported)
	}
	return nil
}

// copyRange fails: there is no such call.
func copyRange(_, _ *os.File, _, _ int64) (int64, error) { return 0, errCannotCopy }
