package redact

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// The compiler from regular expressions to steps. The standard library parses
// the expressions; the tree is expanded to lists without alternatives,
// neighbouring letters become texts, and for each class it is decided whether
// the longest run is the only one that can match. An expression that needs more
// than that is an error, which a test of the built-in rules finds.

// errUnsupported is the error for an expression beyond these means.
var errUnsupported = errors.New("expression has a part that cannot be compiled")

// The parts of expressions of gitleaks that all rules of one shape share.
const (
	upstreamStop  = `(?:[\x60'"\s;]|\\[nr]|$)`
	upstreamIdent = `)(?:[ \t\w.-]{0,20})[\s'"]{0,3}`
	upstreamEnd   = `(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`
)

// Marks in expressions: private runes for the parts that are matched by hand.
const (
	gapRune    = '\U000F0001'
	stopRune   = '\U000F0002'
	assignRune = '\U000F0003'
)

// shorten replaces the shared parts of an expression of gitleaks by marks, and
// drops the part in front of names, which decides nothing.
func shorten(re string) string {
	re = strings.TrimPrefix(re, `[\w.-]{0,50}?`)
	re = strings.Replace(re, `[\w.-]{0,50}?`, "", 1)
	re = strings.ReplaceAll(re, upstreamIdent+")"+upstreamEnd, "))"+string(gapRune))
	re = strings.ReplaceAll(re, upstreamIdent+upstreamEnd, ")"+string(gapRune))
	return strings.ReplaceAll(re, upstreamStop, string(stopRune))
}

// compiler compiles the expressions of a set of rules. Patterns share its
// classes.
type compiler struct {
	classes []*[256]bool
	index   map[[256]bool]int
}

// class returns the number of a class, and adds it if it is new. Runs of a class are
// remembered by its number, so equal classes of two patterns cost one look.
func (c *compiler) class(set [256]bool) int {
	if i, ok := c.index[set]; ok {
		return i
	}
	if c.index == nil {
		c.index = map[[256]bool]int{}
	}
	c.index[set] = len(c.classes)
	c.classes = append(c.classes, &set)
	return len(c.classes) - 1
}

// compile returns the patterns of an expression. Group is the number of the
// group that is the secret: 0 means the first one of each alternative, or all.
func (c *compiler) compile(re string, group int) ([]pattern, error) {
	tree, err := syntax.Parse(shorten(re), syntax.Perl)
	if err != nil {
		return nil, err
	}
	lists, err := c.expand(tree, group)
	if err != nil {
		return nil, err
	}
	var patterns []pattern
	for _, l := range lists {
		patterns = append(patterns, pattern{steps: c.finish(l)})
	}
	return patterns, nil
}

// expand returns the alternatives of an expression as lists of steps.
func (c *compiler) expand(t *syntax.Regexp, group int) ([][]step, error) {
	switch t.Op {
	case syntax.OpEmptyMatch:
		return [][]step{nil}, nil
	case syntax.OpLiteral:
		return c.literal(t)
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return c.one(t, 1, 1), nil
	case syntax.OpWordBoundary:
		return [][]step{{{op: opEdge}}}, nil
	case syntax.OpEndText, syntax.OpEndLine:
		return [][]step{{{op: opStop}}}, nil
	case syntax.OpCapture:
		lists, err := c.expand(t.Sub[0], group)
		if err != nil || group > 0 && t.Cap != group {
			return lists, err
		}
		for i, l := range lists {
			l = slices.DeleteFunc(l, func(s step) bool { return s.op == opFrom || s.op == opTo }) // of groups inside
			lists[i] = append(append([]step{{op: opFrom}}, l...), step{op: opTo})
		}
		return lists, nil
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return c.repeat(t, group)
	case syntax.OpConcat:
		return c.concat(t.Sub, group)
	case syntax.OpAlternate:
		var lists [][]step
		for _, s := range t.Sub {
			l, err := c.expand(s, group)
			if err != nil {
				return nil, err
			}
			lists = append(lists, l...)
		}
		return lists, tooMany(lists)
	}
	return nil, fmt.Errorf("%w: %v", errUnsupported, t)
}

// tooMany returns an error for more alternatives than maxForms.
func tooMany(lists [][]step) error {
	if len(lists) > maxForms {
		return fmt.Errorf("%w: %d alternatives", errUnsupported, len(lists))
	}
	return nil
}

// literal returns the steps of a literal, a mark or a letter each.
func (c *compiler) literal(t *syntax.Regexp) ([][]step, error) {
	var list []step
	for _, r := range t.Rune {
		switch {
		case r == gapRune:
			list = append(list, step{op: opGap})
		case r == stopRune:
			list = append(list, step{op: opStop})
		case r == assignRune:
			list = append(list, step{op: opAssign})
		case r >= utf8.RuneSelf:
			return nil, fmt.Errorf("%w: %q", errUnsupported, r)
		default:
			o, text := opText, string(r)
			if t.Flags&syntax.FoldCase != 0 && lower(byte(r)) != upper(byte(r)) {
				o, text = opFold, strings.ToLower(text)
			}
			list = append(list, step{op: o, text: text})
		}
	}
	return [][]step{list}, nil
}

// set returns the bytes of a class. A class with the last code point holds all
// bytes that are not ASCII.
func set(t *syntax.Regexp) (set [256]bool) {
	switch t.Op {
	case syntax.OpLiteral:
		set[lower(byte(t.Rune[0]))] = true
		if t.Flags&syntax.FoldCase != 0 {
			set[upper(byte(t.Rune[0]))] = true
		} else {
			set = [256]bool{}
			set[byte(t.Rune[0])] = true
		}
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		for i := range set {
			set[i] = i != '\n' || t.Op == syntax.OpAnyChar
		}
	default:
		for i := 0; i < len(t.Rune); i += 2 {
			for r := t.Rune[i]; r <= min(t.Rune[i+1], 0x7f); r++ {
				set[r] = true
			}
		}
		if n := len(t.Rune); n > 0 && t.Rune[n-1] == utf8.MaxRune {
			for i := 0x80; i < 256; i++ {
				set[i] = true
			}
		}
	}
	return set
}

// one returns a single step of a class.
func (c *compiler) one(t *syntax.Regexp, least, most int) [][]step {
	return [][]step{{{op: opClass, class: c.class(set(t)), min: least, max: most}}}
}

// repeat expands a repetition: of a class to one step, of anything else to one
// alternative for each count.
func (c *compiler) repeat(t *syntax.Regexp, group int) ([][]step, error) {
	least, most := t.Min, t.Max
	switch t.Op {
	case syntax.OpStar:
		least, most = 0, -1
	case syntax.OpPlus:
		least, most = 1, -1
	case syntax.OpQuest:
		least, most = 0, 1
	}
	s := t.Sub[0]
	for s.Op == syntax.OpCapture && s.Cap != group {
		s = s.Sub[0]
	}
	switch s.Op {
	case syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		if s.Op != syntax.OpLiteral || len(s.Rune) == 1 && s.Rune[0] < utf8.RuneSelf {
			if most < 0 { // package regexp allows for counts up to 1000
				most = maxRun
			}
			return c.one(s, least, most), nil
		}
	}
	if most < 0 || most > 8 {
		return nil, fmt.Errorf("%w: %v", errUnsupported, t)
	}
	var lists [][]step
	for n := most; n >= least; n-- {
		var parts []*syntax.Regexp
		for range n {
			parts = append(parts, s)
		}
		l, err := c.concat(parts, group)
		if err != nil {
			return nil, err
		}
		lists = append(lists, l...)
	}
	return lists, tooMany(lists)
}

// concat combines all alternatives of the parts: two parts with three each have nine.
func (c *compiler) concat(parts []*syntax.Regexp, group int) ([][]step, error) {
	lists := [][]step{nil}
	for _, p := range parts {
		l, err := c.expand(p, group)
		if err != nil {
			return nil, err
		}
		var next [][]step
		for _, a := range lists {
			for _, b := range l {
				next = append(next, append(append([]step(nil), a...), b...))
			}
		}
		lists = next
		if err := tooMany(lists); err != nil {
			return nil, err
		}
	}
	return lists, nil
}

// finish merges letters to texts, marks the secret, and finds the runs that
// have one length only.
func (c *compiler) finish(l []step) []step {
	var out []step
	from, to := false, false
	for _, s := range l {
		switch {
		case s.op == opFrom && from || s.op == opTo && to:
			continue
		case s.op == opFrom:
			from = true
		case s.op == opTo:
			to = true
		case (s.op == opText || s.op == opFold) && len(out) > 0 && out[len(out)-1].op == s.op:
			out[len(out)-1].text += s.text
			continue
		case s.op == opText && len(out) > 0 && out[len(out)-1].op == opFold && lower(s.text[0]) == upper(s.text[0]):
			out[len(out)-1].text += s.text
			continue
		}
		out = append(out, s)
	}
	if !from {
		n := len(out)
		for n > 0 && (out[n-1].op == opStop || out[n-1].op == opEdge) {
			n--
		}
		out = append(append(append([]step{{op: opFrom}}, out[:n]...), step{op: opTo}), out[n:]...)
	}
	for i := range out {
		if out[i].op == opClass {
			out[i].only = c.apart(c.classes[out[i].class], out[i+1:])
		}
	}
	return out
}

// apart reports whether no byte of the class can follow: then the longest run
// is the only one that can match.
func (c *compiler) apart(class *[256]bool, rest []step) bool {
	for _, s := range rest {
		switch s.op {
		case opFrom, opTo, opEdge:
			continue
		case opText, opFold:
			return !class[s.text[0]] && !(s.op == opFold && class[upper(s.text[0])])
		case opStop:
			for b := range class {
				if class[b] && stops[b] {
					return false
				}
			}
			return true
		case opAssign:
			for b := range class {
				if class[b] && assigns[b] {
					return false
				}
			}
			return true
		case opClass:
			for b := range class {
				if class[b] && c.classes[s.class][b] {
					return false
				}
			}
			if s.min > 0 {
				return true
			}
		default:
			return false
		}
	}
	return true // the longest run is as good as any
}
