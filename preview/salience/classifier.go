package salience

import (
	"slices"
	"strings"
	"sync"

	"github.com/toolresult/toolresult/preview/literal"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Classifier applies the rules. It is immutable and safe for concurrent use.
type Classifier struct {
	set   *literal.Set
	rules [][]Rule // by literal
}

// New returns a Classifier of the built-in rules. It takes about two
// milliseconds; Builtin returns one that is shared.
func New() *Classifier {
	var literals []string
	c := &Classifier{}
	for _, r := range Rules() {
		text := strings.ToLower(r.Literal)
		i := slices.Index(literals, text)
		if i < 0 {
			i = len(literals)
			literals, c.rules = append(literals, text), append(c.rules, nil)
		}
		r.cased = text != r.Literal
		c.rules[i] = append(c.rules[i], r)
	}
	own := slices.Clone(c.rules)
	for i, text := range literals { // where a literal is, so are those that it begins with
		for j, other := range literals {
			if i != j && strings.HasPrefix(text, other) {
				c.rules[i] = slices.Concat(c.rules[i], own[j])
			}
		}
	}
	set, err := literal.New(literals)
	if err != nil {
		panic(err) // the table is ours, and a test looks at it
	}
	c.set = set
	return c
}

// builtin is made once, when it is first needed: New takes as long as reading a megabyte.
var builtin = sync.OnceValue(New)

// Builtin returns the Classifier of the built-in rules that all callers share.
func Builtin() *Classifier { return builtin() }

// Next returns where the first literal of a rule begins in text at or after
// from, or -1. Classify returns no mark for a line whose bare form
// (textscan.Bare) is without one.
func (c *Classifier) Next(text []byte, from int) int {
	at, _ := c.set.Next(text, from)
	return at
}

// Classify returns the mark of a line without its line end; the zero Mark when
// no rule holds. Of all rules that hold the one with the highest score counts.
// Escape sequences and invisible characters are passed over, wherever they are.
func (c *Classifier) Classify(text []byte) Mark { return c.ClassifyBare(textscan.Bare(text)) }

// ClassifyBare is Classify for the bare form of a line (textscan.Bare).
func (c *Classifier) ClassifyBare(text []byte) Mark {
	at, which := c.set.Next(text, 0)
	if at < 0 {
		return Mark{}
	}
	return c.mark(&bare{text: text, time: TimeLength(text)}, at, which)
}

// Look returns what a line is by itself, and its mark, for the bare form of the line (textscan.Bare). It is See, Indentation,
// TimeLength and ClassifyBare in one.
func (c *Classifier) Look(text []byte) (Seen, Mark) {
	b := &bare{text: text, time: TimeLength(text)}
	s := Seen{Time: b.time, Indent: b.indent()}
	s.Hollow, s.Library = b.see()
	at, which := c.set.Next(text, 0)
	if at < 0 {
		return s, Mark{}
	}
	return s, c.mark(b, at, which)
}

// mark returns the mark of a line in which a literal was found.
func (c *Classifier) mark(b *bare, at, which int) Mark {
	if b.isLibrary() || b.isNoise() || isQuotedCode(b.rest()) {
		return Mark{}
	}
	l := line{text: b.text, body: b.start()}
	best := (*Rule)(nil)
	for at >= 0 {
		for i := range c.rules[which] {
			if r := &c.rules[which][i]; (best == nil || r.Score > best.Score) && r.holds(l, at) {
				best = r
			}
		}
		at, which = c.set.Next(l.text, at+1)
	}
	if best == nil {
		return Mark{}
	}
	return best.mark(l)
}

// Adjustments of a score by what else the line has.
const (
	placeMore = 10 // more for a line with a place in a file
	levelLess = 20 // less for a line that its logger calls no error
)

// mark returns the Mark of a line that the rule holds for. A message that its
// logger calls no error loses score; one with a place in a file wins some.
func (r *Rule) mark(l line) Mark {
	m := Mark{r.Reason, r.Score, r.Before, r.After, r.List}
	if m.Reason < Warning && m.Score < Named+6 && l.belowError() {
		m.Score -= min(m.Score, levelLess)
	}
	if m.Score < Named && m.Reason != Warning && l.hasPlace() {
		m.Score = min(m.Score+placeMore, highest)
		if m.Reason == Error {
			m.Reason = Diagnostic
		}
	}
	return m
}

// holds reports whether the rule holds for a line that has its literal at an
// offset: its case, its place in the line, the byte behind it, and its
// conditions.
func (r *Rule) holds(l line, at int) bool {
	end := at + len(r.Literal)
	if r.cased && string(l.text[at:end]) != r.Literal {
		return false
	}
	switch r.Place {
	case First:
		if at != l.body {
			return false
		}
	case Word:
		if at > 0 && joins(l.text[at-1]) || isAlphanumeric(r.Literal[len(r.Literal)-1]) && l.goesOn(end) {
			return false
		}
	}
	if r.Next != "" && end < len(l.text) && strings.IndexByte(r.Next, l.text[end]) < 0 {
		return false
	}
	return (r.only == nil || r.only.holds(l, at, end)) && (r.unless == nil || !r.unless.holds(l, at, end))
}
