// Package shell reads how a program was called that is in the place of a shell: as the prefix of a line, as $SHELL -c, or as bash
// first in PATH. What is no command of an agent is for the real shell, untouched.
//
// It is used before the other packages of the program are ready (package early), and so imports nothing that takes time.
package shell

import (
	"errors"
	"os"
	"slices"
	"syscall"
)

// Variables of the environment.
const (
	RealVariable = "TOOLRESULT_SHELL" // path of the real shell
	RawVariable  = "TOOLRESULT_RAW"   // neither empty nor 0: everything is for the real shell
)

// Call is how the real shell is called.
type Call struct {
	Path string   // of the real shell
	Args []string // of it, behind its name
	Line string   // what the agent wants to run; empty: this is no command of an agent, and the real shell is for it alone
}

// Names are the names of a program that is a shell of ours.
var Names = []string{"toolresult-shell", "bash", "sh", "zsh"}

// prefixed are the names by which the program is a prefix, too: one argument is a line then, and not the file of a script.
var prefixed = []string{"toolresult-shell", "toolresult"}

// CalledAs returns the name of a shell by which this program was called, or toolresult.
func CalledAs(path string) string {
	if name := base(path); slices.Contains(Names, name) {
		return name
	}
	return "toolresult"
}

// base returns the last part of a path.
func base(path string) string {
	if _, name, ok := cutLast(path, "/"); ok {
		return name
	}
	return path
}

// Read reads how the program was called by a name: its arguments and environment, and whether its output is shown on a terminal.
func Read(name string, args, environ []string, terminal bool) (Call, error) {
	path, err := realShell(name, Lookup(environ, RealVariable), Lookup(environ, "PATH"))
	if err != nil {
		return Call{}, err
	}
	call := read(name, args)
	if raw := Lookup(environ, RawVariable); terminal || raw != "" && raw != "0" {
		call.Line = ""
	}
	call.Path = path
	return call, nil
}

// Environ returns an environment with RawVariable, for a real shell: the shells that it starts are its own business.
func Environ(environ []string) []string {
	own := slices.DeleteFunc(slices.Clone(environ), func(v string) bool { return hasPrefix(v, RawVariable+"=") })
	return append(own, RawVariable+"=1")
}

// Become puts the real shell in the place of this process. It returns only when it fails.
func (c Call) Become(environ []string) error {
	return syscall.Exec(c.Path, append([]string{base(c.Path)}, c.Args...), Environ(environ))
}

// Lookup returns the value of a variable; of several, the last one.
func Lookup(environ []string, name string) (value string) {
	for _, v := range environ {
		if rest, ok := CutPrefix(v, name+"="); ok {
			value = rest
		}
	}
	return value
}

// read reads the arguments behind the name of the program.
func read(name string, args []string) Call {
	if len(args) == 1 && !hasPrefix(args[0], "-") && slices.Contains(prefixed, name) {
		call := Call{Args: []string{"-c", args[0]}}
		if leavesWorkdir(args[0]) {
			call.Line = args[0]
		}
		return call
	}
	return Call{Args: args, Line: option(args)}
}

// leavesWorkdir reports whether a line ends as those of Claude Code do, and no other: it writes where its next command begins to a
// file.
func leavesWorkdir(line string) bool {
	const writes = "pwd -P >| "
	before, file, ok := cutLast(line, writes)
	for file != "" && IndexAny(file[len(file)-1:], space) == 0 {
		file = file[:len(file)-1]
	}
	return ok && file != "" && IndexAny(file, space) < 0 && (before == "" || IndexAny(before[len(before)-1:], space+";&") == 0)
}

// space are the characters between words.
const space = " \t\n\r\f"

// valued are long options of bash and zsh that have a value, and short ones.
var valued = []string{"--rcfile", "--init-file", "-O", "+O", "-o", "+o", "--emulate"}

// option returns the value of -c; empty without one, and of an interactive shell, which may be one that a person uses, or that a
// host starts to learn the environment.
func option(args []string) string {
	command := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--" || a == "-" || len(a) < 2 || a[0] != '-' && a[0] != '+':
			if a == "--" || a == "-" {
				i++
			}
			if !command || i >= len(args) {
				return ""
			}
			return args[i]
		case slices.Contains(valued, a):
			i++
		case hasPrefix(a, "--"):
			if a == "--interactive" {
				return ""
			}
		case IndexAny(a[1:], "is") >= 0:
			return ""
		case a[len(a)-1] == 'o' || a[len(a)-1] == 'O': // as in -eo pipefail
			command = command || IndexAny(a[1:], "c") >= 0
			i++
		default:
			command = command || a[0] == '-' && IndexAny(a[1:], "c") >= 0
		}
	}
	return ""
}

// errNoShell means that there is no shell but ours.
var errNoShell = errors.New("no shell is found; TOOLRESULT_SHELL names it")

// realShell returns the path of the real shell: the wish of the user or, by default, the program of the same name that is next in
// PATH, bash or sh. It is never this program.
func realShell(name, wish, path string) (string, error) {
	if hasPrefix(wish, "/") && !isUs(wish) {
		return wish, nil
	}
	names := []string{"bash", "sh"}
	if !slices.Contains(prefixed, name) {
		names = slices.Insert(names, 0, name)
	}
	for _, name := range names {
		for _, dir := range Directories(path + ":/bin:/usr/bin") {
			if at := dir + "/" + name; hasPrefix(dir, "/") && Runs(at) && !isUs(at) {
				return at, nil
			}
		}
	}
	return "", errNoShell
}

// Runs reports whether a path is that of a program that this user may run.
func Runs(path string) bool {
	const x = 1 // X_OK
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 && syscall.Access(path, x) == nil
}

// isUs reports whether a path is that of this program, by any name.
func isUs(path string) bool {
	self, err := Self()
	return err == nil && IsSameFile(self, path)
}

// IsSameFile reports whether two paths are of one file.
func IsSameFile(a, b string) bool {
	first, err := os.Stat(a)
	if err != nil {
		return false
	}
	second, err := os.Stat(b)
	return err == nil && os.SameFile(first, second)
}
