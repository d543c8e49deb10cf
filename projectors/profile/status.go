package profile

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// StatusCovers reports whether exit status 0 of a command line says that every command
// that prints ended well. In "a | b", "a; b" and "a || b" it does not, because a may
// have failed, unless the line sets pipefail or errexit. A line that cannot be parsed
// is taken for one command. Source: POSIX, Shell Command Language, 2.9.2 to 2.9.4.
func StatusCovers(commandLine string) bool {
	file := parseShell(commandLine)
	return file == nil || (&status{}).all(file.Stmts)
}

// status walks a syntax tree in the order of its commands.
type status struct{ pipefail, errexit, inner bool }

// all reports whether the status of a list covers what its statements print.
func (st *status) all(stmts []*syntax.Stmt) bool {
	for i, s := range stmts {
		if i < len(stmts)-1 && !st.errexit && prints(s) || !st.stmt(s) {
			return false
		}
	}
	return true
}

// stmt is all of one statement.
func (st *status) stmt(s *syntax.Stmt) bool {
	if s.Negated || s.Background || s.Coprocess {
		return false
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		return st.call(callWords(c))
	case *syntax.TimeClause:
		return c.Stmt == nil || st.stmt(c.Stmt)
	case *syntax.Subshell:
		return st.all(c.Stmts)
	case *syntax.Block:
		return st.all(c.Stmts)
	case *syntax.BinaryCmd:
		switch c.Op {
		case syntax.AndStmt:
			return st.stmt(c.X) && st.stmt(c.Y)
		case syntax.OrStmt:
			return fails(c.Y) && st.stmt(c.X)
		}
		return (st.pipefail && st.stmt(c.X) || !prints(c.X)) && st.stmt(c.Y)
	}
	return true
}

// call is all of a simple command. It notes what "set" sets.
func (st *status) call(command []string) bool {
	if len(command) == 0 {
		return true
	}
	if command[0] == "set" {
		st.set(command)
		return true
	}
	script, ok := shellScript(command)
	if !ok || st.inner {
		return true
	}
	inner := status{inner: true}
	inner.set(command)
	file := parseShell(script)
	return file == nil || inner.all(file.Stmts)
}

// set takes options as "set" and shells have them: -e, -o pipefail, -euo pipefail.
func (st *status) set(command []string) {
	for _, word := range command[1:] {
		short := len(word) > 1 && word[0] == '-' && word[1] != '-'
		st.errexit = st.errexit || short && strings.Contains(word, "e") || word == "errexit"
		st.pipefail = st.pipefail || word == "pipefail"
	}
}

// prints reports whether a statement has a command that prints something of its own,
// or may have one.
func prints(s *syntax.Stmt) bool {
	w := walk{inner: true}
	w.stmt(s)
	return w.unclear || len(w.commands) > 0
}

// fails reports whether a statement ends with a command that ends the line with an
// error: "exit 1", "return 1" or "false".
func fails(s *syntax.Stmt) bool {
	var command []string
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		command = callWords(c)
	case *syntax.Block:
		return len(c.Stmts) > 0 && fails(c.Stmts[len(c.Stmts)-1])
	}
	return len(command) > 0 && slices.Contains([]string{"exit", "return", "false"}, command[0]) && !(len(command) > 1 && command[1] == "0")
}
