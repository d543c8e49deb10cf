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
	formatVersion = 3
	secondFormat  = 2
	firstFormat   = 1
	// noFormat is the version of a store without a FORMAT.
	noFormat = 0
	// formatText is the whole FORMAT file of this version: the product, the version, and the hash that names artifacts.
	formatText = formatProduct + " 3\nblake3\n"
	// secondFormatText is that of version 2, whose artifacts were the same. What a program of that version has beside them is in other
	// files now, which it would not find.
	secondFormatText = formatProduct + " 2\nblake3\n"
	// firstFormatText is that of version 1, which had no compressed artifacts.
	firstFormatText = formatProduct + " 1\nblake3\n"
	// maxFormatSize is the largest part of a FORMAT file that is read, in bytes.
	maxFormatSize = 4096
	// maxFormatEcho is the largest part of an unknown FORMAT that an error repeats, in bytes.
	maxFormatEcho = 40
)

// readFormat returns the version of the store, or noFormat if it is not initialized. Without the lock the version may be
// out of date. It fails unless this version of this package, or an earlier one, wrote the store. It writes nothing.
func (d *Store) readFormat() (version int, err error) {
	f, _, err := d.openPlain(formatName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return noFormat, d.checkFresh()
	case errors.Is(err, errNotPlain):
		return noFormat, fmt.Errorf("%s: %w: %w", formatName, errNotPlain, artifactstore.ErrRootUnsafe)
	case err != nil:
		return noFormat, stepError("open "+formatName, err)
	}
	defer f.Close() // read-only
	text, err := io.ReadAll(io.LimitReader(f, maxFormatSize))
	if err != nil {
		return noFormat, stepError("read "+formatName, err)
	}
	return checkFormat(string(text))
}

// checkFormat returns the version of the FORMAT file with that text.
func checkFormat(text string) (version int, err error) {
	switch text {
	case formatText:
		return formatVersion, nil
	case secondFormatText:
		return secondFormat, nil
	case firstFormatText:
		return firstFormat, nil
	}
	// A later version is told apart from damage, so that an old program says which it is.
	first, _, _ := strings.Cut(text, "\n")
	digits, ours := strings.CutPrefix(first, formatProduct+" ")
	says, err := strconv.ParseUint(digits, 10, 32)
	if ours && err == nil && says > formatVersion {
		return noFormat, fmt.Errorf("%s says version %d, this program knows %d: %w", formatName, says, formatVersion, artifactstore.ErrFormatTooNew)
	}
	return noFormat, fmt.Errorf("%s says %q: %w", formatName, text[:min(len(text), maxFormatEcho)], artifactstore.ErrDamaged)
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

// upgrade raises a store of an earlier version to this one. A program of that version rejects it from then on, because it could
// not read everything. Without space for the new FORMAT the store keeps its version, and can be read.
func (d *Store) upgrade() error {
	err := d.writeFormat(d.replaceFormat)
	if errors.Is(err, artifactstore.ErrFull) {
		d.outdated = true
		return d.syncDir(stepSyncRoot, ".")
	}
	return err
}

// errNotUpgraded is the error of Compress in a store that could not be upgraded.
var errNotUpgraded = fmt.Errorf("the store has an earlier format since it was opened on a full disk: %w", artifactstore.ErrFull)

// linkFormat links the first FORMAT of a store to its name.
func (d *Store) linkFormat(t *temp) error {
	return d.fault.do(stepLinkFormat, func() error { return d.root.Link(t.path(), formatName) })
}

// replaceFormat replaces the FORMAT of an earlier version.
func (d *Store) replaceFormat(t *temp) error {
	err := d.fault.do(stepReplaceFormat, func() error { return d.root.Rename(t.path(), formatName) })
	if err == nil {
		t.name = ""
	}
	return err
}

// writeFormat writes the FORMAT of this version and gives it its name by a function. It appears complete and durable, or
// not at all.
func (d *Store) writeFormat(name func(*temp) error) error {
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
	if err := name(t); err != nil {
		return err
	}
	return d.syncDir(stepSyncRoot, ".")
}
