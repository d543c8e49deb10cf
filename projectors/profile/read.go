package profile

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// This file knows the programs that print what they read, or a part of it.

// Range says which part of an output is shown that was asked for as it is, and that
// does not fit.
type Range uint8

// The ranges.
const (
	Ranked    Range = iota // what matters most: the output is none of a reader, or of a log
	FromStart              // the first lines, without a gap
	FromEnd                // the last lines, without a gap
)

// filter is a program that prints what it reads, or a part of it, as it is.
type filter struct {
	valueOptions []string // options with a value in the next word
	scripted     []string // options that give the script; without them it is the first operand; nil: it has none
	otherwise    string   // letters of options with which it prints something else
	matches      bool     // it prints the lines that match a pattern
}

// filters are the programs that pass on what they read. Those that sort, count or
// rearrange are not here.
var filters = map[string]filter{
	"cat": {}, "tac": {}, "zcat": {}, "nl": {}, "more": {}, "less": {}, "bat": {}, "batcat": {}, "tee": {}, "sponge": {}, "pv": {},
	"head": {valueOptions: []string{"-n", "-c", "--lines", "--bytes"}},
	"tail": {valueOptions: []string{"-n", "-c", "-s", "--lines", "--bytes", "--pid"}},
	"sed":  {valueOptions: []string{"-e", "-f", "-l"}, scripted: []string{"-e", "-f"}, otherwise: "i"},
	"grep": grepFilter, "egrep": grepFilter, "fgrep": grepFilter, "rg": grepFilter,
}

// grepFilter is grep where it prints lines as they are: without names, numbers, counts.
var grepFilter = filter{
	valueOptions: []string{"-A", "-B", "-C", "-e", "-f", "-g", "-m", "-t"}, scripted: []string{"-e", "-f"}, otherwise: "bcHLlnoqRrZ", matches: true,
}

// passesOn reports whether the end of a pipeline prints its input, or a part of it, as
// it is.
func passesOn(command []string) bool {
	if len(command) == 0 {
		return false
	}
	return isFilter(command) && (command[0] == "tee" || len(files(command)) == 0)
}

// isFilter reports whether a command prints what it reads, or a part of it, as it is.
func isFilter(command []string) bool {
	f, ok := filters[command[0]]
	return ok && !slices.ContainsFunc(command[1:], f.changes)
}

// changes reports whether a word is an option with which the filter prints something
// else.
func (f filter) changes(word string) bool {
	switch {
	case f.otherwise == "" || len(word) < 2 || word[0] != '-':
		return false
	case word[1] == '-': // such as --count: a long option has no letter
		return !slices.ContainsFunc([]string{"--color", "--invert", "--ignore", "--line-b", "--quiet", "--silent", "--reg", "--extended"},
			func(known string) bool { return strings.HasPrefix(word, known) })
	}
	return strings.ContainsAny(strings.TrimRight(word[1:], "0123456789"), f.otherwise)
}

// files returns the words of a command that reads which name files. An unknown word is
// "".
func files(command []string) []string {
	f := filters[command[0]]
	var list []string
	value, scripted := false, len(f.scripted) == 0
	for _, word := range command[1:] {
		switch {
		case value:
			value = false
		case len(word) > 1 && (word[0] == '-' || word[0] == '+'):
			value = slices.Contains(f.valueOptions, word)
			scripted = scripted || slices.ContainsFunc(f.scripted, func(o string) bool { return strings.HasPrefix(word, o) })
		case word != "-":
			list = append(list, word)
		}
	}
	if !scripted && len(list) > 0 {
		list = list[1:]
	}
	return list
}

// chooses reports whether a filter passes on the lines that match a pattern: grep
// without -v, and "sed -n /x/p".
func chooses(command []string) bool {
	has := func(letter string) bool {
		return slices.ContainsFunc(command, func(word string) bool {
			return len(word) > 1 && word[0] == '-' && word[1] != '-' && strings.Contains(word, letter)
		})
	}
	if command[0] == "sed" {
		return has("n") && slices.ContainsFunc(command, func(word string) bool { return strings.Contains(word, "/") })
	}
	return filters[command[0]].matches && !has("v") && !slices.ContainsFunc(command, func(word string) bool { return strings.HasPrefix(word, "--invert") })
}

// startLine matches an option of tail that names its first line.
var startLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(-n|-c|--lines=|--bytes=)?\+[0-9]`)
})

// slice returns which end of what it reads a command shows; Ranked if it does not
// choose one.
func slice(command []string) Range {
	switch {
	case len(command) == 0:
		return Ranked
	case slices.Contains(command, "+G"), command[0] == "tail" && !slices.ContainsFunc(command, startLine().MatchString):
		return FromEnd
	case command[0] == "tail", command[0] == "head":
		return FromStart
	}
	return Ranked
}

// logFile matches the names of files that programs write while they run.
var logFile = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(\.(log|out|err|trace)(\.[0-9]+)?(\.gz)?|(^|[-_.])(log|logs|output|stdout|stderr)(\.(txt|[0-9]+))?|^(syslog|messages)(\.[0-9]+)?(\.gz)?)$`)
})

// kind matches the end of a name that states the kind of a file.
var kind = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[^.]\.[A-Za-z][A-Za-z0-9_+-]*$`)
})

// anyText lists the extensions of files of any kind, and of data that programs write.
var anyText = []string{
	".txt", ".text", ".tmp", ".temp", ".gz", ".bz2", ".xz", ".zst", ".dat", ".data", ".lst", ".list", ".dump", ".csv", ".tsv", ".tab",
	".json", ".jsonl", ".ndjson", ".geojson", ".har", ".sarif", ".xml", ".tap", ".trx", ".diff", ".patch",
}

// namesKind reports whether the name of a file says that it is no log and no data.
func namesKind(name string) bool {
	return kind().MatchString(path.Base(name)) && !slices.Contains(anyText, strings.ToLower(path.Ext(name)))
}
