package projectors

import (
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

const (
	answers = pb.ExitClass_EXIT_CLASS_ANSWER
	fails   = pb.ExitClass_EXIT_CLASS_FAILURE
)

// exitCodes says what exit codes mean, after the programs' manuals. Only codes
// that mean something else than "it failed" are worth a row. A name of two words
// is a program and its subcommand.
var exitCodes = []struct {
	programs string
	code     int32
	class    pb.ExitClass
	text     string
}{
	{"grep,egrep,fgrep,zgrep,rg,ag,ack,git grep", 1, answers, "no lines matched"},
	{"grep,egrep,fgrep,zgrep,rg", 2, fails, "an error occurred while searching"},
	{"diff,cmp,git diff", 1, answers, "the inputs differ"},
	{"diff,cmp", 2, fails, "the inputs could not be compared"},
	{"test,[,[[", 1, answers, "the expression is false"},
	{"test,[,[[", 2, fails, "the expression is malformed"},
	{"expr", 1, answers, "the result is empty or zero"},
	{"expr", 2, fails, "the expression is malformed"},
	{"pgrep,pkill,pidof", 1, answers, "no process matched"},
	{"which,command,type,hash", 1, answers, "no such command was found"},
	{"git merge-base", 1, answers, "there is no such common ancestor"},
	{"git ls-remote", 2, answers, "no reference matched"},
	{"git check-ignore", 1, answers, "none of the paths is ignored"},
	{"git rev-parse,git status,git log,git show", 128, fails, "a fatal error, such as no repository or no such revision"},
	{"find", 1, fails, "some paths could not be processed; what was printed may be incomplete"},
	{"ls", 1, fails, "some entries could not be listed"},
	{"ls", 2, fails, "a path could not be accessed"},
	{"xargs", 123, fails, "one of the commands exited with a code of 1 to 125"},
	{"timeout", 124, fails, "the time ran out"},
	{"curl", 6, fails, "the host could not be resolved"},
	{"curl", 7, fails, "the connection failed"},
	{"curl", 22, fails, "the server answered with an error (--fail)"},
	{"curl", 28, fails, "the time ran out"},
	{"pytest", 1, fails, "some tests failed"},
	{"pytest", 5, fails, "no tests were collected"},
}

// The codes that a shell gives for any command, after POSIX 2.8.2.
const (
	codeNotExecutable = 126
	codeNotFound      = 127
)

// exitMeaning explains an exit code, or returns nil if the table does not know
// it or if it is not certain whose code it is. It never changes the code.
func exitMeaning(commandLine string, code int32) *pb.ExitMeaning {
	if code == 0 || commandLine == "" {
		return nil
	}
	program, subcommand := soleProgram(commandLine)
	if program == "" {
		return nil
	}
	for i := range exitCodes {
		row := &exitCodes[i]
		if row.code != code {
			continue
		}
		for name := range strings.SplitSeq(row.programs, ",") {
			if name == program || name == program+" "+subcommand {
				return &pb.ExitMeaning{Program: name, Class: row.class, Text: row.text}
			}
		}
	}
	switch code {
	case codeNotFound:
		return &pb.ExitMeaning{Program: program, Class: fails, Text: "the shell found no such command"}
	case codeNotExecutable:
		return &pb.ExitMeaning{Program: program, Class: fails, Text: "the file is not executable"}
	}
	return nil
}

// soleProgram returns the name and the first argument of the only command of a
// shell command line, or "" when there are several, or none whose exit code is
// certain to be the shell's ("a && b", "a | b", "! a").
func soleProgram(commandLine string) (program, subcommand string) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(commandLine), "")
	if err != nil || len(file.Stmts) != 1 {
		return "", ""
	}
	stmt := file.Stmts[0]
	if stmt.Negated || stmt.Background || stmt.Coprocess {
		return "", ""
	}
	switch c := stmt.Cmd.(type) {
	case *syntax.TestClause:
		return "[[", ""
	case *syntax.CallExpr:
		if len(c.Args) == 0 {
			return "", ""
		}
		if len(c.Args) > 1 {
			subcommand = c.Args[1].Lit()
		}
		if name := word(c.Args[0]); name != "" {
			return path.Base(name), subcommand
		}
	}
	return "", ""
}

// word is the text of a word without expansions, or "".
func word(w *syntax.Word) string {
	if lit := w.Lit(); lit != "" {
		return lit
	}
	if len(w.Parts) == 1 {
		if q, ok := w.Parts[0].(*syntax.SglQuoted); ok {
			return q.Value
		}
	}
	return ""
}
