package integration_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/prototext"

	pb "github.com/toolresult/toolresult/gen/toolresult/v1"
)

// expected are the golden cases that every family has: by the name of its file
// in the contract.
var expected = []string{"small", "over-budget", "odd-bytes", "error", "real"}

// Every family has the five cases, and every case of the result oneof a golden
// one.
func TestEveryFamilyHasGoldenCases(t *testing.T) {
	t.Parallel()
	cases := (*pb.CompleteToolOutput)(nil).ProtoReflect().Descriptor().Oneofs().ByName("result").Fields()
	missing := map[string]bool{}
	for i := range cases.Len() {
		missing[string(cases.Get(i).Name())] = true
		dir := filepath.Join(goldenDir, strings.TrimPrefix(strings.TrimSuffix(filepath.Base(cases.Get(i).Message().ParentFile().Path()), ".proto"), "runtime_"))
		for _, name := range expected {
			if _, err := os.Stat(filepath.Join(dir, name, "canonical.json")); errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s has no golden case %q", dir, name)
			}
		}
	}
	for _, c := range goldenCases(t) {
		text, err := os.ReadFile(c)
		if err != nil {
			t.Fatal(err)
		}
		var req pb.ProjectRequest
		if err := prototext.Unmarshal(text, &req); err != nil {
			continue // a message that the golden test refuses by itself
		}
		family := familyOf(req.GetOutput())
		if req.GetOutput().GetCustom() != nil {
			family = "custom"
		}
		delete(missing, family)
	}
	for family := range missing {
		t.Errorf("no golden case has the result %s", family)
	}
}

// RFC "Do Not Duplicate Large Payloads": no long text stands twice in one
// canonical result.
func TestNothingLongStandsTwice(t *testing.T) {
	t.Parallel()
	const long = 200
	for _, c := range goldenCases(t) {
		text, err := os.ReadFile(filepath.Join(filepath.Dir(c), "canonical.json"))
		if err != nil {
			continue // a refusal
		}
		var value any
		if err := json.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		var all []string
		longStrings(value, long, &all)
		slices.SortFunc(all, func(a, b string) int { return len(a) - len(b) })
		for i, s := range all {
			if slices.ContainsFunc(all[i+1:], func(longer string) bool { return strings.Contains(longer, s) }) {
				t.Errorf("%s has twice: %.80q", filepath.Dir(c), s)
			}
		}
	}
}

func longStrings(value any, long int, into *[]string) {
	switch v := value.(type) {
	case string:
		if len(v) > long {
			*into = append(*into, v)
		}
	case []any:
		for _, e := range v {
			longStrings(e, long, into)
		}
	case map[string]any:
		for _, e := range v {
			longStrings(e, long, into)
		}
	}
}
