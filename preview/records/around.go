package records

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/shape"
)

// Records are not always alone in an output: a program says what it does before it
// prints its answer, a client prints the status behind it, and "head -c" ends it
// within a record. Such text is in lines of its own before and behind the table. Of
// JSON that is cut, what is left of the last record is behind the table.

// Bounds of the text around records.
const (
	mostAround      = 20      // lines before it, and behind it
	mostAroundBytes = 2 << 10 // of either
	fewAround       = 6       // lines that sum up what is between them
	mostOpening     = 3       // lines that records may begin in
)

// MayBegin reports whether records may begin in one of the first lines of a text.
func MayBegin(first func(yield func(line []byte) bool)) bool {
	n := 0
	for line := range first {
		if opens(line) {
			return true
		}
		if n++; n > mostAround {
			break
		}
	}
	return false
}

// opens reports whether records may begin with a line.
func opens(line []byte) bool {
	switch line = bytes.TrimSpace(line); {
	case len(line) == 1:
		return line[0] == '[' || line[0] == '{'
	case len(line) > 1:
		return line[0] == '[' && line[1] == '{' || line[0] == '{' && line[1] == '"'
	}
	return false
}

// Enclosure is a JSON value in a text, with the lines around it.
type Enclosure struct {
	Value         []byte
	Before, After []string
	Cut           bool // the text ends within the value, which was closed
}

// Enclosed returns the JSON value in a text that has a few other lines around it, or that
// ends within it. It returns ErrNotJSON for other text.
func Enclosed(text []byte) (Enclosure, error) {
	opening := 0
	for at, n := 0, 0; at < len(text) && n <= mostAround && opening < mostOpening; n++ {
		end := at + bytes.IndexByte(text[at:], '\n') + 1
		if end == at {
			end = len(text)
		}
		if opens(text[at:end]) {
			opening++
			if value, rest, cut := firstValue(text[at:]); value != nil {
				before, few := plainLines(text[:at])
				after, alsoFew := plainLines(rest)
				if few && alsoFew {
					return Enclosure{value, before, after, cut}, nil
				}
			}
		}
		at = end
	}
	return Enclosure{}, ErrNotJSON
}

// container is an object or a list of a text that is not closed so far.
type container struct {
	opener byte
	end    int // of the last container in it that is complete; 0: none is
}

// deepestOpen is how many containers are in one another.
const deepestOpen = 64

// firstValue returns the container that a text begins with, and what is behind it; nil
// for other text. One that is cut is closed.
func firstValue(text []byte) (value, rest []byte, cut bool) {
	var open []container
	for at := 0; at < len(text); {
		c := text[at]
		if c == '"' {
			at = stringEnd(text, at)
			continue
		}
		at++
		switch c {
		case '{', '[':
			if open = append(open, container{opener: c}); len(open) > deepestOpen {
				return nil, nil, false
			}
		case '}', ']':
			if open = open[:max(0, len(open)-1)]; len(open) == 0 {
				return validValue(text[:at]), text[at:], false
			}
			open[len(open)-1].end = at
		}
	}
	value, rest = closed(text, open)
	return value, rest, true
}

// closed returns a text with open containers as if its outermost list, or an object
// without an open one, had ended behind the last container in it that is complete, and
// what is behind that; nil without such a container, or without a rest that shows the
// cut.
func closed(text []byte, open []container) (value, rest []byte) {
	list := max(0, slices.IndexFunc(open, func(c container) bool { return c.opener == '[' })) // an object behind its lists
	if len(open) == 0 || open[list].end == 0 {
		return nil, nil
	}
	if rest = bytes.TrimSpace(text[open[list].end:]); len(rest) == 0 {
		return nil, nil
	}
	if next := bytes.TrimSpace(rest[1:]); rest[0] == ',' && len(next) > 0 {
		rest = next
	}
	value = bytes.Clone(text[:open[list].end])
	for _, c := range slices.Backward(open[:list+1]) {
		value = append(value, c.opener+2) // what closes it, in ASCII
	}
	return validValue(value), rest
}

// validValue returns a value if it is JSON; otherwise nil.
func validValue(value []byte) []byte {
	if !json.Valid(value) {
		return nil
	}
	return value
}

// plainLines returns the lines of a text that are not blank. It reports false where
// they are too many, or have control characters.
func plainLines(text []byte) (list []string, ok bool) {
	text = bytes.TrimSpace(text)
	if len(text) > mostAroundBytes {
		return nil, false
	}
	for line := range bytes.Lines(text) {
		if line = bytes.TrimRight(line, " \t\r\n"); len(line) == 0 {
			continue
		}
		if bytes.ContainsFunc(line, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
			return nil, false
		}
		list = append(list, string(line))
	}
	return list, len(list) <= mostAround
}

// Scores of lines around records: of one that says that something is wrong at least,
// of the first and the last one, and of others.
const (
	scoreWrong  = 94
	scoreEdge   = 86
	scoreAround = 58
)

// aroundRanks ranks the lines before or behind records.
func aroundRanks(ranks []Rank, lines []string) []Rank {
	for i, line := range lines {
		r := Rank{Score: scoreAround, Reason: shape.KeepContext, Column: -1}
		if i == 0 || i == len(lines)-1 || len(lines) <= fewAround {
			r.Score = scoreEdge
		}
		if m := salience.Builtin().Classify([]byte(line)); m.Score >= salience.MustKeep {
			r.Score, r.Reason = max(scoreWrong, int(m.Score)), shape.Reasons[m.Reason]
		}
		ranks = append(ranks, r)
	}
	return ranks
}
