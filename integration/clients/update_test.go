package clients_test

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// update writes what the Go client gets into the list: members that a step names with another value, and every member of an error that
// is empty. The diff is to be reviewed.
var update = flag.Bool("update", false, "write the list in integration/conformance")

// errorMembers are the members of an error that the list compares.
var errorMembers = []string{"class", "reason", "field", "code", "retryable", "hint"}

// TestUpdate writes the list again.
func TestUpdate(t *testing.T) {
	if !*update {
		return
	}
	program := language{"go"}.prepare(t)[0]
	for name, file := range readList(t) {
		if file.Process {
			continue // nothing in it needs a receipt of other than a line
		}
		path := filepath.Join(listDir, name+".yaml")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var document yaml.Node
		if err := yaml.Unmarshal(text, &document); err != nil {
			t.Fatal(err)
		}
		s := startServed(t, file.Sidecar)
		r := &run{driver: startDriver(t, program), served: s, variables: map[string]string{"STORE": s.store, "TCP": s.tcp}}
		cases := member(document.Content[0], "cases").Content
		for i, c := range file.Cases {
			with := map[string]any{"address": "unix://" + s.socket}
			r.reply(t, listStep{Call: "connect", With: with})
			r.saved = map[string]map[string]any{}
			for n, step := range c.Steps {
				r.updateStep(t, member(cases[i], "steps").Content[n], step)
			}
		}
		var out bytes.Buffer
		encoder := yaml.NewEncoder(&out)
		encoder.SetIndent(2)
		if err := encoder.Encode(&document); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// updateStep makes a step, and writes what it got into its node.
func (r *run) updateStep(t *testing.T, node *yaml.Node, s listStep) {
	t.Helper()
	if s.Control != "" {
		r.served.control(t, s.Control)
		return
	}
	got := r.reply(t, s)
	want, values, names := member(node, "want"), got.Answer, slices.Sorted(maps.Keys(s.Want))
	if s.Error != nil {
		want, values, names = member(node, "error"), got.Error, slices.Sorted(maps.Keys(s.Error))
		if len(names) == 0 {
			names = errorMembers
		}
	}
	if values == nil {
		t.Errorf("%s: got %+v", s.Call, got)
		return
	}
	for _, name := range names {
		var value yaml.Node
		if err := value.Encode(r.generalize(values[name])); err != nil {
			t.Fatal(err)
		}
		if want.Style = 0; s.Error != nil {
			want.Style = yaml.FlowStyle
		}
		set(want, name, &value)
	}
}

// generalize returns a value with variables in place of what is another in each run.
func (r *run) generalize(value any) any {
	switch v := value.(type) {
	case string:
		for name, text := range r.variables {
			v = strings.ReplaceAll(v, text, "${"+name+"}")
		}
		return v
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = r.generalize(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = r.generalize(v[k])
		}
		return out
	case float64:
		if v == float64(int(v)) {
			return int(v)
		}
	}
	return value
}

// member returns the value of a key of a mapping.
func member(mapping *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return mapping.Content[i+1]
		}
	}
	return nil
}

// set sets the value of a key of a mapping.
func set(mapping *yaml.Node, key string, value *yaml.Node) {
	if old := member(mapping, key); old != nil {
		*old = *value
		return
	}
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, value)
}
