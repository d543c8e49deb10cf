// Package markup has the tags by which results and calls are written as text, for models without native calls, and
// breaks everything in a tool's text that could be taken for such a tag or for a control token of a chat template.
package markup

import (
	"strings"
	"unicode/utf8"
)

// The tags of the text fallback. Source: "Native Tool Result Format".
const (
	ResultOpen, ResultClose = "<tool_result>", "</tool_result>"
	CallOpen, CallClose     = "<tool_call>", "</tool_call>"
)

// Break returns text without marks: each gets a backslash after its bracket, or before the colon of a label, and one more if
// it has some already, so that two texts that differ never become the same.
func Break(text string) string {
	return eachMark(text, func(m *mark) string { return m.head + `\` + m.backslashes + m.rest })
}

// eachMark returns text with every mark replaced.
func eachMark(text string, replace func(m *mark) string) string {
	var b strings.Builder
	done := 0
	for at, line := 0, 0; at < len(text); {
		m, size := markAt(text, at, line)
		if m == nil {
			if text[at] == '\n' {
				line = at + size
			}
			at += size
			continue
		}
		b.WriteString(text[done:at])
		b.WriteString(replace(m))
		at += m.size()
		done = at
	}
	if done == 0 {
		return text
	}
	return b.String() + text[done:]
}

// markAt returns the mark at an offset, in the line that begins at another one; nil for none. size is that of the character
// there.
func markAt(text string, at, line int) (m *mark, size int) {
	c := text[at]
	if at == line {
		rest, _, _ := strings.Cut(text[at:], "\n")
		if m := labelled(rest, func() bool { return isBlank(lastLine(text[:at])) }); m != nil {
			return m, 0
		}
	}
	switch {
	case c == '<' || c == '[':
		return bracketed(text[at:]), 1
	case c < utf8.RuneSelf:
		return nil, 1
	}
	r, size := utf8.DecodeRuneInString(text[at:])
	if r != utf8.RuneError && strings.ContainsRune(brackets, r) {
		m = bracketed(text[at:])
	}
	return m, size
}

// lastLine returns the last line of a text that is empty or ends with a line end.
func lastLine(text string) string {
	text = strings.TrimSuffix(text, "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// Result writes the result of a function between its tags. The text must not contain marks.
func Result(name, text string) string {
	return ResultOpen + "\n" + name + ":\n" + text + "\n" + ResultClose
}
