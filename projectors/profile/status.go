package profile

import (
	"slices"
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
		return !strings.ContainsAny(commandLine, "|;&\n")
	}
	return (&status{}).all(file.Stmts) && !printsVariables(file)
}

// status walks a syntax tree in the order of its commands.
type status struct{ pipefail, errexit, inner bool }

// all reports whether the status of a list covers what its statements print.
func (st *status) all(stmts []*syntax.Stmt) bool {
	for i, s := range stmts {
		if !st.stmt(s) || i < len(stmts)-1 && !st.endsLine(s) {
			return false
		}
	}
	return true
}

// endsLine reports whether a failure of what a statement prints ends the line.
func (st *status) endsLine(s *syntax.Stmt) bool {
	if !prints(s) {
		return true
	}
	if c, ok := s.Cmd.(*syntax.BinaryCmd); ok {
		switch c.Op {
		case syntax.OrStmt:
			return exits(c.Y)
		case syntax.AndStmt: // errexit looks at the last one alone
			return !prints(c.X) && st.endsLine(c.Y)
		}
	}
	return st.errexit
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
		return st.errexit && st.all(c.Do)
	case *syntax.BinaryCmd:
		return st.binary(c)
	}
	return !prints(s)
}

// binary is all of a list or a pipeline.
func (st *status) binary(c *syntax.BinaryCmd) bool {
	switch c.Op {
	case syntax.AndStmt:
		return st.stmt(c.X) && st.stmt(c.Y)
	case syntax.OrStmt:
		return !prints(c.X) && st.stmt(c.Y) || fails(c.Y) && st.stmt(c.X)
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
	script, ok := shellScript(command)
	if !ok || st.inner {
		return true
	}
	inner := status{inner: true}
	if command[0] == "eval" {
		inner = *st
	} else {
		inner.set(command[1:])
	}
	file := parseShell(script)
	return file == nil || inner.all(file.Stmts)
}

// set takes options as "set" and shells have them: -e, -o pipefail, -euo pipefail, +e.
func (st *status) set(words []string) {
	on := true
	for _, word := range words {
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
	return len(words) > 1 && strings.Contains(words[0], "exit") && (slices.Contains(words, "EXIT") || slices.Contains(words, "0"))
}

// prints reports whether a statement has a command that prints something of its own,
// or may have one.
func prints(s *syntax.Stmt) bool {
	w := newWalk()
	w.stmt(s)
	return w.unclear != "" || slices.ContainsFunc(w.commands, func(c printing) bool { return !c.discarded })
}

// exits reports whether a statement ends with a command that ends the line with an
// error: "exit 1" or "return 1".
func exits(s *syntax.Stmt) bool { return endsWith(s, "exit", "return") }

// fails reports whether a statement ends with a command that fails: one that exits, or
// "false".
func fails(s *syntax.Stmt) bool { return endsWith(s, "exit", "return", "false") }

// endsWith reports whether the last command of a statement has one of these names, and
// does not say that it succeeds.
func endsWith(s *syntax.Stmt, names ...string) bool {
	var command []string
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		command = callWords(c)
	case *syntax.Block:
		return len(c.Stmts) > 0 && endsWith(c.Stmts[len(c.Stmts)-1], names...)
	}
	return len(command) > 0 && slices.Contains(names, command[0]) && !(len(command) > 1 && command[1] == "0")
}

// printsVariables reports whether a line prints what a command substitution gave, as
// in "echo $(make)" and "out=$(make); echo $out": no status covers that command.
func printsVariables(file *syntax.File) bool {
	substituted := map[string]bool{}
	found := false
	syntax.Walk(file, func(node syntax.Node) bool {
		switch n := node.(type) {
		case *syntax.Assign:
			if n.Name != nil && n.Value != nil && uses(n.Value, nil) {
				substituted[n.Name.Value] = true
			}
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
