package external

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// quoted returns a text as JSON.
func quoted(text string) string {
	out, _ := json.Marshal(text)
	return string(out)
}

func TestLiftText(t *testing.T) {
	t.Parallel()
	log := quoted(strings.Repeat("a line of a log <&> \"é\"\n", 200))
	mark := `"[shown as text: 200 lines, 5000 bytes]"`
	for _, c := range []struct{ name, json, around string }{
		{"an only member", `{"log":%s}`, `{"log":%s}`},
		{"members around it", `{"code": 2, "log" : %s, "ok":false}`, `{"code": 2, "log" : %s, "ok":false}`},
		{"deep", `[{"a":[{"log":%s}]}]`, `[{"a":[{"log":%s}]}]`},
		{"a short text too", `{"short":"\"x\\","log":%s}`, `{"short":"\"x\\","log":%s}`},
		{"twice", `{"out":%[1]s,"err":%[1]s}`, ""},
		{"much around it", `{"log":%s,"data":[` + strings.Repeat("1,", 1000) + `1]}`, ""},
		{"as a name", `{%s:1}`, ""},
	} {
		lifted, around, ok := LiftText(fmt.Appendf(nil, c.json, log))
		want := ""
		if c.around != "" {
			want = fmt.Sprintf(c.around, mark)
		}
		if string(around) != want || ok != (want != "") || ok && quoted(lifted) != log {
			t.Errorf("%s: %v, %s", c.name, ok, around)
		}
	}
	for name, text := range map[string]string{
		"one line": strings.Repeat("a ", 3000), "few lines": strings.Repeat("a\n", 9) + strings.Repeat("b", 3000), "short": strings.Repeat("a\n", 500),
		"backslashes": strings.Repeat(`\n a path\n`, 400),
	} {
		if _, around, ok := LiftText([]byte(`{"log":` + quoted(text) + `}`)); ok {
			t.Errorf("%s: %s", name, around)
		}
	}
	if lifted, _, ok := LiftText([]byte(`{"log":"` + strings.Repeat(`\ud800\n`, 1000) + `"}`)); !ok || lifted != strings.Repeat("\xed\xa0\x80\n", 1000) {
		t.Errorf("%v %.20q", ok, lifted)
	}
}

// What is lifted, put in the place of its placeholder, is the JSON that there was.
func TestLiftTextLosesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Repeat(rapid.StringN(1, 40, 200).Draw(t, "line")+"\n", rapid.IntRange(1, 300).Draw(t, "lines"))
		value := any(text)
		for range rapid.IntRange(0, 3).Draw(t, "depth") {
			if rapid.Bool().Draw(t, "in an array") {
				value = []any{rapid.Float64Range(0, 1).Draw(t, "number"), value}
			} else {
				value = map[string]any{rapid.StringN(0, 5, 20).Draw(t, "name"): value, "other": rapid.StringN(0, 20, 80).Draw(t, "other")}
			}
		}
		given, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		lifted, around, ok := LiftText(given)
		if !ok {
			return
		}
		mark := placeholderIn(around)
		again := strings.Replace(string(around), mark, quoted(lifted), 1)
		var got, want any
		if json.Unmarshal([]byte(again), &got) != nil || json.Unmarshal(given, &want) != nil || !cmp.Equal(got, want) {
			t.Fatalf("%s, and %s was given", again, given)
		}
	})
}

// placeholderIn returns the placeholder in JSON.
func placeholderIn(around []byte) string {
	_, rest, _ := strings.Cut(string(around), `"[shown as text: `)
	what, _, _ := strings.Cut(rest, `"`)
	return `"[shown as text: ` + what + `"`
}
