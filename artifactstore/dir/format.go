package dir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"

	"github.com/toolresult/toolresult/artifactstore"
)

const (
	formatName    = "FORMAT"
	formatProduct = "toolresult-artifacts"
	formatVersion = 4
	// formatText is the whole FORMAT file of this version: the product, the version, and the hash that names artifacts. The
	// version is that of everything in the store.
	formatText = formatProduct + " 4\nblake3\n"
	// maxFormatSize is the largest part of a FORMAT file that is read, in bytes.
	maxFormatSize = 4096
	// maxFormatEcho is the largest part of an unknown FORMAT that an error repeats, in bytes.
	maxFormatEcho = 40
)

// readFormat reports whether the store is initialized. Without the lock this may be out of date. It fails unless this version
// of this package wrote the store. It writes nothing.
func (d *Store) readFormat() (made bool, err error) {
	f, _, err := d.openPlain(formatName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, d.checkFresh()
	case errors.Is(err, errNotPlain):
		return false, fmt.Errorf("%s: %w: %w", formatName, errNotPlain, artifactstore.ErrRootUnsafe)
	case err != nil:
		return false, stepError("open "+formatName, err)
	}
	defer f.Close() // read-only
	text, err := io.ReadAll(io.LimitReader(f, maxFormatSize))
	if err != nil {
		return false, stepError("read "+formatName, err)
	}
	return true, checkFormat(string(text))
}

// checkFormat fails unless text is the FORMAT file of this version. Another version and damage are different errors.
func checkFormat(text string) error {
	if text == formatText {
		return nil
	}
	first, _, _ := strings.Cut(text, "\n")
	digits, ours := strings.CutPrefix(first, formatProduct+" ")
	says, err := strconv.ParseUint(digits, 10, 32)
	if ours && err == nil && says > 0 && says != formatVersion {
		return fmt.Errorf("%s says version %d, this program knows %d; use another directory, or the program that wrote it: %w",
			formatName, says, formatVersion, artifactstore.ErrFormat)
	}
	return fmt.Errorf("%s says %q: %w", formatName, text[:min(len(text), maxFormatEcho)], artifactstore.ErrDamaged)
}

// checkFresh fails if the root, which has no FORMAT, has anything else than an interrupted first start leaves: then it was
// not meant to become a store.
func (d *Store) checkFresh() error {
	dir, err := d.root.Open(".")
	if err != nil {
		return stepError(stepMakeRoot, err)
	}
	defer dir.Close() // read-only
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return stepError(stepMakeRoot, err)
	}
	for _, name := range names {
		switch name {
		case lockName, tempDirName, "lost+found": // the last belongs to a file system made for the store
		default:
			// FORMAT is older than anything else: if it is there by now, another process has just finished.
			if _, err := d.root.Lstat(formatName); err == nil {
				return nil
			}
			return fmt.Errorf("it holds %.40q but no %s: not an artifact store: %w", name, formatName, artifactstore.ErrRootUnsafe)
		}
	}
	return nil
}

// writeFormat writes the FORMAT of a new store. It appears complete and durable, or not at all.
func (d *Store) writeFormat() error {
	t, err := d.newTemp()
	if err != nil {
		return err
	}
	defer t.release() // a temporary name that stays is swept
	if err := t.write([]byte(formatText)); err != nil {
		return err
	}
	if err := t.freeze(); err != nil {
		return err
	}
	if err := d.fault.do(stepLinkFormat, func() error { return d.root.Link(t.path(), formatName) }); err != nil {
		return err
	}
	return d.syncDir(stepSyncRoot, ".")
}
