package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/toolresult/toolresult/internal/hooks"
)

// Preview returns what Install would change. It writes nothing, and fails for a file that does not parse or has a setting of
// the user in our place.
func (s Store) Preview(p Plan) (list []Difference, err error) {
	for _, c := range p.Changes {
		before, err := readFile(c.Path)
		if err == nil {
			err = writable(c.Path)
		}
		if err != nil {
			return nil, fmt.Errorf("%s is left alone: %w", c.Path, err)
		}
		base, err := s.withoutOld(p.Host, c, before)
		if err != nil {
			return nil, err
		}
		after, err := c.Edit.Apply(base)
		if err != nil {
			return nil, fmt.Errorf("%s is left alone: %w", c.Path, err)
		}
		if !bytes.Equal(before, after) || before == nil {
			list = append(list, Difference{c.Path, before, after})
		}
	}
	return list, nil
}

// withoutOld returns the text of a file without what an earlier installation left there: one by another version, or by a
// program at another path.
func (s Store) withoutOld(host hooks.Host, c Change, text []byte) ([]byte, error) {
	r, err := s.load(host)
	if err != nil {
		return nil, err
	}
	old := r.of(c.Path)
	switch {
	case old == nil:
		return text, nil
	case digest(text) == old.After:
		return old.text(), nil
	}
	return reverted(text, *old)
}

// Install makes the changes of a plan, and records what the files were. Installing twice changes nothing, and an installation that
// fails leaves the files as they were.
func (s Store) Install(p Plan) error {
	differences, err := s.Preview(p)
	if err != nil {
		return err
	}
	was, err := readFile(s.path(p.Host))
	if err != nil {
		return err
	}
	r, err := s.load(p.Host)
	if err != nil {
		return err
	}
	made := missingDirs(s.path(p.Host))
	r.Program, r.Shell, r.Rewrite, r.Reads = p.options.Program, p.options.Shell, p.options.Rewrite, p.options.Reads
	for _, d := range differences {
		r.add(d, p.edit(d.Path))
		made = append(made, missingDirs(d.Path)...)
	}
	// The record is first: without it an interrupted installation could not be taken away.
	if err := s.save(p.Host, r); err != nil {
		return err
	}
	for i, d := range differences {
		if err := writeFile(d.Path, d.After); err != nil {
			for _, d := range differences[:i+1] {
				err = errors.Join(err, putBack(d.Path, d.Before))
			}
			err = errors.Join(err, putBack(s.path(p.Host), was))
			removeEmpty(made)
			return fmt.Errorf("nothing is installed: %w", err)
		}
	}
	return nil
}

// edit returns the edit of a file.
func (p Plan) edit(path string) Edit {
	for _, c := range p.Changes {
		if c.Path == path {
			return c.Edit
		}
	}
	return nil
}

// Check returns, for each file of an installation, why toolresult is not in it as it was installed; nil: it is.
func (s Store) Check(host hooks.Host) (map[string]error, error) {
	r, err := s.load(host)
	if err != nil {
		return nil, err
	}
	found := map[string]error{}
	for _, f := range r.Files {
		text, err := readFile(f.Path)
		if edit := f.Edit.edit(); err == nil && edit != nil {
			var after []byte
			if after, err = edit.Apply(text); err == nil && !bytes.Equal(after, text) {
				err = errGone
			}
		}
		found[f.Path] = err
	}
	return found, nil
}

// errGone is the error of a file that somebody changed back.
var errGone = errors.New("the settings of toolresult are gone: uninstall, and install again")

// Removal returns what Uninstall would change: files go back to what they were, byte for byte. In a file that was changed
// since, only our edit goes.
func (s Store) Removal(host hooks.Host) (list []Difference, err error) {
	r, err := s.load(host)
	if err != nil {
		return nil, err
	}
	for _, f := range r.Files {
		now, err := readFile(f.Path)
		if err != nil {
			return nil, fmt.Errorf("%s is left alone: %w", f.Path, err)
		}
		after := f.text()
		if digest(now) != f.After {
			if after, err = reverted(now, f); err != nil {
				return nil, fmt.Errorf("%s is left alone: %w", f.Path, err)
			}
		}
		if bytes.Equal(now, after) && (now == nil) == (after == nil) {
			continue
		}
		if err := writable(f.Path); err != nil {
			return nil, fmt.Errorf("%s is left alone: %w", f.Path, err)
		}
		list = append(list, Difference{f.Path, now, after})
	}
	return list, nil
}

// reverted returns a file that was changed since, without our edit. A file that was made for us and has nothing else goes.
func reverted(now []byte, f recorded) ([]byte, error) {
	edit := f.Edit.edit()
	if now == nil || edit == nil {
		return now, nil
	}
	after, err := edit.Revert(now)
	if err != nil {
		return nil, err
	}
	if !f.Existed && len(bytes.Trim(after, bom+"{} \t\r\n")) == 0 {
		return nil, nil
	}
	return after, nil
}

// Uninstall takes away what Install changed, and the record.
func (s Store) Uninstall(host hooks.Host) error {
	differences, err := s.Removal(host)
	if err != nil {
		return err
	}
	r, err := s.load(host)
	if err != nil {
		return err
	}
	for _, d := range differences {
		if err := putBack(d.Path, d.After); err != nil {
			return err
		}
	}
	var made []string
	for _, f := range r.Files {
		made = append(made, f.Made...)
	}
	removeEmpty(made)
	if err := os.Remove(s.path(host)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_ = os.Remove(s.Dir) // which has other records, mostly
	return nil
}
