package pages

import "bytes"

// IsMarkdown reports whether a text is Markdown, by its first lines.
func IsMarkdown(text []byte) bool {
	head := text[:min(len(text), enoughBytes)]
	if !bytes.Contains(head, []byte("](")) && !bytes.HasPrefix(head, []byte("#")) && !bytes.Contains(head, []byte("\n#")) && !bytes.Contains(head, []byte("\n===")) &&
		!bytes.Contains(head, []byte("\n---")) {
		return false // it has no heading and no link
	}
	var s signs
	for line := range bytes.Lines(text[:min(len(text), enoughBytes)]) {
		if s.add(line); s.lines >= enoughLines {
			break
		}
	}
	return s.isMarkdown()
}

// signs counts the signs of Markdown in lines.
type signs struct {
	lines, prose, headings, links int
	fenced, after, inTag          bool // within an example; behind a line with text; within a tag of HTML
}

// As much of a text is looked at.
const (
	enoughLines = 400 // with text
	enoughBytes = 256 << 10
)

// add counts a line.
func (s *signs) add(line []byte) {
	text := bytes.TrimSpace(line)
	if isFence(text) {
		s.fenced = !s.fenced
		return
	}
	if s.inTag || opensTag(text) {
		s.inTag = bytes.IndexByte(text, '>') < 0
		return
	}
	after := s.after
	if s.after = len(text) > 0; !s.after || s.fenced {
		return
	}
	s.lines++
	links := bytes.Count(text, []byte("](")) + bytes.Count(text, []byte("]["))
	switch {
	case heading(text) > 0 && !after:
		s.headings++
		s.prose++
	case links > 0:
		s.links += links
		s.prose++
	case isWordy(text), text[0] == '|' && len(text) > 1, isItem(text), text[0] == '<' && bytes.IndexByte(text, '>') > 0, isUnderline(text):
		s.prose++
	}
}

// isMarkdown reports whether the lines are Markdown.
func (s *signs) isMarkdown() bool {
	marks := s.headings*2 + s.links
	return s.lines >= 8 && marks >= 6 && s.prose*10 >= s.lines*7
}

// isWordy reports whether a line is made of words as sentences are.
func isWordy(text []byte) bool {
	if len(text) < 20 {
		return false
	}
	letters, blanks := 0, 0
	for _, c := range text {
		switch {
		case isWordByte(c):
			letters++
		case c == ' ':
			blanks++
		}
	}
	return letters*100 >= len(text)*70 && (blanks*100 >= len(text)*8 || letters > 0 && text[0] >= 0x80)
}
