package preview

import "github.com/toolresult/toolresult/tokens"

// A budget counts tokens, lines and bytes at once. The cost of cut markers is
// an estimate here: the caller renders them, and measures the finished receipt.

// Budget is the limit for the text of one preview and its cut markers.
type Budget struct {
	Tokens    int // in the vocabulary of the counter; 0 shows nothing
	Lines     int // NoLimit: none beside the tokens
	Bytes     int // NoLimit: none beside the tokens
	LineBytes int // bytes of one line before its inner part is cut

	// Cost of a prefix of every shown line, such as its number. It is
	// no part of the preview, and of the budget it is.
	BeforeTokens, BeforeBytes int
}

// before subtracts the cost of the prefixes of n lines.
func (b Budget) before(l remaining, n int) remaining {
	return remaining{l.tokens - n*b.BeforeTokens, l.lines, l.bytes - n*b.BeforeBytes}
}

// NoLimit is the value of a limit that is not set.
const NoLimit = int(^uint(0) >> 1)

// The estimated cost of a cut marker, which has a line of its own.
const (
	markerTokens = 5
	markerLines  = 1
	markerBytes  = 12
)

// The line limit is lowered down to minLineBytes for a payload of up to
// fewLines lines, so that all of them are seen.
const (
	minLineBytes = 80
	fewLines     = 8
)

// fits reports whether a text costs at most b. A token is at least one byte, so
// a short text needs no count.
func (b Budget) fits(text string, lines int, c tokens.Counter) bool {
	l := b.before(b.remaining(), lines)
	b.Tokens, b.Bytes = l.tokens, l.bytes
	return lines <= b.Lines && len(text) <= b.Bytes && (len(text) <= b.Tokens || c.Count(text) <= b.Tokens)
}

// remaining is the rest of a budget. It may be negative: then the last cost did
// not fit.
type remaining struct{ tokens, lines, bytes int }

// remaining returns the whole budget.
func (b Budget) remaining() remaining { return remaining{b.Tokens, b.Lines, b.Bytes} }

// marker subtracts the cost of n cut markers; a negative n gives it back.
func (l remaining) marker(n int) remaining {
	return remaining{l.tokens - n*markerTokens, l.lines - n*markerLines, l.bytes - n*markerBytes}
}

// ok reports whether nothing is overspent.
func (l remaining) ok() bool { return l.tokens >= 0 && l.lines >= 0 && l.bytes >= 0 }

// spend subtracts the cost of a text of some lines. Tokens are counted only if
// the text fits otherwise, so what is given back must be before.
func (l remaining) spend(text string, lines int, c tokens.Counter) remaining {
	if l = l.spendSize(len(text), lines); l.ok() {
		l.tokens -= c.Count(text)
	}
	return l
}

// spendSize is spend without the tokens, which the caller counts if all is ok.
func (l remaining) spendSize(bytes, lines int) remaining {
	l.lines -= lines
	l.bytes -= bytes
	return l
}
