package shape

import (
	"bytes"

	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/textscan"
)

// A heading announces the lines below it, and says nothing without the first of them. One that says
// in its own words that something is wrong brings it: "[ERROR] Failures:". One with a rule around its
// words comes with it or not at all: "---- Captured stdout call ----".

// Bounds of headings.
const (
	mostHeading = 160 // bytes
	leastRule   = 3   // signs at either end of a ruled heading
	mostToBody  = 4   // lines from a heading to the first line that says something
)

// ruleSigns are those that rules are drawn with.
var ruleSigns = textscan.NewByteSet("-=_~*#")

// headings ranks headings with the first lines below them.
func headings(list []Ranked, marks []salience.Mark) {
	for i := len(list) - 1; i >= 0; i-- {
		text := blanksAndReturns.TrimRight(list[i].look().behindTime())
		if len(text) < 2*leastRule || len(text) > mostHeading || list[i].Score < 0 {
			continue
		}
		announces := text[len(text)-1] == ':' && marks[i].Score >= salience.MustKeep
		if !announces && !isRuled(text) {
			continue
		}
		switch body := bodyOf(list, i); {
		case body == i || list[body].Score < 0:
		case announces:
			list[body].worth = max(list[body].worth, list[i].worth-1)
		case marks[i].Score == 0 && list[body].worth < leastWorth:
			list[i].worth = min(list[i].worth, list[body].worth)
		}
	}
}

// isRuled reports whether a text is words between two rules.
func isRuled(text []byte) bool {
	inside := ruleSigns.TrimLeft(text)
	words := ruleSigns.TrimRight(inside)
	return len(text)-len(inside) >= leastRule && len(inside)-len(words) >= leastRule && len(bytes.TrimSpace(words)) > 0
}

// bodyOf returns the first line below a heading that says something; the heading itself if none is near.
func bodyOf(list []Ranked, heading int) int {
	for i := heading + 1; i < len(list) && i-heading <= mostToBody && follows(list, i); i++ {
		if l := list[i].look(); !l.blank && (!l.hollow || l.frame) {
			return i
		}
	}
	return heading
}
