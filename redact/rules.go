package redact

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// upstreamRules is the form of rules.json, which is made of the default rules of gitleaks by the module in generate.
type upstreamRules struct {
	Source, Version, Licence string
	Rules                    []upstreamRule
}

// upstreamRule is one rule of gitleaks.
type upstreamRule struct {
	ID          string   `json:"id"`
	Regex       string   `json:"regex"`
	Path        bool     `json:"path"`
	Entropy     float64  `json:"entropy"`
	SecretGroup int      `json:"secret_group"`
	Allow       []string `json:"allow"`
}

// rule decides when the match of a pattern is a secret.
type rule struct {
	id      string
	kind    int
	rank    int
	entropy float64  // bits for each byte, at least
	allow   []string // secrets that contain one of these are none
	needs   needs
	block   bool // the pattern is the begin of a block
	ends    ending
	loose   needs    // more needs of a value without quotes that is not directly behind "="
	drawn   float64  // bits of evidence that a value was drawn at random (see drawn) that are as good as the needs; 0: none are
	behind  []string // one of these is before the match, on its line
	from    string   // what the document says

	expression string // shortened
	group      int
}

// ending is what decides where a secret ends, and what is looked at to accept it.
type ending uint8

const (
	byMatch ending = iota // the expression
	byValue               // the syntax of the assignment; the expression has the first bytes
	atLeast               // the expression accepts it; the syntax may move its end on
)

// needs are properties of a secret beside its shape.
type needs uint8

// Properties of a secret; one rule may have several.
const (
	aDigit  needs = 1 << iota // so it is no word
	aLetter                   // so it is no number
	noPath                    // does not look like a path or a host
	noWord                    // has a digit, or capitals inside
	mixed                     // has letters and digits, or letters of both cases and something else
	noCode                    // is no call, index or template
	strong                    // has a letter, a digit and a symbol that names of things do not have
	odd                       // has these, or a digit, letters of both cases and something else
)

// The ranks of rules: where several find the same, the more specific one gives
// its name.
const (
	rankGeneric = iota
	rankPlace   // known by its place
	rankName    // known by the name of a provider beside it
	rankPrefix  // known by itself
)

// Patterns is a set of rules that recognize secrets by their looks. It is
// immutable and safe for concurrent use. A nil *Patterns in Options disables
// them.
type Patterns struct {
	version  string
	kinds    kinds
	rules    []rule
	classes  []*[256]bool
	patterns []pattern
	solid    int // class of all but white space
	unquoted int // class of all but white space and quotes

	filter []uint64 // bits, by a hash of four bytes
	table  []window // open addressing
	shift  int
	lists  [][]uint16
	begins []uint32     // the windows, the first byte the highest, sorted
	runs   sync.Pool    // of the memory of finders that are done
	rest   func() error // reads what a first hit needs of compiled rules; nil: it is there
	packed *packed      // rules and patterns of compiled rules; nil: they are in their slices
}

// window is four bytes that identify the patterns of a list.
type window struct {
	bytes uint32
	list  uint16 // 0: free, else its index and 1
}

// builtIn reads the compiled rules once.
var builtIn = sync.OnceValue(func() *Patterns {
	p, err := decode(compiledRules)
	if err != nil {
		panic("redact: " + err.Error()) // a test reads them
	}
	return p
})

// BuiltIn returns the built-in rules. The first call reads them, in less than a millisecond.
func BuiltIn() *Patterns { return builtIn() }

// Version names the rules: their source and its version. It is empty for nil.
func (p *Patterns) Version() string {
	if p == nil {
		return ""
	}
	return p.version
}

// Kinds returns the kinds that placeholders of these rules have, sorted.
func (p *Patterns) Kinds() []string {
	kinds := slices.Clone(p.kinds.names)
	slices.Sort(kinds)
	return kinds
}

// load compiles rules.json and the extra rules. It reports every rule that does
// not compile.
func load(data []byte) (*Patterns, error) {
	var up upstreamRules
	if err := json.Unmarshal(data, &up); err != nil {
		return nil, err
	}
	p := &Patterns{version: fmt.Sprintf("gitleaks %s, changes %d", up.Version, changesVersion)}
	c := &compiler{}
	var problems []error
	for _, r := range up.Rules {
		if err := p.addUpstream(c, r); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", r.ID, err))
		}
	}
	for _, o := range slices.Concat(extraRules, tokenRules()) {
		n := rule{id: o.id, rank: o.rank, entropy: o.entropy, needs: o.needs, block: o.block, ends: o.ends, loose: o.loose, allow: o.allow, drawn: o.drawn, behind: o.behind, from: o.about}
		for _, re := range o.re {
			if err := p.add(c, n, re, 0); err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", o.id, err))
			}
		}
	}
	var solid [256]bool
	for b := range solid {
		solid[b] = b > ' '
	}
	p.solid = c.class(solid)
	solid['"'], solid['\''], solid['`'] = false, false, false
	p.unquoted = c.class(solid)
	p.classes = c.classes
	if err := p.index(); err != nil {
		problems = append(problems, err)
	}
	return p, errors.Join(problems...)
}

// addUpstream adds a rule of gitleaks, as the table of changes alters it.
func (p *Patterns) addUpstream(c *compiler, r upstreamRule) error {
	n := rule{id: r.ID, entropy: r.Entropy, rank: rankPrefix, from: "gitleaks"}
	if strings.Contains(shorten(r.Regex), string(gapRune)) {
		n.rank = rankName
	}
	re := r.Regex
	for _, ch := range changes {
		if ch.id != r.ID {
			continue
		}
		n.from = "gitleaks: changed, see below"
		switch {
		case ch.drop:
			return nil
		case ch.re != "":
			re = ch.re
		}
		if ch.entropy > 0 {
			n.entropy = ch.entropy
		}
		n.needs |= ch.needs
	}
	for _, a := range r.Allow {
		if re != r.Regex {
			break // it was for theirs
		}
		literal, ok := strings.CutPrefix(a, ".+")
		literal = strings.TrimSuffix(literal, "$")
		if literal == "" || strings.ContainsAny(literal, `\.+*?()|[]{}^$`) {
			return fmt.Errorf("%w: allowed secrets %q (ok %v)", errUnsupported, a, ok)
		}
		n.allow = append(n.allow, literal)
	}
	return p.add(c, n, re, r.SecretGroup)
}

// add compiles one expression of a rule.
func (p *Patterns) add(c *compiler, n rule, re string, group int) error {
	patterns, err := c.compile(re, group)
	if err != nil {
		return err
	}
	n.kind = p.kinds.add(n.id)
	n.expression, n.group = shorten(re), group
	for _, l := range patterns {
		l.rule = len(p.rules)
		p.patterns = append(p.patterns, l)
	}
	p.rules = append(p.rules, n)
	return nil
}

// Rule is a built-in rule, for documents and tests.
type Rule struct {
	Kind, About string
	Entropy     float64
	// Expressions are in the syntax of package regexp. In them GapRune is the gap
	// between a name and its value, AssignRune that of an assignment, and StopRune the end of a secret.
	Expressions []string
	Group       int // that is the secret; 0: the first one, or all
	// Assigned is true if the expressions have only the begin of the secret, which ends where the syntax around it does.
	Assigned bool
	Behind   []string // one of these must be before a match, on its line; none: nothing must
}

// The runes for the parts of expressions that are matched by hand.
const (
	GapRune    = gapRune
	StopRune   = stopRune
	AssignRune = assignRune
)

// Rules returns the rules, in the order of their kinds.
func (p *Patterns) Rules() []Rule {
	var list []Rule
	for i := range p.countRules() {
		r := p.ruleAt(i)
		of := Rule{r.id, r.from, r.entropy, []string{r.expression}, r.group, r.ends == byValue, r.behind}
		if n := len(list); n > 0 && list[n-1].Kind == of.Kind && list[n-1].Assigned == of.Assigned && slices.Equal(list[n-1].Behind, of.Behind) {
			list[n-1].Expressions = append(list[n-1].Expressions, r.expression)
			continue
		}
		list = append(list, of)
	}
	slices.SortStableFunc(list, func(a, b Rule) int { return strings.Compare(a.Kind, b.Kind) })
	return list
}
