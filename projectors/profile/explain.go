package profile

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Choice is the profile of a command line, and the reasons for the choice.
type Choice struct {
	Profile  *Profile // nil for none
	Pattern  string   // the pattern that matched
	Command  string   // the command that matched, as words; "?" stands for an unknown word
	Range    Range    // how the output of a reader is shown
	MaybeLog bool     // what it read may be a log or data, which have no range: its text decides
	Steps    []string // how it was found, one line each
	Covers   bool     // what StatusCovers says of the command line
}

// rangeOf returns the range of a command, and whether it may be of a log.
func (c printing) rangeOf(p *Profile) (show Range, maybeLog bool) {
	names := files(c.words)
	if !p.Read() || slices.ContainsFunc(names, func(name string) bool { return logFile().MatchString(path.Base(name)) }) {
		return Ranked, false
	}
	return cmp.Or(c.slice, slice(c.words), FromStart), !slices.ContainsFunc(names, namesKind)
}

// Explain finds the profile of a command line. If several commands print, all must
// have the same profile. The Steps are shared, and must not be changed.
func (s *Set) Explain(commandLine string) Choice {
	if s != nil {
		if c, known := s.choices.get(commandLine); known {
			return c
		}
	}
	c := s.explain(commandLine)
	c.Covers = StatusCovers(commandLine)
	if s != nil {
		s.choices.put(commandLine, c)
	}
	return c
}

// explain is Explain of a command line that was not explained lately.
func (s *Set) explain(commandLine string) Choice {
	var c Choice
	list, unclear := printingCommands(commandLine)
	switch {
	case unclear != "":
		c.step("%s", unclear)
		return c
	case len(list) == 0:
		c.step("no command prints anything of its own")
		return c
	}
	others := slices.IndexFunc(list, func(p printing) bool { return p.others })
	var beside printing
	if others >= 0 {
		beside = list[others]
		list = slices.DeleteFunc(list, func(p printing) bool { return p.others })
		c.step("%s: other commands print through it", formatCommand(beside.words))
	}
	for i, printed := range list {
		f, command := s.choose(printed.words, &c)
		if f == nil {
			return Choice{Steps: c.Steps}
		}
		if printed.chosen && !f.profile.Read() {
			c.step("%s: its lines were chosen by a pattern, which no rule overrides", formatCommand(command))
			return Choice{Steps: c.Steps}
		}
		if i > 0 && f.profile != c.Profile {
			c.step("several commands print, and their profiles are not the same: %s and %s", c.Profile.name, f.profile.name)
			return Choice{Steps: c.Steps}
		}
		printed.words = command
		kind, maybeLog := printed.rangeOf(f.profile)
		if kind == Ranked && f.profile.Read() {
			c.step("%s: the file is named like a log, and is ranked as one", formatCommand(command))
		}
		if i > 0 && kind != c.Range {
			kind = Ranked
		}
		if others >= 0 && f.profile.Read() {
			c.step("%s reads a file, and not all of what is printed is of it", formatCommand(command))
			return Choice{Steps: c.Steps}
		}
		c.Profile, c.Pattern, c.Command, c.Range, c.MaybeLog = f.profile, f.pattern.text, formatCommand(command), kind, c.MaybeLog || maybeLog
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
