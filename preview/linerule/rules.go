package linerule

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/preview/literal"
	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/textscan"
)

// A pattern is an expression behind a search for what its matches must hold.
// The order of a verdict is: literals of all patterns to keep, then prefix or
// literals of each pattern, then the expression. Each step is cheaper than the
// next and rejects most lines.

// Verdict is what Rules say of one line.
type Verdict int

// The verdicts, the later the stronger.
const (
	None    Verdict = iota // nothing is known of the line
	Fold                   // noise: the line may be omitted
	Keep                   // the line must stay
	Summary                // the line sums up, and must stay
)

// String returns the word of a verdict for people.
func (v Verdict) String() string {
	switch v {
	case Fold:
		return "fold"
	case Keep:
		return "keep"
	case Summary:
		return "summary"
	default:
		return "none"
	}
}

// Bounds of Rules, so that rules from anywhere cost a known time per line: a
// pattern takes at most maxInstructions steps per byte of a line that passed the
// search for its literals, and most lines do not pass.
const (
	MaxPatterns     = 64  // of one verdict
	MaxPatternBytes = 512 // of one pattern
	maxInstructions = 2000
)

// PatternError says which pattern cannot be used, and why.
type PatternError struct {
	Verdict Verdict // of the list
	Index   int     // in that list
	Pattern string
	Reason  string
}

func (e *PatternError) Error() string {
	return fmt.Sprintf("%s pattern %q: %s", e.Verdict, e.Pattern, e.Reason)
}

// Rules classify the lines of one program. A nil *Rules knows nothing of any
// line. Rules are immutable and safe for concurrent use.
type Rules struct {
	keep, fold, summary []pattern
	literals            []string
	wanted              *literal.Set // of the literals; nil when there are none
	texts               *Texts       // that ForText asks; nil: none
	more                []*Rules     // of the texts that are known
	known               bool         // the text is
}

// New compiles RE2 patterns, which are matched against a sanitised line without
// its line end. Any list may be nil. It returns a *PatternError for the first
// pattern that cannot be used: one that does not compile, that is too large,
// that matches the empty line, or, of keep and summary, that has no literal to
// search for.
func New(keep, fold, summary []string) (*Rules, error) {
	r := &Rules{}
	for _, class := range []struct {
		verdict Verdict
		sources []string
		into    *[]pattern
	}{{Keep, keep, &r.keep}, {Fold, fold, &r.fold}, {Summary, summary, &r.summary}} {
		for i, source := range class.sources {
			p, err := newPattern(source, class.verdict)
			if err == nil && i >= MaxPatterns {
				err = fmt.Errorf("is one too many: a list has at most %d", MaxPatterns)
			}
			if err != nil {
				return nil, &PatternError{class.verdict, i, source, err.Error()}
			}
			*class.into = append(*class.into, p)
		}
	}
	for _, p := range slices.Concat(r.keep, r.summary) {
		for _, l := range p.literals {
			r.literals = append(r.literals, string(lower(slices.Clone(l))))
		}
	}
	r.literals = shortened(r.literals)
	if len(r.literals) == 0 {
		return r, nil
	}
	set, err := literal.New(r.literals)
	if err != nil {
		return nil, fmt.Errorf("look for what is kept: %w", err)
	}
	r.wanted = set
	return r, nil
}

// shortened returns the texts, sorted, without those that hold another: whoever
// finds a text has found the one inside it.
func shortened(texts []string) []string {
	slices.Sort(texts)
	texts = slices.Compact(texts)
	var list []string
	for _, t := range texts {
		if !slices.ContainsFunc(texts, func(o string) bool { return o != t && strings.Contains(t, o) }) {
			list = append(list, t)
		}
	}
	return list
}

// Classify returns the verdict on a line in its visible form: Summary before
// Keep before Fold.
func (r *Rules) Classify(line []byte) Verdict {
	v, _ := r.Explain(line)
	return v
}

// Explain returns the verdict on a line, and the pattern that decided; "" when
// none did. A pattern may match the line or what is behind its time.
func (r *Rules) Explain(line []byte) (Verdict, string) {
	if r == nil {
		return None, ""
	}
	v, source := r.explain(line)
	if n := salience.TimeLength(line); v == None && n > 0 {
		v, source = r.explain(line[n:])
	}
	for _, m := range r.more {
		if stronger, why := m.Explain(line); stronger > v {
			v, source = stronger, why
		}
	}
	return v, source
}

// explain is Explain of a text as it is.
func (r *Rules) explain(line []byte) (Verdict, string) {
	if r.next(line, 0) >= 0 {
		if p := first(r.summary, line); p != nil {
			return Summary, p.source
		}
		if p := first(r.keep, line); p != nil {
			return Keep, p.source
		}
	}
	if p := first(r.fold, line); p != nil {
		return Fold, p.source
	}
	return None, ""
}

// Next returns where the first literal of a line to keep begins in b at or
// after an offset, or -1.
func (r *Rules) Next(b []byte, from int) int {
	search := r.Search()
	return search.Next(b, from)
}

// Search searches one text for the literals of lines to keep. Each set of rules goes over the text once,
// however many hits the others have.
type Search struct {
	own  *Rules
	next []int // where each set has found something; -1 before it was asked, nowhere for the end
}

// nowhere is behind the end of any text.
const nowhere = math.MaxInt

// Search returns a search that has found nothing yet. Nil rules find nothing.
func (r *Rules) Search() Search {
	s := Search{own: r}
	if r != nil {
		s.next = make([]int, 1+len(r.more))
		for i := range s.next {
			s.next[i] = -1
		}
	}
	return s
}

// Next returns where the first literal begins in b at or after an offset, or -1. Offsets must not fall from
// one call to the next.
func (s *Search) Next(b []byte, from int) int {
	first := nowhere
	for i := range s.next {
		if s.next[i] < from {
			rules := s.own
			if i > 0 {
				rules = s.own.more[i-1]
			}
			if s.next[i] = rules.next(b, from); s.next[i] < 0 {
				s.next[i] = nowhere
			}
		}
		first = min(first, s.next[i])
	}
	if first == nowhere {
		return -1
	}
	return first
}

// next is Next without the rules of texts that are known.
func (r *Rules) next(b []byte, from int) int {
	if r.wanted == nil {
		return -1
	}
	at, _ := r.wanted.Next(b, from)
	return at
}

// Kept returns Keep or Summary for a line as its tool wrote it, and None for
// every other. It is fast for lines without a literal.
func (r *Rules) Kept(text []byte) Verdict {
	if r == nil || r.wanted == nil && len(r.more) == 0 || r.Next(text, 0) < 0 && textscan.NextHidden(text, 0) < 0 {
		return None
	}
	if v := r.Classify(Visible(text)); v >= Keep {
		return v
	}
	return None
}

// Visible returns the form of a line that patterns match: sanitised, without
// blanks at its end.
func Visible(text []byte) []byte {
	if textscan.Clean(text, ' ') {
		return bytes.TrimRight(text, " ")
	}
	return bytes.TrimRight(textscan.Sanitise(nil, text, &textscan.Changes{}), " ")
}

// Literals returns lower-case ASCII texts of at least MinLiteral bytes. Every
// line with the verdict Keep or Summary holds one of them, in any case of its
// letters. They are sorted, and none is a part of another. The slice is a copy.
func (r *Rules) Literals() []string {
	if r == nil {
		return nil
	}
	return slices.Clone(r.literals)
}

// first returns the first pattern that matches, or nil.
func first(patterns []pattern, line []byte) *pattern {
	for i := range patterns {
		if patterns[i].matches(line) {
			return &patterns[i]
		}
	}
	return nil
}

// pattern is one compiled expression. The search for literals is part of what
// the pattern means: (?i) reaches ASCII letters only.
type pattern struct {
	source   string
	prefix   [][]byte // a match begins with one of them; nil: not known
	literals [][]byte // a match holds one of them, as they are written or, with fold, in any case
	fold     bool
	expr     *regexp.Regexp // nil: a line with one of prefix, or else of literals, matches
}

// newPattern compiles one expression for a list of a verdict.
func newPattern(source string, verdict Verdict) (pattern, error) {
	if len(source) > MaxPatternBytes {
		return pattern{}, fmt.Errorf("has %d bytes, at most %d are allowed", len(source), MaxPatternBytes)
	}
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return pattern{}, err
	}
	expr := regexp.MustCompile(source) // it parses likewise
	if expr.MatchString("") {
		return pattern{}, errors.New("matches the empty line")
	}
	tree = tree.Simplify()
	program, err := syntax.Compile(tree)
	if err != nil {
		return pattern{}, err
	}
	if n := len(program.Inst); n > maxInstructions {
		return pattern{}, fmt.Errorf("is too large: %d instructions, at most %d are allowed", n, maxInstructions)
	}
	p := pattern{source: source, expr: expr}
	p.look(tree)
	if verdict == Fold {
		return p, nil
	}
	if p.literals == nil {
		return pattern{}, fmt.Errorf("has no literal: every line that it matches has to hold some text of %d ASCII characters, not all of them spaces", MinLiteral)
	}
	return p, nil
}

// look finds out what can be searched for before the expression is asked, and
// drops the expression where that search alone decides.
func (p *pattern) look(tree *syntax.Regexp) {
	p.fold = folds(tree)
	for _, l := range required(tree).literals() {
		if p.fold { // parts of the pattern may be without (?i)
			l = string(lower([]byte(l)))
		}
		p.literals = append(p.literals, []byte(l))
	}
	if p.fold {
		return
	}
	if begin, all := prefix(tree); !slices.Contains(begin, "") {
		for _, b := range begin {
			p.prefix = append(p.prefix, []byte(b))
		}
		if all {
			p.expr = nil
		}
	}
	if tree.Op == syntax.OpLiteral && len(p.literals) == 1 && string(p.literals[0]) == string(tree.Rune) {
		p.expr = nil
	}
}

// matches reports whether the pattern matches a line.
func (p *pattern) matches(line []byte) bool {
	if !p.mayMatch(line) {
		return false
	}
	return p.expr == nil || p.expr.Match(line)
}

// mayMatch searches for what a match must hold.
func (p *pattern) mayMatch(line []byte) bool {
	if p.prefix != nil {
		return slices.ContainsFunc(p.prefix, func(b []byte) bool { return bytes.HasPrefix(line, b) })
	}
	if p.literals == nil {
		return true
	}
	for _, l := range p.literals {
		if p.fold && holdsFolded(line, l) || !p.fold && bytes.Contains(line, l) {
			return true
		}
	}
	return false
}

// holdsFolded reports whether line holds a lower-case ASCII text in any case.
func holdsFolded(line, text []byte) bool {
	first := text[0]
	for i := 0; i+len(text) <= len(line); i++ {
		if lowerByte(line[i]) == first && equalFolded(line[i:i+len(text)], text) {
			return true
		}
	}
	return false
}

// equalFolded reports whether b, of the length of text, is text in any case.
func equalFolded(b, text []byte) bool {
	for i := range b {
		if lowerByte(b[i]) != text[i] {
			return false
		}
	}
	return true
}

// lowerByte returns an ASCII letter in lower case, and any other byte as it is.
func lowerByte(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

// lower makes ASCII letters lower-case, in place.
func lower(b []byte) []byte {
	for i := range b {
		b[i] = lowerByte(b[i])
	}
	return b
}
