package artifactstore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
)

const (
	formatName    = "FORMAT"
	formatProduct = "toolresult-artifacts"
	formatVersion = 1
	// formatText is the whole FORMAT file of this version: what the store is, and what names its artifacts.
	formatText = formatProduct + " 1\nblake3\n"
	// maxFormatSize is how many bytes of a FORMAT file are read at most.
	maxFormatSize = 4096
	// maxFormatEcho is how many bytes of an unknown FORMAT an error repeats at most.
	maxFormatEcho = 40
)

// readFormat reports whether the store has been initialised; without the lock, a false may be out of date.
// It fails if the store was written by something else than this version of this package, and writes
// nothing.
func (d *Dir) readFormat() (formatted bool, err error) {
	f, _, err := d.openPlain(formatName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, d.checkFresh()
	case errors.Is(err, errNotPlain):
		return false, fmt.Errorf("%s: %w: %w", formatName, errNotPlain, ErrRootUnsafe)
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

// checkFormat fails unless text is the FORMAT of this version.
func checkFormat(text string) error {
	if text == formatText {
		return nil
	}
	first, _, _ := strings.Cut(text, "\n")
	digits, ours := strings.CutPrefix(first, formatProduct+" ")
	version, err := strconv.ParseUint(digits, 10, 32)
	if ours && err == nil && version > formatVersion {
		return fmt.Errorf("%s says version %d, this program knows %d: %w", formatName, version, formatVersion, ErrFormatTooNew)
	}
	return fmt.Errorf("%s says %q: %w", formatName, text[:min(len(text), maxFormatEcho)], ErrDamaged)
}

// checkFresh fails unless the root, which has no FORMAT, holds at most what an interrupted first start
// leaves. Anything else was put there by someone who did not mean it to become a store.
func (d *Dir) checkFresh() error {
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
			return fmt.Errorf("it holds %.40q but no %s: not an artifact store: %w", name, formatName, ErrRootUnsafe)
		}
	}
	return nil
}

// writeFormat finishes the first start: the FORMAT file appears complete and durable, or not at all.
func (d *Dir) writeFormat() error {
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
