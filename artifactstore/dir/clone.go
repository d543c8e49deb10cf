package dir

// A clone that comes with a name. Linux clones into an open file. macOS makes a file of a name that must not be there, with the mode
// of the original: it gets a temporary name, so that a crash leaves nothing that is not swept, and then that of the file in whose
// place it is.

import (
	"errors"
	"os"
	"syscall"
)

// become replaces the file by one that clone makes in tmp/ under a name that is not there. After an error the file is what it was, and
// nothing is left of the clone.
func (t *temp) become(clone func(folder *os.File, name string) error) (err error) {
	folder, err := t.dir.tmp.Open(".")
	if err != nil {
		return err
	}
	defer folder.Close() // it was only looked at
	name := newTempName()
	if err := clone(folder, name); err != nil {
		return err
	}
	file, err := t.dir.openClone(name)
	if err != nil {
		return errors.Join(err, t.dir.tmp.Remove(name))
	}
	if err := t.dir.tmp.Rename(name, t.name); err != nil {
		return errors.Join(err, file.Close(), t.dir.tmp.Remove(name))
	}
	t.file.Close() // it was empty
	t.file = file
	return nil
}

// openClone makes a clone private and opens it. It may be that of a file that its owner must not write.
func (d *Store) openClone(name string) (*os.File, error) {
	if info, err := d.tmp.Lstat(name); err != nil || !d.isPlain(info) {
		return nil, errors.Join(err, errNotPlain)
	}
	if err := d.tmp.Chmod(name, tempMode); err != nil {
		return nil, err
	}
	return d.tmp.OpenFile(name, os.O_RDWR|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
}
