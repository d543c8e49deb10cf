package preview

import (
	"slices"
	"unicode/utf8"

	"github.com/toolresult/toolresult/preview/salience"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
)

// rendered is a line in its visible form.
type rendered struct {
	line                       *textscan.Line
	number                     int64
	from, to                   int               // range of the text in the scratch buffer, with "\n"
	altered                    *textscan.Changes // nil when the text is as it was
	time                       int               // bytes of the time that it begins with, which are not shown
	attributes                 int               // the same of the attributes before the name of a file
	redrawn                    int               // bytes that the line itself overwrote
	long                       bool              // the line is cut inside
	cutAt                      int               // where in the text, from its start
	cutFrom                    int64             // range of the cut in the payload
	cutTo                      int64
	clips, clipped             int // of a table: cells that are cut, and bytes of them that are omitted
	reason                     shape.Reason
	score                      int
	omittedValues, totalValues int64 // values of a JSON container that the cut before the line omits
}

// render appends the visible form of a line to the scratch buffer. A text of
// more than limit bytes is cut inside, on character boundaries.
func (s *selection) render(l *textscan.Line, number int64, limit int) rendered {
	r := rendered{line: l, number: number, from: len(s.scratch)}
	a := &s.altered // one for all lines: most alter nothing
	*a = textscan.Changes{}
	switch {
	case s.leading != nil:
		r.attributes = s.leading(l.Text)
	case s.untimed:
		r.time = len(l.Text) - len(s.behindTime(l.Text))
	}
	text := l.Text[r.omitted():]
	if l.Skipped == 0 && !s.excerpt.literal && textscan.Redraws(text) {
		if last, ok := textscan.LastState(text); ok && len(last) <= limit {
			r.redrawn, text = len(text)-len(last), last
		}
	}
	if l.Skipped == 0 && len(text) <= limit {
		s.scratch = textscan.Sanitise(s.scratch, text, a)
	} else {
		s.renderEnds(l, limit, &r)
	}
	if l.Newline {
		s.scratch = append(s.scratch, '\n')
	}
	r.to = len(s.scratch)
	if cr := l.EndBytes() - boolBytes(l.Newline); cr > 0 {
		a.ControlBytes += cr
		a.Controls++
	}
	if *a != (textscan.Changes{}) {
		r.altered = new(*a)
	}
	return r
}

// omitted is how many bytes that the line begins with are not shown.
func (r *rendered) omitted() int { return r.time + r.attributes }

// behindTime returns what is shown of a line: its text without the time that it begins with,
// if times are omitted.
func (s *selection) behindTime(text []byte) []byte {
	if !s.untimed {
		return text
	}
	return text[salience.TimeLength(text):]
}

// saysMoreThanTimes reports whether a line has text behind its time.
func saysMoreThanTimes(list []shape.Ranked) bool {
	return slices.ContainsFunc(list, func(r shape.Ranked) bool {
		n := salience.TimeLength(r.Line.Text)
		return n > 0 && n < len(r.Line.Text)
	})
}

// boolBytes returns 1 for true.
func boolBytes(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// renderEnds shows the beginning and the end of a long line.
func (s *selection) renderEnds(l *textscan.Line, limit int, r *rendered) {
	firstLen := min(limit-limit/2, l.Split)
	lastFrom := max(l.Split, len(l.Text)-limit/2)
	if l.Skipped == 0 {
		firstLen, lastFrom = limit-limit/2, len(l.Text)-limit/2
	}
	firstLen = max(firstLen, r.omitted())
	first, last := wholeRunes(l.Text, firstLen, lastFrom)
	r.long = true
	r.cutFrom = l.TextAt + int64(first)
	r.cutTo = l.TextAt + l.Skipped + int64(last)
	s.scratch = textscan.Sanitise(s.scratch, l.Text[min(first, r.omitted()):first], &s.altered)
	r.cutAt = len(s.scratch) - r.from
	s.scratch = textscan.Sanitise(s.scratch, l.Text[last:], &s.altered)
}

// wholeRunes widens the cut between first and last so that it tears no
// character. The two ends are looked at apart, because bytes between them may
// be missing.
func wholeRunes(text []byte, first, last int) (int, int) {
	for i := 1; i < utf8.UTFMax && i <= first; i++ {
		if utf8.RuneStart(text[first-i]) {
			if !utf8.FullRune(text[first-i : first]) {
				first -= i
			}
			break
		}
	}
	for i := 1; i < utf8.UTFMax && last < len(text) && !utf8.RuneStart(text[last]); i++ {
		last++
	}
	return first, last
}
