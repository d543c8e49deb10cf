package profile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/toolresult/toolresult/preview/linerule"
	"github.com/toolresult/toolresult/preview/shape"
	"github.com/toolresult/toolresult/preview/textscan"
)

// Bounds of profiles, which may come from anybody.
const (
	maxFiles     = 1024     // of one layer
	maxFileBytes = 64 << 10 // of one file
	maxMatches   = 64       // command patterns of one profile
	maxText      = 200      // bytes of the text of an exit code
	maxCode      = 255
)

var goodName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`)
})

// Error states what is wrong with one file of profiles.
type Error struct {
	Layer, File string
	Line        int    // 0 when it is not known
	Field       string // empty for the file as a whole
	Reason      string
}

// Error states the place and the reason.
func (e *Error) Error() string {
	text := fmt.Sprintf("profiles of %s: %s", e.Layer, e.File)
	if e.Line > 0 {
		text += fmt.Sprintf(", line %d", e.Line)
	}
	if e.Field != "" {
		text += ": " + e.Field
	}
	return text + ": " + e.Reason
}

// fileContent is a file as it is written.
type fileContent struct {
	Name     text
	Match    []text
	Exit     map[int32]exitMeaning
	Fold     []text
	Keep     []text
	Summary  []text
	Known    []text
	Signs    []text
	Read     bool
	Relays   bool
	Shape    text
	Disabled bool
}

// exitMeaning is the meaning of an exit code in a file.
type exitMeaning struct {
	Class text
	Text  text
}

// text is a YAML string with its line.
type text struct {
	value string
	line  int
}

// UnmarshalYAML accepts strings only: a number or a date is a slip.
func (t *text) UnmarshalYAML(node *yaml.Node) error {
	if node.Kind != yaml.ScalarNode || node.Tag != "!!str" {
		return &Error{Line: node.Line, Reason: fmt.Sprintf("%q is not a text: quote it", node.Value)}
	}
	*t = text{node.Value, node.Line}
	return nil
}

// reader reads one file of a layer.
type reader struct {
	layer *Layer
	file  string // path in the layer
}

// fail returns an error with the place of the file.
func (r *reader) fail(line int, field, format string, a ...any) error {
	return &Error{r.layer.Name, r.file, line, field, fmt.Sprintf(format, a...)}
}

// parse parses and checks a file.
func (r *reader) parse(source []byte) (*Profile, error) {
	if len(source) > maxFileBytes {
		return nil, r.fail(0, "", "has %d bytes, at most %d are allowed", len(source), maxFileBytes)
	}
	var c fileContent
	decoder := yaml.NewDecoder(bytes.NewReader(source))
	decoder.KnownFields(true)
	if err := decoder.Decode(&c); err != nil {
		return nil, r.parseError(err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, r.fail(0, "", "has more than one document")
	}
	return r.newProfile(&c)
}

// atLine matches the beginning of the YAML library's messages.
var atLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:yaml: )?line (\d+): (.*)$`)
})

// parseError returns the first message of the YAML library as an Error.
func (r *reader) parseError(err error) error {
	if own, ok := errors.AsType[*Error](err); ok {
		return r.fail(own.Line, "", "%s", own.Reason)
	}
	if errors.Is(err, io.EOF) {
		return r.fail(0, "", "is empty")
	}
	message := err.Error()
	if types, ok := errors.AsType[*yaml.TypeError](err); ok && len(types.Errors) > 0 {
		message = types.Errors[0]
	}
	line := 0
	if m := atLine().FindStringSubmatch(message); m != nil {
		line, _ = strconv.Atoi(m[1]) // digits; 0 is "not known"
		message = m[2]
	}
	message, _, _ = strings.Cut(message, " in type profile.")
	return r.fail(line, "", "%s", message)
}

// newProfile checks the content of a file.
func (r *reader) newProfile(c *fileContent) (*Profile, error) {
	want := strings.TrimSuffix(path.Base(r.file), extension)
	switch {
	case !goodName().MatchString(c.Name.value):
		return nil, r.fail(c.Name.line, "name", "is not 1 to 64 lower-case letters, digits and hyphens")
	case c.Name.value != want:
		return nil, r.fail(c.Name.line, "name", "is %q, and the file is that of %q", c.Name.value, want)
	}
	p := &Profile{name: c.Name.value, layer: r.layer.Name, file: r.file, read: c.Read, relays: c.Relays, shape: c.Shape.value, disabled: c.Disabled}
	if c.Disabled {
		if len(c.Match)+len(c.Exit)+len(c.Fold)+len(c.Keep)+len(c.Summary)+len(c.Known)+len(c.Signs) > 0 || c.Read || c.Relays || c.Shape.value != "" {
			return nil, r.fail(0, "disabled", "a profile that is switched off says nothing else")
		}
		return p, nil
	}
	if c.Shape.value != "" && shape.Named(c.Shape.value) == shape.None {
		return nil, r.fail(c.Shape.line, "shape", "is %q, and not one of %s", c.Shape.value, strings.Join(shape.Names(), ", "))
	}
	if c.Read && len(c.Fold)+len(c.Keep)+len(c.Summary)+len(c.Known)+len(c.Signs) > 0 {
		return nil, r.fail(0, "read", "what was asked for is shown as it is: no line of it is folded, kept or sums up")
	}
	for _, step := range []func(*fileContent, *Profile) error{r.checkProject, r.readMatch, r.readExit, r.readRules, r.readSigns} {
		if err := step(c, p); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// checkProject rejects what the profiles of a repository may not state: a meaning
// would be shown to the reader, the kind of the output decides what is cut, and lines by
// which a text is known reach the output of other commands.
func (r *reader) checkProject(c *fileContent, _ *Profile) error {
	const reason = "is not for the profiles of a project to say"
	switch {
	case !r.layer.Project:
	case len(c.Exit) > 0:
		return r.fail(0, "exit", reason)
	case c.Read:
		return r.fail(0, "read", reason)
	case c.Shape.value != "":
		return r.fail(c.Shape.line, "shape", reason)
	case len(c.Known) > 0:
		return r.fail(0, "known", reason)
	case len(c.Signs) > 0:
		return r.fail(0, "signs", reason)
	}
	return nil
}

// readMatch reads the command patterns.
func (r *reader) readMatch(c *fileContent, p *Profile) error {
	if len(c.Match) == 0 {
		return r.fail(0, "match", "is required: the commands whose profile this is")
	}
	if len(c.Match) > maxMatches {
		return r.fail(0, "match", "has %d patterns, at most %d are allowed", len(c.Match), maxMatches)
	}
	for _, m := range c.Match {
		words := strings.Fields(m.value)
		if len(words) == 0 || strings.Join(words, " ") != m.value {
			return r.fail(m.line, "match", "%q is not words with single spaces between them", m.value)
		}
		if strings.Contains(words[0], "/") || strings.Trim(words[0], "*") == "" {
			return r.fail(m.line, "match", "%q does not begin with the name of a program, without a folder", m.value)
		}
		if slices.ContainsFunc(p.matches, func(o pattern) bool { return o.text == m.value }) {
			return r.fail(m.line, "match", "%q is there twice", m.value)
		}
		p.matches = append(p.matches, pattern{m.value, words})
	}
	p.exitMatches = p.matches
	return nil
}

// readExit reads the exit codes.
func (r *reader) readExit(c *fileContent, p *Profile) error {
	p.exits = make(map[int32]exitCode, len(c.Exit))
	for code, m := range c.Exit {
		class, known := classes[m.Class.value]
		switch {
		case code < 1 || code > maxCode:
			return r.fail(m.Class.line, "exit", "%d is not a code from 1 to %d", code, maxCode)
		case !known:
			return r.fail(m.Class.line, "exit", "the class of %d is %q, and not answer or failure", code, m.Class.value)
		case m.Text.value == "" || len(m.Text.value) > maxText || textscan.OneLine(m.Text.value) != m.Text.value:
			return r.fail(m.Text.line, "exit", "the text of %d is not one line of 1 to %d bytes", code, maxText)
		}
		p.exits[code] = exitCode{class, m.Text.value}
	}
	return nil
}

// readRules compiles the patterns for lines.
func (r *reader) readRules(c *fileContent, p *Profile) error {
	lists := map[linerule.Verdict][]text{linerule.Keep: c.Keep, linerule.Fold: c.Fold, linerule.Summary: c.Summary}
	p.keep, p.fold, p.summary = values(c.Keep), values(c.Fold), values(c.Summary)
	if len(p.keep)+len(p.fold)+len(p.summary) == 0 {
		return nil
	}
	rules, err := linerule.New(p.keep, p.fold, p.summary)
	if bad, ok := errors.AsType[*linerule.PatternError](err); ok {
		return r.fail(lists[bad.Verdict][bad.Index].line, bad.Verdict.String(), "pattern %q: %s", bad.Pattern, bad.Reason)
	}
	if err != nil {
		return err
	}
	p.rules = rules
	return nil
}

// readSigns compiles the patterns for lines by which a text is known.
func (r *reader) readSigns(c *fileContent, p *Profile) error {
	if len(c.Known)+len(c.Signs) == 0 {
		return nil
	}
	signs, err := linerule.New(values(c.Signs), nil, values(c.Known))
	if bad, ok := errors.AsType[*linerule.PatternError](err); ok {
		field, list := "known", c.Known
		if bad.Verdict == linerule.Keep {
			field, list = "signs", c.Signs
		}
		return r.fail(list[bad.Index].line, field, "pattern %q: %s", bad.Pattern, bad.Reason)
	}
	p.signs = signs
	return err
}

// values returns the strings of a list.
func values(list []text) []string {
	var values []string
	for _, t := range list {
		values = append(values, t.value)
	}
	return values
}
