package config

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/knadh/koanf/providers/env/v2"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/pflag"
)

// This file merges the sources of values: each is a layer that fills a koanf instance of its own, and the layers are merged
// from the weakest to the strongest. A layer types its values by the table of settings before it merges them, so that an error
// names the source that has it, and the merged values need no conversion.

// originDefault is the origin of a value that nobody set.
const originDefault = "default"

// Loaded is a configuration with the origin of each value.
type Loaded struct {
	// Config holds the values.
	Config Config
	// File is the path of the configuration file as it was given; empty when there is none.
	File string

	origins map[string]string
}

// Origin returns the source of the value of a key: "default", "file PATH:LINE", "env NAME" or "flag --NAME". It
// is empty for a key that is no setting.
func (l *Loaded) Origin(key string) string { return l.origins[key] }

// Load merges defaults, configuration file, environment and flags, the later the stronger. It rejects settings
// that do not exist and values that cannot be read, all of them at once, one line each, naming key and origin;
// bounds are for [Loaded.Validate], so that a configuration out of bounds can still be printed.
//
// set is parsed, and [Flags] was called on it; nil for none. env has the form of [os.Environ]; a variable with
// an empty value counts as unset. The file is the one that --config names, else the variable TOOLRESULT_CONFIG;
// one that is named must exist.
func Load(set *pflag.FlagSet, env []string) (*Loaded, error) {
	table, e := settings(), newEnvironment(env)
	path, from := configurationFile(set, e)
	layers := []layer{defaultLayer(table, e)}
	if path != "" {
		layers = append(layers, fileLayer(table, path, from))
	}
	layers = append(layers, environmentLayer(table, e), flagLayer(table, set))

	loaded := &Loaded{File: path, origins: make(map[string]string, len(table))}
	merged := koanf.New(".")
	var problems []error
	for _, l := range layers {
		if err := l.mergeInto(merged, loaded.origins); err != nil {
			problems = append(problems, err)
		}
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	for _, s := range table {
		s.assign(&loaded.Config, merged.Get(s.describe().key))
	}
	return loaded, nil
}

// configurationFile returns the path of the configuration file, and who named it.
func configurationFile(set *pflag.FlagSet, e environment) (path, from string) {
	if f := changedFlag(set, fileFlag); f != nil {
		return f.Value.String(), "flag --" + fileFlag
	}
	return e[fileVariable], "env " + fileVariable
}

// layer is one source of values.
type layer struct {
	// load reads the values of the layer into k.
	load func(k *koanf.Koanf) error
	// origin returns where the layer has the key from; only for keys that it has, after load.
	origin func(key string) string
}

// mergeInto adds the layer to merged, over what is there, and its origins to origins.
func (l layer) mergeInto(merged *koanf.Koanf, origins map[string]string) error {
	own := koanf.New(".")
	if err := l.load(own); err != nil {
		return err
	}
	for _, key := range own.Keys() {
		origins[key] = l.origin(key)
	}
	return merged.Merge(own)
}

// defaultLayer has a value for every setting, so that every key has an origin. Some follow from the environment, such as the
// directories of the XDG specification.
func defaultLayer(table []setting, e environment) layer {
	return layer{
		load: func(k *koanf.Koanf) error {
			values := make(valueMap, len(table))
			for _, s := range table {
				values[s.describe().key] = s.initial(e)
			}
			return k.Load(values, nil)
		},
		origin: func(string) string { return originDefault },
	}
}

// fileLayer reads the configuration file. One that is named must exist: silence about a missing file would start a server with
// other settings than its operator wrote. from says who named it.
func fileLayer(table []setting, path, from string) layer {
	parser := newFileParser(table, path)
	return layer{
		load: func(k *koanf.Koanf) error {
			err := k.Load(file.Provider(path), parser)
			if unreadable, ok := errors.AsType[*fs.PathError](err); ok {
				return fmt.Errorf("configuration file: %w (from %s)", unreadable, from)
			}
			return err
		},
		origin: parser.origin,
	}
}

// environmentLayer reads the variables with our prefix. An unknown one is an error, since a mistyped limit would be no limit.
func environmentLayer(table []setting, e environment) layer {
	origin := func(key string) string { return "env " + about{key: key}.variable() }
	return layer{
		load: func(k *koanf.Koanf) error {
			// koanf's provider has no way to fail on a variable, so that the failures are kept aside.
			var problems []error
			read := func(name, text string) (string, any) {
				key, v, err := readVariable(table, name, text)
				if err != nil {
					problems = append(problems, err)
				}
				return key, v
			}
			options := env.Opt{Prefix: variablePrefix, EnvironFunc: e.sorted, TransformFunc: read}
			err := k.Load(env.Provider("", options), nil)
			return errors.Join(append(problems, err)...)
		},
		origin: origin,
	}
}

// readVariable returns key and value of one variable; the key is empty for one that sets nothing.
func readVariable(table []setting, name, text string) (key string, v any, err error) {
	known := []string{fileVariable}
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
	if name == fileVariable || serviceLink.MatchString(name) {
		return "", nil, nil
	}
	return "", nil, fmt.Errorf("%s: is no setting%s (from the environment)", quoted(name),
		suggestion(variablePrefix, name, known))
}

// flagLayer reads the flags that were given. set may be nil.
func flagLayer(table []setting, set *pflag.FlagSet) layer {
	origin := func(key string) string { return "flag --" + about{key: key}.flag() }
	return layer{
		load: func(k *koanf.Koanf) error {
			values := make(valueMap)
			var problems []error
			for _, s := range table {
				a := s.describe()
				f := changedFlag(set, a.flag())
				if f == nil {
					continue
				}
				v, err := readFlag(s, f)
				if err != nil {
					problems = append(problems, complaint(a, f.Value.String(), err, origin(a.key)))
				}
				values[a.key] = v
			}
			return errors.Join(append(problems, k.Load(values, nil))...)
		},
		origin: origin,
	}
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

// sorted returns the variables in the form of os.Environ, by name, so that messages come in one order.
func (e environment) sorted() []string {
	entries := make([]string, 0, len(e))
	for name, value := range e {
		entries = append(entries, name+"="+value)
	}
	slices.Sort(entries)
	return entries
}

// valueMap implements koanf.Provider for values that are at hand.
type valueMap map[string]any

// ReadBytes is not supported.
func (valueMap) ReadBytes() ([]byte, error) { return nil, errors.ErrUnsupported }

// Read returns the values.
func (m valueMap) Read() (map[string]any, error) { return m, nil }

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
