package config

import (
	"fmt"
	"strings"
)

// about is what a setting is called and how it is treated, whatever its type.
type about struct {
	// key is its name in the file; the names of variable and flag follow from it.
	key string
	// help is its help text, without default and bounds.
	help string
	// initialText is its default in the help text.
	initialText string
	// secret settings come from the environment alone and are printed masked.
	secret bool
	// file is the key of the setting with the file of a secret; empty when there is none.
	file string
}

// instead is what to use for a secret in place of a flag, whose names begin with hyphens,
// or of the file.
func (a about) instead(hyphens string) string {
	if a.file == "" {
		return "the variable " + a.variable()
	}
	name := a.file
	if hyphens != "" {
		name = hyphens + about{key: name}.flag()
	}
	return name + " or the variable " + a.variable()
}

// variable is the name of the setting in the environment.
func (a about) variable() string { return variablePrefix + strings.ToUpper(a.key) }

// flag is the name of the setting on the command line, without its hyphens in front.
func (a about) flag() string { return strings.ReplaceAll(a.key, "_", "-") }

// setting is one row of the table, its type hidden. Values travel as any of that type.
type setting interface {
	describe() about
	// kindName is the placeholder of a value.
	kindName() string
	// parse reads a variable or a flag.
	parse(text string) (any, error)
	// fromYAML returns the text of a decoded YAML value, for parse.
	fromYAML(v any) (string, error)
	// initial is the default.
	initial(e environment) any
	// assign sets the field of c to a value of parse or initial.
	assign(c *Config, v any)
	// text is the value in c, as parse reads it; masked when secret.
	text(c Config) string
	// native is the value in c, as encoding/json should see it; masked when secret.
	native(c Config) any
	// check returns the reason to reject the value in c, nil if it is within its bounds.
	check(c Config) error
}

// spec is the setting of a value of type T.
type spec[T any] struct {
	about
	kind kind[T]
	// field is where the value lives.
	field func(c *Config) *T
	// computed is the default.
	computed func(e environment) T
	rules    []rule[T]
}

// row returns the setting of a field, with its default. The help text gets its default.
func row[T any](k kind[T], field func(*Config) *T, initial T, a about, rules ...rule[T]) spec[T] {
	if a.initialText == "" {
		a.initialText = k.text(initial)
	}
	return computed(k, field, func(environment) T { return initial }, a, rules...)
}

// computed returns the setting of a field whose default depends on the environment.
func computed[T any](
	k kind[T], field func(*Config) *T, initial func(environment) T, a about, rules ...rule[T],
) spec[T] {
	return spec[T]{a, k, field, initial, rules}
}

// within returns the setting with a bound, which its help text states.
func (s spec[T]) within(b bound[T]) spec[T] {
	s.help += "; " + b.help
	s.rules = append(s.rules, b.check)
	return s
}

// describe returns the names and the help text.
func (s spec[T]) describe() about { return s.about }

// kindName returns the placeholder of the kind.
func (s spec[T]) kindName() string { return s.kind.name }

// parse reads a text as the kind of the setting does. Without the error the value is a T.
func (s spec[T]) parse(text string) (any, error) {
	v, err := s.kind.parse(text)
	if err != nil {
		return nil, err
	}
	return v, nil
}

// fromYAML returns the text of a YAML value, with an error that names the wanted type and the given one.
func (s spec[T]) fromYAML(v any) (string, error) {
	text, ok := s.kind.fromYAML(v)
	if !ok {
		return "", fmt.Errorf("wants %s, %s", s.kind.wanted, insteadOf(v))
	}
	return text, nil
}

// initial returns the default, which may depend on the environment.
func (s spec[T]) initial(e environment) any { return s.computed(e) }

// assign sets the field. A nil value leaves it as it is.
func (s spec[T]) assign(c *Config, v any) {
	// Every value of this key is one of parse or initial, so that its type is T.
	if typed, ok := v.(T); ok {
		*s.field(c) = typed
	}
}

// text writes the value of the field, masked when it is secret.
func (s spec[T]) text(c Config) string {
	text := s.kind.text(*s.field(&c))
	if s.secret {
		return Secret(text).String()
	}
	return text
}

// native returns the value for JSON: numbers as numbers, lists as lists.
func (s spec[T]) native(c Config) any {
	if s.secret {
		return s.text(c)
	}
	return s.kind.native(*s.field(&c))
}

// check returns the first bound that the value breaks. The order of the rules is that of the help text.
func (s spec[T]) check(c Config) error {
	for _, r := range s.rules {
		if err := r(c, *s.field(&c)); err != nil {
			return err
		}
	}
	return nil
}

// insteadOf names the type of a decoded YAML value in a message, after what was wanted in its place.
func insteadOf(v any) string {
	switch v.(type) {
	case nil:
		return "but has no value"
	case string:
		return "not text"
	case bool:
		return "not true or false"
	case int, int64, uint64:
		return "not an integer"
	case float64:
		return "not a number with a point or an exponent"
	case []any:
		return "not this list"
	case map[string]any, map[any]any:
		return "not a mapping"
	default: // a timestamp is the last type that YAML resolves by itself
		return "not a date"
	}
}
