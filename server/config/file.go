package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"
)

// fileReader reads the values of one configuration file. It rejects keys that are no setting and values of the wrong type.
type fileReader struct {
	table []setting
	path  string
}

// readFile reads the configuration file at path; there is none if path is empty. One that is named must exist: silence about
// a missing file would start a server with other settings than its operator wrote. from says who named it.
func readFile(table []setting, path, from string) ([]value, error) {
	if path == "" {
		return nil, nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("configuration file: %w (from %s)", err, from)
	}
	return fileReader{table, path}.read(content)
}

// read returns the settings in the file, each in its own type.
func (r fileReader) read(content []byte) ([]value, error) {
	keys, err := topLevelKeys(content)
	if err != nil {
		return nil, r.fail(err)
	}
	decoded := map[string]any{}
	if err := yaml.Unmarshal(content, &decoded); err != nil {
		return nil, r.fail(err)
	}
	values := make([]value, 0, len(keys))
	var problems []error
	for _, key := range keys {
		origin := fileOrigin(r.path, key.Line)
		v, err := r.value(key.Value, decoded[key.Value], origin)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		values = append(values, value{key.Value, v, origin})
	}
	return values, errors.Join(problems...)
}

// value returns one entry of the file in the type of its setting. Its error does not repeat a secret.
func (r fileReader) value(key string, raw any, origin string) (any, error) {
	reject := func(reason error) error {
		return fmt.Errorf("%s: %w (from %s)", quoted(key), reason, origin)
	}
	known := make([]string, 0, len(r.table))
	for _, s := range r.table {
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
			return nil, complaint(a, text, err, origin)
		}
		return v, nil
	}
	return nil, reject(fmt.Errorf("is no setting%s", suggestion("", key, known)))
}

// fail makes one line of an error of the YAML library and names the file.
func (r fileReader) fail(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if list, ok := errors.AsType[*yaml.TypeError](err); ok {
		text = strings.Join(list.Errors, "; ")
	}
	return fmt.Errorf("file %s: not valid YAML: %s", quoted(r.path), text)
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
