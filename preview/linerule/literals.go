package linerule

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// MinLiteral is the length of the shortest literal worth searching for, in
// bytes. At least minInk of them are no spaces: " in " is in most lines.
const (
	MinLiteral = 4
	minInk     = 3
)

// Bounds of the texts that are followed through an expression.
const (
	maxExact = 16 // texts of one part
	maxClass = 4  // characters of a class that is spelled out
	maxHolds = 32 // literals of one pattern
)

// need is what is known of the matches of an expression. With exact, they are
// these texts and no others; else each holds at least one of holds, if holds is
// not nil. With (?i) all texts are lower-case and match in any case.
type need struct{ exact, holds []string }

// required returns what every match of an expression holds, after the analysis
// of RE2's prefilter (re2/prefilter.cc): small sets of exact texts are carried
// through concatenations and alternations for as long as they stay small. The
// expression is simplified, so it has no counted repeats.
func required(re *syntax.Regexp) need {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return need{exact: []string{""}}
	case syntax.OpLiteral:
		return literalNeed(re)
	case syntax.OpCharClass:
		return charClass(re)
	case syntax.OpCapture:
		return required(re.Sub[0])
	case syntax.OpPlus:
		return need{holds: required(re.Sub[0]).literals()}
	case syntax.OpQuest:
		if sub := required(re.Sub[0]); sub.exact != nil {
			return need{exact: union(sub.exact, []string{""})}
		}
	case syntax.OpConcat:
		return concatenation(re.Sub)
	case syntax.OpAlternate:
		return alternation(re.Sub)
	}
	return need{}
}

// literalNeed splits a literal at characters that are not ASCII: the longest part
// counts.
func literalNeed(re *syntax.Regexp) need {
	var parts []string
	begin := 0
	for i, r := range re.Rune {
		if r >= utf8.RuneSelf {
			parts = append(parts, string(re.Rune[begin:i]))
			begin = i + 1
		}
	}
	parts = append(parts, string(re.Rune[begin:]))
	if re.Flags&syntax.FoldCase != 0 {
		for i := range parts {
			parts[i] = string(lower([]byte(parts[i])))
		}
	}
	if len(parts) == 1 {
		return need{exact: parts}
	}
	longest := slices.MaxFunc(parts, func(a, b string) int { return len(a) - len(b) })
	return need{holds: need{exact: []string{longest}}.literals()}
}

// charClass spells out a small class of ASCII characters.
func charClass(re *syntax.Regexp) need {
	var exact []string
	for i := 0; i < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			if len(exact) == maxClass || r >= utf8.RuneSelf {
				return need{}
			}
			exact = append(exact, string(r))
		}
	}
	return need{exact: exact}
}

// literals returns the texts to search for, or nil when some are too short.
func (n need) literals() []string {
	if n.exact == nil {
		return n.holds
	}
	if usable(n.exact) {
		return n.exact
	}
	return nil
}

// usable reports whether all exact texts are long enough to search for.
func usable(texts []string) bool {
	return !slices.ContainsFunc(texts, func(t string) bool {
		return len(t) < MinLiteral || len(t)-strings.Count(t, " ") < minInk
	})
}

// concatenation joins the exact texts of neighbouring parts, and takes the best
// set of literals among the runs of exact parts and the parts between.
func concatenation(parts []*syntax.Regexp) need {
	var best []string
	run := []string{""} // exact texts of the parts since the last that is not exact
	whole := true
	for _, part := range parts {
		n := required(part)
		if n.exact != nil && len(n.exact)*len(run) <= maxExact {
			run = product(run, n.exact)
			continue
		}
		whole = false
		best = better(best, need{exact: run}.literals())
		if n.exact != nil {
			run = n.exact
			continue
		}
		best = better(best, n.holds)
		run = []string{""}
	}
	if whole {
		return need{exact: run}
	}
	return need{holds: better(best, need{exact: run}.literals())}
}

// alternation unites the branches: a match holds a literal only if every branch
// has one.
func alternation(branches []*syntax.Regexp) need {
	exact, holds := []string{}, []string{}
	for _, branch := range branches {
		n := required(branch)
		if n.exact == nil {
			exact = nil
		} else if exact != nil {
			exact = union(exact, n.exact)
		}
		literals := n.literals()
		if literals == nil {
			holds = nil
		} else if holds != nil {
			holds = union(holds, literals)
		}
	}
	if exact != nil && len(exact) <= maxExact {
		return need{exact: exact}
	}
	if len(holds) > maxHolds {
		holds = nil
	}
	return need{holds: holds}
}

// better returns the set with the longer shortest text, or the smaller set. A
// nil set says nothing.
func better(a, b []string) []string {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	if x, y := shortest(a), shortest(b); x < y || x == y && len(b) < len(a) {
		return b
	}
	return a
}

func shortest(texts []string) int {
	n := len(texts[0])
	for _, t := range texts {
		n = min(n, len(t))
	}
	return n
}

func product(a, b []string) []string {
	var list []string
	for _, x := range a {
		for _, y := range b {
			list = append(list, x+y)
		}
	}
	return list
}

func union(a, b []string) []string {
	list := slices.Clone(a)
	for _, t := range b {
		if !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	return list
}

// prefix returns texts with one of which every match begins, of an expression
// without (?i) that is bound to the beginning of the line. It reports all if
// nothing else is asked of a line.
func prefix(tree *syntax.Regexp) (texts []string, all bool) {
	if tree.Op != syntax.OpConcat || tree.Sub[0].Op != syntax.OpBeginText {
		return nil, false
	}
	texts = []string{""}
	for _, part := range tree.Sub[1:] {
		n := required(part)
		if n.exact == nil || len(n.exact)*len(texts) > maxExact || !bare(part) {
			return texts, false
		}
		texts = product(texts, n.exact)
	}
	return texts, true
}

// bare reports whether an expression asks for nothing but its texts, and not
// for the end of a word or a line.
func bare(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpEndLine, syntax.OpEndText, syntax.OpBeginLine, syntax.OpBeginText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return false
	}
	return !slices.ContainsFunc(re.Sub, func(s *syntax.Regexp) bool { return !bare(s) })
}

// folds reports whether any part of an expression ignores case.
func folds(re *syntax.Regexp) bool {
	return re.Flags&syntax.FoldCase != 0 || slices.ContainsFunc(re.Sub, folds)
}
