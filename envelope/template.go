package envelope

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// Template is one line of text made of the fields of a message, in the language
// of the outcome and line options (options.proto).
type Template struct{ groups []group }

// group is a run of parts that is left out as a whole when it is optional and
// one of its fields is not set.
type group struct {
	optional bool
	parts    []part
}

// part is fixed text, or a field.
type part struct {
	text string // the text; of a field the words behind "?" and "!" or the unit behind "#"
	path []protoreflect.FieldDescriptor
	mode byte // ':' the value, '?' the words, '!' the words when not set, '#' a count
}

// ParseTemplate reads a template for messages of the type d.
func ParseTemplate(text string, d protoreflect.MessageDescriptor) (*Template, error) {
	t := &Template{}
	for rest := text; rest != ""; {
		inner, optional := rest, false
		switch at := strings.IndexByte(rest, '['); {
		case at == 0:
			end := strings.IndexByte(rest, ']')
			if end < 0 {
				return nil, fmt.Errorf("template %q: a group is not closed", text)
			}
			inner, rest, optional = rest[1:end], rest[end+1:], true
		case at > 0:
			inner, rest = rest[:at], rest[at:]
		default:
			rest = ""
		}
		parts, err := parseParts(inner, d)
		if err != nil {
			return nil, fmt.Errorf("template %q: %w", text, err)
		}
		t.groups = append(t.groups, group{optional, parts})
	}
	return t, nil
}

func parseParts(text string, d protoreflect.MessageDescriptor) ([]part, error) {
	var parts []part
	for text != "" {
		fixed, rest, found := strings.Cut(text, "{")
		if strings.ContainsAny(fixed, "[]}") {
			return nil, errors.New("brackets are for fields and groups, and groups are not nested")
		}
		if fixed != "" {
			parts = append(parts, part{text: fixed})
		}
		if !found {
			break
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return nil, errors.New("a field is not closed")
		}
		p, err := parseField(name, d)
		if err != nil {
			return nil, err
		}
		parts, text = append(parts, p), after
	}
	return parts, nil
}

func parseField(name string, d protoreflect.MessageDescriptor) (part, error) {
	p := part{mode: ':'}
	if at := strings.IndexAny(name, "?!#"); at >= 0 {
		p.mode, p.text, name = name[at], name[at+1:], name[:at]
	}
	for i, step := range strings.Split(name, ".") {
		if i > 0 {
			if d = p.path[i-1].Message(); d == nil || p.path[i-1].IsList() {
				return p, fmt.Errorf("%q has no fields", p.path[i-1].Name())
			}
		}
		f := d.Fields().ByName(protoreflect.Name(step))
		if f == nil {
			return p, fmt.Errorf("%s has no field %q", d.Name(), step)
		}
		p.path = append(p.path, f)
	}
	last := p.path[len(p.path)-1]
	if p.mode == ':' && last.Message() != nil {
		return p, fmt.Errorf("%q is a message, and has no value of its own", last.Name())
	}
	return p, nil
}

// Fixed is the text that the template begins with, whatever the fields are.
func (t *Template) Fixed() string {
	if len(t.groups) == 0 || t.groups[0].optional || t.groups[0].parts[0].path != nil {
		return ""
	}
	return t.groups[0].parts[0].text
}

// Clean makes a text that a tool wrote fit to stand between words of ours. Each
// value is cleaned by itself: an escape sequence that has no end in a value
// would swallow the words behind it.
type Clean func(string) string

// AsIs is the Clean that changes nothing.
func AsIs(text string) string { return text }

// Expand makes the text for a message of values that clean has cleaned.
func (t *Template) Expand(m protoreflect.Message, clean Clean) string {
	var b strings.Builder
	for i := range t.groups {
		g := &t.groups[i]
		before := b.Len()
		for j := range g.parts {
			if !g.parts[j].expand(&b, m, clean) && g.optional {
				text := b.String()[:before]
				b.Reset()
				b.WriteString(text)
				break
			}
		}
	}
	return b.String()
}

// expand reports whether the field, if it is one, is set, or with '!' is not.
func (p *part) expand(b *strings.Builder, m protoreflect.Message, clean Clean) bool {
	if p.path == nil {
		b.WriteString(p.text)
		return true
	}
	last := len(p.path) - 1
	for _, f := range p.path[:last] {
		m = m.Get(f).Message()
	}
	f := p.path[last]
	text := Words(m, f, clean)
	switch p.mode {
	case '?':
		if IsSet(m, f) {
			b.WriteString(p.text)
		}
	case '!':
		if !IsSet(m, f) {
			b.WriteString(p.text)
		}
		return !IsSet(m, f)
	case '#':
		b.WriteString(countText(m, f, p.text))
	default:
		if text == "" && isNumber(f) && m.IsValid() && !f.HasPresence() {
			text = m.Get(f).String() // zero is a number too
		}
		b.WriteString(text)
	}
	return IsSet(m, f)
}

func isNumber(f protoreflect.FieldDescriptor) bool {
	switch f.Kind() {
	case protoreflect.BoolKind, protoreflect.StringKind, protoreflect.EnumKind, protoreflect.MessageKind:
		return false
	}
	return !f.IsList()
}

func countText(m protoreflect.Message, f protoreflect.FieldDescriptor, unit string) string {
	n := ""
	if f.IsList() {
		n = strconv.Itoa(m.Get(f).List().Len())
	} else {
		n = m.Get(f).String()
	}
	return n + " " + Plural(unit, n == "1")
}

// Plural is the word of a unit: "match" for one, "matches" for others.
func Plural(unit string, one bool) string {
	switch {
	case one:
		return unit
	case strings.HasSuffix(unit, "ch"), strings.HasSuffix(unit, "sh"), strings.HasSuffix(unit, "s"), strings.HasSuffix(unit, "x"):
		return unit + "es"
	case len(unit) > 1 && strings.HasSuffix(unit, "y") && !strings.ContainsRune("aeiou", rune(unit[len(unit)-2])):
		return unit[:len(unit)-1] + "ies"
	}
	return unit + "s"
}

// IsSet reports whether a field has a value that says something: not empty, not
// zero unless it has presence, not false.
func IsSet(m protoreflect.Message, f protoreflect.FieldDescriptor) bool {
	if !m.Has(f) {
		return false
	}
	switch {
	case f.IsList(), f.Message() != nil:
		return true
	case f.Kind() == protoreflect.BoolKind:
		return m.Get(f).Bool()
	case f.Kind() == protoreflect.StringKind:
		return m.Get(f).String() != ""
	case f.Kind() == protoreflect.EnumKind:
		return m.Get(f).Enum() != 0
	}
	return true
}

// Words is the value of a field as receipts say it, cleaned, "" when it is not set. A
// list of scalars has commas, an index in artifacts is the path there, and "no" is said
// where somebody said so.
func Words(m protoreflect.Message, f protoreflect.FieldDescriptor, clean Clean) string {
	no := f.Kind() == protoreflect.BoolKind && f.HasPresence() && m.Has(f)
	if !IsSet(m, f) && !no || f.Message() != nil {
		return ""
	}
	if artifacts := m.Descriptor().Fields().ByName(artifactsField); artifacts != nil && isIndex(f) {
		return pathAt(m, artifacts, f)
	}
	if !f.IsList() {
		return scalarText(f, m.Get(f), clean)
	}
	list := m.Get(f).List()
	words := make([]string, list.Len())
	for i := range words {
		words[i] = scalarText(f, list.Get(i), clean)
	}
	return strings.Join(words, ", ")
}

func scalarText(f protoreflect.FieldDescriptor, v protoreflect.Value, clean Clean) string {
	switch f.Kind() {
	case protoreflect.BoolKind:
		if v.Bool() {
			return "yes"
		}
		return "no"
	case protoreflect.EnumKind:
		return enumText(f.Enum(), v.Enum())
	}
	return clean(v.String())
}

// enumText says an enum's value, and the number of one that this build does not
// know.
func enumText(d protoreflect.EnumDescriptor, n protoreflect.EnumNumber) string {
	v := d.Values().ByNumber(n)
	if v == nil {
		return fmt.Sprintf("%s %d", strings.TrimSpace(strings.ToLower(strings.ReplaceAll(enumPrefix(d), "_", " "))), n)
	}
	if words, _ := proto.GetExtension(v.Options(), pb.E_Words).(string); words != "" {
		return words
	}
	return strings.ReplaceAll(enumName(d, n), "_", " ")
}

// Lines are the lines of an element of a list, as receipts have them: its own,
// and those of its lists two columns in. Their values are cleaned.
func Lines(f protoreflect.FieldDescriptor, v protoreflect.Value, clean Clean) []string {
	if f.Message() == nil {
		return []string{scalarText(f, v, clean)}
	}
	line, err := LineTemplate(f)
	if err != nil {
		return nil // CheckRoles refused it
	}
	m := v.Message()
	lines := []string{line.Expand(m, clean)}
	for _, inner := range ListFields(f.Message()) {
		list := m.Get(inner).List()
		for i := range list.Len() {
			for _, text := range Lines(inner, list.Get(i), clean) {
				lines = append(lines, "  "+text)
			}
		}
	}
	return lines
}
