package profile

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Whose output a reader sees depends on the shell: pipes, lists, subshells, wrappers.
// This file parses a command line as bash does and collects the commands that print.
// Everything that depends on values at run time makes the answer uncertain, and an
// uncertain line has no profile.

// maxCommandLine bounds the command lines that are parsed, in bytes.
const maxCommandLine = 65_536

// parseShell parses a command line as bash does; nil if it cannot be parsed.
func parseShell(commandLine string) *syntax.File {
	if len(commandLine) > maxCommandLine {
		return nil
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(commandLine), "")
	if err != nil {
		return nil
	}
	return file
}

// soleCommand returns the words of the only command of a line. It returns none for
// several commands, and where the exit code may not be the command's ("a && b", "a |
// b", "! a").
func soleCommand(commandLine string) []string {
	file := parseShell(commandLine)
	if file == nil || len(file.Stmts) != 1 {
		return nil
	}
	stmt := file.Stmts[0]
	if stmt.Negated || stmt.Background || stmt.Coprocess {
		return nil
	}
	switch c := stmt.Cmd.(type) {
	case *syntax.TestClause:
		return []string{"[["}
	case *syntax.CallExpr:
		return callWords(c)
	}
	return nil
}

// callWords returns the words of a command, the first without its folder. A word that
// is unknown before expansion is ""; a command whose first word is unknown has none.
func callWords(c *syntax.CallExpr) []string {
	var list []string
	for _, arg := range c.Args {
		list = append(list, wordText(arg))
	}
	return withProgramName(list)
}

// pythons matches the other names of python.
var pythons = regexp.MustCompile(`^python[23](\.[0-9]+)?$`)

// withProgramName replaces the first word by the name of the program: without its
// folder, and "python" for python3 and python3.12. It changes the list.
func withProgramName(words []string) []string {
	if len(words) == 0 || words[0] == "" {
		return nil
	}
	words[0] = path.Base(words[0])
	if pythons.MatchString(words[0]) {
		words[0] = "python"
	}
	return words
}

// wordText returns the text of a word without expansions, or "".
func wordText(w *syntax.Word) string {
	var text strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			text.WriteString(unescape(p.Value, false))
		case *syntax.SglQuoted:
			if p.Dollar {
				return ""
			}
			text.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok {
					return ""
				}
				text.WriteString(unescape(lit.Value, true))
			}
		default:
			return ""
		}
	}
	return text.String()
}

// unescape removes the backslashes of a literal as the shell does: each one outside of
// quotes, inside of double quotes those before a character that is special there, and
// both with a line end behind them.
func unescape(s string, quoted bool) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			next := s[i+1]
			if next == '\n' {
				i++
				continue
			}
			if !quoted || strings.IndexByte("$`\"\\", next) >= 0 {
				i++
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// printingCommands returns the commands of a line whose output a reader sees, each as
// words. It reports false if that is not certain.
//
// In "a | b" it is b, or a if b passes on what it reads. In "a && b", "a; b" and
// "a || b" it is all commands except those that print nothing of their own, such as
// "cd". "bash -c '...'" is parsed too, one level deep.
func printingCommands(commandLine string) ([][]string, bool) {
	file := parseShell(commandLine)
	if file == nil {
		return nil, false
	}
	w := walk{inner: true}
	w.all(file.Stmts)
	return w.commands, !w.unclear
}

// walk collects the printing commands of a syntax tree.
type walk struct {
	commands [][]string
	inner    bool // parse the script of a shell
	unclear  bool // it is not certain which commands print
}

// all visits statements.
func (w *walk) all(stmts []*syntax.Stmt) {
	for _, s := range stmts {
		w.stmt(s)
	}
}

// stmt visits a statement.
func (w *walk) stmt(s *syntax.Stmt) {
	if s.Background || s.Coprocess || s.Cmd == nil && len(s.Redirs) == 0 {
		w.unclear = true
		return
	}
	switch c := s.Cmd.(type) {
	case nil, *syntax.TestClause, *syntax.ArithmCmd, *syntax.DeclClause, *syntax.LetClause:
		// prints nothing
	case *syntax.CallExpr:
		w.call(c)
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
		w.unclear = true
	}
}

// binary visits a list or a pipeline.
func (w *walk) binary(c *syntax.BinaryCmd) {
	if c.Op == syntax.AndStmt || c.Op == syntax.OrStmt {
		w.stmt(c.X)
		w.stmt(c.Y)
		return
	}
	if call, ok := c.Y.Cmd.(*syntax.CallExpr); ok && passesOn(callWords(call)) {
		w.stmt(c.X)
		return
	}
	w.stmt(c.Y)
}

// passesOn reports whether the end of a pipeline prints its input, or a part of it,
// unchanged.
func passesOn(command []string) bool {
	if len(command) == 0 {
		return false
	}
	switch command[0] {
	case "tee":
		return true
	case "cat", "less", "more", "head", "tail":
		return len(operands(command)) == 0
	}
	return false
}

// operands returns the words of a reader that name files. An unknown word is "".
func operands(command []string) []string {
	var list []string
	value := false
	for _, word := range command[1:] {
		switch {
		case value:
			value = false
		case len(word) > 1 && (word[0] == '-' || word[0] == '+'):
			value = (command[0] == "head" || command[0] == "tail") && slices.Contains([]string{"-n", "-c", "-s", "--lines", "--bytes", "--pid"}, word)
		case word != "-":
			list = append(list, word)
		}
	}
	return list
}

// quietCommands lists the commands that print nothing of their own, and those that
// print what the caller wrote.
var quietCommands = []string{
	"cd", "pushd", "popd", "export", "set", "unset", "shopt", "source", ".", "alias", "umask", "ulimit", "trap", "mkdir", "touch",
	"rm", "cp", "mv", "ln", "chmod", "true", ":", "false", "test", "[", "sleep", "wait", "exit", "echo", "printf",
	"git add", "git config", "conda activate",
}

// isQuiet reports whether a command is one of quietCommands.
func isQuiet(command []string) bool {
	return slices.Contains(quietCommands, command[0]) || len(command) > 1 && slices.Contains(quietCommands, command[0]+" "+command[1])
}

// call visits a simple command.
func (w *walk) call(c *syntax.CallExpr) {
	if len(c.Args) == 0 {
		return // assignments
	}
	command := callWords(c)
	if len(command) == 0 {
		w.unclear = true
		return
	}
	if isQuiet(command) {
		return
	}
	if script, ok := shellScript(command); ok && w.inner {
		file := parseShell(script)
		if file == nil {
			w.unclear = true
			return
		}
		w.inner = false // a shell in a shell is a command like any other
		w.all(file.Stmts)
		w.inner = true
		return
	}
	w.commands = append(w.commands, command)
}

// shellScript returns the script that a shell runs from an argument.
func shellScript(command []string) (string, bool) {
	if !slices.Contains([]string{"bash", "sh", "zsh", "dash", "ksh"}, command[0]) {
		return "", false
	}
	for i, word := range command[1:] {
		if strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.Contains(word, "c") {
			if i+2 < len(command) && command[i+2] != "" {
				return command[i+2], true
			}
			return "", false
		}
	}
	return "", false
}
