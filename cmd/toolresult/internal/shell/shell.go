// Package shell reads how a program was called that is in the place of a shell: as the prefix of a line, as $SHELL -c, or as bash
// first in PATH. What is no command of an agent is for the real shell, untouched.
package shell

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// Call is how the real shell is called.
type Call struct {
	Args    []string // of the real shell, behind its name
	Command string   // what the agent wants to run; empty: this is no command of an agent, and the real shell is for it alone
}

// Names are the names of a program that is a shell of ours.
var Names = []string{"toolresult-shell", "bash", "sh", "zsh"}

// prefixed are the names by which the program is a prefix, too: one argument is a line then, and not the file of a script.
var prefixed = []string{"toolresult-shell", "toolresult"}

// workdirEnd is how the lines of Claude Code end, and no other: where its next command begins.
var workdirEnd = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[\s;&])pwd -P >\| \S+\s*$`)
})

// Read reads the arguments behind the name of the program.
func Read(name string, args []string) Call {
	if len(args) == 1 && !strings.HasPrefix(args[0], "-") && slices.Contains(prefixed, name) {
		call := Call{Args: []string{"-c", args[0]}}
		if workdirEnd().MatchString(args[0]) {
			call.Command = evaluated(args[0])
		}
		return call
	}
	return Call{Args: args, Command: evaluated(option(args))}
}

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
		case strings.HasPrefix(a, "--"):
			if a == "--interactive" {
				return ""
			}
		case strings.ContainsAny(a[1:], "is"):
			return ""
		case strings.HasSuffix(a, "o") || strings.HasSuffix(a, "O"): // as in -eo pipefail
			command = command || strings.Contains(a[1:], "c")
			i++
		default:
			command = command || a[0] == '-' && strings.Contains(a[1:], "c")
		}
	}
	return ""
}

// evaluated returns what a line gives to eval, which hosts put around the command of the model, or the line. It names the command in
// the receipt, and is never run.
func evaluated(line string) string {
	if !strings.Contains(line, "eval ") {
		return line
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	if err != nil {
		return line
	}
	found := line
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if ok && len(call.Args) > 1 && call.Args[0].Lit() == "eval" {
			if text, ok := literal(call.Args[1]); ok {
				found = text
			}
		}
		return true
	})
	return found
}

// literal returns the text of a word without expansions.
func literal(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, part := range w.Parts {
		switch part := part.(type) {
		case *syntax.SglQuoted:
			if part.Dollar {
				return "", false
			}
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			for _, inner := range part.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok || strings.Contains(lit.Value, `\`) {
					return "", false
				}
				b.WriteString(lit.Value)
			}
		case *syntax.Lit:
			b.WriteString(strings.ReplaceAll(part.Value, `\`, ""))
		default:
			return "", false
		}
	}
	return b.String(), true
}

// errNoShell means that there is no shell but ours.
var errNoShell = errors.New("no shell is found; TOOLRESULT_SHELL names it")

// Real returns the path of the real shell: the wish of the user or, by default, the program of the same name that is next in PATH,
// bash or sh. It is never this program.
func Real(name, wish, path string) (string, error) {
	if filepath.IsAbs(wish) && !isUs(wish) {
		return wish, nil
	}
	names := []string{"bash", "sh"}
	if !slices.Contains(prefixed, name) {
		names = slices.Insert(names, 0, name)
	}
	for _, name := range names {
		for _, dir := range append(filepath.SplitList(path), "/bin", "/usr/bin") {
			if at := filepath.Join(dir, name); filepath.IsAbs(dir) && !isUs(at) {
				if found, err := exec.LookPath(at); err == nil {
					return found, nil
				}
			}
		}
	}
	return "", errNoShell
}

// isUs reports whether a path is that of this program, by any name.
func isUs(path string) bool {
	us, err := os.Stat("/proc/self/exe")
	if err != nil {
		return false
	}
	other, err := os.Stat(path)
	return err == nil && os.SameFile(us, other)
}
