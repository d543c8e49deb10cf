package renderers

import (
	"errors"
	"slices"
	"strings"
)

// ErrNotReceipt is returned for text that Write did not make.
var ErrNotReceipt = errors.New("no receipt of this grammar")

// ParseReceipt reads a receipt back into the Document that it was written from. Tool
// text cannot change the result: a line that begins like a reserved form is stuffed. A
// runtime does not need it, because it has the canonical result; it serves tests,
// audits and people. A last line that repeats the outcome must agree with the rest. It
// returns ErrNotReceipt for other text.
func ParseReceipt(text string) (Document, error) { return parse(text, *contractGrammar()) }

// parse reads a receipt of a grammar.
func parse(text string, g grammar) (Document, error) {
	lines, ending := endingOf(strings.Split(text, "\n"))
	p := parser{grammar: g, lines: lines, sections: map[string]int{}}
	p.document.Outcome, p.at = p.lines[0], 1
	bare := !hasPrefix(p.lines[0], p.grammar.outcomes)
	if bare && !p.parseBare() {
		return Document{}, ErrNotReceipt
	}
	if bare {
		p.document.Outcome, p.at = outcomeText, 0
	}
	if strings.Contains(p.lines[0], briefSeparator) {
		if len(p.lines) > 1 || ending != "" {
			return Document{}, ErrNotReceipt
		}
		return parseBrief(p.lines[0])
	}
	for p.at < len(p.lines) && p.header(p.lines[p.at]) {
		p.at++
	}
	for p.at < len(p.lines) {
		if err := p.body(); err != nil {
			return Document{}, err
		}
	}
	if bare != p.document.isBare() || ending != "" && ending != p.document.ending(len(text)-len("\n")-len(ending)) {
		return Document{}, ErrNotReceipt
	}
	return p.document, nil
}

// hasPrefix reports whether a line begins with one of the forms.
func hasPrefix(line string, begins []Form) bool {
	return slices.ContainsFunc(begins, func(f Form) bool { return strings.HasPrefix(line, f.Begin) })
}

// parser reads a receipt line by line: the outcome, the facts and extents, and then
// the texts of the sections.
type parser struct {
	grammar  grammar
	document Document
	lines    []string
	at       int            // index of the next line
	last     *Section       // the section of the last extent, until its text begins
	sections map[string]int // index by label: a forged receipt may have any number of sections
}

// header reads a fact or an extent. It reports false for any other line.
func (p *parser) header(line string) bool {
	label, value, ok := strings.Cut(line, ": ")
	if !ok {
		return false
	}
	if (isLabel(label, p.grammar.facts) || isItem(label)) && len(p.document.Sections) == 0 {
		p.document.Facts = append(p.document.Facts, Fact{label, value})
		return true
	}
	if !isLabel(label, p.grammar.sections) {
		return false
	}
	e, ok := parseExtent(value)
	if ok {
		p.last = p.section(label)
		p.last.Extent = e
	}
	return ok
}

// isLabel reports whether label is one of the forms, alone or of an item.
func isLabel(label string, forms []Form) bool {
	if rest, ok := cutItem(label); ok {
		label = rest
	}
	return slices.ContainsFunc(forms, func(f Form) bool { return f.Begin == label })
}

// cutItem returns what follows the number in "Item 3" or "Item 3 LABEL".
func cutItem(label string) (rest string, ok bool) {
	if rest, ok = strings.CutPrefix(label, labelItem+" "); !ok {
		return "", false
	}
	number, rest, _ := strings.Cut(rest, " ")
	return rest, number != "" && strings.Trim(number, "0123456789") == ""
}

// isItem reports whether label is an item's own.
func isItem(label string) bool {
	rest, ok := cutItem(label)
	return ok && rest == ""
}

// section returns the section of a label. Sections are in the order of their first
// appearance.
func (p *parser) section(label string) *Section {
	at, known := p.sections[label]
	if !known {
		at = len(p.document.Sections)
		p.sections[label] = at
		p.document.Sections = append(p.document.Sections, Section{Label: label})
	}
	return &p.document.Sections[at]
}

// body reads the text of one section: its title, unless its extent was the last line
// of the header or it is the output of a command, and the lines up to the next title.
func (p *parser) body() error {
	s := p.last
	p.last = nil
	if label, ok := p.title(p.lines[p.at]); ok {
		s = p.section(label)
		p.at++
	} else if len(p.document.Sections) == 0 {
		s = p.section(labelCombined)
	}
	if s == nil || len(s.Body) > 0 {
		return ErrNotReceipt
	}
	var text []string
	first := int64(0)
	flush := func() {
		if len(text) > 0 {
			s.Body = append(s.Body, Piece{Text: strings.Join(text, "\n"), First: first})
		}
		text = nil
	}
	for ; p.at < len(p.lines); p.at++ {
		line := p.lines[p.at]
		if _, ok := p.title(line); ok {
			break
		}
		if m, ok := parseMark(line); ok {
			flush()
			s.Body = append(s.Body, Piece{Mark: m})
			continue
		}
		if !isNumbered(s.Label) {
			text = append(text, strings.TrimPrefix(line, stuffing))
			continue
		}
		number, rest, ok := cutNumber(line)
		if !ok {
			return ErrNotReceipt
		}
		if number != first+int64(len(text)) {
			flush()
		}
		if len(text) == 0 {
			first = number
		}
		text = append(text, rest)
	}
	flush()
	if len(s.Body) == 0 {
		return ErrNotReceipt
	}
	return nil
}

// title reads the title of a section: a label and a colon.
func (p *parser) title(line string) (string, bool) {
	label, ok := strings.CutSuffix(line, ":")
	return label, ok && isLabel(label, p.grammar.sections)
}
