package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"

	"github.com/toolresult/toolresult/internal/sidecar"
)

const (
	// variablePrefix begins the name of every variable of ours.
	variablePrefix = "TOOLRESULT_"
	// fileVariable is the variable that names the configuration file.
	fileVariable = variablePrefix + "CONFIG"
)

// serviceLink matches the variables that Kubernetes sets in every container for a Service whose name begins with
// "toolresult"; they are not ours and must not stop a start.
var serviceLink = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`^TOOLRESULT_(.+_)?(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT(_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)$`)
})

// clientVariables are read by clients alone: where the sidecar is, how long to wait for it, and how the shell works. They are
// no settings of a sidecar, and must not stop the start of one.
var clientVariables = []string{
	"TOOLRESULT_ADDRESS", "TOOLRESULT_BINARY", "TOOLRESULT_PATIENCE", "TOOLRESULT_SHELL", "TOOLRESULT_MAX_TOKENS", "TOOLRESULT_RAW",
}

// environment holds variables by name.
type environment = sidecar.Environment

// defaultSocket is the socket at which clients look: what docs/discovery.md says of a user who names none.
func defaultSocket(e environment) string {
	return filepath.Join(e.RuntimeDir(), "toolresult.sock")
}

// userFile is the configuration file of the user, by the XDG Base Directory Specification; empty if there is none. What cannot be
// looked at counts as there, so that the reason is seen when it is read.
func userFile(e environment) string {
	dir, ok := e.Directory("XDG_CONFIG_HOME")
	if !ok {
		home, ok := e.Directory("HOME")
		if !ok {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	path := filepath.Join(dir, "toolresult", "config.yaml")
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return ""
	}
	return path
}

// defaultStore is the state directory of the user: artifacts survive a restart, but are no documents to back up.
func defaultStore(e environment) string {
	if state, ok := e.Directory("XDG_STATE_HOME"); ok {
		return filepath.Join(state, "toolresult")
	}
	if home, ok := e.Directory("HOME"); ok {
		return filepath.Join(home, ".local", "state", "toolresult")
	}
	return filepath.Join(e.TemporaryDir(), "state")
}
