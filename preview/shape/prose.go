package shape

import (
	"bytes"

	"github.com/toolresult/toolresult/preview/textscan"
)

// Prose: documentation and reports, with headings. A reader wants the start,
// the headings with a few sentences each, and the end.

// isProse reports whether a sample is text for people: sentences under
// headings. Most lines are made of words, and few have levels, times and paths
// with places as logs do. Code blocks and tables do not count.
func (s sample) isProse() bool {
	headings, wordy, all, fenced := 0, 0, 0, false
	for i, text := range s.lines {
		if bytes.HasPrefix(text, []byte("```")) {
			fenced = !fenced
			continue
		}
		switch {
		case len(text) == 0, fenced, text[0] == '|', bytes.HasPrefix(text, []byte("    ")) && !isWordy(text): // code and tables
			continue
		case s.isHeading(i):
			headings++
		case isWordy(text):
			wordy++
		}
		all++
	}
	return headings >= 2 && wordy >= 4 && wordy > headings && (headings+wordy)*10 >= all*7
}

// isHeading reports whether line i of a sample is a heading of Markdown, one
// that is underlined, or one of a manual: capitals, between empty lines or
// above an indented one.
func (s sample) isHeading(i int) bool {
	var before, after []byte
	if i > 0 {
		before = s.lines[i-1]
	}
	if i+1 < len(s.lines) {
		after = s.lines[i+1]
	}
	return isHeadingLine(before, s.lines[i], after, i == 0)
}

// isHeadingLine is isHeading for a line and its neighbours; first is the first
// line of the text.
func isHeadingLine(before, text, after []byte, first bool) bool {
	marks := 0
	for marks < len(text) && text[marks] == '#' {
		marks++
	}
	switch {
	case len(text) == 0 || len(text) > 120:
		return false
	case len(before) > 0 && !first:
		return false
	case marks > 0:
		return marks <= 6 && marks < len(text) && text[marks] == ' ' && (len(after) == 0 || after[0] != '#')
	case len(after) >= 3 && len(after) >= len(text)/2 && len(bytes.Trim(after, "=")) == 0, len(after) >= 4 && len(after) >= len(text)/2 && len(dashes.Trim(after)) == 0:
		return true
	}
	return text[0] >= 'A' && text[0] <= 'Z' && len(text) >= 4 && allCapitals(text) && len(blankSet.TrimLeft(after)) < len(after) &&
		!bytes.ContainsAny(text, "0123456789:=[]|")
}

// isWordy reports whether a line is made of words as sentences are.
func isWordy(text []byte) bool {
	text = listSigns.TrimLeft(text)
	if len(text) < 20 {
		return false
	}
	letters, blanks, marks := 0, 0, 0
	for _, c := range text {
		switch {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80:
			letters++
		case c == ' ':
			blanks++
		case bytes.IndexByte([]byte(".,;!?'\"-()`*_"), c) < 0:
			marks++
		}
	}
	return letters*100 >= len(text)*70 && blanks*100 >= len(text)*10 && marks*100 <= len(text)*5
}

// How the start of a text and its sections share a budget. First come
// proseStart bytes of the start; then proseFavour times as many bytes of the
// start as of each section.
const (
	proseStart  = 1200
	proseFavour = 3
	proseEnd    = 3   // lines with text at the end, where a report has its result
	proseFirst  = 300 // bytes of the start that come before these
)

// rankProse ranks text for people: its start without a gap, its last lines,
// then headings, then the beginnings of sections and more of the start.
func rankProse(list []Ranked) {
	start, section := &share{}, &share{had: proseStart}
	text := func(i int) []byte {
		if i < 0 || i >= len(list) {
			return nil
		}
		return anyBlanks.TrimRight(textscan.WithoutEscapes(list[i].Line.Text))
	}
	fenced := false
	for i := range list {
		line := text(i)
		if bytes.HasPrefix(line, []byte("```")) {
			fenced = !fenced
		}
		heading := !fenced && isHeadingLine(text(i-1), line, text(i+1), i == 0)
		early := start.turn(line)
		if early >= proseStart {
			early = proseStart + (early-proseStart)/proseFavour
		}
		if heading {
			section = &share{had: proseStart}
			list[i].set(scoreContent, min(early, section.had), KeepStructure)
			continue
		}
		turn, reason := section.turn(line), KeepContext
		if early <= turn {
			turn, reason = early, KeepHead
		}
		list[i].set(scoreContent, turn, reason)
	}
	for i, end := len(list)-1, 0; i >= 0 && end < proseEnd; i-- {
		if len(text(i)) > 0 {
			list[i].set(scoreContent, min(list[i].turn, proseFirst), KeepTail)
			end++
		}
	}
	InOrder(list)
}
