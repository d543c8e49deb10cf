package profile

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// This file parses a command line as bash does, and takes the words of its commands.

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

// shells lists the programs that run a script from their arguments.
var shells = []string{"bash", "sh", "zsh", "dash", "ksh", "ash"}

// shellScript returns the script that a command runs from an argument: a shell, alone
// or behind another program ("docker exec c sh -c '...'"), eval, and ssh.
func shellScript(command []string) (string, bool) {
	switch last := len(command) - 1; {
	case command[0] == "eval":
		return strings.Join(command[1:], " "), !slices.Contains(command[1:], "")
	case command[0] == "ssh" && strings.Contains(command[last], " "):
		return command[last], true
	}
	for i, word := range command {
		if slices.Contains(shells, path.Base(word)) {
			return scriptOption(command[i+1:])
		}
	}
	return "", false
}

// scriptOption returns the value of the option -c, alone or among others, as in -lc.
func scriptOption(words []string) (string, bool) {
	for i, word := range words {
		switch {
		case strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.Contains(word, "c"):
			return words[min(i+1, len(words)-1)], i+1 < len(words) && words[i+1] != ""
		case !strings.HasPrefix(word, "-") && (i == 0 || !strings.HasSuffix(words[i-1], "o")):
			return "", false // a file with the script
		}
	}
	return "", false
}
