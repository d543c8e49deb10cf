package hosts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Setting is a value in a JSON file: that of a key, or an element of a list.
type Setting struct {
	Path  []string // the keys to it
	Value any      // a value of JSON
	// Append adds the value to the list at Path. Otherwise it is the value of the key.
	Append bool
}

// JSONFile is a settings file in JSON, with comments and trailing commas where the host takes them. What it does not set stays
// as it is, byte for byte.
type JSONFile []Setting

// ErrTaken is the error of a setting that has another value, which is the user's own.
var ErrTaken = errors.New("is set to something else; take that away first")

// Apply returns the text with all settings. An empty text is that of a file that is not there.
func (f JSONFile) Apply(text []byte) ([]byte, error) {
	mark, text := cutBOM(text)
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	style := styleOf(text)
	for _, s := range f {
		if err := s.set(&root, style); err != nil {
			return nil, err
		}
	}
	return append(mark, root.Pack()...), nil
}

// Revert returns the text without the settings, and without the objects and lists that are empty by that. Settings that
// were changed since are the user's, and stay.
func (f JSONFile) Revert(text []byte) ([]byte, error) {
	mark, text := cutBOM(text)
	root, err := parseJSON(text)
	if err != nil {
		return nil, err
	}
	for _, s := range slices.Backward(f) {
		s.unset(&root)
	}
	return append(mark, root.Pack()...), nil
}

// parseJSON parses a text whose value is an object.
func parseJSON(text []byte) (hujson.Value, error) {
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	root, err := hujson.Parse(text)
	if err != nil {
		return root, err
	}
	if _, isObject := root.Value.(*hujson.Object); !isObject {
		return root, errors.New("it is no JSON object")
	}
	return root, nil
}

// style is how a file is laid out.
type style struct{ newline, indent string }

// styleOf returns the line end of a text, and the indentation of its first indented line.
func styleOf(text []byte) style {
	s := style{"\n", "  "}
	if bytes.Contains(text, []byte("\r\n")) {
		s.newline = "\r\n"
	}
	for line := range bytes.Lines(text) {
		if rest := bytes.TrimLeft(line, " \t"); len(rest) < len(line) && len(bytes.TrimSpace(rest)) > 0 {
			s.indent = string(line[:len(line)-len(rest)])
			break
		}
	}
	return s
}

// value returns a value at a depth.
func (s style) value(v any, depth int) (hujson.Value, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent(strings.Repeat(s.indent, depth), s.indent)
	if err := e.Encode(v); err != nil {
		return hujson.Value{}, err
	}
	return hujson.Parse(bytes.ReplaceAll(bytes.TrimSpace(b.Bytes()), []byte("\n"), []byte(s.newline)))
}

// set makes the setting in an object. The objects on its path are made where there are none.
func (s Setting) set(root *hujson.Value, st style) error {
	at := root
	for depth, key := range s.Path {
		o, isObject := at.Value.(*hujson.Object)
		if !isObject {
			return fmt.Errorf("%s: %w", strings.Join(s.Path[:depth], "."), ErrTaken)
		}
		found, err := member(o, key)
		if err != nil {
			return err
		}
		last := depth == len(s.Path)-1
		if found == nil {
			v, err := s.missing(st, depth, last)
			if err != nil {
				return err
			}
			if found, err = addMember(o, key, v, st, depth+1); err != nil {
				return err
			}
		} else if last && !s.Append && !equal(*found, s.Value) {
			return fmt.Errorf("%s: %w", strings.Join(s.Path, "."), ErrTaken)
		}
		at = found
	}
	if !s.Append {
		return nil
	}
	list, isList := at.Value.(*hujson.Array)
	if !isList {
		return fmt.Errorf("%s: %w", strings.Join(s.Path, "."), ErrTaken)
	}
	if slices.ContainsFunc(list.Elements, func(v hujson.Value) bool { return equal(v, s.Value) }) {
		return nil
	}
	return addElement(list, s.Value, st, len(s.Path)+1)
}

// missing returns what is put where the path ends in the file.
func (s Setting) missing(st style, depth int, last bool) (hujson.Value, error) {
	switch {
	case last && s.Append:
		return hujson.Value{Value: &hujson.Array{}}, nil
	case last:
		return st.value(s.Value, depth+1)
	default:
		return hujson.Value{Value: &hujson.Object{}}, nil
	}
}

// withoutHookEnd returns a value as earlier versions wrote it: its texts without hookEnd.
func withoutHookEnd(v any) any {
	switch v := v.(type) {
	case string:
		return strings.TrimSuffix(v, hookEnd)
	case list:
		earlier := make(list, len(v))
		for i := range v {
			earlier[i] = withoutHookEnd(v[i])
		}
		return earlier
	case obj:
		earlier := obj{}
		for key := range v {
			earlier[key] = withoutHookEnd(v[key])
		}
		return earlier
	}
	return v
}

// unset removes the setting, and then what is empty on its path.
func (s Setting) unset(root *hujson.Value) {
	var parents []*hujson.Object
	at := root
	for _, key := range s.Path {
		o, isObject := at.Value.(*hujson.Object)
		if !isObject {
			return
		}
		found, err := member(o, key)
		if err != nil || found == nil {
			return
		}
		parents = append(parents, o)
		at = found
	}
	if s.Append {
		list, isList := at.Value.(*hujson.Array)
		if !isList {
			return
		}
		i := slices.IndexFunc(list.Elements, func(v hujson.Value) bool { return equal(v, s.Value) || equal(v, withoutHookEnd(s.Value)) })
		if i < 0 {
			return
		}
		removeElement(list, i)
		if len(list.Elements) > 0 || hasComment(list.AfterExtra) || isAnnotated(parents[len(parents)-1], s.Path[len(s.Path)-1]) {
			return
		}
	} else if !equal(*at, s.Value) && !equal(*at, withoutHookEnd(s.Value)) {
		return
	}
	for i, o := range slices.Backward(parents) {
		if i < len(parents)-1 && isAnnotated(o, s.Path[i]) {
			return
		}
		removeMember(o, s.Path[i])
		if len(o.Members) > 0 || hasComment(o.AfterExtra) {
			return
		}
	}
}

// isAnnotated reports whether a comment is between a key and its value.
func isAnnotated(o *hujson.Object, key string) bool {
	return slices.ContainsFunc(o.Members, func(m hujson.ObjectMember) bool {
		return isNamed(m, key) && (hasComment(m.Name.AfterExtra) || hasComment(m.Value.BeforeExtra))
	})
}

// isNamed reports whether a member has a key.
func isNamed(m hujson.ObjectMember, key string) bool {
	name, ok := m.Name.Value.(hujson.Literal)
	return ok && name.String() == key
}

// hasComment reports whether white space has a comment.
func hasComment(e hujson.Extra) bool { return len(bytes.TrimSpace(e)) > 0 }

// untilComment returns white space up to the end of its last comment, with the line end that a line comment needs.
func untilComment(e hujson.Extra) hujson.Extra {
	end := 0
	for i := 0; i < len(e); {
		rest, n := e[i:], 1
		switch {
		case bytes.HasPrefix(rest, []byte("//")):
			n = max(bytes.IndexByte(rest, '\n'), 0) + 1
			end = i + n
		case bytes.HasPrefix(rest, []byte("/*")):
			n = bytes.Index(rest[2:], []byte("*/")) + 4
			end = i + n
		}
		i += n
	}
	return e[:end]
}

// joined returns comments and the white space behind them, with one line end where both have one.
func joined(comments, space hujson.Extra) hujson.Extra {
	if rest := bytes.TrimLeft(space, " \t"); len(rest) > 0 && (rest[0] == '\n' || rest[0] == '\r') {
		comments = bytes.TrimSuffix(bytes.TrimSuffix(comments, []byte("\n")), []byte("\r"))
	}
	return slices.Concat(comments, space)
}

// member returns the value of a key; nil if there is none. A key that is there twice is an error: which one counts depends on
// the program that reads it.
func member(o *hujson.Object, key string) (found *hujson.Value, err error) {
	for i := range o.Members {
		if !isNamed(o.Members[i], key) {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("the key %q is there twice", key)
		}
		found = &o.Members[i].Value
	}
	return found, nil
}

// equal reports whether a value is v, in any layout.
func equal(value hujson.Value, v any) bool {
	clone := value.Clone()
	clone.Standardize()
	var got, want any
	wanted, err := json.Marshal(v)
	return err == nil && json.Unmarshal(clone.Pack(), &got) == nil && json.Unmarshal(wanted, &want) == nil && fmt.Sprint(got) == fmt.Sprint(want)
}

// place returns the white space before a new last element at a depth, that behind it, and that before the closing bracket. A
// trailing comma stays one. end is the white space before the closing bracket now: comments in it stay before the new element.
func (s style) place(last *hujson.Value, end hujson.Extra, depth int) (before, after, newEnd hujson.Extra) {
	before = slices.Concat(bytes.TrimRight(end, " \t\r\n"), []byte(s.newline+strings.Repeat(s.indent, depth)))
	if last != nil && last.AfterExtra != nil { // the sign of a trailing comma
		after = hujson.Extra{}
	}
	return before, after, hujson.Extra(s.newline + strings.Repeat(s.indent, depth-1))
}

// addMember adds a key behind the others.
func addMember(o *hujson.Object, key string, v hujson.Value, s style, depth int) (*hujson.Value, error) {
	name, err := s.value(key, 0)
	if err != nil {
		return nil, err
	}
	var last *hujson.Value
	if n := len(o.Members); n > 0 {
		last = &o.Members[n-1].Value
	}
	name.BeforeExtra, v.AfterExtra, o.AfterExtra = s.place(last, o.AfterExtra, depth)
	v.BeforeExtra = hujson.Extra(" ")
	o.Members = append(o.Members, hujson.ObjectMember{Name: name, Value: v})
	return &o.Members[len(o.Members)-1].Value, nil
}

// addElement adds an element behind the others.
func addElement(list *hujson.Array, value any, s style, depth int) error {
	v, err := s.value(value, depth)
	if err != nil {
		return err
	}
	var last *hujson.Value
	if n := len(list.Elements); n > 0 {
		last = &list.Elements[n-1]
	}
	v.BeforeExtra, v.AfterExtra, list.AfterExtra = s.place(last, list.AfterExtra, depth)
	list.Elements = append(list.Elements, v)
	return nil
}

// removeMember removes a key that is there. Comments around it stay.
func removeMember(o *hujson.Object, key string) {
	i := slices.IndexFunc(o.Members, func(m hujson.ObjectMember) bool { return isNamed(m, key) })
	gone := o.Members[i]
	o.Members = slices.Delete(o.Members, i, i+1)
	comments := slices.Concat(untilComment(gone.Name.BeforeExtra), untilComment(gone.Value.AfterExtra))
	switch n := len(o.Members); {
	case i < n:
		next := &o.Members[i].Name.BeforeExtra
		*next = joined(comments, *next)
	case n > 0:
		o.AfterExtra = endAt(&o.Members[n-1].Value, gone.Value.AfterExtra != nil, comments, o.AfterExtra)
	default:
		o.AfterExtra = joined(comments, o.AfterExtra)
	}
}

// removeElement removes an element. Comments around it stay.
func removeElement(list *hujson.Array, i int) {
	gone := list.Elements[i]
	list.Elements = slices.Delete(list.Elements, i, i+1)
	comments := slices.Concat(untilComment(gone.BeforeExtra), untilComment(gone.AfterExtra))
	switch n := len(list.Elements); {
	case i < n:
		next := &list.Elements[i].BeforeExtra
		*next = joined(comments, *next)
	case n > 0:
		list.AfterExtra = endAt(&list.Elements[n-1], gone.AfterExtra != nil, comments, list.AfterExtra)
	default:
		list.AfterExtra = joined(comments, list.AfterExtra)
	}
}

// endAt makes an element the last one, with a trailing comma or without, and returns the white space behind it.
func endAt(last *hujson.Value, comma bool, comments, end hujson.Extra) hujson.Extra {
	if comma {
		if last.AfterExtra == nil {
			last.AfterExtra = hujson.Extra{}
		}
		return joined(comments, end)
	}
	behind := last.AfterExtra
	last.AfterExtra = nil
	return slices.Concat(behind, joined(comments, end))
}
