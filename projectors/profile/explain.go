package profile

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
)

// maxCommands bounds the commands of one line whose profiles are looked up.
const maxCommands = 16

// Choice is the profile of a command line, and the reasons for the choice.
type Choice struct {
	Profile *Profile // nil for none
	Pattern string   // the pattern that matched
	Command string   // the command that matched, as words; "?" stands for an unknown word
	Range   Range    // how the output of a reader is shown
	Steps   []string // how it was found, one line each
}

// Range says which part of an output is shown that was asked for as it is, and that
// does not fit.
type Range uint8

// The ranges.
const (
	Ranked    Range = iota // what matters most: the output is none of a reader, or of a log
	FromStart              // the first lines, without a gap
	FromEnd                // the last lines, without a gap
)

// logFile matches the names of files that programs write while they run.
var logFile = regexp.MustCompile(`(?i)(\.(log|out|err|trace)(\.[0-9]+)?(\.gz)?|(^|[-_.])(log|logs|output|stdout|stderr)(\.(txt|[0-9]+))?)$`)

// rangeOf returns the range of a command that reads.
func rangeOf(p *Profile, command []string) Range {
	if !p.Read() {
		return Ranked
	}
	if slices.ContainsFunc(operands(command), func(name string) bool { return logFile.MatchString(path.Base(name)) }) {
		return Ranked
	}
	if command[0] == "tail" {
		return FromEnd
	}
	return FromStart
}

// Explain finds the profile of a command line. If several commands print, all must
// have the same profile.
func (s *Set) Explain(commandLine string) Choice {
	var c Choice
	list, clear := printingCommands(commandLine)
	switch {
	case !clear:
		c.step("it cannot be said which commands print: the line has a loop, a condition, a background job, an expansion in place of a command, or an error")
		return c
	case len(list) > maxCommands:
		c.step("more than %d commands print", maxCommands)
		return c
	case len(list) == 0:
		c.step("no command prints anything of its own")
		return c
	}
	for i, command := range list {
		f, command := s.choose(command, &c)
		if f == nil {
			return Choice{Steps: c.Steps}
		}
		if i > 0 && f.profile != c.Profile {
			c.step("several commands print, and their profiles are not the same: %s and %s", c.Profile.name, f.profile.name)
			return Choice{Steps: c.Steps}
		}
		kind := rangeOf(f.profile, command)
		if kind == Ranked && f.profile.Read() {
			c.step("%s: the file is named like a log, and is ranked as one", formatCommand(command))
		}
		if i > 0 && kind != c.Range {
			kind = Ranked
		}
		c.Profile, c.Pattern, c.Command, c.Range = f.profile, f.pattern.text, formatCommand(command), kind
	}
	return c
}

// choose finds the profile of one command: that of the innermost program that has one.
func (s *Set) choose(command []string, c *Choice) (*match, []string) {
	for _, candidate := range unwrap(command) {
		list := s.matches(candidate)
		if len(list) == 0 {
			c.step("%s: no pattern matches", formatCommand(candidate))
			continue
		}
		best := list[0]
		c.step("%s: the pattern %q of %s matches%s", formatCommand(candidate), best.pattern.text, best.profile.name, skippedNote(best.skippedWords))
		for _, other := range list[1:] {
			c.step("passed over: the pattern %q of %s is less exact", other.pattern.text, other.profile.name)
		}
		return &best, candidate
	}
	return nil, nil
}

// skippedNote states how many words a match skipped; "" for none.
func skippedNote(words int) string {
	if words == 0 {
		return ""
	}
	return fmt.Sprintf(", %d words between its own passed over", words)
}

// step adds a reason.
func (c *Choice) step(format string, a ...any) { c.Steps = append(c.Steps, fmt.Sprintf(format, a...)) }

// formatCommand returns the first words of a command, for people.
func formatCommand(command []string) string {
	var words []string
	for _, w := range command {
		if w == "" {
			w = "?"
		}
		words = append(words, w)
	}
	const enough = 8
	if len(words) > enough {
		words = append(words[:enough], "...")
	}
	return strings.Join(words, " ")
}
