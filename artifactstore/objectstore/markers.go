package objectstore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/toolresult/toolresult/artifactstore"
)

// pendingDir is the directory of the spool with the markers.
const pendingDir = "pending"

// markers are the names of artifacts that may not be in the bucket yet: an empty file for each, called NAME.SIZE. A marker
// is durable before the put of its artifact is answered, and is removed when the bucket has the object. The removal is
// not synced: a marker that comes back costs one request.
type markers struct {
	dir      *os.Root
	volatile bool
}

// openMarkers opens the directory of markers in a spool, creates it if needed, and returns the pending names and sizes.
func openMarkers(spool string, volatile bool) (m *markers, sizes map[string]int64, err error) {
	path := filepath.Join(spool, pendingDir)
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, nil, markerError(err)
	}
	dir, err := os.OpenRoot(path)
	if err != nil {
		return nil, nil, markerError(err)
	}
	m = &markers{dir: dir, volatile: volatile}
	defer func() {
		if err != nil {
			_ = dir.Close()
		}
	}()
	if err := errors.Join(m.sync(spool), m.sync(path)); err != nil {
		return nil, nil, markerError(err)
	}
	entries, err := fs.ReadDir(dir.FS(), ".")
	if err != nil {
		return nil, nil, markerError(err)
	}
	sizes = make(map[string]int64, len(entries))
	for _, entry := range entries {
		name, digits, _ := strings.Cut(entry.Name(), ".")
		size, err := strconv.ParseInt(digits, 10, 64)
		if isName(name) && err == nil && size >= 0 { // others are not ours
			sizes[name] = size
		}
	}
	return m, sizes, nil
}

// sync makes the entries of a directory durable.
func (m *markers) sync(path string) error {
	if m.volatile {
		return nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close() // read-only
	return dir.Sync()
}

// add marks an artifact as pending.
func (m *markers) add(name string, size int64) error {
	f, err := m.dir.OpenFile(marker(name, size), os.O_WRONLY|os.O_CREATE, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err == nil {
		err = m.sync(m.dir.Name())
	}
	return markerError(err)
}

// remove removes the marker of an artifact.
func (m *markers) remove(name string, size int64) error {
	if err := m.dir.Remove(marker(name, size)); !errors.Is(err, fs.ErrNotExist) {
		return markerError(err)
	}
	return nil
}

// close closes the directory of markers. Markers stay, for the next start.
func (m *markers) close() error { return m.dir.Close() }

// marker returns the name of the file that says that an artifact of a size is not in the bucket yet.
func marker(name string, size int64) string { return name + "." + strconv.FormatInt(size, 10) }

// markerError wraps an error of the file system with the sentinel of its errno.
func markerError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrClosed):
		err = artifactstore.ErrClosed
	default:
		if sentinel := artifactstore.Sentinel(err); sentinel != nil {
			err = fmt.Errorf("%w: %w", sentinel, err)
		}
	}
	return fmt.Errorf("mark artifact as pending: %w", err)
}
