package conformance_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/testing/protocmp"
)

// all joins what is wrong.
var all = errors.Join

// equal says how two values differ.
func equal(what string, got, want any) error {
	if d := cmp.Diff(want, got, protocmp.Transform()); d != "" {
		return fmt.Errorf("%s (-want +got):\n%s", what, d)
	}
	return nil
}

// differ says that two values are equal.
func differ(what string, a, b any) error {
	if cmp.Equal(a, b, protocmp.Transform()) {
		return fmt.Errorf("%s are the same: %v", what, a)
	}
	return nil
}

// holds says that something does not.
func holds(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// has says which parts a text lacks.
func has(text string, parts ...string) error {
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return fmt.Errorf("%q is not in\n%s", p, clip(text))
		}
	}
	return nil
}

// lacks says which parts a text has.
func lacks(text string, parts ...string) error {
	for _, p := range parts {
		if strings.Contains(text, p) {
			return fmt.Errorf("%q is in\n%s", p, clip(text))
		}
	}
	return nil
}

// begins says that a text begins with something else.
func begins(text, with string) error {
	return holds(strings.HasPrefix(text, with), "%q does not begin with %q", clip(text), clip(with))
}

// atMost says that a number is too large.
func atMost(what string, got, most int) error {
	return holds(got <= most, "%s: %d, at most %d are right", what, got, most)
}

// noJSON says that a text is JSON.
func noJSON(text string) error {
	var v any
	return holds(json.Unmarshal([]byte(text), &v) != nil, "is JSON: %s", clip(text))
}

// clip bounds what an error shows.
func clip(text string) string {
	if len(text) > 2000 {
		return text[:2000] + "..."
	}
	return text
}
