package pages

import (
	"bytes"
)

// Text browsers print pages as text of a few columns: paragraphs are indented and
// wrapped, headings stand to the left of them or in the middle, and each link has its
// number before it.
//
//	   [1]Lindgren Foundation
//	     * [2]News
//	2. Trains and flights
//	   Journeys of less than six hours by train are made by
//	   [14]second class.

// Bounds of what is read as a dump of a page.
const (
	leastNumbers = 5  // links with numbers
	mostIndent   = 16 // blanks before the text of a page
	inMiddle     = 6  // blanks more than the text that a heading in the middle has
	mostHeading  = 80 // bytes of a heading
)

// IsDump reports whether a text is the dump of a page.
func IsDump(text []byte) bool {
	links, last := 0, 0
	for i := bytes.IndexByte(text, '['); i >= 0 && links < leastNumbers; {
		if n, size := linkNumber(text[i:]); size > 0 && n > last {
			links, last = links+1, n
		}
		next := bytes.IndexByte(text[i+1:], '[')
		if next < 0 {
			break
		}
		i += 1 + next
	}
	return links >= leastNumbers
}

// linkNumber returns the number of the link that a text begins with, and the bytes that
// it takes; 0 for others.
func linkNumber(text []byte) (n, size int) {
	end := 1
	for end < len(text) && end < 6 && text[end] >= '0' && text[end] <= '9' {
		n = n*10 + int(text[end]-'0')
		end++
	}
	if end == 1 || end+1 >= len(text) || text[0] != '[' || text[end] != ']' || !isWordByte(text[end+1]) {
		return 0, 0
	}
	return n, end + 1
}

// ReadDump returns the readable form of the dump of a page.
func ReadDump(text []byte) *Form {
	r := reader{form: &Form{}, inline: inliner{byHand: true, looks: mostLooks*len(text) + mostLooks*maxAddress}}
	body := bodyIndent(text)
	var before []byte
	for len(text) > 0 {
		line, rest, _ := bytes.Cut(text, []byte("\n"))
		next, _, _ := bytes.Cut(rest, []byte("\n"))
		line = bytes.TrimRight(line, " \t\r")
		r.dumped(before, line, bytes.TrimSpace(next), body)
		before, text = line, rest
	}
	r.flush()
	r.flushLinks()
	return r.form
}

// bodyIndent returns how far most wordy lines are indented.
func bodyIndent(text []byte) (most int) {
	var times [mostIndent + 1]int
	for line := range bytes.Lines(text) {
		trimmed := bytes.TrimLeft(line, " ")
		if isWordy(bytes.TrimSpace(trimmed)) {
			times[min(len(line)-len(trimmed), mostIndent)]++
		}
	}
	for i := range times {
		if times[i] > times[most] {
			most = i
		}
	}
	return most
}

// dumped reads a line of a dump.
func (r *reader) dumped(before, line, next []byte, body int) {
	text := bytes.TrimLeft(line, " \t")
	indent := len(line) - len(text)
	plain, numbers := withoutNumbers(text)
	alone := len(bytes.TrimSpace(before)) == 0 && len(next) == 0
	marker := itemMarker(plain)
	switch {
	case len(text) == 0:
		r.flush()
	case alone && len(plain) <= mostHeading && !endsSentence(plain) && numbers == 0 && (indent < body || indent >= body+inMiddle):
		r.flush()
		level := 2
		if indent >= body+inMiddle {
			level = 1
		}
		r.heading(level, plain)
	case (alone || marker > 0) && numbers == 1 && len(plain) <= shortLink && !endsSentence(plain):
		if len(r.paragraph) > 0 {
			r.flush()
		}
		r.link(bytes.Clone(bytes.TrimSpace(plain[marker:])))
	case marker > 0 || bytes.Contains(plain, []byte("   ")): // an item, or a row of columns
		r.flush()
		r.prefix = append(r.prefix[:0], plain[:marker]...)
		r.paragraph = append(r.paragraph[:0], plain[marker:]...)
		if marker == 0 {
			r.flush()
		}
	default:
		if len(r.paragraph) > 0 {
			r.paragraph = append(r.paragraph, ' ')
		}
		r.paragraph = append(r.paragraph, plain...)
	}
}

// withoutNumbers returns a line without the numbers of its links, and how many it has.
func withoutNumbers(line []byte) (out []byte, numbers int) {
	for len(line) > 0 {
		at := bytes.IndexByte(line, '[')
		if at < 0 {
			break
		}
		out = append(out, line[:at]...)
		line = line[at:]
		if _, size := linkNumber(line); size > 0 {
			numbers++
			line = line[size:]
			continue
		}
		out, line = append(out, '['), line[1:]
	}
	return append(out, line...), numbers
}
