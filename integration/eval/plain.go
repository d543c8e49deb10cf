package eval

// This file has plain cuts of a text: they look at no word, and may spend the whole budget.

import (
	"fmt"
	"unicode/utf8"

	"github.com/toolresult/toolresult/tokens"
)

// Tail shows the end of a text.
func Tail(c tokens.Counter, text string, budget int) string {
	n := most(len(text), func(n int) bool { return c.Count(runesFrom(text, len(text)-n)) <= budget })
	return runesFrom(text, len(text)-n)
}

// Head shows the start of a text.
func Head(c tokens.Counter, text string, budget int) string {
	n := most(len(text), func(n int) bool { return c.Count(runesTo(text, n)) <= budget })
	return runesTo(text, n)
}

// HeadAndTail shows both ends, half of the tokens each, and between them how much is missing.
func HeadAndTail(c tokens.Counter, text string, budget int) string { return Ends(c, text, budget, 50) }

// Ends shows both ends of a text, head per cent of the tokens at its start, and how much is missing
// between them.
func Ends(c tokens.Counter, text string, budget, head int) string {
	if c.Count(text) <= budget {
		return text
	}
	const mark = 12 // tokens that the line between the ends takes at most
	start := Head(c, text, (budget-mark)*head/100)
	end := ""
	if head < 100 {
		end = Tail(c, text, budget-mark-c.Count(start))
	}
	return fmt.Sprintf("%s\n[%d bytes left out]\n%s", start, len(text)-len(start)-len(end), end)
}

// runesFrom is a text from a byte on, without the rest of a character.
func runesFrom(text string, at int) string {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	return text[at:]
}

// runesTo is a text up to a byte, without the start of a character.
func runesTo(text string, at int) string {
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return text[:at]
}

// most returns the largest n from 0 to limit that fits. It doubles first, so that nothing far larger than the result is counted.
func most(limit int, fits func(int) bool) int {
	low, high := 0, 1
	for high <= limit && fits(high) {
		low, high = high, 2*high
	}
	high = min(high, limit+1) // does not fit
	for low+1 < high {
		if middle := (low + high) / 2; fits(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
