package profile

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Whose output a reader sees depends on the shell: pipes, lists, redirections,
// subshells. This file collects the commands of a line that print. Everything that
// depends on values at run time makes the answer uncertain, and an uncertain line has
// no profile.

// printing is a command whose output a reader sees.
type printing struct {
	words     []string
	slice     Range // the end of its output that a pipeline passes on; Ranked: all of it
	chosen    bool  // a pipeline passes on the lines that match a pattern
	aside     bool  // its standard output goes into a file
	discarded bool  // all of its output goes nowhere
	others    bool  // other commands print through it, and it has no profile
}

// Bounds of a line that is followed.
const (
	maxCommands   = 16   // commands that print
	maxStatements = 1000 // visited
)

// Why it is not certain which commands print.
const (
	hasControl = "it cannot be said which commands print: the line has a loop, a condition, a background job, an expansion in place of a command, or an error"
	hasTooMany = "more than 16 commands print, or there are more than 1000 statements"
)

// printingCommands returns the commands of a line whose output a reader sees, or why
// that is not certain.
//
// In "a | b" it is b, or a if b passes on what it reads. In "a && b", "a; b" and
// "a || b" it is all commands except those that print nothing of their own, such as
// "cd". In "a > f 2>&1; tail f" it is a. The script of "bash -c '...'" is parsed too,
// one level deep.
func printingCommands(commandLine string) (list []printing, unclear string) {
	file := parseShell(commandLine)
	if file == nil {
		return nil, hasControl
	}
	w := newWalk()
	w.all(file.Stmts)
	if slices.ContainsFunc(w.commands, func(c printing) bool { return !c.aside }) {
		w.commands = slices.DeleteFunc(w.commands, func(c printing) bool { return c.aside })
	}
	return w.commands, w.unclear
}

// walk collects the printing commands of a syntax tree.
type walk struct {
	commands   []printing
	written    map[string][]printing // what printed into a file, by its name; "" for an unknown one
	inner      bool                  // in the script of a shell
	statements int                   // visited so far
	unclear    string                // why it is not certain which commands print; "" if it is
}

func newWalk() *walk { return &walk{written: map[string][]printing{}} }

// add appends commands that print.
func (w *walk) add(list ...printing) {
	if len(w.commands)+len(list) > maxCommands {
		w.unclear = hasTooMany
		return
	}
	w.commands = append(w.commands, list...)
}

// all visits statements.
func (w *walk) all(stmts []*syntax.Stmt) {
	for _, s := range stmts {
		w.stmt(s)
	}
}

// stmt visits a statement.
func (w *walk) stmt(s *syntax.Stmt) {
	if w.statements++; w.statements > maxStatements && w.unclear == "" {
		w.unclear = hasTooMany
	}
	if s.Background || s.Coprocess || s.Cmd == nil && len(s.Redirs) == 0 {
		w.unclear = hasControl
	}
	if w.unclear != "" {
		return
	}
	before := len(w.commands)
	switch c := s.Cmd.(type) {
	case nil, *syntax.TestClause, *syntax.ArithmCmd, *syntax.DeclClause, *syntax.LetClause:
		// prints nothing
	case *syntax.CallExpr:
		w.call(c, s.Redirs)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			w.stmt(c.Stmt)
		}
	case *syntax.Subshell:
		w.all(c.Stmts)
	case *syntax.Block:
		w.all(c.Stmts)
	case *syntax.BinaryCmd:
		w.binary(c)
	default: // loops, conditions, functions
		w.unclear = hasControl
	}
	w.redirect(before, s.Redirs)
}

// redirect notes that the commands from one on print into a file. They are seen only
// if no other command prints.
func (w *walk) redirect(from int, redirs []*syntax.Redirect) {
	name, appended, ok := outputFile(redirs)
	if !ok {
		return
	}
	printed := w.commands[from:]
	w.write(name, printed, appended)
	for i := range printed {
		printed[i].aside = true
		printed[i].discarded = discards(redirs)
	}
}

// write notes that commands print into a file, behind what is there or in its place.
func (w *walk) write(name string, printed []printing, appended bool) {
	var before []printing
	if appended {
		before = w.written[name]
	}
	if len(before) <= maxCommands { // with more the line is unclear anyway
		w.written[name] = slices.Concat(before, printed)
	}
}

// binary visits a list or a pipeline.
func (w *walk) binary(c *syntax.BinaryCmd) {
	if c.Op == syntax.AndStmt || c.Op == syntax.OrStmt {
		w.stmt(c.X)
		w.stmt(c.Y)
		return
	}
	call, ok := c.Y.Cmd.(*syntax.CallExpr)
	if !ok {
		w.stmt(c.Y)
		return
	}
	filter := unwrap(callWords(call))[0]
	if !passesOn(filter) {
		w.stmt(c.Y)
		return
	}
	before := len(w.commands)
	w.stmt(c.X)
	w.cut(before, filter)
	if filter[0] == "tee" {
		for _, name := range files(filter) {
			w.write(name, w.commands[before:], false)
		}
	}
	w.redirect(before, c.Y.Redirs)
}

// cut notes which part of the output of the commands from one on a filter shows.
func (w *walk) cut(from int, filter []string) {
	for i := from; i < len(w.commands); i++ {
		c := &w.commands[i]
		c.slice, c.chosen = cmp.Or(slice(filter), c.slice), c.chosen || chooses(filter)
	}
}

// quietCommands lists the commands that print nothing of their own, and those that
// print what the caller wrote.
var quietCommands = []string{
	"cd", "pushd", "popd", "export", "set", "unset", "shopt", "source", ".", "alias", "umask", "ulimit", "trap", "mkdir", "touch",
	"rm", "cp", "mv", "ln", "chmod", "true", ":", "false", "test", "[", "sleep", "wait", "exit", "echo", "printf",
	"git add", "git config", "conda activate", "sed -i",
}

// isQuiet reports whether a command is one of quietCommands.
func isQuiet(command []string) bool {
	return slices.Contains(quietCommands, command[0]) || len(command) > 1 && slices.Contains(quietCommands, command[0]+" "+command[1])
}

// harmless are commands that people put into a text that they print: "echo $(date)".
var harmless = []string{"date", "pwd", "basename", "dirname", "hostname", "whoami", "id", "uname", "nproc", "realpath", "readlink", "wc", "tput", "seq", "printf", "echo", "git"}

// runsOthers reports whether a quiet command prints what others do: a script that is
// sourced, or a command in the text of echo and printf.
func runsOthers(c *syntax.CallExpr, command []string) bool {
	if command[0] == "." || command[0] == "source" {
		return len(command) > 1 && !setsUp(path.Base(command[1]))
	}
	found := false
	for _, word := range c.Args[1:] {
		syntax.Walk(word, func(node syntax.Node) bool {
			switch n := node.(type) {
			case *syntax.CmdSubst:
				found = found || len(n.Stmts) == 0 || slices.ContainsFunc(n.Stmts, func(s *syntax.Stmt) bool { return !isHarmless(s) })
			case *syntax.ProcSubst:
				found = true
			}
			return !found
		})
	}
	return found && (command[0] == "echo" || command[0] == "printf")
}

// substitutes reports whether a command reads what others print: cat <(make).
func substitutes(words []*syntax.Word, redirs []*syntax.Redirect) (found bool) {
	for _, r := range redirs {
		words = append(words[:len(words):len(words)], r.Word)
	}
	for _, word := range words {
		syntax.Walk(word, func(node syntax.Node) bool {
			_, is := node.(*syntax.ProcSubst)
			found = found || is
			return !found
		})
	}
	return found
}

// setsUp reports whether a script of this name sets variables and prints nothing, as
// those of virtual environments and shells do.
func setsUp(name string) bool {
	return strings.HasPrefix(name, "activate") || strings.HasSuffix(name, "rc") || strings.HasPrefix(name, ".") || strings.HasSuffix(name, "env") ||
		strings.HasSuffix(name, "profile") || name == "nvm.sh" || name == "conda.sh" || name == ""
}

// isHarmless reports whether a statement is one of harmless.
func isHarmless(s *syntax.Stmt) bool {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if b, isBinary := s.Cmd.(*syntax.BinaryCmd); isBinary && b.Op != syntax.AndStmt && b.Op != syntax.OrStmt {
		return isHarmless(b.Y)
	}
	if !ok {
		return false
	}
	words := callWords(call)
	return len(words) > 0 && slices.Contains(harmless, words[0])
}

// call visits a simple command.
func (w *walk) call(c *syntax.CallExpr, redirs []*syntax.Redirect) {
	if len(c.Args) == 0 {
		return // assignments
	}
	command := callWords(c)
	if len(command) == 0 {
		w.unclear = hasControl
		return
	}
	if isQuiet(command) {
		if runsOthers(c, command) {
			w.add(printing{words: command, others: true})
		}
		return
	}
	if script, _, ok := shellScript(command); ok && !w.inner {
		w.script(script)
		return
	}
	if isFilter(command) && substitutes(c.Args, redirs) {
		w.add(printing{words: command, others: true})
	}
	if passesOn(command) {
		input, here := inputOf(redirs)
		if here {
			return // it prints what the caller wrote
		}
		command = append(command, input...)
	}
	if w.reads(command) {
		return
	}
	w.add(printing{words: command})
}

// script visits the script of a shell. A shell in a shell is a command like any other.
func (w *walk) script(script string) {
	file := parseShell(script)
	if file == nil {
		w.unclear = hasControl
		return
	}
	w.inner = true
	w.all(file.Stmts)
	w.inner = false
}

// reads visits a command that prints files, if commands before it wrote all of them:
// then these print.
func (w *walk) reads(command []string) bool {
	if !isFilter(command) {
		return false
	}
	names := files(command)
	for _, name := range names {
		if _, ok := w.written[name]; !ok {
			return false
		}
	}
	before := len(w.commands)
	for _, name := range names {
		w.add(w.written[name]...)
	}
	w.cut(before, command)
	return len(names) > 0
}

// outputFile returns the file that redirections lead standard output to, "" for an
// unknown one, and whether it is appended.
func outputFile(redirs []*syntax.Redirect) (name string, appended, ok bool) {
	for _, r := range redirs {
		word := wordText(r.Word)
		switch r.Op {
		case syntax.RdrAll, syntax.AppAll:
			name, appended, ok = word, r.Op == syntax.AppAll, true
		case syntax.RdrOut, syntax.AppOut, syntax.ClbOut, syntax.DplOut:
			if r.N == nil || r.N.Value == "1" {
				name, appended = word, r.Op == syntax.AppOut
				ok = !slices.Contains([]string{"1", "2", "/dev/stdout", "/dev/stderr", "/dev/tty"}, word)
			}
		}
	}
	return name, appended, ok
}

// discards reports whether redirections discard both streams.
func discards(redirs []*syntax.Redirect) bool {
	name, _, ok := outputFile(redirs)
	both := slices.ContainsFunc(redirs, func(r *syntax.Redirect) bool {
		return r.Op == syntax.RdrAll || r.Op == syntax.DplOut && r.N == nil || r.N != nil && r.N.Value == "2"
	})
	return ok && name == "/dev/null" && both
}

// inputOf returns the files that standard input is read from, and whether it is a text
// of the caller.
func inputOf(redirs []*syntax.Redirect) (list []string, here bool) {
	for _, r := range redirs {
		switch r.Op {
		case syntax.RdrIn, syntax.RdrInOut:
			list = append(list, wordText(r.Word))
		case syntax.Hdoc, syntax.DashHdoc:
			here = true
		case syntax.WordHdoc:
			list, here = append(list, ""), here || wordText(r.Word) != ""
		}
	}
	return list, here
}
