package preview

import (
	"cmp"
	"slices"

	"github.com/toolresult/toolresult/preview/focus"
	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/preview/pages"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/tokens"
)

// Previews of pages show the readable form of package pages: what the reader looks for,
// the outline of the page with a sentence of each part, then the parts in turn, and short
// lines, links and what is beside the main text last.

// PageText is a page, or the accessibility tree of one, in its readable form.
type PageText struct {
	form    *pages.Form
	excerpt *Excerpt
	counter string // the name of that of the costs
	costs   []int  // of lines, in tokens, plus one; 0: not known
}

// ParsePage reads a page as Markdown. The title, which may be empty, is that of a page
// that states it elsewhere; byHand is set for a text that is no page as HTML. It returns nil
// for a text without lines.
func ParsePage(markdown []byte, title string, byHand bool) *PageText {
	return pageText(pages.ReadMarkdown(markdown, title, byHand))
}

// ParseDump reads a page that a text browser printed. It returns nil for any other text.
func ParseDump(text []byte) *PageText {
	if !pages.IsDump(text) {
		return nil
	}
	return pageText(pages.ReadDump(text))
}

// ParseSnapshot reads the accessibility tree of a page. It returns nil for any other text.
func ParseSnapshot(text []byte) *PageText { return pageText(pages.ReadSnapshot(text)) }

// pageText returns the text of a form; nil if its lines are others when they are read.
func pageText(form *pages.Form) *PageText {
	if form == nil || form.Len() == 0 {
		return nil
	}
	e := excerptOfForm(form.Text(), form.Len())
	if e == nil {
		return nil
	}
	e.seen = seenShape{known: true, shape: shape.Prose}
	return &PageText{form: form, excerpt: e}
}

// Text returns the readable form. It ends with a line end.
func (p *PageText) Text() []byte { return p.form.Text() }

// Bytes returns the size of the readable form.
func (p *PageText) Bytes() int64 { return int64(len(p.form.Text())) }

// Select makes a preview that costs about b at most. Of the hints only the focus has a
// meaning here.
func (p *PageText) Select(b Budget, c tokens.Counter, hints Hints) *Preview {
	e := p.excerpt
	if p.counter != c.Name() {
		p.counter, p.costs = c.Name(), make([]int, e.lines)
	}
	e.ranking = p.ranking(b.Tokens, c, hints.Focus)
	v := e.Select(b, c, Hints{})
	v.Shape = shape.Prose
	return v
}

// Shares of a budget, in percent.
const (
	shareOfDialog   = 40 // lines of a dialog
	shareOfControls = 25 // fields, buttons and links of a tree that are in no row
	shareOfFields   = 15 // fields in rows, and those that can only be checked
	shareOfOdd      = 35 // rows of a tree that are unlike others
	shareOfFocus    = 60 // lines that have what the reader looks for
	shareOfOutline  = 30 // headings with a sentence each
	shareOfStart    = 35 // the start of the main part
	shareOfEnd      = 10 // its end
)

// Scores of the lines of a page, which say in the ledger why they are shown.
const (
	scorePageFocus   = 92
	scorePageOutline = 80
	scorePageText    = 60
	scorePageLast    = 30
)

// pageChoice is one choice of lines.
type pageChoice struct {
	*PageText
	counter tokens.Counter
	list    []shape.Ranked
	order   []int
	chosen  []bool

	repeated []bool // lines that the form has many times
}

// ranking returns the lines in the order in which a budget pays for them.
func (p *PageText) ranking(budget int, c tokens.Counter, looksFor string) *ranking {
	s := pageChoice{PageText: p, counter: c, list: make([]shape.Ranked, 0, p.excerpt.available())}
	for n, l := range p.excerpt.each() {
		s.list = append(s.list, shape.Ranked{Line: l, Number: n})
	}
	s.chosen = make([]bool, len(s.list))
	s.repeats()
	s.first(budget * shareOfDialog / 100)
	if terms := focus.Parse(looksFor); terms != nil {
		s.focused(terms, budget*shareOfFocus/100)
	}
	if s.form.IsTree() {
		s.odd(budget * shareOfOdd / 100)
		s.controls(budget * shareOfControls / 100)
	}
	s.outline(budget * shareOfOutline / 100)
	if s.form.IsTree() {
		s.fields(budget * shareOfFields / 100)
	}
	s.start(budget * shareOfStart / 100)
	s.end(budget * shareOfEnd / 100)
	s.parts()
	return &ranking{list: s.list, order: s.order}
}

// first chooses the title of a page, and of a tree what is said of the page and its alerts.
func (s *pageChoice) first(share int) {
	if !s.form.IsTree() {
		if s.form.Line(0).Kind == pages.Heading {
			s.take(0, scorePageOutline, shape.KeepStructure)
		}
		return
	}
	for i := range min(len(s.list), mostFirst) {
		if l := s.form.Line(i); l.Kind != pages.Fact || l.Section > 0 {
			break
		}
		s.take(i, scorePageOutline, shape.KeepStructure)
	}
	for i := range s.list {
		if s.form.Line(i).Kind == pages.Alert {
			s.take(i, scorePageFocus, shape.KeepError)
		}
	}
	for i := 0; i < len(s.list) && share > 0; i++ {
		if s.form.Line(i).Dialog {
			share -= s.take(i, scorePageOutline, shape.KeepStructure)
		}
	}
}

// repeats finds the lines that the form has many times.
func (s *pageChoice) repeats() {
	times := make(map[string]int, len(s.list))
	for i := range s.list {
		times[asString(s.list[i].Line.Text)]++
	}
	s.repeated = make([]bool, len(s.list))
	for i := range s.list {
		s.repeated[i] = times[asString(s.list[i].Line.Text)] >= leastRepeated
	}
}

// leastRepeated is how often a line is in a page that says nothing of it.
const leastRepeated = 4

// odd chooses the rows of a tree that are unlike others, the most unlike first.
func (s *pageChoice) odd(share int) {
	var rows []int
	for i := range s.list {
		if l := s.form.Line(i); l.Odd > 0 && !l.Beside {
			rows = append(rows, i)
		}
	}
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(s.form.Line(b).Odd, s.form.Line(a).Odd) })
	for _, i := range rows {
		if share <= 0 {
			return
		}
		share -= s.take(i, scorePageOutline, shape.KeepContext)
	}
}

// controls chooses fields and buttons that are in no row, those of the main part first, with
// its links: from its start and from its end, where the buttons are that send a form or show
// more.
func (s *pageChoice) controls(share int) {
	for _, beside := range [...]bool{false, true} {
		var found []int
		for i := range s.list {
			l := s.form.Line(i)
			if l.Beside == beside && l.Row == 0 && !l.Choice && !s.repeated[i] &&
				(l.Kind == pages.Field || l.Kind == pages.Control || l.Kind == pages.Links && !beside) {
				found = append(found, i)
			}
		}
		for k := range found {
			if share <= 0 {
				return
			}
			at := k / 2
			if k%2 == 1 {
				at = len(found) - 1 - k/2
			}
			share -= s.take(found[at], scorePageOutline, shape.KeepStructure)
		}
	}
}

// fields chooses fields in rows, and those that can only be checked.
func (s *pageChoice) fields(share int) {
	for i := 0; i < len(s.list) && share > 0; i++ {
		if l := s.form.Line(i); !l.Beside && !s.repeated[i] && (l.Kind == pages.Field || l.Choice) {
			share -= s.take(i, scorePageOutline, shape.KeepStructure)
		}
	}
}

// mostFirst bounds the lines before a tree that are shown for their place.
const mostFirst = 8

// take chooses a line, and returns its cost.
func (s *pageChoice) take(i, score int, reason shape.Reason) int {
	if s.chosen[i] {
		return 0
	}
	s.chosen[i] = true
	s.list[i].SetRank(score, 0, reason)
	s.order = append(s.order, i)
	return s.cost(i)
}

// cost returns the tokens of a line with its end.
func (s *pageChoice) cost(i int) int {
	if s.costs[i] == 0 {
		s.costs[i] = 2 + s.counter.Count(asString(s.list[i].Line.Text))
	}
	return s.costs[i] - 1
}

// focused chooses the lines that have most of what the reader looks for, with the
// headings above them.
func (s *pageChoice) focused(terms *focus.Terms, share int) {
	scores := terms.Scores(focus.Page, len(s.list), func(i int) []byte { return s.list[i].Line.Text })
	var found []int
	for i := range s.list {
		if scores[i] > 0 && !s.repeated[i] {
			found = append(found, i)
		}
	}
	slices.SortStableFunc(found, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	headings := s.headings()
	for _, i := range found {
		if share <= 0 {
			return
		}
		if h := headings[i]; h >= 0 && !s.repeated[h] {
			share -= s.take(h, scorePageFocus, shape.KeepStructure)
		}
		share -= s.take(i, scorePageFocus, shape.KeepContext)
	}
}

// headings returns the heading above each line; -1 for none.
func (s *pageChoice) headings() []int {
	above, last := make([]int, len(s.list)), -1
	for i := range s.list {
		switch s.form.Line(i).Kind {
		case pages.Heading:
			last = i
		case pages.Divider:
			last = -1
		}
		above[i] = last
	}
	return above
}

// outline chooses headings, the upper levels first, each with its first sentence.
func (s *pageChoice) outline(share int) {
	for level := range uint8(maxLevel) {
		for i := range s.list {
			l := s.form.Line(i)
			if l.Beside {
				break
			}
			if l.Kind != pages.Heading || l.Level != level+1 || s.repeated[i] {
				continue
			}
			if share <= 0 {
				return
			}
			share -= s.take(i, scorePageOutline, shape.KeepStructure)
			for k := i + 1; k < len(s.list) && s.form.Line(k).Section == l.Section; k++ {
				if kind := s.form.Line(k).Kind; kind == pages.Sentence || kind == pages.Fact {
					share -= s.take(k, scorePageOutline, shape.KeepContext)
					break
				}
			}
		}
	}
}

// start chooses the start of the main part without a gap but for short lines and links.
func (s *pageChoice) start(share int) {
	for i := 0; i < len(s.list) && share > 0; i++ {
		switch {
		case s.form.Line(i).Beside:
			return
		case s.turnOf(i) == 0:
			share -= s.take(i, scorePageText, shape.KeepHead)
		}
	}
}

// end chooses the end of the main part, as start does its start.
func (s *pageChoice) end(share int) {
	for i := len(s.list) - 1; i >= 0 && share > 0; i-- {
		if !s.form.Line(i).Beside && s.turnOf(i) == 0 {
			share -= s.take(i, scorePageText, shape.KeepTail)
		}
	}
}

// maxLevel is the lowest level of headings.
const maxLevel = 6

// Turns of the lines of a page that come after the text of its main part, in bytes that a
// part has had before.
const (
	turnItems  = 1 << 24
	turnLinks  = 2 << 24
	turnBeside = 4 << 24
)

// pageFavour is how many times as many bytes the start of a page has as each of its parts.
const pageFavour = 3

// parts chooses the other lines: the parts of the page in turn, by the bytes that each
// has had before, and more of the start than of each of them.
func (s *pageChoice) parts() {
	turns := make([]int, len(s.list))
	start, part, section := 0, 0, int32(-1)
	for i := range s.list {
		l := s.form.Line(i)
		if l.Section != section {
			section, part = l.Section, 0
		}
		size := len(s.list[i].Line.Text)
		start += size / pageFavour
		part += size
		turns[i] = min(part, start) + s.turnOf(i)
	}
	rest := make([]int, 0, len(s.list))
	for i := range s.list {
		if !s.chosen[i] {
			rest = append(rest, i)
		}
	}
	slices.SortStableFunc(rest, func(a, b int) int { return cmp.Compare(turns[a], turns[b]) })
	for _, i := range rest {
		score := scorePageText
		if turns[i] >= turnItems {
			score = scorePageLast
		}
		s.take(i, score, shape.KeepContext)
	}
}

// turnOf returns how much later a line comes for its kind.
func (s *pageChoice) turnOf(i int) (turn int) {
	l := s.form.Line(i)
	switch {
	case l.Kind == pages.Item || s.repeated[i]:
		turn = turnItems
	case l.Kind == pages.Links:
		if turn = turnLinks; s.form.IsTree() && !l.Beside {
			turn = 0 // where one can go is what a tree is read for
		}
	}
	if l.Beside {
		turn += turnBeside
	}
	return turn
}

// ReadPage reads a payload, which has this content, as a page: an accessibility tree,
// Markdown, or what a text browser printed. It returns nil for anything else, such as a
// log, data, and code.
func (e *Excerpt) ReadPage(content []byte, f Hints) *PageText {
	if tree := ParseSnapshot(content); tree != nil {
		return tree
	}
	isMarkdown := pages.IsMarkdown(content)
	if f.Range || !isMarkdown && !pages.IsDump(content) {
		return nil
	}
	if s := e.Shape(f); s != shape.None && s != shape.Prose && s != shape.Listing || s == shape.None && e.IsLog(f) {
		return nil
	}
	if e.isKnown(f) {
		return nil
	}
	if isMarkdown && e.Shape(f) != shape.Listing {
		return ParsePage(content, "", true)
	}
	return ParseDump(content)
}

// leastKnown is how many lines of a text the rules of a program keep, at least, if the text is of that
// program.
const leastKnown = 2

// isKnown reports whether the rules of a program know the text, which then is no page.
func (e *Excerpt) isKnown(f Hints) bool {
	rules := e.rulesFor(f)
	if rules == nil {
		return false
	}
	n := 0
	for _, v := range e.askRules(rules).lines {
		if v == linerule.Keep || v == linerule.Summary {
			n++
		}
	}
	return n >= leastKnown
}
