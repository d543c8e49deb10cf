package shape

import (
	"bytes"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/preview/textscan"
)

// Lines of source that define a name, in the languages in common use: a keyword
// and the name right after it. Of the matches of a search they come first.

// longestKeyword bounds the words before a name, in bytes.
const longestKeyword = 16

// isDefining reports whether a word says that a name is defined after it.
func isDefining(word []byte) bool {
	switch string(word) {
	case "func", "function", "fn", "fun", "def", "defp", "defmodule", "defmacro", "sub", "proc", "macro", "macro_rules!",
		"class", "type", "struct", "enum", "union", "interface", "trait", "impl", "record", "object", "protocol", "extension",
		"typedef", "#define", "%define", "module", "mod", "namespace", "const", "var", "let", "val", "message", "service", "rpc":
		return true
	}
	return false
}

// isModifier reports whether a word may stand before one that defines.
func isModifier(word []byte) bool {
	switch string(word) {
	case "export", "default", "declare", "pub", "pub(crate)", "pub(super)", "public", "private", "protected", "internal", "static", "abstract", "final",
		"sealed", "open", "async", "unsafe", "extern", "inline", "virtual", "override", "data", "case", "partial", "readonly", "constexpr", "local", "suspend":
		return true
	}
	return false
}

// DefinedName returns the name that a line of source defines; nil for other lines.
func DefinedName(text []byte) []byte {
	text = blankSet.TrimLeft(text)
	defining := false
	for {
		end := bytes.IndexByte(text[:min(len(text), longestKeyword)], ' ')
		if end < 0 {
			break
		}
		word := text[:end]
		switch {
		case isDefining(word):
			defining = true
		case defining || !isModifier(word): // const open
			end = -1
		}
		if end < 0 {
			break
		}
		text = bytes.TrimLeft(text[end:], " ")
	}
	if !defining {
		return assignedName(text)
	}
	if len(text) > 0 && text[0] == '(' { // the receiver of a method in Go
		end := bytes.IndexByte(text, ')')
		if end < 0 {
			return nil
		}
		text = bytes.TrimLeft(text[end+1:], " ")
	}
	if bytes.HasPrefix(text, []byte("self.")) { // of Ruby
		text = text[len("self."):]
	}
	end := 0
	for end < len(text) && (textscan.BeginsWord(text[end]) || text[end] == '_' || text[end] == '$') {
		end++
	}
	return text[:end:end]
}

// assignedName returns the name of a constant or a variable that a line of source
// begins with, before what is assigned to it; nil if it has none. Only names with a capital
// are declared so: in the groups of Go, by enumerations, in Python, Ruby and make.
func assignedName(text []byte) []byte {
	end := 0
	for end < len(text) && (textscan.BeginsWord(text[end]) || text[end] == '_') {
		end++
	}
	rest := blankSet.TrimLeft(text[end:])
	if end == 0 || text[0] < 'A' || text[0] > 'Z' || len(rest) < 2 || rest[0] != '=' || rest[1] == '=' || rest[1] == '>' || rest[1] == '~' {
		return nil
	}
	return text[:end:end]
}

// Bounds of the search for what was searched for.
const (
	mostSearched  = 24  // names that are tried
	mostSampled   = 512 // matches in which they are counted
	leastSearched = 3   // bytes of a name
)

// searchedNames returns the names that matches define and that most of the matches
// have: one of them is what was searched for.
func searchedNames(lines []found) map[string]bool {
	counts, sampled := map[string]int{}, 0
	for i := range lines {
		if l := &lines[i]; l.is == foundMatch {
			if name := DefinedName(l.text); len(name) >= leastSearched && len(counts) < mostSearched {
				counts[string(name)] = 0
			}
		}
	}
	if len(counts) == 0 {
		return nil
	}
	step := 1 + len(lines)/mostSampled
	for i := 0; i < len(lines); i += step {
		if lines[i].is != foundMatch {
			continue
		}
		sampled++
		for name := range counts {
			if bytes.Contains(lines[i].text, []byte(name)) {
				counts[name]++
			}
		}
	}
	searched := map[string]bool{}
	for name, n := range counts {
		if n*2 > sampled {
			searched[name] = true
		}
	}
	return searched
}

// matchClass says how near a match is to what was searched for.
type matchClass uint8

const (
	classSearched matchClass = iota // defines it
	classRelated                    // defines a name that has it in it
	classOther
	classOfTests // another one, in a file of tests
)

// scoreRelated is the score of a definition of a name that has what was searched for in
// it.
const scoreRelated = 80

// mostRelated is how many such definitions there are at most where they come before other
// matches. Of more, the first below each folder does.
const mostRelated = 16

// inClasses says of each match how near it is to what was searched for, and returns the
// indices of all matches, the nearest first.
func inClasses(lines []found) (matches []int) {
	searched := searchedNames(lines)
	var byClass [classOfTests + 1][]int
	for i := range lines {
		if l := &lines[i]; l.is == foundMatch {
			l.class = l.classOf(searched)
			byClass[l.class] = append(byClass[l.class], i)
		}
	}
	if related := byClass[classRelated]; len(related) > mostRelated {
		for _, i := range related {
			lines[i].class = classOther
		}
	}
	return slices.Concat(byClass[:]...)
}

// classOf returns the class of a match. What tests define is named for what they test, and
// a folder is shown by a match outside of them.
func (l *found) classOf(searched map[string]bool) matchClass {
	name := ""
	if len(searched) > 0 {
		name = string(DefinedName(l.text))
	}
	switch {
	case searched[name]:
		return classSearched
	case isOfTests(l.in):
		return classOfTests
	}
	for s := range searched {
		if strings.Contains(name, s) {
			return classRelated
		}
	}
	return classOther
}

// isOfTests reports whether a path is that of tests, by a name that any language has for
// them: parse_test.go, test_parse.py, parse.spec.ts, ParseTest.java, tests/parse.rs.
func isOfTests(path string) bool {
	path = strings.ToLower(path)
	return strings.Contains(path, "test") || strings.Contains(path, "spec.") || strings.Contains(path, "_spec")
}
