package profile

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// StatusCovers reports whether exit status 0 of a command line says that every command
// that prints ended well. In "a | b", "a; b" and "a || b" it does not, because a may
// have failed, unless the line sets pipefail or errexit. A line that cannot be parsed
// is taken for one command if nothing in it may separate two. Source: POSIX, Shell
// Command Language, 2.9.2 to 2.9.4 and 2.14 (set -e).
func StatusCovers(commandLine string) bool {
	file := parseShell(commandLine)
	if file == nil {
		return !strings.ContainsAny(commandLine, "|;&!\n")
	}
	return (&status{}).all(file.Stmts) && !printsVariables(file)
}

// status walks a syntax tree in the order of its commands.
type status struct {
	pipefail, errexit bool
	ignored           bool // errexit has no effect: in a condition
	depth             int  // of scripts in scripts
}

// maxScripts bounds the scripts in scripts that are followed.
const maxScripts = 8

// condition is stmt of what && and || test: errexit has no effect in it.
func (st *status) condition(s *syntax.Stmt) bool {
	inner := *st
	inner.ignored = true
	covers := inner.stmt(s)
	st.pipefail, st.errexit = inner.pipefail, inner.errexit
	return covers
}

// ends reports whether a command that fails ends the line.
func (st *status) ends() bool { return st.errexit && !st.ignored }

// all reports whether the status of a list covers what its statements print. What a
// part of a list with && or || sets may not be set behind it.
func (st *status) all(stmts []*syntax.Stmt) bool {
	for i, s := range stmts {
		before := *st
		if !st.stmt(s) || i < len(stmts)-1 && !st.endsLine(s) {
			return false
		}
		if isConditional(s) {
			st.keep(before)
		}
	}
	return true
}

// keep keeps the options that were set before, of those that are set.
func (st *status) keep(before status) {
	st.pipefail, st.errexit = st.pipefail && before.pipefail, st.errexit && before.errexit
}

// isConditional reports whether parts of a statement run or not by the status of others.
func isConditional(s *syntax.Stmt) bool {
	c, ok := s.Cmd.(*syntax.BinaryCmd)
	return ok && (c.Op == syntax.AndStmt || c.Op == syntax.OrStmt)
}

// endsLine reports whether a failure of what a statement prints ends the line.
func (st *status) endsLine(s *syntax.Stmt) bool {
	if !prints(s) {
		return true
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		switch c.Op {
		case syntax.OrStmt:
			return exits(c.Y)
		case syntax.AndStmt: // errexit looks at the last one alone
			return !prints(c.X) && st.endsLine(c.Y)
		}
	case *syntax.Block: // what errexit passes over inside, it passes over outside; not so of a subshell
		return st.endsLine(c.Stmts[len(c.Stmts)-1])
	case *syntax.ForClause:
		return st.endsLine(c.Do[len(c.Do)-1])
	case *syntax.TimeClause:
		return c.Stmt == nil || st.endsLine(c.Stmt)
	}
	return st.ends()
}

// stmt is all of one statement.
func (st *status) stmt(s *syntax.Stmt) bool {
	if s.Negated || s.Background || s.Coprocess {
		return !prints(s)
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		return st.call(callWords(c))
	case *syntax.TimeClause:
		return c.Stmt == nil || st.stmt(c.Stmt)
	case *syntax.Subshell:
		inner := *st
		return inner.all(c.Stmts)
	case *syntax.Block:
		return st.all(c.Stmts)
	case *syntax.ForClause:
		return st.ends() && st.all(c.Do)
	case *syntax.BinaryCmd:
		return st.binary(c)
	}
	return !prints(s)
}

// binary is all of a list or a pipeline.
func (st *status) binary(c *syntax.BinaryCmd) bool {
	switch c.Op {
	case syntax.AndStmt:
		return st.condition(c.X) && st.stmt(c.Y)
	case syntax.OrStmt:
		before := *st
		covers := st.condition(c.X)
		st.keep(before) // it failed, before or behind what it sets
		covers = !prints(c.X) && st.stmt(c.Y) || fails(c.Y) && covers
		st.keep(before)
		return covers
	}
	return (st.pipefail && st.stmt(c.X) || !prints(c.X)) && st.stmt(c.Y)
}

// call is all of a simple command. It notes what "set" sets.
func (st *status) call(command []string) bool {
	if len(command) == 0 {
		return true
	}
	switch command[0] {
	case "set":
		st.set(command[1:])
		return true
	case "trap":
		return !setsStatus(command[1:])
	}
	script, options, ok := shellScript(command)
	if !ok {
		return !readsScript(command)
	}
	if st.depth == maxScripts {
		return false
	}
	inner := status{depth: st.depth + 1}
	if command[0] == "eval" {
		inner = *st
		inner.depth++
	}
	inner.set(options)
	file := parseShell(script)
	covers := file != nil && inner.all(file.Stmts)
	if command[0] == "eval" { // it runs in this shell
		st.pipefail, st.errexit = inner.pipefail, inner.errexit
	}
	return covers
}

// hosts are programs that run the command that their arguments name somewhere else.
var hosts = []string{
	"docker", "podman", "nerdctl", "docker-compose", "kubectl", "oc", "lxc", "chroot", "nsenter", "ssh", "sudo", "su", "busybox", "nix", "flock", "script",
	"nix-shell", "wsl", "env", "doas", "runuser",
}

// otherShells are shells whose scripts are not followed.
var otherShells = []string{"pwsh", "powershell", "powershell.exe", "pwsh.exe", "cmd", "cmd.exe", "nu", "xonsh", "iex", "Invoke-Expression"}

// readsScript reports whether a command is a shell whose script is not known: it comes
// from standard input, from a word that is not known, or is one for another shell.
func readsScript(command []string) bool {
	command = unwrap(command)[0]
	if slices.Contains(otherShells, path.Base(command[0])) {
		return slices.ContainsFunc(command[1:], func(w string) bool { return w == "" || strings.ContainsAny(w, "|;&\n") })
	}
	if command[0] == "ssh" && len(remote(command)) == 0 {
		return true
	}
	for i, word := range command {
		if slices.Contains(shells, path.Base(word)) && (i == 0 || slices.Contains(hosts, command[0])) {
			return !slices.ContainsFunc(command[i+1:], func(w string) bool { return w != "" && w[0] != '-' }) || slices.Contains(command[i+1:], "-s")
		}
	}
	return false
}

// set takes options as "set" and shells have them: -e, -o pipefail, -euo pipefail, +e.
func (st *status) set(words []string) {
	on := true
	for _, word := range words {
		if word == "--" { // arguments follow
			return
		}
		short := len(word) > 1 && (word[0] == '-' && word[1] != '-' || word[0] == '+')
		if short {
			on = word[0] == '-'
		}
		switch {
		case word == "errexit", short && strings.Contains(word, "e"):
			st.errexit = on
		case word == "pipefail":
			st.pipefail = on
		}
	}
}

// setsStatus reports whether the words of a trap replace the status of the shell.
func setsStatus(words []string) bool {
	return len(words) > 1 && strings.Contains(words[0], "exit") && slices.ContainsFunc(words[1:], func(w string) bool { return w == "EXIT" || w == "0" || w == "ERR" })
}

// prints reports whether a statement has a command that prints something of its own,
// or may have one.
func prints(s *syntax.Stmt) bool {
	w := newWalk()
	w.stmt(s)
	return w.unclear != "" || slices.ContainsFunc(w.commands, func(c printing) bool { return !c.discarded })
}

// exits reports whether a statement that runs after a failure ends the line with an
// error: "exit 1" or, where no other command ran before it, "exit" and "exit $?".
func exits(s *syntax.Stmt) bool { return endsWith(s, "exit", "return") }

// fails reports whether a statement that runs after a failure fails.
func fails(s *syntax.Stmt) bool { return endsWith(s, "exit", "return", "false") }

// endsWith reports whether the last command of a statement has one of these names and
// does not succeed.
func endsWith(s *syntax.Stmt, names ...string) bool {
	if s.Negated || s.Background || s.Coprocess {
		return false
	}
	last := true // no command ran before it
	if b, ok := s.Cmd.(*syntax.Block); ok {
		if len(b.Stmts) == 0 {
			return false
		}
		last = len(b.Stmts) == 1
		s = b.Stmts[len(b.Stmts)-1]
	}
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Negated || s.Background {
		return false
	}
	command := callWords(call)
	switch {
	case len(command) == 0 || !slices.Contains(names, command[0]):
		return false
	case command[0] == "false":
		return true
	case len(command) == 1 || command[1] == "": // the status of the last command
		return last
	}
	code, err := strconv.Atoi(command[1])
	return err != nil || code&0xff != 0
}

// printsVariables reports whether a line prints what a command substitution gave, as
// in "echo $(make)" and "out=$(make); echo $out": no status covers that command.
func printsVariables(file *syntax.File) bool {
	substituted := map[string]bool{"?": true, "PIPESTATUS": true} // whose value says that another command failed
	found := false
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Assign:
			if n.Name != nil && n.Value != nil && uses(n.Value, nil) {
				substituted[n.Name.Value] = true
			}
		case *syntax.ProcSubst:
			found = found || n.Op == syntax.CmdIn
		case *syntax.CallExpr:
			if words := callWords(n); len(words) > 0 && (words[0] == "echo" || words[0] == "printf") {
				found = found || slices.ContainsFunc(n.Args[1:], func(w *syntax.Word) bool { return uses(w, substituted) })
			}
		case *syntax.Redirect:
			found = found || n.Op == syntax.WordHdoc && uses(n.Word, substituted) || n.Hdoc != nil && uses(n.Hdoc, substituted)
		}
		return true
	})
	return found
}

// uses reports whether a word has a command substitution, or one of these variables.
func uses(w *syntax.Word, variables map[string]bool) (found bool) {
	syntax.Walk(w, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.CmdSubst:
			found = true
		case *syntax.ParamExp:
			found = found || n.Param != nil && variables[n.Param.Value]
		}
		return !found
	})
	return found
}
