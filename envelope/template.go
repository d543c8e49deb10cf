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

// Templates are the language of the options outcome, line and subject. Text in braces
// is a field, text in brackets is omitted as a whole when one of its fields is not
// set:
//
//	Deployment {state} in {environment}[: version {version}]
//
// Behind the name of a field, "?words" writes words if it is set, "!words" if it is
// not, and "#unit" a count with its unit.

// Template makes a line of text from the fields of a message, in the language of the
// options outcome and line (options.proto). Immutable, and safe for concurrent use.
type Template struct{ groups []group }

// group is a run of parts. An optional group is omitted as a whole when one of its
// fields is not set.
type group struct {
	optional bool
	parts    []part
}

// part is fixed text or a field.
type part struct {
	text string                         // fixed text; of a field, the words behind "?" and "!" or the unit behind "#"
	path []protoreflect.FieldDescriptor // nil for fixed text
	mode byte                           // ':' the value, '?' the words if set, '!' the words if not set, '#' a count
}

// ParseTemplate parses a template for messages of type d.
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

// parseParts parses the text of one group.
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

// parseField parses the text between braces: a path of fields, and a mode.
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

// Fixed returns the text that the template begins with for any message; empty if it
// begins with a field.
func (t *Template) Fixed() string {
	if len(t.groups) == 0 || t.groups[0].optional || t.groups[0].parts[0].path != nil {
		return ""
	}
	return t.groups[0].parts[0].text
}

// Clean makes the text of a tool safe between words of a receipt. Each value is
// cleaned alone: an escape sequence without an end would swallow the words behind it.
type Clean func(string) string

// AsIs is the Clean that changes nothing.
func AsIs(text string) string { return text }

// Expand returns the text for a message, with values that clean has cleaned.
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

// expand writes the part. It reports whether the field, if it is one, is set; for mode
// '!', whether it is not.
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

// isNumber reports whether a field holds one number.
func isNumber(f protoreflect.FieldDescriptor) bool {
	switch f.Kind() {
	case protoreflect.BoolKind, protoreflect.StringKind, protoreflect.EnumKind, protoreflect.MessageKind:
		return false
	}
	return !f.IsList()
}

// countText returns the length of a list or the value of a number, with its unit.
func countText(m protoreflect.Message, f protoreflect.FieldDescriptor, unit string) string {
	n := ""
	if f.IsList() {
		n = strconv.Itoa(m.Get(f).List().Len())
	} else {
		n = m.Get(f).String()
	}
	return n + " " + Plural(unit, n == "1")
}

// Plural returns the plural of a unit such as "match"; the unit itself if one is true.
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

// IsSet reports whether a field has a value that says something: not empty, not false,
// and not zero unless the field has presence.
func IsSet(m protoreflect.Message, f protoreflect.FieldDescriptor) bool {
	return m.Has(f) && (f.IsList() || f.Message() != nil || isNumber(f) || !isZero(m.Get(f)))
}

// Words returns the value of a field as receipts state it, cleaned; "" when it is not
// set. Elements of a list are separated by commas, an artifact index gives the path,
// and a bool with presence can be "no".
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

// scalarText returns one value as receipts state it.
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

// enumText returns the words of an enum's value, or its number when this build does
// not know it.
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

// Lines returns the lines of a list's element as receipts have them: its own, and
// those of its lists indented by two columns. Values are cleaned.
func Lines(f protoreflect.FieldDescriptor, v protoreflect.Value, clean Clean) []string {
	if f.Message() == nil {
		return []string{scalarText(f, v, clean)}
	}
	line, err := LineTemplate(f)
	if err != nil {
		return nil // CheckRoles rejects such a family
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
