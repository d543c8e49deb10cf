package hosts

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/toolresult/toolresult/internal/hooks"
)

// settingsOf returns the first of some files that is there, or the first one.
func settingsOf(dir string, names ...string) string {
	for _, name := range names {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return filepath.Join(dir, name)
		}
	}
	return filepath.Join(dir, names[0])
}

// Difference is a file with its text before and after. A nil text is a file that is not there.
type Difference struct {
	Path          string
	Before, After []byte
}

// record is what is known of an installation: its files as they were.
type record struct {
	Program string     `json:"program"`
	Shell   string     `json:"shell"`
	Rewrite bool       `json:"rewrite,omitempty"`
	Reads   bool       `json:"reads,omitempty"`
	Files   []recorded `json:"files"`
}

// recorded is one file of a record.
type recorded struct {
	Path    string   `json:"path"`
	Existed bool     `json:"existed"`
	Before  []byte   `json:"before"`         // the file as it was
	After   string   `json:"after_sha256"`   // the file as it was left
	Made    []string `json:"made,omitempty"` // directories that were made for it, the innermost first
}

// Store keeps the records of installations in a directory.
type Store struct{ Dir string }

// path returns the file of a host's record.
func (s Store) path(host hooks.Host) string { return filepath.Join(s.Dir, string(host)+".json") }

// load returns the record of a host; empty if there is none.
func (s Store) load(host hooks.Host) (r record, err error) {
	text, err := os.ReadFile(s.path(host))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		err = fmt.Errorf("read the record of the installation: %w", err)
	}
	return r, err
}

// Recorded returns the options of a host's installation, with home and variables of o; ok is false if there is none.
func (s Store) Recorded(host hooks.Host, o Options) (_ Options, ok bool, err error) {
	r, err := s.load(host)
	if err != nil || len(r.Files) == 0 {
		return o, false, err
	}
	o.Program, o.Shell, o.Rewrite, o.Reads = r.Program, r.Shell, r.Rewrite, r.Reads
	return o, true, nil
}

// Installed returns the hosts that have a record.
func (s Store) Installed() (list []hooks.Host) {
	for _, host := range hooks.All {
		if _, err := os.Stat(s.path(host)); err == nil {
			list = append(list, host)
		}
	}
	return list
}

// of returns what is recorded of a file; nil if nothing is.
func (r record) of(path string) *recorded {
	for i := range r.Files {
		if r.Files[i].Path == path {
			return &r.Files[i]
		}
	}
	return nil
}

// readFile returns the text of a file; nil, not empty, if there is none.
func readFile(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case text == nil:
		text = []byte{}
	}
	return text, nil
}

// Preview returns what Install would change. It writes nothing, and fails for a file that does not parse or has a setting of
// the user in our place.
func (s Store) Preview(p Plan) (list []Difference, err error) {
	for _, c := range p.Changes {
		before, err := readFile(c.Path)
		if err != nil {
			return nil, err
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
	if old := r.of(c.Path); old != nil && digest(text) == old.After {
		return old.text(), nil
	}
	return text, nil
}

// text returns the file as it was; nil if it was not there.
func (f recorded) text() []byte {
	if !f.Existed {
		return nil
	}
	return append([]byte{}, f.Before...)
}

// Install makes the changes of a plan, and records what the files were. Installing twice changes nothing.
func (s Store) Install(p Plan) error {
	differences, err := s.Preview(p)
	if err != nil {
		return err
	}
	r, err := s.load(p.Host)
	if err != nil {
		return err
	}
	r.Program, r.Shell, r.Rewrite, r.Reads = p.options.Program, p.options.Shell, p.options.Rewrite, p.options.Reads
	for _, d := range differences {
		if old := r.of(d.Path); old != nil && digest(d.Before) == old.After {
			old.After = digest(d.After) // the backup stays the one of the first installation
			continue
		}
		f := recorded{Path: d.Path, Existed: d.Before != nil, Before: d.Before, After: digest(d.After), Made: missingDirs(d.Path)}
		if old := r.of(d.Path); old != nil {
			f.Made = old.Made
			*old = f
			continue
		}
		r.Files = append(r.Files, f)
	}
	// The record is first: without it an interrupted installation could not be taken away.
	if err := s.save(p.Host, r); err != nil {
		return err
	}
	for _, d := range differences {
		if err := writeFile(d.Path, d.After); err != nil {
			return err
		}
	}
	return nil
}

// save writes a record.
func (s Store) save(host hooks.Host, r record) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(s.path(host), append(text, '\n'))
}

// missingDirs returns the directories above a file that are not there, the innermost first.
func missingDirs(path string) (list []string) {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
			return list
		}
		list = append(list, dir)
	}
}

// Removal returns what Uninstall would change: files go back to what they were, byte for byte. In a file that was changed
// since, only our edit goes.
func (s Store) Removal(p Plan) (list []Difference, err error) {
	r, err := s.load(p.Host)
	if err != nil {
		return nil, err
	}
	edits := map[string]Edit{}
	for _, c := range p.Changes {
		edits[c.Path] = c.Edit
	}
	for _, f := range r.Files {
		now, err := readFile(f.Path)
		if err != nil {
			return nil, err
		}
		after := f.text()
		if digest(now) != f.After {
			if after, err = reverted(now, f, edits[f.Path]); err != nil {
				return nil, fmt.Errorf("%s is left alone: %w", f.Path, err)
			}
		}
		if !bytes.Equal(now, after) || (now == nil) != (after == nil) {
			list = append(list, Difference{f.Path, now, after})
		}
	}
	return list, nil
}

// reverted returns a file that was changed since, without our edit. A file that was made for us and has nothing else goes.
func reverted(now []byte, f recorded, edit Edit) ([]byte, error) {
	if now == nil || edit == nil {
		return now, nil
	}
	after, err := edit.Revert(now)
	if err != nil {
		return nil, err
	}
	if !f.Existed && len(bytes.Trim(after, "{} \t\r\n")) == 0 {
		return nil, nil
	}
	return after, nil
}

// Uninstall takes away what Install changed, and the record.
func (s Store) Uninstall(p Plan) error {
	differences, err := s.Removal(p)
	if err != nil {
		return err
	}
	r, err := s.load(p.Host)
	if err != nil {
		return err
	}
	for _, d := range differences {
		if d.After != nil {
			err = writeFile(d.Path, d.After)
		} else {
			err = os.Remove(d.Path)
		}
		if err != nil {
			return err
		}
	}
	for _, f := range r.Files {
		for _, dir := range f.Made {
			_ = os.Remove(dir) // one that has other files stays
		}
	}
	if err := os.Remove(s.path(p.Host)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	_ = os.Remove(s.Dir) // which has other records, mostly
	return nil
}

// digest returns the digest of a text; "" of a file that is not there.
func digest(text []byte) string {
	if text == nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// writeFile replaces a file as a whole, with the permissions that it has. A link stays one: its target is replaced.
func writeFile(path string, text []byte) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	mode := fs.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	temporary, err := os.CreateTemp(filepath.Dir(path), ".toolresult-*")
	if err != nil {
		return err
	}
	_, err = temporary.Write(text)
	err = errors.Join(err, temporary.Chmod(mode), temporary.Sync(), temporary.Close())
	if err == nil {
		err = os.Rename(temporary.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary.Name()))
	}
	return nil
}

// String returns the difference for people: the lines that differ, with two lines around them.
func (d Difference) String() string {
	before, after := lines(d.Before), lines(d.After)
	head := 0
	for head < min(len(before), len(after)) && before[head] == after[head] {
		head++
	}
	tail := 0
	for tail < min(len(before), len(after))-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", name(d.Path, d.Before), name(d.Path, d.After))
	write := func(mark string, list []string) {
		for _, line := range list {
			fmt.Fprintf(&b, "%s%s\n", mark, line)
		}
	}
	write(" ", before[max(0, head-2):head])
	write("-", before[head:len(before)-tail])
	write("+", after[head:len(after)-tail])
	write(" ", before[len(before)-tail:min(len(before), len(before)-tail+2)])
	return b.String()
}

// name returns the name of a file in a difference.
func name(path string, text []byte) string {
	if text == nil {
		return "/dev/null"
	}
	return path
}

// lines returns the lines of a text.
func lines(text []byte) (list []string) {
	for line := range bytes.Lines(text) {
		list = append(list, string(bytes.TrimRight(line, "\r\n")))
	}
	return list
}
