package hosts_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
	"pgregory.net/rapid"

	"github.com/toolresult/toolresult/internal/hosts"
)

// settings are those of all tests: a key, and elements of lists.
var settings = hosts.JSONFile{
	{Path: []string{"env", "PREFIX"}, Value: "/bin/toolresult-shell"},
	{Path: []string{"hooks", "After"}, Value: map[string]any{"matcher": "mcp", "hooks": []any{map[string]any{"command": "toolresult hook"}}}, Append: true},
}

// apply returns a text with the settings.
func apply(t interface{ Fatal(...any) }, e hosts.Edit, text string) string {
	after, err := e.Apply([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return string(after)
}

// revert returns a text without the settings.
func revert(t interface{ Fatal(...any) }, e hosts.Edit, text string) string {
	after, err := e.Revert([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return string(after)
}

// value returns the value of a text in JSON with comments.
func value(t interface{ Fatal(...any) }, text string) (v any) {
	standard, err := hujson.Standardize([]byte(text))
	if err == nil {
		err = json.Unmarshal(standard, &v)
	}
	if err != nil {
		t.Fatal(err, text)
	}
	return v
}

func TestJSONKeepsCommentsOrderAndLayout(t *testing.T) {
	t.Parallel()
	for name, c := range map[string][2]string{
		"comments": {
			"{\n\t// mine\n\t\"model\": \"opus\", // best\n\t\"hooks\": {\n\t\t\"Stop\": [] /* none */ // yet\n\t} // end\n}\n",
			"{\n\t// mine\n\t\"model\": \"opus\", // best\n\t\"hooks\": {\n\t\t\"Stop\": [], /* none */ // yet\n\t\t\"After\": [\n\t\t\t{\n\t\t\t\t\"hooks\": [\n\t\t\t\t\t{\n\t\t\t\t\t\t\"command\": \"toolresult hook\"\n\t\t\t\t\t}\n\t\t\t\t],\n\t\t\t\t\"matcher\": \"mcp\"\n\t\t\t}\n\t\t]\n\t}, // end\n\t\"env\": {\n\t\t\"PREFIX\": \"/bin/toolresult-shell\"\n\t}\n}\n",
		},
		"trailing commas": {
			"{\n  \"env\": {\n    \"A\": \"1\",\n  },\n}\n",
			"{\n  \"env\": {\n    \"A\": \"1\",\n    \"PREFIX\": \"/bin/toolresult-shell\",\n  },\n  \"hooks\": {\n    \"After\": [\n      {\n        \"hooks\": [\n          {\n            \"command\": \"toolresult hook\"\n          }\n        ],\n        \"matcher\": \"mcp\"\n      }\n    ]\n  },\n}\n",
		},
	} {
		if got := apply(t, settings, c[0]); got != c[1] {
			t.Errorf("%s:\n%s\nwant:\n%s", name, got, c[1])
		}
	}
	if got := apply(t, settings, "{\r\n  \"a\": 1\r\n}\r\n"); strings.Count(got, "\n") != strings.Count(got, "\r\n") {
		t.Errorf("line ends are mixed: %q", got)
	}
}

func TestJSONRejectsWhatItWouldBreak(t *testing.T) {
	t.Parallel()
	for text, taken := range map[string]bool{
		`{"env": `: false, `[]`: false, `{"env": {"PREFIX": "x"}, "env": {}}`: false,
		`{"env": {"PREFIX": "/usr/bin/mine"}}`: true, `{"env": "none"}`: true, `{"hooks": {"After": {}}}`: true,
	} {
		if after, err := settings.Apply([]byte(text)); err == nil || errors.Is(err, hosts.ErrTaken) != taken {
			t.Errorf("%s: %v, %s", text, err, after)
		}
	}
}

// file draws a settings file in JSON with comments, in some layout.
func file(t *rapid.T) string {
	space := rapid.SampledFrom([]string{"", " ", "\n  ", "\n", "\t", " /* c */ ", " // line\n"})
	var draw func(depth int) string
	draw = func(depth int) string {
		kind := rapid.IntRange(0, 4).Draw(t, "kind")
		if depth == 0 || depth < 3 && kind == 0 {
			var b strings.Builder
			b.WriteString("{")
			keys := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "env", "hooks", "PREFIX2", "After", "z"}), 0, 4, rapid.ID[string]).Draw(t, "keys")
			for i, key := range keys {
				v := draw(depth + 1)
				switch { // so that our path exists, and is free
				case depth == 0 && (key == "env" || key == "hooks") && !strings.HasPrefix(v, "{"):
					v = "{}"
				case key == "After" && !strings.HasPrefix(v, "["):
					v = "[]"
				}
				fmt.Fprintf(&b, "%s%q%s:%s%s%s", space.Draw(t, "s"), key, space.Draw(t, "s"), space.Draw(t, "s"), v, space.Draw(t, "s"))
				if i < len(keys)-1 || rapid.Bool().Draw(t, "trailing") {
					b.WriteString(",")
				}
			}
			return b.String() + space.Draw(t, "s") + "}"
		}
		if kind == 1 && depth < 3 {
			n := rapid.IntRange(0, 3).Draw(t, "n")
			var b strings.Builder
			b.WriteString("[")
			for i := range n {
				b.WriteString(space.Draw(t, "s") + draw(depth+1) + space.Draw(t, "s"))
				if i < n-1 || rapid.Bool().Draw(t, "trailing") {
					b.WriteString(",")
				}
			}
			return b.String() + space.Draw(t, "s") + "]"
		}
		return rapid.SampledFrom([]string{`"x"`, `"é\u00e9"`, "1.50", "true", "null", "12345678901234567890"}).Draw(t, "v")
	}
	return space.Draw(t, "s") + draw(0) + space.Draw(t, "s")
}

// TestJSONEditsMeanOnlyWhatTheySay compares the values of random files before and after.
func TestJSONEditsMeanOnlyWhatTheySay(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := file(t)
		before, _ := value(t, text).(map[string]any)
		applied := apply(t, settings, text)
		if again := apply(t, settings, applied); again != applied {
			t.Fatalf("a second time changes\n%s\nto\n%s", applied, again)
		}
		after, _ := value(t, applied).(map[string]any)
		env, _ := after["env"].(map[string]any)
		if env["PREFIX"] != "/bin/toolresult-shell" {
			t.Fatalf("no setting in %s", applied)
		}
		if comments(applied) != comments(text) {
			t.Fatalf("comments differ:\n%s\n%s", text, applied)
		}
		reverted := revert(t, settings, applied)
		if comments(reverted) != comments(text) {
			t.Fatalf("comments differ:\n%s\n%s", text, reverted)
		}
		if got, _ := value(t, reverted).(map[string]any); !reflect.DeepEqual(full(got), full(before)) {
			t.Fatalf("%s\nbecame\n%s", text, reverted)
		}
		// All that was there is still there, in its order: the file is a subsequence of the edited one.
		if rest := subsequence(strip(text), applied); rest != "" {
			t.Fatalf("%q is missing in %s", rest, applied)
		}
	})
}

// comments counts the comments of a text.
func comments(text string) int { return strings.Count(text, "/*") + strings.Count(text, "// line") }

// full returns an object without the empty objects and lists of our path, which may come and go.
func full(o map[string]any) map[string]any {
	if hooks, ok := o["hooks"].(map[string]any); ok {
		if list, ok := hooks["After"].([]any); ok && len(list) == 0 {
			delete(hooks, "After")
		}
		if len(hooks) == 0 {
			delete(o, "hooks")
		}
	}
	if env, ok := o["env"].(map[string]any); ok && len(env) == 0 {
		delete(o, "env")
	}
	return o
}

// strip returns a text without white space.
func strip(text string) string { return strings.Join(strings.Fields(text), "") }

// subsequence returns what of want is not in text, in the same order.
func subsequence(want, text string) string {
	for i := 0; i < len(text) && want != ""; i++ {
		if text[i] == want[0] {
			want = want[1:]
		}
	}
	return want
}
