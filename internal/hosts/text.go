package hosts

import (
	"bytes"
	"fmt"
	"regexp"
)

// WholeFile is a file that is ours alone, such as a plugin.
type WholeFile string

// Apply returns the file. One that is there already and is not ours stays.
func (f WholeFile) Apply(text []byte) ([]byte, error) {
	if len(text) > 0 && !bytes.Contains(text, []byte(ours)) {
		return nil, fmt.Errorf("the file %w", ErrTaken)
	}
	return []byte(f), nil
}

// Revert returns an empty file, which is one that goes, unless somebody changed it.
func (f WholeFile) Revert(text []byte) ([]byte, error) {
	if bytes.Contains(text, []byte(ours)) {
		return nil, nil
	}
	return text, nil
}

// ours is in every file that is ours alone.
const ours = "toolresult install"

// Variable is a line NAME=VALUE in a file of environment variables.
type Variable struct{ Name, Value string }

// pattern matches a line that sets the variable.
func (v Variable) pattern() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*(?:export[ \t]+)?` + regexp.QuoteMeta(v.Name) + `[ \t]*[=:][^\n]*(?:\n|\z)`)
}

// line returns the line that sets the variable.
func (v Variable) line(newline string) string { return v.Name + `="` + v.Value + `"` + newline }

// Apply returns the text with the line.
func (v Variable) Apply(text []byte) ([]byte, error) {
	s := styleOf(text)
	if line := v.pattern().Find(text); line != nil {
		if string(bytes.TrimSpace(line)) == v.line("") {
			return text, nil
		}
		return nil, fmt.Errorf("%s: %w", v.Name, ErrTaken)
	}
	after := bytes.Clone(text)
	if n := len(after); n > 0 && after[n-1] != '\n' {
		after = append(after, s.newline...)
	}
	return append(after, v.line(s.newline)...), nil
}

// Revert returns the text without the line.
func (v Variable) Revert(text []byte) ([]byte, error) {
	at := v.pattern().FindIndex(text)
	if at == nil || string(bytes.TrimSpace(text[at[0]:at[1]])) != v.line("") {
		return text, nil
	}
	return append(bytes.Clone(text[:at[0]]), text[at[1]:]...), nil
}

// bom is the mark with which editors of Windows begin a text.
const bom = "\uFEFF"

// cutBOM returns the mark at the beginning of a text, if it has one, and the rest.
func cutBOM(text []byte) (mark, rest []byte) {
	if rest, found := bytes.CutPrefix(text, []byte(bom)); found {
		return []byte(bom), rest
	}
	return nil, text
}
