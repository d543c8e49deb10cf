package toolapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/toolresult/toolresult/artifactstore/slice"
	"github.com/toolresult/toolresult/server/artifactapi"
)

// Kinds of what a model does wrong with read_result.
const (
	kindInvalidInput = "invalid_tool_input"
	kindBadPattern   = "invalid_pattern"
	kindNotFound     = "artifact_not_found"
	kindExpired      = "artifact_expired"
	kindNotText      = "artifact_not_text"
)

// maxArguments bounds the arguments of a call, in bytes, as tool.proto states it.
const maxArguments = 64 << 10

// mistake is what a model did wrong with a call, in words by which it can mend it.
type mistake struct{ kind, message string }

func (m *mistake) Error() string { return m.message }

func mistaken(format string, args ...any) error {
	return &mistake{kindInvalidInput, fmt.Sprintf(format, args...)}
}

// readCall is a call of read_result that can be executed.
type readCall struct {
	result    string          // the handle as the model wrote it
	selection slice.Selection // nil for matches
	selected  bool            // the model chose a selection; without one, reading begins at the start
	match     *slice.Match
	pattern   string // of the match, and its context: what a page belongs to
	page      string // where to go on; empty at the beginning
}

// parseReadCall reads the arguments of a model. Models write numbers as strings, ranges as arrays or objects, null for what
// they leave out, and arguments that nobody offered: what can only mean one thing is taken for that.
func parseReadCall(arguments string) (readCall, error) {
	if len(arguments) > maxArguments {
		return readCall{}, mistaken("the arguments have %d bytes, and at most %d are allowed", len(arguments), maxArguments)
	}
	given, err := argumentsOf(arguments)
	if err != nil {
		return readCall{}, err
	}
	c := readCall{result: handleIn(given), page: pageIn(given.text("page"))}
	if c.result == "" {
		return c, mistaken(`the argument "result" is missing: the name behind result= in the receipt, or the path behind "all:"`)
	}
	var chosen []string
	for _, s := range []struct {
		name string
		read func(*readCall, toolArguments) error
	}{
		{"lines", (*readCall).readLines}, {"tail", (*readCall).readTail}, {"match", (*readCall).readMatch}, {"pointer", (*readCall).readPointer},
	} {
		if !given.has(s.name) {
			continue
		}
		if err := s.read(&c, given); err != nil {
			return c, err
		}
		if c.selection != nil || c.match != nil {
			chosen = append(chosen, s.name)
		}
	}
	if len(chosen) > 1 {
		return c, mistaken("%s are given together: give one of them", strings.Join(chosen, " and "))
	}
	if c.selected = len(chosen) == 1; !c.selected {
		c.selection = slice.Bytes{}
	}
	return c, nil
}

// toolArguments are the arguments of a call by name.
type toolArguments map[string]json.RawMessage

// argumentsOf reads a JSON object, also one that was encoded twice.
func argumentsOf(text string) (toolArguments, error) {
	text = strings.TrimSpace(text)
	var inner string
	if strings.HasPrefix(text, `"`) && json.Unmarshal([]byte(text), &inner) == nil {
		text = strings.TrimSpace(inner)
	}
	given := toolArguments{}
	if text == "" {
		return given, nil
	}
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		var broken *json.SyntaxError
		if errors.As(err, &broken) {
			return nil, mistaken("the arguments are no JSON: %v at byte %d", broken, broken.Offset)
		}
		return nil, mistaken(`the arguments are no JSON object, such as {"result": "1fa0074a", "lines": "1-100"}`)
	}
	return given, nil
}

// has reports whether an argument says anything: models write null, "", 0, [] and {} for what they leave out.
func (a toolArguments) has(name string) bool {
	switch strings.Join(strings.Fields(string(a[name])), "") {
	case "", "null", `""`, "0", "0.0", "[]", "{}", "false":
		return false
	}
	return a.text(name) != ""
}

// text is an argument that is a string or a number, without white space around it; "" for another.
func (a toolArguments) text(name string) string { return scalarText(a[name]) }

func scalarText(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return strings.TrimSpace(text)
	}
	return strings.TrimSpace(string(value)) // as it was written, so that a name of digits alone is not changed
}

// number is an argument that is a whole number, also as a string.
func (a toolArguments) number(name string, most int64) (int64, error) {
	n, ok := wholeNumber(a.text(name))
	if !ok {
		return 0, mistaken("%s is %s: give a whole number", name, quoteShort(a.text(name)))
	}
	return min(max(n, -n), most), nil
}

// wholeNumber reads a whole number, also one that is written as 50.0.
func wholeNumber(text string) (int64, bool) {
	if before, after, ok := strings.Cut(text, "."); ok && strings.Trim(after, "0") == "" {
		text = before
	}
	n, err := strconv.ParseInt(text, 10, 54) // as a JSON number has it exactly
	return n, err == nil
}

// quoteShort is the beginning of what a model wrote.
func quoteShort(text string) string {
	const most = 80
	return strconv.Quote(cutText(text, most))
}

// cutText returns the beginning of a text: whole characters of it, in at most limit bytes.
func cutText(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

var handleInCall = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`result\s*=\s*["'` + "`" + `]?([^"'` + "`" + `,)\s]+)`)
})

// handleIn is the handle of a result, also where a model wrote the call that names it, or the argument by another name.
func handleIn(given toolArguments) string {
	text := given.text("result")
	for _, other := range []string{"path", "handle", "artifact"} {
		if text == "" && given.has(other) {
			text = given.text(other)
		}
	}
	if m := handleInCall().FindStringSubmatch(text); m != nil {
		return m[1]
	}
	text = strings.TrimSpace(strings.TrimPrefix(text, "all:"))
	return strings.Trim(text, "\"'`<> ")
}

var pageInText = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[Nn]ext page:|page\s*=)\s*`)
})

// pageIn is a page token, also with the words before it. A first page has none.
func pageIn(text string) string {
	text = strings.Trim(pageInText().ReplaceAllString(text, ""), "\"'` ")
	switch text {
	case "0", "1", "null", "none", "first":
		return ""
	}
	return text
}

var linesForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:lines?\s*)?L?(\d+)\s*(-|–|—|:|\.\.|,|\bto\b)?\s*L?(\d+)?$`)
})

func (c *readCall) readLines(given toolArguments) error {
	text := linesText(given["lines"])
	m := linesForm().FindStringSubmatch(text)
	if m == nil {
		return mistaken(`lines is %s: give "120-180", "120-" or "120"; for the last lines, give tail`, quoteShort(text))
	}
	first, _ := strconv.ParseInt(m[1], 10, 54)
	last, _ := strconv.ParseInt(m[3], 10, 54) // 0 is the end of the result
	if m[2] == "" && m[3] == "" {
		last = first
	}
	if m[3] != "" && last < first {
		return mistaken("lines %d-%d end before they begin", first, last)
	}
	c.selection = slice.Lines{First: max(1, first), Last: max(0, last)}
	if last == 0 && m[2] == "" { // line 0
		c.selection = slice.Lines{First: 1, Last: 1}
	}
	return nil
}

// linesText is a range of lines as text, also where it is an array of two numbers or an object of a first and a last.
func linesText(value json.RawMessage) string {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) == nil {
		switch len(list) {
		case 1:
			return linesText(list[0])
		case 2:
			return bound(list[0]) + "-" + bound(list[1])
		}
	}
	object := toolArguments{}
	if json.Unmarshal(value, &object) != nil {
		return strings.TrimSuffix(scalarText(value), ".0")
	}
	for _, names := range [][2]string{{"first", "last"}, {"start", "end"}, {"from", "to"}} {
		if first, ok := object[names[0]]; ok {
			return bound(first) + "-" + bound(object[names[1]])
		}
	}
	return scalarText(value)
}

// bound is one end of a range; "" for null.
func bound(value json.RawMessage) string {
	if text := scalarText(value); text != "null" {
		return strings.TrimSuffix(text, ".0")
	}
	return ""
}

func (c *readCall) readTail(given toolArguments) error {
	n, err := given.number("tail", artifactapi.MaxReadLines)
	if n > 0 {
		c.selection = slice.Tail{Lines: n}
	}
	return err
}

func (c *readCall) readMatch(given toolArguments) error {
	if c.pattern = given.text("match"); strings.ContainsAny(string(given["match"][:1]), "[{") {
		return mistaken("match is %s: give one regular expression", quoteShort(c.pattern))
	}
	if text := ""; json.Unmarshal(given["match"], &text) == nil {
		c.pattern = text // with the white space around it
	}
	if len(c.pattern) > artifactapi.MaxPattern {
		return &mistake{kindBadPattern, fmt.Sprintf("match has %d bytes, and at most %d are allowed", len(c.pattern), artifactapi.MaxPattern)}
	}
	pattern, err := artifactapi.CompilePattern(c.pattern)
	if err != nil {
		why := err.Error()
		var broken *syntax.Error
		if errors.As(err, &broken) {
			why = broken.Code.String()
			switch broken.Code {
			case syntax.ErrInvalidPerlOp, syntax.ErrInvalidEscape, syntax.ErrInvalidNamedCapture:
				why += ", which RE2 does not have: no lookaround, no backreferences"
			}
		}
		return &mistake{kindBadPattern, fmt.Sprintf(`match %s is no regular expression: %s; write \ before ( [ { . * + ? to search for them`, quoteShort(c.pattern), why)}
	}
	near := int64(0)
	if given.has("context") {
		if near, err = given.number("context", artifactapi.MaxContext); err != nil {
			return err
		}
	}
	c.match = &slice.Match{Pattern: pattern, Before: near, After: near}
	c.pattern += " " + strconv.FormatInt(near, 10)
	return nil
}

func (c *readCall) readPointer(given toolArguments) error {
	text := strings.TrimPrefix(given.text("pointer"), "#")
	if text != "" && text[0] != '/' && !strings.ContainsAny(text, "$.[]") {
		text = "/" + text
	}
	if len(text) > artifactapi.MaxPointer {
		return mistaken("pointer has %d bytes, and at most %d are allowed", len(text), artifactapi.MaxPointer)
	}
	pointer, err := slice.ParsePointer(text)
	if err != nil {
		return mistaken("pointer %s is no JSON pointer, such as /items/3/name with ~1 for / and ~0 for ~", quoteShort(text))
	}
	c.selection = pointer
	return nil
}
