package records

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Objects of Kubernetes come as YAML, too ("kubectl get -o yaml"). They are read as the JSON that says
// the same. Other YAML is a file that somebody wrote and may edit: it is shown as it is.

// mostYAML is the size of YAML that is read at most, in bytes: a node takes about 20 times as much
// memory as its text.
const mostYAML = 1 << 20

// isServed reports whether a text is YAML of objects that a server of Kubernetes keeps: with their kind
// and their version in its store.
func isServed(text []byte) bool {
	head := text[:min(len(text), 256)]
	has := func(key string) bool { return bytes.Contains(text, []byte(key)) }
	return (bytes.HasPrefix(head, []byte("apiVersion:")) || bytes.Contains(head, []byte("\napiVersion:"))) && has("kind:") && (has("resourceVersion:") || has("  uid:"))
}

// JSONOfYAML returns served objects as JSON; nil for other text.
func JSONOfYAML(text []byte) []byte {
	if len(text) > mostYAML || !isServed(text) {
		return nil
	}
	var out bytes.Buffer
	for dec := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var node yaml.Node
		switch err := dec.Decode(&node); {
		case errors.Is(err, io.EOF) && out.Len() > 0:
			return out.Bytes()
		case err != nil:
			return nil
		}
		if node.Kind != yaml.DocumentNode || node.Content[0].Kind != yaml.MappingNode || !writeNode(&out, node.Content[0]) {
			return nil
		}
		out.WriteByte('\n')
	}
}

// writeNode writes a node of YAML as JSON, in its order. It reports false for what JSON cannot say.
func writeNode(out *bytes.Buffer, n *yaml.Node) bool {
	switch n.Kind {
	case yaml.MappingNode:
		out.WriteByte('{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			if i > 0 {
				out.WriteByte(',')
			}
			writeString(out, n.Content[i].Value)
			out.WriteByte(':')
			if n.Content[i].Kind != yaml.ScalarNode || !writeNode(out, n.Content[i+1]) {
				return false
			}
		}
		out.WriteByte('}')
	case yaml.SequenceNode:
		out.WriteByte('[')
		for i, one := range n.Content {
			if i > 0 {
				out.WriteByte(',')
			}
			if !writeNode(out, one) {
				return false
			}
		}
		out.WriteByte(']')
	case yaml.ScalarNode:
		if tag := n.ShortTag(); (tag == "!!int" || tag == "!!float" || tag == "!!bool" || tag == "!!null") && json.Valid([]byte(n.Value)) {
			out.WriteString(n.Value)
			return true
		}
		writeString(out, n.Value)
	default:
		return false // an alias
	}
	return true
}

// writeString writes a string of JSON.
func writeString(out *bytes.Buffer, text string) {
	e := json.NewEncoder(out)
	e.SetEscapeHTML(false)
	_ = e.Encode(strings.ToValidUTF8(text, "\ufffd")) // a buffer takes everything
	out.Truncate(out.Len() - 1)
}
