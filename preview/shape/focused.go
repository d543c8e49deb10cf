package shape

import (
	"math"

	"github.com/toolresult/toolresult/preview/focus"
)

// Lines of a payload whose parts are alike, such as the matches of a search, are ranked by what
// the reader looks for, if that is known. The order of the shape decides between lines that have
// equally much of it, so a focus that no line has changes nothing.

// hasFocus reports whether a focus decides the order of a shape.
func (s Shape) hasFocus() bool { return s == Search || s == Listing || s == Table }

// focusPrice is how much better a line must match the focus if it has e times as many tokens.
const focusPrice = focus.Unit

// freePrice is the price of a line of some 16 tokens, which is given to every line: only longer
// ones must match better than the evidence asks.
const freePrice = 3 * focus.Unit

// rankFocused puts the lines that have more of what the reader looks for first.
func rankFocused(list []Ranked, terms *focus.Terms) {
	scores := terms.Scores(focus.Among, len(list), func(i int) []byte { return list[i].look().bare })
	for i := range list {
		r := &list[i]
		switch {
		case r.Score == NeverShown:
		case r.Score >= scoreNamed:
			r.worth = math.MaxInt32
		default:
			if scores[i] > 0 {
				r.worth = points(max(0, scores[i]-priceOf(r.Line.Text)+freePrice))
			}
		}
	}
}

// priceOf returns the price of a line, in units of the score of a focus.
func priceOf(text []byte) int {
	return int(math.Round(focusPrice * math.Log(float64(len(text))/tokenBytes+lineTokens)))
}
