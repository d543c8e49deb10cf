package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/spf13/pflag"

	"github.com/toolresult/toolresult/internal/sidecar"
)

// This file merges the sources of values: each is a layer, and the layers are merged from the weakest to the strongest. A layer
// types its values by the table of settings, so that an error names the source that has it, and the merged values need no
// conversion.

// originDefault is the origin of a value that nobody set.
const originDefault = "default"

// Loaded is a configuration with the origin of each value.
type Loaded struct {
	// Config holds the values.
	Config Config
	// File is the path of the configuration file as it was given; empty when there is none.
	File string

	origins   map[string]string
	fileLevel string // log_level in the file; empty: it has none
}

// Origin returns the source of the value of a key: "default", "file PATH:LINE", "env NAME" or "flag --NAME". It
// is empty for a key that is no setting.
func (l *Loaded) Origin(key string) string { return l.origins[key] }

// Load merges defaults, configuration file, environment and flags, the later the stronger. It rejects settings
// that do not exist and values that cannot be read, all of them at once, one line each, naming key and origin;
// bounds are for [Loaded.Validate], so that a configuration out of bounds can still be printed.
//
// set is parsed, and [Flags] was called on it; nil for none. env has the form of [os.Environ]; a variable with
// an empty value counts as unset. The file is the one that --config names, else that of the variable TOOLRESULT_CONFIG;
// one that is named must exist. If none is named it is toolresult/config.yaml in the user's configuration directory,
// $XDG_CONFIG_HOME or $HOME/.config, if that exists. --config= is no file.
func Load(set *pflag.FlagSet, env []string) (*Loaded, error) {
	table, e := settings(), sidecar.NewEnvironment(env)
	path, from := configurationFile(set, e)
	loaded := &Loaded{File: path, origins: make(map[string]string, len(table))}
	ofFile := func(values []value, err error) ([]value, error) {
		for _, v := range values {
			if v.key == logLevelKey {
				loaded.fileLevel, _ = v.value.(string)
			}
		}
		return values, err
	}
	merged := make(map[string]any, len(table))
	var problems []error
	for _, layer := range []func() ([]value, error){
		func() ([]value, error) { return defaults(table, e), nil },
		func() ([]value, error) { return ofFile(readFile(table, path, from)) },
		func() ([]value, error) { return readEnvironment(table, e) },
		func() ([]value, error) { return readFlags(table, set) },
	} {
		values, err := layer()
		if err != nil {
			problems = append(problems, err)
		}
		for _, v := range values {
			merged[v.key], loaded.origins[v.key] = v.value, v.origin
		}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	for _, s := range table {
		s.assign(&loaded.Config, merged[s.describe().key])
	}
	return loaded, nil
}

// configurationFile returns the path of the configuration file, and who named it.
func configurationFile(set *pflag.FlagSet, e environment) (path, from string) {
	if f := changedFlag(set, fileFlag); f != nil {
		return f.Value.String(), "flag --" + fileFlag
	}
	if path := e[fileVariable]; path != "" {
		return path, "env " + fileVariable
	}
	return userFile(e), "the configuration directory"
}

// HasFile reports whether there is a configuration file that no flag names. env has the form of [os.Environ].
func HasFile(env []string) bool {
	path, _ := configurationFile(nil, sidecar.NewEnvironment(env))
	return path != ""
}

// value is what a layer has for one key, in the type of its setting.
type value struct {
	key    string
	value  any
	origin string
}

// defaults has a value for every setting, so that every key has an origin. Some follow from the environment, such as the
// directories of the XDG specification.
func defaults(table []setting, e environment) []value {
	values := make([]value, 0, len(table))
	for _, s := range table {
		values = append(values, value{s.describe().key, s.initial(e), originDefault})
	}
	return values
}

// readEnvironment reads the variables with our prefix. An unknown one is an error, since a mistyped limit would be no limit.
func readEnvironment(table []setting, e environment) ([]value, error) {
	var values []value
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(e)) { // so that messages have one order
		if !strings.HasPrefix(name, variablePrefix) {
			continue
		}
		key, v, err := readVariable(table, name, e[name])
		if err != nil {
			problems = append(problems, err)
		} else if key != "" {
			values = append(values, value{key, v, "env " + name})
		}
	}
	return values, errors.Join(problems...)
}

// readVariable returns key and value of one variable; the key is empty for one that sets nothing.
func readVariable(table []setting, name, text string) (key string, v any, err error) {
	known := append([]string{fileVariable}, clientVariables...)
	for _, s := range table {
		a := s.describe()
		if a.variable() != name {
			known = append(known, a.variable())
			continue
		}
		if text == "" {
			return "", nil, nil
		}
		v, err = s.parse(text)
		if err != nil {
			return "", nil, complaint(a, text, err, "env "+name)
		}
		return a.key, v, nil
	}
	if name == fileVariable || slices.Contains(clientVariables, name) || serviceLink().MatchString(name) {
		return "", nil, nil
	}
	return "", nil, fmt.Errorf("%s: is no setting%s (from the environment)", quoted(name),
		suggestion(variablePrefix, name, known))
}

// readFlags reads the flags that were given. set may be nil.
func readFlags(table []setting, set *pflag.FlagSet) ([]value, error) {
	var values []value
	var problems []error
	for _, s := range table {
		a := s.describe()
		f := changedFlag(set, a.flag())
		if f == nil {
			continue
		}
		origin := "flag --" + a.flag()
		v, err := readFlag(s, f)
		if err != nil {
			problems = append(problems, complaint(a, f.Value.String(), err, origin))
			continue
		}
		values = append(values, value{a.key, v, origin})
	}
	return values, errors.Join(problems...)
}

// readFlag parses again what flagValue has parsed: the set may hold a flag of that name which is not ours.
func readFlag(s setting, f *pflag.Flag) (any, error) {
	if a := s.describe(); a.secret {
		return nil, fmt.Errorf("must not be a flag, because other users can read the command line; use %s", a.instead("--"))
	}
	return s.parse(f.Value.String())
}

// changedFlag returns the flag of that name if it was given, else nil.
func changedFlag(set *pflag.FlagSet, name string) *pflag.Flag {
	if set == nil {
		return nil
	}
	if f := set.Lookup(name); f != nil && f.Changed {
		return f
	}
	return nil
}

// complaint is the one form of a message about a value that was given.
func complaint(a about, text string, reason error, origin string) error {
	shown := strconv.Quote(text)
	if a.secret {
		shown = "(hidden)"
	}
	if origin != "" {
		origin = " (from " + origin + ")"
	}
	return fmt.Errorf("%s = %s: %w%s", a.key, shown, reason, origin)
}

// fileOrigin is the origin of a line of a file.
func fileOrigin(path string, line int) string { return fmt.Sprintf("file %s:%d", quoted(path), line) }

// quoted returns text as it is, or in quotes when it would break a line.
func quoted(text string) string {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	if text == "" || !utf8.ValidString(text) || strings.ContainsFunc(text, unprintable) {
		return strconv.Quote(text)
	}
	return text
}
