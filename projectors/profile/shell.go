package profile

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

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
	if stmt.Negated || stmt.Background || stmt.Coprocess || slices.ContainsFunc(stmt.Redirs, mayFail) {
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

// mayFail reports whether a redirection opens a file: when that fails, the code is the
// shell's, and the command did not run.
func mayFail(r *syntax.Redirect) bool {
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return false
	case syntax.DplOut, syntax.DplIn:
		return strings.Trim(wordText(r.Word), "0123456789-") != ""
	}
	return wordText(r.Word) != "/dev/null"
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
var pythons = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^python[23](\.[0-9]+)?$`)
})

// withProgramName replaces the first word by the name of the program: without its
// folder, and "python" for python3 and python3.12. It changes the list.
func withProgramName(words []string) []string {
	if len(words) == 0 || words[0] == "" {
		return nil
	}
	words[0] = path.Base(words[0])
	if pythons().MatchString(words[0]) {
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
var shells = []string{"bash", "sh", "zsh", "dash", "ksh", "ash", "mksh", "rbash", "fish", "tcsh", "csh"}

// scriptOptions are the options of programs that run a script with a shell of theirs.
var scriptOptions = map[string][]string{
	"su": {"-c", "--command", "--session-command"}, "runuser": {"-c", "--command"}, "script": {"-c", "-qc", "-qec", "-ec", "--command"}, "flock": {"-c", "--command"},
	"nix-shell": {"--run", "--command"}, "env": {"-S", "--split-string"},
}

// shellScript returns the script that a command runs from an argument: a shell, alone
// or behind another program ("docker exec c sh -c '...'"), eval, and ssh; and the
// options of the shell.
func shellScript(command []string) (script string, options []string, ok bool) {
	switch {
	case command[0] == "eval":
		return strings.Join(command[1:], " "), nil, !slices.Contains(command[1:], "")
	case command[0] == "ssh":
		if words := remote(command); slices.ContainsFunc(words, func(w string) bool { return strings.ContainsAny(w, " ;|&") }) {
			return strings.Join(words, " "), nil, true
		}
	}
	for i, word := range command {
		if i+1 < len(command) && slices.Contains(scriptOptions[path.Base(command[0])], word) {
			return command[i+1], nil, command[i+1] != ""
		}
	}
	for i, word := range command {
		if slices.Contains(shells, path.Base(word)) {
			rest := command[i+1:]
			if command[max(i-1, 0)] == "--entrypoint" && len(rest) > 0 { // docker run --entrypoint sh IMAGE -c SCRIPT
				rest = rest[1:]
			}
			if script, options, ok := scriptOption(rest); ok {
				return script, options, true
			}
		}
	}
	return "", nil, false
}

// remote returns the command that ssh runs on a host: all words behind the host's name.
func remote(command []string) []string {
	for i := 1; i < len(command); i++ {
		switch word := command[i]; {
		case !strings.HasPrefix(word, "-"):
			return command[i+1:]
		case len(word) == 2 && strings.Contains("BbcDEeFIiJLlmOopQRSWw", word[1:]): // its value follows
			i++
		}
	}
	return nil
}

// scriptOption returns the value of the option -c, alone or among others, as in -lc, and
// the options before it.
func scriptOption(words []string) (script string, options []string, ok bool) {
	for i, word := range words {
		switch {
		case strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.Contains(word, "c"):
			at := i + 1
			for at < len(words) && strings.HasPrefix(words[at], "-") {
				at++
			}
			return words[min(at, len(words)-1)], words[:min(at, len(words))], at < len(words) && words[at] != ""
		case !strings.HasPrefix(word, "-") && (i == 0 || !strings.HasSuffix(strings.ToLower(words[i-1]), "o") && words[i-1] != "--rcfile" && words[i-1] != "--init-file"):
			return "", nil, false // a file with the script
		}
	}
	return "", nil, false
}
