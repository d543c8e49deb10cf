package redact

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"sync"
)

// rulesJSON is made of the default rules of gitleaks by the module in generate.
//
//go:embed rules.json
var rulesJSON []byte

// upstreamRules is rules.json.
type upstreamRules struct {
	Source, Version, Licence string
	Rules                    []upstreamRule
}

type upstreamRule struct {
	ID          string   `json:"id"`
	Regex       string   `json:"regex"`
	Path        bool     `json:"path"`
	Entropy     float64  `json:"entropy"`
	SecretGroup int      `json:"secret_group"`
	Allow       []string `json:"allow"`
	StopWords   []string `json:"stop_words"`
}

// rule says when what a pattern matched is a secret.
type rule struct {
	id      string
	kind    int
	rank    int
	entropy float64  // bits for each byte, at least
	allow   []string // secrets that contain one of these are none
	needs   needs
	words   *words // stop words
	block   bool   // the pattern is the begin of a block
	from    string // what the document says

	expression string // shortened
	group      int
}

// needs are what a secret must have beside its shape.
type needs uint8

const (
	aDigit  needs = 1 << iota // so it is no word
	aLetter                   // so it is no number
	noPath                    // does not look like a path or a host
	noWord                    // has a digit, or capitals inside
	mixed                     // has letters and digits, or letters of both cases and something else
)

// The ranks of rules: where several find the same, the one that knows more gives
// its name.
const (
	rankGeneric = iota
	rankPlace   // known by where it stands
	rankName    // known by the name of a provider beside it
	rankPrefix  // known by itself
)

// Patterns is a set of rules that know secrets by their looks. It never changes.
type Patterns struct {
	version  string
	kinds    kinds
	rules    []rule
	classes  []*[256]bool
	patterns []pattern

	filter  []uint64 // bits, by a hash of four bytes
	table   []window // open addressing
	shift   int
	lists   [][]uint16
	partial [4]map[uint32]struct{} // the first one to three bytes of windows
}

// window is four bytes that the patterns of a list are known by.
type window struct {
	bytes uint32
	list  uint16 // 0: free, else its index and 1
}

var builtIn = sync.OnceValue(func() *Patterns {
	p, err := load(rulesJSON)
	if err != nil {
		panic("redact: the embedded rules do not compile: " + err.Error()) // a test compiles them
	}
	return p
})

// BuiltIn returns the built-in rules. The first call compiles them, in about ten
// milliseconds.
func BuiltIn() *Patterns { return builtIn() }

// Version names the rules: where most are from, and its version. It is empty for none.
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
	for _, o := range ours {
		n := rule{id: o.id, rank: o.rank, entropy: o.entropy, needs: o.needs, block: o.block, allow: o.allow, from: o.about}
		if o.words {
			n.words = genericWords(up.Rules)
		}
		for _, re := range o.re {
			if err := p.add(c, n, re, 0); err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", o.id, err))
			}
		}
	}
	p.classes = c.classes
	if err := p.index(); err != nil {
		problems = append(problems, err)
	}
	return p, errors.Join(problems...)
}

// addUpstream adds a rule of gitleaks, with what the table of changes says of it.
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

// maxWindows is how many values the four bytes that a pattern is known by may have.
const maxWindows = 2000

// rarest returns the place of the four bytes that are the rarest in text, and how
// many values they may have. What is before them must be held back until they
// come, so it is only bytes that a stream waits for.
func rarest(sets [][256]bool) (at, values int) {
	values = math.MaxInt
	lowest := math.Inf(1)
	for k := 0; k+4 <= len(sets) && k < behindMost; k++ {
		n, often := 1, 1.0
		for _, s := range sets[k : k+4] {
			sum := 0
			for c, in := range s {
				if in {
					sum += usual(byte(c))
				}
			}
			n *= max(1, count(&s))
			often *= float64(sum)
		}
		// The filter has room for some hundred values, and less for thousands.
		if often *= 1 + float64(n)/1000; often < lowest && n <= maxWindows || values > maxWindows && n < values {
			at, values, lowest = k, n, often
		}
		for c, in := range sets[k] {
			if in && !heldBack(byte(c)) {
				return at, values
			}
		}
	}
	return at, values
}

// usual is how often a byte is in tool output, roughly, in thousandths.
func usual(c byte) int {
	const byRank = "etaoinsrlcdpumgfhbvywkxjqz"
	switch {
	case c-'a' < 26:
		return 70 - 66*strings.IndexByte(byRank, c)/25
	case c-'A' < 26:
		return 12 - 10*strings.IndexByte(byRank, lower(c))/25
	case c-'0' < 10:
		return 20
	case c == ' ' || c == '-':
		return 100
	case strings.IndexByte("/.:=_\n", c) >= 0:
		return 20
	}
	return 3
}

// heldBack is true for bytes that a stream waits for at its end, if what comes
// may make them the begin of a secret.
func heldBack(c byte) bool { return isName(c) || c == '~' }

// windowBits are the bits of the filter's size.
const windowBits = 20

func windowHash(w uint32) uint32 { return w * 0x9E3779B1 >> (32 - windowBits) }

// index chooses the four bytes that each pattern is known by.
func (p *Patterns) index() error {
	var problems []error
	lists := map[uint32][]uint16{}
	for i := range p.patterns {
		l := &p.patterns[i]
		sets := p.begin(l.steps)
		at, values := rarest(sets)
		if values > maxWindows {
			problems = append(problems, fmt.Errorf("%s: %w: %d values of the four bytes to know it by", p.rules[l.rule].id, errUnsupported, values))
			continue
		}
		l.back = at
		l.inside = l.mayBeginInside(p.classes)
		l.head(sets[at:])
		each(sets[at:at+4], 0, 0, func(w uint32) { lists[w] = append(lists[w], uint16(i)) })
	}
	size := 1
	for size < 4*len(lists) {
		size *= 2
	}
	p.shift = 33 - bits.Len(uint(size))
	p.filter = make([]uint64, 1<<(windowBits-6))
	p.table = make([]window, size)
	p.lists = [][]uint16{nil}
	same := map[string]uint16{}
	keys := make([]uint32, 0, len(lists))
	mark := uint32('[') | 'r'<<8 | 'e'<<16 | 'd'<<24
	lists[mark] = append(lists[mark], asMarkList)
	for w := range lists {
		keys = append(keys, w)
	}
	slices.Sort(keys)
	for k := 1; k < 4; k++ {
		p.partial[k] = map[uint32]struct{}{}
	}
	for _, w := range keys {
		key := fmt.Sprint(lists[w])
		if same[key] == 0 {
			same[key] = uint16(len(p.lists))
			p.lists = append(p.lists, lists[w])
		}
		h := windowHash(w)
		p.filter[h>>6] |= 1 << (h & 63)
		i := p.slot(w)
		for p.table[i].list != 0 {
			i = (i + 1) & (len(p.table) - 1)
		}
		p.table[i] = window{w, same[key]}
		for k := 1; k < 4; k++ {
			p.partial[k][w<<(32-8*k)>>(32-8*k)] = struct{}{}
		}
	}
	return errors.Join(problems...)
}

// asMarkList stands for the begin of a placeholder in a list of patterns.
const asMarkList = math.MaxUint16

func (p *Patterns) slot(w uint32) int {
	return int(w * 0x85EBCA6B >> p.shift)
}

// known returns the patterns that four bytes are known by.
func (p *Patterns) known(w uint32) []uint16 {
	for i := p.slot(w); ; i = (i + 1) & (len(p.table) - 1) {
		if e := &p.table[i]; e.list == 0 || e.bytes == w {
			return p.lists[e.list]
		}
	}
}

// begin returns the classes of the bytes that every match begins with.
func (p *Patterns) begin(steps []step) (sets [][256]bool) {
	for k, s := range steps {
		switch s.op {
		case opText, opFold:
			for i := range len(s.text) {
				var set [256]bool
				set[s.text[i]] = true
				if s.op == opFold {
					set[upper(s.text[i])] = true
				}
				sets = append(sets, set)
			}
		case opClass:
			for range s.min {
				sets = append(sets, *p.classes[s.class])
			}
			if s.min != s.max {
				set := *p.classes[s.class]
				if next := p.begin(steps[k+1:]); len(next) > 0 {
					for c, in := range next[0] {
						set[c] = set[c] || in
					}
					sets = append(sets, set)
				}
				return sets
			}
		case opGap:
			var set [256]bool
			for c := range set {
				set[c] = isName(byte(c)) || quotes[c] || strings.IndexByte("=:>,?|", byte(c)) >= 0
			}
			return append(sets, set)
		case opStop:
			return sets
		}
	}
	return sets
}

func count(set *[256]bool) (n int) {
	for _, in := range set {
		if in {
			n++
		}
	}
	return n
}

// each calls f for every value that the sets allow.
func each(sets [][256]bool, at int, w uint32, f func(uint32)) {
	if at == len(sets) {
		f(w)
		return
	}
	for c, in := range sets[at] {
		if in {
			each(sets, at+1, w|uint32(c)<<(8*at), f)
		}
	}
}

// Rule is a built-in rule, for documents and tests.
type Rule struct {
	Kind, About string
	Entropy     float64
	// Expressions in the syntax of package regexp; GapRune stands in them for
	// what is between a name and its value, StopRune for what ends a secret.
	Expressions []string
	Group       int // that is the secret; 0: the first one, or all
}

// The runes that stand for what is matched by hand.
const (
	GapRune  = gapRune
	StopRune = stopRune
)

// Rules returns the rules, in the order of their kinds.
func (p *Patterns) Rules() []Rule {
	var list []Rule
	for i := range p.rules {
		r := &p.rules[i]
		if n := len(list); n > 0 && list[n-1].Kind == r.id {
			list[n-1].Expressions = append(list[n-1].Expressions, r.expression)
			continue
		}
		list = append(list, Rule{r.id, r.from, r.entropy, []string{r.expression}, r.group})
	}
	slices.SortStableFunc(list, func(a, b Rule) int { return strings.Compare(a.Kind, b.Kind) })
	return list
}
