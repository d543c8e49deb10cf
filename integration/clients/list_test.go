package clients_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// The list: files of cases, each with steps.
type (
	// listFile is a file of the list.
	listFile struct {
		Skips   map[string]string `yaml:"skips"`   // of a language, why; none may
		Sidecar []string          `yaml:"sidecar"` // further flags of the sidecar
		Process bool              `yaml:"process"` // each case is a process, which finds its sidecar
		Cases   []listCase        `yaml:"cases"`
	}
	// listCase is a case: steps that one client makes.
	listCase struct {
		Name  string            `yaml:"name"`
		Only  string            `yaml:"only"`  // socket or tcp; empty: both
		Place string            `yaml:"place"` // of discovery: what is there
		Env   map[string]string `yaml:"env"`   // further variables of the process
		Steps []listStep        `yaml:"steps"`
	}
	// listStep is a call with what it must answer, or something that is done to the sidecar.
	listStep struct {
		Control string         `yaml:"control"`
		Call    string         `yaml:"call"`
		With    map[string]any `yaml:"with"`
		Save    string         `yaml:"save"`
		During  []string       `yaml:"during"` // what is done to the sidecar while the call waits
		Want    map[string]any `yaml:"want"`   // members of the answer
		Error   map[string]any `yaml:"error"`  // members of the error
	}
)

// listDir has the files.
const listDir = "../conformance"

// readList reads the list, by the names of the files.
func readList(t testing.TB) map[string]listFile {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(listDir, "*.yaml"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("there is no list: %v", err)
	}
	list := map[string]listFile{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var file listFile
		decoder := yaml.NewDecoder(strings.NewReader(string(text)))
		decoder.KnownFields(true)
		if err := decoder.Decode(&file); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		list[strings.TrimSuffix(filepath.Base(path), ".yaml")] = file
	}
	return list
}

// TestNoLanguageSkips: the list says who skips what, and nobody does.
func TestNoLanguageSkips(t *testing.T) {
	t.Parallel()
	cases := 0
	for name, file := range readList(t) {
		if len(file.Skips) > 0 {
			t.Errorf("%s.yaml is skipped by %v", name, slices.Sorted(maps.Keys(file.Skips)))
		}
		seen := map[string]bool{}
		for _, c := range file.Cases {
			if cases++; seen[c.Name] || c.Name == "" {
				t.Errorf("%s.yaml has the case %q twice, or without a name", name, c.Name)
			}
			seen[c.Name] = true
			for i, s := range c.Steps {
				if (s.Call == "") == (s.Control == "") || s.Call != "" && (s.Want == nil) == (s.Error == nil) {
					t.Errorf("%s.yaml, %s: step %d has to have a control, or a call with want or error", name, c.Name, i+1)
				}
			}
		}
	}
	if cases < 40 {
		t.Errorf("the list has %d cases", cases)
	}
}

// expand returns a value of a step with variables, artifacts of saved answers ("@name", or the second as "@name:1") and generated
// texts in it.
func expand(value any, variables map[string]string, saved map[string]map[string]any) any {
	switch v := value.(type) {
	case string:
		name, at, _ := strings.Cut(strings.TrimPrefix(v, "@"), ":")
		if answer, ok := saved[name]; ok && strings.HasPrefix(v, "@") {
			n, _ := strconv.Atoi(at) // the first without a number
			if paths, ok := answer["artifacts"].([]any); ok && len(paths) > n {
				return paths[n]
			}
		}
		for name, text := range variables {
			v = strings.ReplaceAll(v, "${"+name+"}", text)
		}
		return v
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = expand(v[i], variables, saved)
		}
		return out
	case map[string]any:
		if n, ok := v["lines"].(int); ok && v["line"] != nil {
			return generate(n, v)
		}
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = expand(v[k], variables, saved)
		}
		return out
	}
	return value
}

// generate makes a text of n lines: each is "line" with its number, but for those of "at".
func generate(n int, v map[string]any) string {
	var b strings.Builder
	at, _ := v["at"].(map[any]any)
	for i := 1; i <= n; i++ {
		if line, ok := at[i]; ok {
			fmt.Fprintln(&b, line)
			continue
		}
		fmt.Fprintf(&b, fmt.Sprint(v["line"])+"\n", i)
	}
	return b.String()
}
