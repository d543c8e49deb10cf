package profile

import (
	"slices"
	"strings"
)

// wrapper is a program that runs another one, whose output is then seen. Its own words
// and options are passed over by a table and not by a parser of its command line:
// where the table lacks an option with a value, the value is taken for the program,
// which has no profile.
type wrapper struct {
	words        []string
	valueOptions []string // options with a value in the next word
	ownWords     int      // number of its own words before those of the other program
}

// wrappers returns the table of wrappers. No two of them begin with the same words.
func wrappers() []wrapper {
	return []wrapper{
		{[]string{"sudo"}, []string{"-u", "-g", "-h", "-p", "-C", "-D", "-R", "-T", "-U", "--user", "--group"}, 0},
		{[]string{"doas"}, []string{"-u", "-C"}, 0},
		{[]string{"env"}, []string{"-u", "-C", "--unset", "--chdir"}, 0},
		{[]string{"time"}, []string{"-f", "-o", "--format", "--output"}, 0},
		{[]string{"timeout"}, []string{"-k", "-s", "--kill-after", "--signal"}, 1},
		{[]string{"nice"}, []string{"-n", "--adjustment"}, 0},
		{[]string{"ionice"}, []string{"-c", "-n"}, 0},
		{[]string{"stdbuf"}, []string{"-i", "-o", "-e"}, 0},
		{[]string{"nohup"}, nil, 0},
		{[]string{"exec"}, []string{"-a"}, 0},
		{[]string{"xvfb-run"}, []string{"-n", "-s"}, 0},
		{[]string{"npx"}, []string{"-p", "--package"}, 0},
		{[]string{"bunx"}, []string{"-p", "--package"}, 0},
		{[]string{"pnpm", "exec"}, nil, 0},
		{[]string{"pnpm", "dlx"}, nil, 0},
		{[]string{"yarn", "exec"}, nil, 0},
		{[]string{"yarn", "dlx"}, nil, 0},
		{[]string{"uvx"}, []string{"-p", "--python", "--with", "--from"}, 0},
		{[]string{"uv", "run"}, []string{"-p", "--python", "--with", "--extra", "--group", "--directory", "--project", "--package", "--env-file"}, 0},
		{[]string{"poetry", "run"}, nil, 0},
		{[]string{"pipenv", "run"}, nil, 0},
		{[]string{"pdm", "run"}, nil, 0},
		{[]string{"hatch", "run"}, nil, 0},
		{[]string{"bundle", "exec"}, nil, 0},
		{[]string{"rustup", "run"}, nil, 1},
		{[]string{"python", "-m"}, nil, 0},
		{[]string{"coverage", "run", "-m"}, nil, 0},
	}
}

// maxWraps bounds the number of wrappers around a command.
const maxWraps = 8

// unwrap returns a command and the commands that it wraps, the innermost first.
func unwrap(command []string) [][]string {
	list := [][]string{command}
	for inner := unwrapOnce(command); len(inner) > 0 && len(list) <= maxWraps; inner = unwrapOnce(inner) {
		list = append(list, inner)
	}
	slices.Reverse(list)
	return list
}

// unwrapOnce returns the command that a wrapper runs; nil if it is no wrapper, and if
// the wrapper has nothing to run.
func unwrapOnce(command []string) []string {
	for _, w := range wrappers() {
		if p := (pattern{words: w.words}); p.matchExactly(command) {
			return withProgramName(slices.Clone(w.rest(command[len(w.words):])))
		}
	}
	return nil
}

// rest skips options, assignments and the wrapper's own words.
func (w *wrapper) rest(words []string) []string {
	own := w.ownWords
	for len(words) > 0 {
		first := words[0]
		switch {
		case first == "--":
			words = words[1:]
			return words[min(own, len(words)):]
		case slices.Contains(w.valueOptions, first):
			words = words[min(2, len(words)):]
		case strings.HasPrefix(first, "-"), assignment(first):
			words = words[1:]
		case own > 0:
			own--
			words = words[1:]
		default:
			return words
		}
	}
	return nil
}

// assignment reports whether a word is an assignment.
func assignment(word string) bool {
	name, _, found := strings.Cut(word, "=")
	return found && name != "" && !strings.ContainsAny(name, "/-.:")
}
