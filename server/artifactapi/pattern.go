package artifactapi

import (
	"regexp"
	"regexp/syntax"
)

// maxProgram is how many instructions a pattern may compile to: each takes 40 bytes, and 40 more during the search. "(?:" with 1,000
// dots and "){1000}" would be a million of them.
const maxProgram = 4096

// CompilePattern compiles a pattern of a caller or a model. The error is a *syntax.Error.
func CompilePattern(pattern string) (*regexp.Regexp, error) {
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, err
	}
	if instructions(tree) > maxProgram {
		return nil, &syntax.Error{Code: syntax.ErrLarge, Expr: pattern}
	}
	return regexp.Compile(pattern)
}

// instructions returns about how many instructions a tree compiles to, or more. It has at most MaxPattern nodes, and no repeat of more
// than 1,000, nested ones together, so that the number does not overflow.
func instructions(tree *syntax.Regexp) int {
	n := 2
	switch tree.Op {
	case syntax.OpLiteral:
		n = len(tree.Rune)
	case syntax.OpCharClass:
		n = 1 + len(tree.Rune)/10 // which it has a list of
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		n = 1
	}
	for _, sub := range tree.Sub {
		n += instructions(sub)
	}
	if tree.Op == syntax.OpRepeat {
		n *= max(1, tree.Min, tree.Max)
	}
	return n
}
