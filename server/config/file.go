package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	koanfyaml "github.com/knadh/koanf/parsers/yaml"
	"go.yaml.in/yaml/v3"
)

// fileParser implements koanf.Parser for the configuration file. Beyond koanf's own YAML parser, which gives the
// values, it rejects keys that are no setting and values of the wrong type, and records the line of each key.
type fileParser struct {
	*koanfyaml.YAML
	table []setting
	path  string
	lines map[string]int
}

// newFileParser returns a parser of one file. It serves one Load, since it keeps the lines of that file.
func newFileParser(table []setting, path string) *fileParser {
	return &fileParser{YAML: koanfyaml.Parser(), table: table, path: path, lines: make(map[string]int)}
}

// origin returns where in the file the key is.
func (p *fileParser) origin(key string) string { return fileOrigin(p.path, p.lines[key]) }

// Unmarshal returns the settings in the file, each in its own type.
func (p *fileParser) Unmarshal(content []byte) (map[string]any, error) {
	keys, err := topLevelKeys(content)
	if err != nil {
		return nil, p.fail(err)
	}
	decoded, err := p.YAML.Unmarshal(content)
	if err != nil {
		return nil, p.fail(err)
	}
	values := make(map[string]any, len(keys))
	var problems []error
	for _, key := range keys {
		p.lines[key.Value] = key.Line
		v, err := p.value(key.Value, decoded[key.Value])
		if err != nil {
			problems = append(problems, err)
			continue
		}
		values[key.Value] = v
	}
	return values, errors.Join(problems...)
}

// value returns one entry of the file in the type of its setting. Its error does not repeat a secret.
func (p *fileParser) value(key string, raw any) (any, error) {
	reject := func(reason error) error {
		return fmt.Errorf("%s: %w (from %s)", quoted(key), reason, p.origin(key))
	}
	known := make([]string, 0, len(p.table))
	for _, s := range p.table {
		a := s.describe()
		if a.key != key {
			known = append(known, a.key)
			continue
		}
		if a.secret {
			return nil, reject(fmt.Errorf("must not be in a configuration file; use %s", a.instead("")))
		}
		text, err := s.fromYAML(raw)
		if err != nil {
			return nil, reject(err)
		}
		v, err := s.parse(text)
		if err != nil {
			return nil, complaint(a, text, err, p.origin(key))
		}
		return v, nil
	}
	return nil, reject(fmt.Errorf("is no setting%s", suggestion("", key, known)))
}

// fail makes one line of an error of the YAML library and names the file.
func (p *fileParser) fail(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if list, ok := errors.AsType[*yaml.TypeError](err); ok {
		text = strings.Join(list.Errors, "; ")
	}
	return fmt.Errorf("file %s: not valid YAML: %s", quoted(p.path), text)
}

// topLevelKeys returns the nodes of the keys of the only document, in order; nil for an empty one. A second document would be
// ignored by most programs, so it is an error here. Keys that are given twice are an error of the YAML library.
func topLevelKeys(content []byte) ([]*yaml.Node, error) {
	var document, second yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	if err := decoder.Decode(&document); errors.Is(err, io.EOF) {
		return nil, nil // empty, or comments alone
	} else if err != nil {
		return nil, err
	}
	if err := decoder.Decode(&second); err == nil {
		return nil, fmt.Errorf("line %d: a second document begins; one is wanted", second.Line)
	} else if !errors.Is(err, io.EOF) {
		return nil, err
	}
	root := document.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil
	}
	if root.Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: wanted lines of the form \"key: value\"", root.Line)
	}
	keys := make([]*yaml.Node, 0, len(root.Content)/2)
	for i := 0; i < len(root.Content); i += 2 {
		keys = append(keys, root.Content[i])
	}
	return keys, nil
}
