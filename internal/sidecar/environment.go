package sidecar

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Environment holds variables by name.
type Environment map[string]string

// NewEnvironment reads variables in the form of [os.Environ]. Of two entries with one name the last
// wins, as for a new process.
func NewEnvironment(environ []string) Environment {
	e := make(Environment, len(environ))
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			e[name] = value
		}
	}
	return e
}

// Directory returns the absolute path in a variable; a relative one counts as unset, as the XDG
// specification has it.
func (e Environment) Directory(name string) (string, bool) {
	path := e[name]
	return path, filepath.IsAbs(path)
}

// RuntimeDir returns the directory of this user for sockets: $XDG_RUNTIME_DIR/toolresult, which only
// that user can enter, or TemporaryDir.
func (e Environment) RuntimeDir() string {
	if dir, ok := e.Directory("XDG_RUNTIME_DIR"); ok {
		return filepath.Join(dir, "toolresult")
	}
	return e.TemporaryDir()
}

// TemporaryDir returns the directory of this user under the temporary directory, which the next start
// of the machine may empty.
func (e Environment) TemporaryDir() string {
	temp, ok := e.Directory("TMPDIR")
	if !ok {
		temp = "/tmp"
	}
	return filepath.Join(temp, fmt.Sprintf("toolresult-%d", os.Getuid()))
}
