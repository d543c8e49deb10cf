package packaging_test

import (
	"fmt"
	"os"
	"strings"
)

// Unit is a unit of systemd: the values of each setting, in order. Sections are not told apart: no setting here is in two.
type Unit map[string][]string

// ReadUnit reads a unit file, as far as ours go: no lines are continued.
func ReadUnit(path string) (Unit, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	u := Unit{}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "[") {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		if !ok || strings.HasSuffix(value, `\`) {
			return nil, fmt.Errorf("%s: %q is no setting of one line", path, line)
		}
		u[name] = append(u[name], value)
	}
	return u, nil
}

// Get returns the last value of a setting; empty if there is none.
func (u Unit) Get(name string) string {
	list := u[name]
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}
