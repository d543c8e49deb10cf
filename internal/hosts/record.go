package hosts

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/toolresult/toolresult/internal/hooks"
)

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
	Edit    keptEdit `json:"edit"`           // what was changed
	Made    []string `json:"made,omitempty"` // directories that were made for it, the innermost first
}

// keptEdit is an edit in a record, so that it can be taken back by a later version of this program, and from where it was made,
// whatever the variables say now. One field is set.
type keptEdit struct {
	JSON     JSONFile  `json:"json,omitempty"`
	TOML     TOMLFiles `json:"toml,omitempty"`
	Variable *Variable `json:"variable,omitempty"`
	Whole    WholeFile `json:"whole,omitempty"`
}

// keep returns the record of an edit.
func keep(e Edit) (k keptEdit) {
	switch e := e.(type) {
	case JSONFile:
		k.JSON = e
	case TOMLFiles:
		k.TOML = e
	case Variable:
		k.Variable = &e
	case WholeFile:
		k.Whole = e
	}
	return k
}

// edit returns the edit of a record; nil if there is none.
func (k keptEdit) edit() Edit {
	switch {
	case k.JSON != nil:
		return k.JSON
	case k.TOML != nil:
		return k.TOML
	case k.Variable != nil:
		return *k.Variable
	case k.Whole != "":
		return k.Whole
	}
	return nil
}

// Store keeps the records of installations in a directory.
type Store struct{ Dir string }

// path returns the file of a host's record.
func (s Store) path(host hooks.Host) string { return filepath.Join(s.Dir, string(host)+".json") }

// load returns the record of a host; empty if there is none.
func (s Store) load(host hooks.Host) (r record, err error) {
	text, err := readFile(s.path(host))
	if err == nil && text == nil {
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

// text returns the file as it was; nil if it was not there.
func (f recorded) text() []byte {
	if !f.Existed {
		return nil
	}
	return append([]byte{}, f.Before...)
}

// add records a file before it is changed. The backup stays the one of the first installation, unless the file was changed since.
func (r *record) add(d Difference, e Edit) {
	f := recorded{Path: d.Path, Existed: d.Before != nil, Before: d.Before, After: digest(d.After), Edit: keep(e), Made: missingDirs(d.Path)}
	old := r.of(d.Path)
	if old == nil {
		r.Files = append(r.Files, f)
		return
	}
	f.Made = old.Made
	if digest(d.Before) == old.After {
		f.Existed, f.Before = old.Existed, old.Before
	} else if before, err := reverted(d.Before, *old); err == nil {
		f.Existed, f.Before = before != nil, before
	}
	*old = f
}

// save writes a record.
func (s Store) save(host hooks.Host, r record) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(s.path(host), append(text, '\n'))
}
