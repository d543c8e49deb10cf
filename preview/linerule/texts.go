package linerule

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/toolresult/toolresult/preview/literal"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Text is what is known of the output of a program whatever command printed it.
type Text struct {
	// Signs match the lines by which the text is known: one with the verdict Summary is enough,
	// and of those with the verdict Keep two that different patterns match.
	Signs *Rules
	Rules *Rules // of its lines
}

// Texts knows texts by their lines. Immutable, and safe for concurrent use.
type Texts struct {
	list   []Text
	wanted *literal.Set // of the literals of all signs; nil when there are none
	having [][]int      // texts by literal
}

// NewTexts returns the Texts of a list. Texts without signs are never known.
func NewTexts(list []Text) (*Texts, error) {
	t := &Texts{list: list}
	var literals []string
	for i, text := range list {
		for _, l := range text.Signs.Literals() {
			k := slices.Index(literals, l)
			if k < 0 {
				k, literals, t.having = len(literals), append(literals, l), append(t.having, nil)
			}
			t.having[k] = append(t.having[k], i)
		}
	}
	if len(literals) == 0 {
		return t, nil
	}
	own := slices.Clone(t.having)
	for i, l := range literals { // where a literal is, so are those that it begins with
		for k, other := range literals {
			if i != k && strings.HasPrefix(l, other) {
				t.having[i] = slices.Concat(t.having[i], own[k])
			}
		}
	}
	set, err := literal.New(literals)
	if err != nil {
		return nil, fmt.Errorf("look for the signs of texts: %w", err)
	}
	t.wanted = set
	return t, nil
}

// mostSign is how much of a line is searched for a sign, in bytes.
const mostSign = 1 << 10

// Known returns the indices of the texts that lines are known as, in the order of the list.
func (t *Texts) Known(lines iter.Seq[[]byte]) (known []int) {
	if t == nil || t.wanted == nil {
		return nil
	}
	signs := map[int]string{}         // the pattern of the first sign of each text
	asked := make([]int, len(t.list)) // the last line that each was asked about, from 1
	number := 0
	for line := range lines {
		number++
		line = line[:min(len(line), mostSign)]
		if at, _ := t.wanted.Next(line, 0); at < 0 && textscan.NextHidden(line, 0) < 0 {
			continue
		}
		line = Visible(line)
		for at, which := t.wanted.Next(line, 0); at >= 0; at, which = t.wanted.Next(line, at+1) {
			for _, i := range t.having[which] {
				if asked[i] == number || slices.Contains(known, i) {
					continue
				}
				asked[i] = number
				switch v, pattern := t.list[i].Signs.Explain(line); {
				case v == Summary, v == Keep && signs[i] != "" && signs[i] != pattern:
					known = append(known, i)
				case v == Keep:
					signs[i] = pattern
				}
			}
		}
	}
	slices.Sort(known)
	return known
}

// Among returns rules that ForText extends by those of the texts that are known; nil rules have no
// opinion of their own.
func (r *Rules) Among(t *Texts) *Rules {
	with := &Rules{}
	if r != nil {
		*with = *r
	}
	with.texts = t
	return with
}

// ForText returns the rules for a text with these lines, which may be some of it: their own, and
// those of the texts that it is known as. It returns nil if there are none.
func (r *Rules) ForText(lines iter.Seq[[]byte]) *Rules {
	if r == nil || r.texts == nil {
		return r
	}
	known := r.texts.Known(lines)
	if len(known) == 0 && len(r.keep)+len(r.fold)+len(r.summary) == 0 {
		return nil
	}
	all := *r
	all.texts, all.known = nil, len(known) > 0
	for _, i := range known {
		if more := r.texts.list[i].Rules; more != nil {
			all.more = append(all.more, more)
		}
	}
	return &all
}

// KnowsText reports whether the rules are of a text that is known by its lines.
func (r *Rules) KnowsText() bool { return r != nil && r.known }
