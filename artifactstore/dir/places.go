package dir

// Places: a receipt has the absolute path of an artifact, and a store may be moved, or put back from a backup elsewhere. So the store knows
// the roots that it had, and a path below one of them is that of the artifact here.

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

const (
	// placesName is the file with the roots that the store had, one on a line, the newest last.
	placesName = "PLACES"
	// newPlacesSuffix ends its name while it is written.
	newPlacesSuffix = ".new"
	// maxPlaces is the largest number of roots that are known, and maxPlacesSize bounds the file in bytes.
	maxPlaces     = 32
	maxPlacesSize = maxPlaces * 4096
)

// rememberPlace reads the roots that the store had, and adds the present one. It is best effort: without the file the paths of another place
// are foreign, and the next start tries again.
func (d *Store) rememberPlace() {
	places := d.readPlaces()
	d.places = slices.DeleteFunc(slices.Clone(places), func(place string) bool { return place == d.path })
	if len(d.places) == len(places) || places[len(places)-1] != d.path {
		places = append(d.places[max(0, len(d.places)+1-maxPlaces):], d.path)
		_ = d.writePlaces(strings.Join(places, "\n") + "\n")
	}
}

// readPlaces reads the file. What is no root of a store is left out.
func (d *Store) readPlaces() (places []string) {
	f, _, err := d.openPlain(placesName)
	if err != nil {
		return nil
	}
	defer f.Close() // read-only
	text, err := io.ReadAll(io.LimitReader(f, maxPlacesSize))
	if err != nil {
		return nil
	}
	for line := range strings.SplitSeq(string(text), "\n") {
		if filepath.IsAbs(line) && filepath.Clean(line) == line && line != "/" {
			places = append(places, line)
		}
	}
	return places
}

// writePlaces writes the file, which appears complete or not at all.
func (d *Store) writePlaces(text string) error {
	f, err := d.root.OpenFile(placesName+newPlacesSuffix, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, tempMode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Chmod(tempMode) // whatever the umask
	}
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = d.root.Rename(placesName+newPlacesSuffix, placesName)
	}
	return err
}

// locationAt returns a path relative to the root, or to one that the store had; false: it is outside.
func (d *Store) locationAt(path string) (location string, inside bool) {
	if location, inside = strings.CutPrefix(path, d.path+"/"); inside {
		return location, true
	}
	for _, place := range slices.Backward(d.places) {
		if location, inside = strings.CutPrefix(path, place+"/"); inside {
			return location, true
		}
	}
	return "", false
}
