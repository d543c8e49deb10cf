package profile

import (
	"fmt"
	"strings"
)

// maxCommands bounds the commands of a line whose profiles are looked for.
const maxCommands = 16

// Choice is the profile of a command line, and why it is this one.
type Choice struct {
	Profile *Profile // nil when there is none
	Pattern string   // that matched
	Command string   // that it matched, as words; a word that is not known is "?"
	Steps   []string // how it was found, a line each
}

// Explain finds the profile of a command line. When several commands print, all
// of them must have the same one.
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
		c.Profile, c.Pattern, c.Command = f.profile, f.pattern.text, formatCommand(command)
	}
	return c
}

// choose finds the profile of one command: that of the innermost program that
// has one.
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

func skippedNote(words int) string {
	if words == 0 {
		return ""
	}
	return fmt.Sprintf(", %d words between its own passed over", words)
}

func (c *Choice) step(format string, a ...any) { c.Steps = append(c.Steps, fmt.Sprintf(format, a...)) }

// formatCommand is a command for people.
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
