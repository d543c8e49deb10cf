package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Formats of [Loaded.Print].
const (
	// PrintYAML is one line "key: value # origin" per setting; a configuration file in itself.
	PrintYAML = "yaml"
	// PrintJSON is one object with a member {"value", "origin"} per setting; sizes are in bytes.
	PrintJSON = "json"
)

// Print writes every setting with its value and origin, in the order of the fields of [Config], as [PrintYAML] or
// [PrintJSON]. Secrets are "(set)" or empty; in YAML they stand in a comment, since a file must not hold them.
func (l *Loaded) Print(w io.Writer, format string) error {
	var (
		out bytes.Buffer
		err error
	)
	switch format {
	case PrintYAML:
		err = l.writeYAML(&out)
	case PrintJSON:
		err = l.writeJSON(&out)
	default:
		err = fmt.Errorf("print format %q is not one of %s or %s", format, PrintYAML, PrintJSON)
	}
	if err != nil {
		return err
	}
	_, err = w.Write(out.Bytes())
	return err
}

// writeYAML writes the settings as a configuration file, with the origin of each in a comment.
func (l *Loaded) writeYAML(out *bytes.Buffer) error {
	for _, s := range settings() {
		a := s.describe()
		value, err := yamlValue(s.native(l.Config), s.text(l.Config))
		if err != nil {
			return fmt.Errorf("print %s: %w", a.key, err)
		}
		if a.secret {
			out.WriteString("# ")
		}
		fmt.Fprintf(out, "%s: %s # %s\n", a.key, value, l.Origin(a.key))
	}
	return nil
}

// yamlValue writes a value on one line: texts with the quotes that they need, lists in brackets, the rest as a
// flag would have it.
func yamlValue(native any, text string) (string, error) {
	switch list := native.(type) {
	case []string:
		quoted := make([]string, len(list))
		for i := range list {
			quoted[i] = strconv.Quote(list[i])
		}
		return "[" + strings.Join(quoted, ", ") + "]", nil
	case []int:
		return "[" + strings.ReplaceAll(text, ",", ", ") + "]", nil
	case string:
		line, err := yaml.Marshal(text)
		if text != "" && quoted(text) != text {
			node := yaml.Node{}
			node.SetString(text)
			node.Style = yaml.DoubleQuotedStyle // the other styles may need several lines
			line, err = yaml.Marshal(&node)
		}
		return strings.TrimSuffix(string(line), "\n"), err
	default:
		return text, nil
	}
}

// writeJSON writes the settings as one object, a line for each. encoding/json would sort the keys of a map; here they are
// in the order of the documentation.
func (l *Loaded) writeJSON(out *bytes.Buffer) error {
	separator := "{\n  "
	for _, s := range settings() {
		key := s.describe().key
		member, err := json.Marshal(struct {
			Value  any    `json:"value"`
			Origin string `json:"origin"`
		}{s.native(l.Config), l.Origin(key)})
		if err != nil {
			return fmt.Errorf("print %s: %w", key, err)
		}
		fmt.Fprintf(out, "%s%q: %s", separator, key, member)
		separator = ",\n  "
	}
	out.WriteString("\n}\n")
	return nil
}
