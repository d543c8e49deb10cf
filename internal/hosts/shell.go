package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Words by which the launcher asks the program whether it can take a command over, and the answer.
const (
	prove = "prove"
	proof = "toolresult takes over"
)

// launcherEnd is the last line of the launcher: without it the file is cut off.
const launcherEnd = "# The end of toolresult-shell."

// launcher runs a host's command through the program. It is a script, and no link, so that a host still has its shell when the
// program was removed without `toolresult uninstall`, or is broken: exec cannot be taken back, and would lose the command to an empty
// or half a file, and to limits or variables in which Go does not start. So the program proves first, in the same limits and
// with the same variables, that it can take the command over.
const launcher = `#!%[4]s
# Written by "toolresult install", removed by the last "toolresult uninstall".
# The shell of an agent's host: toolresult or, where that cannot take the command over, bash as without it.
program='%[1]s'
proves() {
	[ -s "$program" ] && [ -x "$program" ] || return 1
	if command -v timeout >/dev/null; then
		set -- timeout -s KILL 5
	else
		set --
	fi
	[ "$("$@" "$program" %[2]s 2>&1 </dev/null)" = '%[3]s' ]
}
if proves 2>/dev/null; then
	exec "$program" shell "$@"
fi
case $#$1 in
1-*) ;;
1*) set -- -c "$1" ;; # a shell prefix
esac
exec bash "$@"
` + launcherEnd + "\n"

// Launcher returns the text of the file toolresult-shell.
func (o Options) Launcher() []byte {
	return fmt.Appendf(nil, launcher, strings.ReplaceAll(o.Program, "'", `'\''`), prove, proof, interpreter())
}

// interpreter returns the shell of the launcher: bash, because dash reads no script where fewer than 11 files may be open; without
// BASH_ENV, which has its turn before the command.
func interpreter() string {
	if info, err := os.Stat("/bin/bash"); err == nil && info.Mode().IsRegular() {
		return "/bin/bash -p"
	}
	return "/bin/sh"
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
	err := writeSynced(temporary, text)
	if err == nil {
		err = os.Rename(temporary, o.Shell) // in one step, because a host may run it now
	}
	if err != nil {
		return errors.Join(err, os.Remove(temporary))
	}
	return nil
}

// writeSynced writes a program. It is on disk when it returns: a crash must not leave an empty file, which runs as a script that does
// nothing.
func writeSynced(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o700)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Chmod(0o700), f.Sync(), f.Close())
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
