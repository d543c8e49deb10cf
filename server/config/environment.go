package config

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

const (
	// variablePrefix begins the name of every variable of ours.
	variablePrefix = "TOOLRESULT_"
	// fileVariable is the variable that names the configuration file.
	fileVariable = variablePrefix + "CONFIG"
)

// serviceLink matches the variables that Kubernetes sets in every container for a Service whose name begins with
// "toolresult"; they are not ours and must not stop a start.
var serviceLink = regexp.MustCompile(
	`^TOOLRESULT_(.+_)?(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)

// environment holds variables by name.
type environment map[string]string

// newEnvironment takes the form of os.Environ; of two entries with one name the last wins, as for a new process.
func newEnvironment(env []string) environment {
	e := make(environment, len(env))
	for _, entry := range env {
		if name, value, ok := strings.Cut(entry, "="); ok {
			e[name] = value
		}
	}
	return e
}

// directory returns the absolute path in a variable; a relative one counts as unset, as the XDG specification has
// it.
func (e environment) directory(name string) (string, bool) {
	path := e[name]
	return path, filepath.IsAbs(path)
}

// ownTemporary is the directory of this user under the temporary directory.
func (e environment) ownTemporary() string {
	temp, ok := e.directory("TMPDIR")
	if !ok {
		temp = "/tmp"
	}
	return filepath.Join(temp, fmt.Sprintf("toolresult-%d", os.Getuid()))
}

// TemporaryDir returns the directory under the temporary one in which a store is without a home directory: the next start
// of the machine may empty it.
func TemporaryDir(environ []string) string { return newEnvironment(environ).ownTemporary() }

// defaultSocket is the socket in the runtime directory of the user, which only that user can enter, and which is gone with
// the last session.
func defaultSocket(e environment) string {
	if runtime, ok := e.directory("XDG_RUNTIME_DIR"); ok {
		return filepath.Join(runtime, "toolresult", "toolresult.sock")
	}
	return filepath.Join(e.ownTemporary(), "toolresult.sock")
}

// defaultStore is the state directory of the user: artifacts survive a restart, but are no documents to back up.
func defaultStore(e environment) string {
	if state, ok := e.directory("XDG_STATE_HOME"); ok {
		return filepath.Join(state, "toolresult")
	}
	if home, ok := e.directory("HOME"); ok {
		return filepath.Join(home, ".local", "state", "toolresult")
	}
	return filepath.Join(e.ownTemporary(), "state")
}
