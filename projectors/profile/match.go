package profile

import (
	"cmp"
	"slices"
	"strings"
)

// pattern is a command pattern: a program and leading words of its arguments. "*" in a
// word matches any characters.
type pattern struct {
	text  string
	words []string
}

// match is a pattern that matches a command.
type match struct {
	profile      *Profile
	pattern      pattern
	skippedWords int // words of the command between those of the pattern
}

// matchLoosely reports whether a command matches the pattern, and how many words had
// to be skipped. An option of the pattern may stand anywhere ("git diff main --stat"
// matches "git diff --stat"), and options with at most one value each may stand before
// a subcommand ("git -C dir diff" matches "git diff").
func (p *pattern) matchLoosely(command []string) (skipped int, ok bool) {
	if len(command) == 0 || !wordMatches(p.words[0], command[0]) {
		return 0, false
	}
	at := 1
	for _, want := range p.words[1:] {
		n := distance(want, command[at:])
		if n < 0 {
			return 0, false
		}
		skipped += n
		at += n + 1
	}
	return skipped, true
}

// distance returns the number of words before the wanted one, or -1.
func distance(want string, words []string) int {
	option := false
	for i, word := range words {
		switch {
		case wordMatches(want, word):
			return i
		case strings.HasPrefix(want, "-"):
		case strings.HasPrefix(word, "-"):
			option = !strings.Contains(word, "=")
		case option: // its value
			option = false
		default:
			return -1
		}
	}
	return -1
}

// matchExactly reports whether a command begins with the words of the pattern.
func (p *pattern) matchExactly(command []string) bool {
	return len(command) >= len(p.words) && slices.EqualFunc(p.words, command[:len(p.words)], wordMatches)
}

// wordMatches compares a word with one of a pattern. An unknown word, which the shell
// expands, is "" and matches nothing.
func wordMatches(pattern, word string) bool {
	if word == "" {
		return false
	}
	begin, rest, wild := strings.Cut(pattern, "*")
	if !wild {
		return pattern == word
	}
	word, ok := strings.CutPrefix(word, begin)
	for ok {
		var part string
		part, rest, wild = strings.Cut(rest, "*")
		if !wild {
			return strings.HasSuffix(word, part)
		}
		_, word, ok = strings.Cut(word, part)
	}
	return false
}

// matches returns the patterns that match a command, the best first: with more words,
// fewer stars, fewer skipped words, of a later layer.
func (s *Set) matches(command []string) []match {
	if s == nil || len(command) == 0 {
		return nil
	}
	var list []match
	for _, candidates := range [][]match{s.programs[command[0]], s.wild} {
		for _, f := range candidates {
			if skipped, ok := f.pattern.matchLoosely(command); ok {
				f.skippedWords = skipped
				list = append(list, f)
			}
		}
	}
	slices.SortStableFunc(list, compareMatches)
	return list
}

// index groups the patterns by the program that they begin with, so that a lookup does
// not try those of every other program.
func (s *Set) index() {
	s.programs = map[string][]match{}
	for _, p := range s.profiles {
		for _, m := range p.matches {
			f := match{profile: p, pattern: m}
			if program := m.words[0]; strings.Contains(program, "*") {
				s.wild = append(s.wild, f)
			} else {
				s.programs[program] = append(s.programs[program], f)
			}
		}
	}
}

// matchExit returns the best pattern whose profile knows an exit code, or nil.
func (s *Set) matchExit(command []string, code int32) *match {
	var best *match
	if s == nil {
		return nil
	}
	for _, p := range s.profiles {
		if _, known := p.exits[code]; !known {
			continue
		}
		for _, m := range p.exitMatches {
			f := match{p, m, 0}
			if m.matchExactly(command) && (best == nil || compareMatches(f, *best) < 0) {
				best = &f
			}
		}
	}
	return best
}

// compareMatches orders the better match first.
func compareMatches(a, b match) int {
	return cmp.Or(
		cmp.Compare(len(b.pattern.words), len(a.pattern.words)),
		cmp.Compare(strings.Count(a.pattern.text, "*"), strings.Count(b.pattern.text, "*")),
		cmp.Compare(a.skippedWords, b.skippedWords),
		cmp.Compare(b.profile.rank, a.profile.rank),
		cmp.Compare(a.profile.name, b.profile.name),
	)
}
