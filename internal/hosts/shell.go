package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// launcher runs a host's command through the program. It is a script, and no link, so that a host still has its shell when the
// program was removed without `toolresult uninstall`.
const launcher = `#!/bin/sh
# Written by "toolresult install", removed by the last "toolresult uninstall".
# The shell of an agent's host: toolresult or, where that is gone, bash as without it.
if [ -x '%[1]s' ]; then
	exec '%[1]s' shell "$@"
fi
case $#$1 in
1-*) ;;
1*) set -- -c "$1" ;; # a shell prefix
esac
exec bash "$@"
`

// Launcher returns the text of the file toolresult-shell.
func (o Options) Launcher() []byte {
	return fmt.Appendf(nil, launcher, strings.ReplaceAll(o.Program, "'", `'\''`))
}

// WriteShell writes the file toolresult-shell.
func (o Options) WriteShell() error {
	text := o.Launcher()
	if info, err := os.Lstat(o.Shell); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o100 != 0 {
		if now, err := readFile(o.Shell); err == nil && bytes.Equal(now, text) {
			return nil
		}
	}
	if err := os.MkdirAll(filepath.Dir(o.Shell), 0o700); err != nil {
		return err
	}
	temporary := o.Shell + ".new"
	err := os.WriteFile(temporary, text, 0o600)
	if err == nil {
		err = os.Chmod(temporary, 0o700)
	}
	if err == nil {
		err = os.Rename(temporary, o.Shell) // in one step, because a host may run it now
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return nil
}

// RemoveShell removes the file toolresult-shell, if it is the one that WriteShell wrote, and the directories that are empty by that.
func (o Options) RemoveShell() error {
	text, err := readFile(o.Shell)
	if errors.Is(err, errNotRegular) || err == nil && !bytes.Contains(text, []byte(ours)) { // also of one that is not there
		return nil
	}
	if err == nil {
		err = os.Remove(o.Shell)
	}
	if err != nil {
		return err
	}
	dir := filepath.Dir(o.Shell)
	removeEmpty([]string{dir, filepath.Dir(dir)}) // toolresult/bin
	return nil
}
