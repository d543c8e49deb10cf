package sidecar

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// environment holds variables by name.
type environment map[string]string

// newEnvironment takes the form of os.Environ; of two entries with one name the last wins, as for a new process.
func newEnvironment(environ []string) environment {
	e := make(environment, len(environ))
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			e[name] = value
		}
	}
	return e
}

// runtimeDir is the directory for sockets: that of the session of the user, which only that user can enter, and which is gone
// with the last session.
func (e environment) runtimeDir() string {
	if dir := e["XDG_RUNTIME_DIR"]; filepath.IsAbs(dir) { // a relative one counts as unset, as the XDG specification has it
		return filepath.Join(dir, "toolresult")
	}
	return e.temporaryDir()
}

// temporaryDir is the directory of this user under the temporary directory.
func (e environment) temporaryDir() string {
	temp := e["TMPDIR"]
	if !filepath.IsAbs(temp) {
		temp = "/tmp"
	}
	return filepath.Join(temp, fmt.Sprintf("toolresult-%d", os.Getuid()))
}
